/** How many rows of an import are stored; written in the transaction of the rows. */
import { type Session, statement } from './engine.ts';

const find = statement<{ readonly rows_done: number }>(
  'find-import-progress',
  'select rows_done from import_progress where source = $1',
);

const save = statement(
  'save-import-progress',
  `insert into import_progress (source, rows_done, updated_at) values ($1, $2, $3)
   on conflict (source) do update set rows_done = excluded.rows_done, updated_at = excluded.updated_at`,
);

export class ImportProgressReader {
  protected readonly session: Session;

  constructor(session: Session) {
    this.session = session;
  }

  /** How many rows of the source are stored; 0 for an unknown source. */
  async find(source: string): Promise<number> {
    return (await this.session.query(find, [source]))[0]?.rows_done ?? 0;
  }
}

export class ImportProgressRepository extends ImportProgressReader {
  /** `source`: the checksum of a file, or the name of a seed; `rowsDone`: rows from its start; `at`: milliseconds since the epoch. */
  async save(source: string, rowsDone: number, at: number): Promise<void> {
    await this.session.execute(save, [source, rowsDone, at]);
  }
}
