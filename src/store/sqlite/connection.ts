/** One connection to the database file, with its prepared statements. */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Row, Session, Statement, Value } from '../sql/engine.ts';
import { translated } from './failure.ts';

interface Prepared {
  readonly statement: StatementSync;
  /** Names of the columns, in their order. */
  readonly columns: readonly string[];
  /** Which parameter stands at each `?`; absent where they stand in their order. */
  readonly order?: readonly number[];
}

/** The database's clock, as SQLite says it. */
const now = "cast(unixepoch('subsec') * 1000 as integer)";

/** `$1`, `$2` become `?`, which is bound without looking up names. */
const positional = (text: string): { readonly text: string; readonly order?: readonly number[] } => {
  const order: number[] = [];
  // Units stand in a queue here, so there is nothing to pass over.
  const plain = text.replaceAll('now_ms()', now).replaceAll('skip_locked()', '');
  const translatedText = plain.replace(/\$(\d+)/g, (_, number) => {
    order.push(Number(number) - 1);
    return '?';
  });
  return order.every((parameter, index) => parameter === index)
    ? { text: translatedText }
    : { text: translatedText, order };
};

const inOrder = ({ order }: Prepared, parameters: readonly Value[]): readonly Value[] =>
  order === undefined ? parameters : order.map((index) => parameters[index] ?? null);

/** The objects that SQLite's binding makes are dictionaries, slow to make and slow to read; these are not. */
const rowOf = (columns: readonly string[], values: readonly Value[]): Row => {
  const row: Record<string, Value> = {};
  for (let at = 0; at < columns.length; at++) row[columns[at]!] = values[at]!;
  return row;
};

export class Connection implements Session {
  readonly #database: DatabaseSync;
  readonly #prepared = new Map<Statement, Prepared>();
  #dataVersion: StatementSync | undefined;

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  async query<R extends Row>(statement: Statement<R>, parameters: readonly Value[]): Promise<readonly R[]> {
    try {
      const prepared = this.#prepare(statement);
      const rows = prepared.statement.all(...inOrder(prepared, parameters)) as unknown as readonly Value[][];
      return rows.map((values) => rowOf(prepared.columns, values) as R);
    } catch (thrown) {
      throw translated(thrown);
    }
  }

  async execute(statement: Statement, parameters: readonly Value[]): Promise<number> {
    try {
      const prepared = this.#prepare(statement);
      return Number(prepared.statement.run(...inOrder(prepared, parameters)).changes);
    } catch (thrown) {
      throw translated(thrown);
    }
  }

  /** Statements without rows or parameters that are ours alone, such as `begin immediate`. */
  run(text: string): void {
    this.#database.exec(text);
  }

  /** Changes when another connection has committed to the file. */
  dataVersion(): number {
    try {
      this.#dataVersion ??= this.#database.prepare('pragma data_version');
      return Number(this.#dataVersion.get()?.data_version);
    } catch (thrown) {
      throw translated(thrown);
    }
  }

  get inTransaction(): boolean {
    return this.#database.isTransaction;
  }

  close(): void {
    this.#database.close();
  }

  /** Statements are data of the program, so there are only as many as it has. */
  #prepare(statement: Statement): Prepared {
    const known = this.#prepared.get(statement);
    if (known !== undefined) return known;
    const { text, order } = positional(statement.text);
    const made = this.#database.prepare(text);
    made.setReturnArrays(true);
    const prepared = { statement: made, columns: made.columns().map(({ name }) => name), ...(order && { order }) };
    this.#prepared.set(statement, prepared);
    return prepared;
  }
}
