/** One connection to the database file, with its prepared statements. */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Row, Session, Statement, Value } from '../sql/engine.ts';
import { translated } from './failure.ts';

interface Prepared {
  readonly statement: StatementSync;
  /** Names of the columns, in their order. */
  readonly columns: readonly string[];
  /** The index of the parameter for each `?`; absent where the parameters are in order. */
  readonly order?: readonly number[];
}

/** Stands in `order` for a parameter that is the present time. */
const presentTime = -1;

export class Connection implements Session {
  readonly #database: DatabaseSync;
  readonly #prepared = new Map<Statement, Prepared>();
  readonly #commands = new Map<string, StatementSync>();
  readonly #now: () => number;
  #dataVersion: StatementSync | undefined;

  /** `now`: the clock of the database. */
  constructor(database: DatabaseSync, now: () => number) {
    this.#database = database;
    this.#now = now;
  }

  async query<R extends Row>(statement: Statement<R>, parameters: readonly Value[]): Promise<readonly R[]> {
    try {
      const prepared = this.#prepare(statement);
      const rows = prepared.statement.all(...this.#inOrder(prepared, parameters)) as unknown as readonly Value[][];
      return rows.map((values) => rowOf(prepared.columns, values) as R);
    } catch (thrown) {
      throw translated(thrown);
    }
  }

  async execute(statement: Statement, parameters: readonly Value[]): Promise<number> {
    try {
      const prepared = this.#prepare(statement);
      return Number(prepared.statement.run(...this.#inOrder(prepared, parameters)).changes);
    } catch (thrown) {
      throw translated(thrown);
    }
  }

  /** Runs one constant statement without parameters, such as `begin immediate`. */
  run(text: string): void {
    let command = this.#commands.get(text);
    if (command === undefined) {
      command = this.#database.prepare(text);
      this.#commands.set(text, command);
    }
    command.run();
  }

  /** Returns the first column of all rows of one constant query. */
  list(text: string): readonly string[] {
    const statement = this.#database.prepare(text);
    statement.setReturnArrays(true);
    return (statement.all() as unknown as readonly string[][]).map(([value]) => value!);
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

  #inOrder({ order }: Prepared, parameters: readonly Value[]): readonly Value[] {
    if (order === undefined) return parameters;
    return order.map((index) => (index === presentTime ? this.#now() : (parameters[index] ?? null)));
  }

  /** Bounded: statements are constants of the program. */
  #prepare(statement: Statement): Prepared {
    const known = this.#prepared.get(statement);
    if (known !== undefined) return known;
    const { text, order } = positional(statement.text);
    const created = this.#database.prepare(text);
    created.setReturnArrays(true);
    const prepared = {
      statement: created,
      columns: created.columns().map(({ name }) => name),
      ...(order && { order }),
    };
    this.#prepared.set(statement, prepared);
    return prepared;
  }
}

/** Faster to create and to read than the objects of node:sqlite, which are in dictionary mode. */
function rowOf(columns: readonly string[], values: readonly Value[]): Row {
  const row: Record<string, Value> = {};
  for (let at = 0; at < columns.length; at++) row[columns[at]!] = values[at]!;
  return row;
}

/** Replaces `$1`, `$2` and `now_ms()` by `?`, which SQLite binds without looking up names. */
function positional(text: string): { readonly text: string; readonly order?: readonly number[] } {
  const order: number[] = [];
  // Transactions queue in this engine, so no row is ever locked by another one. It compares bytes.
  const translatedText = text
    .replace(/skip_locked\(\)|collate_bytes\(\)/g, '')
    .replace(/\$(\d+)|now_ms\(\)/g, (_, number) => {
      order.push(number === undefined ? presentTime : Number(number) - 1);
      return '?';
    });
  return order.every((parameter, index) => parameter === index)
    ? { text: translatedText }
    : { text: translatedText, order };
}
