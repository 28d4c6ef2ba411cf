/**
 * A transaction on one connection: its statements run one after another, and none runs after its end.
 *
 * Statements whose results nothing needs are sent without waiting for their answers. PostgreSQL refuses whatever follows a
 * failed one, a commit included.
 */
import type { Row, Statement, TransactionSession, Value } from '../sql/engine.ts';
import type { Connection } from './connection.ts';
import { TransientFailure } from './failure.ts';

export class PostgresTransaction implements TransactionSession {
  readonly #connection: Connection;
  /** Resolves when the last statement in the queue has ended, or was sent without waiting. */
  #queue: Promise<void> = Promise.resolve();
  /** The answers of statements that were sent without waiting; they never reject. */
  #unanswered: Promise<void>[] = [];
  #ended = false;
  #failure: { readonly thrown: unknown } | undefined;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** The failure that no savepoint has rolled back: after it the database refuses the statements of this transaction. */
  get failure(): { readonly thrown: unknown } | undefined {
    return this.#failure;
  }

  query<R extends Row>(statement: Statement<R>, parameters: readonly Value[]): Promise<readonly R[]> {
    return this.#enqueue(async () => (await this.#connection.run(statement, parameters)).rows as readonly Row[] as R[]);
  }

  execute(statement: Statement, parameters: readonly Value[]): Promise<number> {
    return this.#enqueue(async () => (await this.#connection.run(statement, parameters)).rowCount ?? 0);
  }

  executeDeferred(statement: Statement, parameters: readonly Value[]): Promise<void> {
    return this.#send(() => this.#connection.run(statement, parameters));
  }

  async savepoint<T>(work: () => Promise<T>): Promise<T> {
    await this.#inOrder(() => this.#connection.setSavepoint());
    try {
      const result = await work();
      await this.#inOrder(() => this.#connection.releaseSavepoint());
      return result;
    } catch (thrown) {
      await this.answered();
      // A conflict invalidates what the whole transaction has read: it must run again.
      if (!(this.#failure?.thrown instanceof TransientFailure)) await this.#rollBackToSavepoint();
      throw thrown;
    }
  }

  /** Refuses further statements, and waits for those that have begun, except for what was sent without waiting. */
  async end(): Promise<void> {
    this.#ended = true;
    await this.#queue;
    if (this.#unanswered.length > 0) await refusalsKnown();
  }

  /** Resolves when everything that was sent without waiting has its answer. */
  async answered(): Promise<void> {
    await Promise.all(this.#unanswered.splice(0));
  }

  async #rollBackToSavepoint(): Promise<void> {
    const { ahead, leave } = this.#enter();
    await ahead;
    try {
      // What failed before the savepoint was sent has failed the transaction.
      if (await this.#connection.rollBackToSavepoint()) this.#failure = undefined;
    } catch (thrown) {
      this.#failure = { thrown };
    } finally {
      leave();
    }
  }

  /** Sends a statement in its turn, and does not wait for its answer. */
  #send(send: () => Promise<unknown>): Promise<void> {
    return this.#inOrder(() => {
      this.#unanswered.push(
        send().then(
          () => {},
          (thrown: unknown) => {
            this.#failure ??= { thrown };
          },
        ),
      );
    });
  }

  async #inOrder(run: () => void): Promise<void> {
    if (this.#ended) throw new Error('the transaction has ended');
    const { ahead, leave } = this.#enter();
    await ahead;
    if (this.#failure === undefined) run();
    // Without the transaction around it, a later statement would commit alone.
    if (!this.#connection.hasBegun) await this.answered();
    leave();
    if (this.#failure !== undefined) throw this.#failure.thrown;
  }

  /** One statement at a time: the client would send them all at once. */
  #enqueue<T>(send: () => Promise<T>): Promise<T> {
    if (this.#ended) return Promise.reject(new Error('the transaction has ended'));
    const sent = this.#sendInOrder(send, () => {
      // The statement may not be awaited. The transaction reports the failure all the same.
      sent.catch(() => {});
    });
    return sent;
  }

  /** `failed` runs once the error has its stack: a second consumer of the promise would cut the stack short. */
  async #sendInOrder<T>(send: () => Promise<T>, failed: () => void): Promise<T> {
    const { ahead, leave } = this.#enter();
    await ahead;
    try {
      if (this.#failure !== undefined) throw this.#failure.thrown;
      return await send();
    } catch (thrown) {
      // What was sent before has its answer by now, and may be the reason of this failure.
      await this.answered();
      this.#failure ??= { thrown };
      failed();
      throw this.#failure.thrown;
    } finally {
      leave();
    }
  }

  #enter(): { readonly ahead: Promise<void>; readonly leave: () => void } {
    const ahead = this.#queue;
    const left = Promise.withResolvers<void>();
    this.#queue = left.promise;
    return { ahead, leave: left.resolve };
  }
}

/**
 * Waits until the client has refused what it does not send, such as a name of another text: it says so in the next tick. The
 * server knows nothing of it and would commit the rest.
 */
async function refusalsKnown(): Promise<void> {
  await new Promise<void>((resolve) => process.nextTick(resolve));
  // Before this tick, all that follows from the refusal has run.
  await new Promise<void>((resolve) => process.nextTick(resolve));
}
