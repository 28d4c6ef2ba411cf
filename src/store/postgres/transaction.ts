/** A unit of work on one connection: its statements go one after another, and none slips out once it is over. */
import type { Row, Statement, TransactionSession, Value } from '../sql/engine.ts';
import type { Connection } from './connection.ts';
import { TransientFailure } from './failure.ts';

export class PostgresTransaction implements TransactionSession {
  readonly #connection: Connection;
  #last: Promise<unknown> = Promise.resolve();
  #ended = false;
  #failure: { readonly thrown: unknown } | undefined;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** What failed and was not undone by an attempt: after it the database takes no more statements of this unit. */
  get failure(): { readonly thrown: unknown } | undefined {
    return this.#failure;
  }

  query<R extends Row>(statement: Statement<R>, parameters: readonly Value[]): Promise<readonly R[]> {
    return this.#inTurn(async () => (await this.#connection.run(statement, parameters)).rows as readonly Row[] as R[]);
  }

  execute(statement: Statement, parameters: readonly Value[]): Promise<number> {
    return this.#inTurn(async () => (await this.#connection.run(statement, parameters)).rowCount ?? 0);
  }

  async savepoint<T>(work: () => Promise<T>): Promise<T> {
    await this.#inTurn(() => this.#connection.say('savepoint attempt'));
    try {
      const result = await work();
      await this.#inTurn(() => this.#connection.say('release savepoint attempt'));
      return result;
    } catch (thrown) {
      // After a conflict the whole unit has to begin again: what it has seen does not hold.
      if (!(this.#failure?.thrown instanceof TransientFailure)) await this.#undo();
      throw thrown;
    }
  }

  /** Refuses what comes later, and waits for what was begun, whether or not somebody else does. */
  async end(): Promise<void> {
    this.#ended = true;
    await this.#last;
  }

  async #undo(): Promise<void> {
    this.#last = this.#last.then(async () => {
      try {
        await this.#connection.say('rollback to savepoint attempt; release savepoint attempt');
        this.#failure = undefined;
      } catch (thrown) {
        this.#failure = { thrown };
      }
    });
    await this.#last;
  }

  /** One at a time: the client would send them all at once. */
  #inTurn<T>(step: () => Promise<T>): Promise<T> {
    if (this.#ended) return Promise.reject(new Error('the unit of work is over'));
    const turn = this.#last.then(async () => {
      if (this.#failure !== undefined) throw this.#failure.thrown;
      try {
        return await step();
      } catch (thrown) {
        this.#failure = { thrown };
        throw thrown;
      }
    });
    this.#last = turn.catch(() => {});
    return turn;
  }
}
