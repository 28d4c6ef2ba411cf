/** One connection to the database file, with its prepared statements. */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Row, Session, Statement, Value } from '../sql/engine.ts';
import { translated } from './failure.ts';

interface Prepared {
  readonly statement: StatementSync;
  /** Which parameter stands at each `?`; absent where they stand in their order. */
  readonly order?: readonly number[];
}

/** `$1`, `$2` become `?`, which is bound without looking up names. */
export const positional = (text: string): { readonly text: string; readonly order?: readonly number[] } => {
  const order: number[] = [];
  const translatedText = text.replace(/\$(\d+)/g, (_, number) => {
    order.push(Number(number) - 1);
    return '?';
  });
  return order.every((parameter, index) => parameter === index)
    ? { text: translatedText }
    : { text: translatedText, order };
};

export class Connection implements Session {
  readonly #database: DatabaseSync;
  readonly #prepared = new Map<Statement, Prepared>();

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  async query<R extends Row>(statement: Statement<R>, parameters: readonly Value[]): Promise<readonly R[]> {
    try {
      const prepared = this.#prepare(statement);
      return prepared.statement.all(...inOrder(prepared, parameters)) as R[];
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
    const prepared = { statement: this.#database.prepare(text), ...(order && { order }) };
    this.#prepared.set(statement, prepared);
    return prepared;
  }
}

const inOrder = ({ order }: Prepared, parameters: readonly Value[]): readonly Value[] =>
  order === undefined ? parameters : order.map((index) => parameters[index] ?? null);
