/** How far an import came, and which rows it has refused; written in the transaction of the rows. */
import { type Session, statement, type TransactionSession } from './engine.ts';

const find = statement<{ readonly rows_done: number }>(
  'find-import-progress',
  'select rows_done from import_progress where source = $1',
);

const save = statement(
  'save-import-progress',
  `insert into import_progress (source, rows_done, updated_at) values ($1, $2, $3)
   on conflict (source) do update set
     rows_done = case when excluded.rows_done > import_progress.rows_done then excluded.rows_done
                      else import_progress.rows_done end,
     updated_at = excluded.updated_at`,
);

const findRefused = statement<{ readonly row_number: number }>(
  'find-refused-import-rows',
  `select row_number from refused_import_row where source = $1 and row_number > $2 order by row_number limit $3`,
);

const removeRefused = statement(
  'remove-refused-import-rows',
  'delete from refused_import_row where source = $1 and row_number between $2 and $3',
);

const saveRefused = statement(
  'save-refused-import-row',
  'insert into refused_import_row (source, row_number) values ($1, $2)',
);

/** Rows that were read one after the other. The first row of a file has the number 1. */
interface ImportedRows {
  readonly first: number;
  readonly last: number;
  /** Those of them that were refused. */
  readonly refused: readonly number[];
}

export class ImportProgressReader {
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  /** How many rows of the source were read; 0 for an unknown source. */
  async find(source: string): Promise<number> {
    return (await this.#session.query(find, [source]))[0]?.rows_done ?? 0;
  }

  /** The next `max` refused rows after the row `after`. */
  async findRefused(source: string, after: number, max: number): Promise<readonly number[]> {
    const rows = await this.#session.query(findRefused, [source, after, max]);
    return rows.map(({ row_number }) => row_number);
  }
}

export class ImportProgressRepository extends ImportProgressReader {
  readonly #session: TransactionSession;

  constructor(session: TransactionSession) {
    super(session);
    this.#session = session;
  }

  /** `source`: the checksum of a file, or the name of a seed; `rowsDone`: rows from its start; `at`: milliseconds since the epoch. */
  async save(source: string, rowsDone: number, at: number): Promise<void> {
    await this.#session.execute(save, [source, rowsDone, at]);
  }

  /** Saves the progress, and replaces what was known of these rows. */
  async saveRows(source: string, { first, last, refused }: ImportedRows, at: number): Promise<void> {
    await this.save(source, last, at);
    await this.#session.execute(removeRefused, [source, first, last]);
    for (const row of refused) await this.#session.executeDeferred(saveRefused, [source, row]);
  }
}
