/**
 * A transaction on one connection: its statements run in their order, and none runs after its end.
 *
 * A statement is sent as soon as those before it were sent. All that is sent in one turn of the event loop travels in one write.
 * PostgreSQL refuses whatever follows a failed statement, a commit included.
 */
import type { QueryResult } from 'pg';
import { isSelect, type Row, type Statement, type TransactionSession, type Value } from '../sql/engine.ts';
import type { Connection } from './connection.ts';
import { TransientFailure } from './failure.ts';

interface Failure {
  readonly thrown: unknown;
  /** The transaction throws it whatever its work throws, and no savepoint rolls it back. */
  readonly isFinal?: true;
}

export class PostgresTransaction implements TransactionSession {
  readonly #connection: Connection;
  /** Resolves when the last statement in the queue was sent. */
  #queue: Promise<void> = Promise.resolve();
  /** Resolves when everything that was sent has its answer. */
  #answered: Promise<void> = Promise.resolve();
  /** The same, without the deferred statements at the end: the commit travels with them. */
  #awaited: Promise<void> = this.#answered;
  #ended = false;
  #failure: Failure | undefined;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** The failure that no savepoint has rolled back: after it the transaction runs no statement. */
  get failure(): Failure | undefined {
    return this.#failure;
  }

  query<R extends Row>(statement: Statement<R>, parameters: readonly Value[]): Promise<readonly R[]> {
    return this.#enqueue(statement, parameters, ({ rows }) => rows as readonly Row[] as R[]);
  }

  execute(statement: Statement, parameters: readonly Value[]): Promise<number> {
    return this.#enqueue(statement, parameters, rowsWritten);
  }

  async executeDeferred(statement: Statement, parameters: readonly Value[], unwritten?: () => Error): Promise<void> {
    if (this.#ended) throw new Error('the transaction has ended');
    const check = (answer: QueryResult<Row>): void => {
      if (unwritten !== undefined && rowsWritten(answer) === 0)
        this.#failure ??= { thrown: unwritten(), isFinal: true };
    };
    this.#enqueue(statement, parameters, check, { isAwaited: unwritten !== undefined }).catch(() => {});
    await this.#queue;
    if (this.#failure !== undefined) throw this.#failure.thrown;
  }

  async savepoint<T>(work: () => Promise<T>): Promise<T> {
    await this.#inOrder(() => this.#connection.setSavepoint());
    try {
      const result = await work();
      await this.#inOrder(() => this.#connection.releaseSavepoint());
      return result;
    } catch (thrown) {
      await this.#answered;
      // A conflict invalidates what the whole transaction has read: it must run again.
      if (!(this.#failure?.thrown instanceof TransientFailure)) await this.#rollBackToSavepoint();
      throw thrown;
    }
  }

  /** Refuses further statements, and waits for the answers to all but the last deferred ones. */
  async end(): Promise<void> {
    this.#ended = true;
    await this.#queue;
    await (this.#connection.hasBegun ? this.#awaited : this.#answered);
    if (this.#awaited === this.#answered) return;
    const release = this.#connection.hold();
    await refusalsKnown();
    release();
  }

  /** Resolves when everything that was sent has its answer. */
  answered(): Promise<void> {
    return this.#answered;
  }

  async #rollBackToSavepoint(): Promise<void> {
    const { ahead, leave } = this.#enter();
    await ahead;
    try {
      // What failed before the savepoint was sent has failed the transaction.
      const isRolledBack = await this.#connection.rollBackToSavepoint();
      if (isRolledBack && this.#failure?.isFinal !== true) this.#failure = undefined;
    } catch (thrown) {
      // Where the savepoint was not reached, what failed before it is the reason.
      if (this.#failure === undefined || thrown instanceof TransientFailure) this.#failure = { thrown };
    } finally {
      leave();
    }
  }

  /** Runs in its turn what sends nothing. */
  async #inOrder(run: () => void): Promise<void> {
    if (this.#ended) throw new Error('the transaction has ended');
    const { ahead, leave } = this.#enter();
    await ahead;
    if (this.#failure === undefined) run();
    leave();
    if (this.#failure !== undefined) throw this.#failure.thrown;
  }

  /** Sends a statement in its turn, and resolves to what `read` finds in the answer. `isAwaited`: the commit waits for the answer. */
  #enqueue<T>(
    statement: Statement,
    parameters: readonly Value[],
    read: (answer: QueryResult<Row>) => T,
    { isAwaited = true } = {},
  ): Promise<T> {
    if (this.#ended) return Promise.reject(new Error('the transaction has ended'));
    const answer = this.#send(statement, parameters, isAwaited, read, () => {
      // The statement may not be awaited. The transaction reports the failure all the same.
      answer.catch(() => {});
    });
    return answer;
  }

  /** `failed` runs once the error has its stack: a second consumer of the promise would cut the stack short. */
  async #send<T>(
    statement: Statement,
    parameters: readonly Value[],
    isAwaited: boolean,
    read: (answer: QueryResult<Row>) => T,
    failed: () => void,
  ): Promise<T> {
    const settled = Promise.withResolvers<void>();
    const { ahead, leave } = this.#enter();
    let earlier: Promise<void> | undefined;
    try {
      await ahead;
      // Without the transaction around it, it would commit alone.
      if (!this.#connection.isInTransaction && !isSelect(statement)) await this.#answered;
      if (this.#failure !== undefined) throw this.#failure.thrown;
      earlier = this.#answered;
      this.#answered = settled.promise;
      if (isAwaited) this.#awaited = settled.promise;
      const sent = this.#connection.run(statement, parameters);
      leave();
      const answer = await sent;
      await earlier;
      const found = read(answer);
      const { failure } = this;
      if (failure?.isFinal) throw failure.thrown;
      return found;
    } catch (thrown) {
      // What was sent before has its answer by now, and may be the reason of this failure.
      await earlier;
      this.#failure ??= { thrown };
      failed();
      throw this.#failure.thrown;
    } finally {
      leave();
      settled.resolve();
    }
  }

  #enter(): { readonly ahead: Promise<void>; readonly leave: () => void } {
    const ahead = this.#queue;
    const left = Promise.withResolvers<void>();
    this.#queue = left.promise;
    return { ahead, leave: left.resolve };
  }
}

function rowsWritten({ rowCount }: QueryResult<Row>): number {
  return rowCount ?? 0;
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
