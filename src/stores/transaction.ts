/** A database transaction as handlers use it: the SQL session, the repositories of the engine and those of services. */

import type { IdempotencyRecordReader, IdempotencyRecords, PendingRequests } from '../core/idempotency/index.ts';
import type { JobKind } from './jobs/job.ts';
import { WebhookFormats } from './jobs/webhooks/format.ts';
import type { Row, Session, Statement, TransactionSession, Value } from './sql/engine.ts';
import { IdempotencyRecordRepository, StoredRecordReader } from './sql/idempotency-records.ts';
import { ImportProgressReader, ImportProgressRepository } from './sql/import-progress.ts';
import { JobRepository } from './sql/jobs.ts';
import { Outbox } from './sql/outbox.ts';
import { PendingRequestRepository } from './sql/pending-requests.ts';

// biome-ignore lint/suspicious/noExplicitAny: a constructor's parameters are checked where it is used.
type AnyConstructor = new (...parameters: any[]) => object;

/** A class whose constructor takes a transaction of the type `Tx`. */
type RepositoryClass<Tx, C extends AnyConstructor> = C & (Tx extends ConstructorParameters<C>[0] ? unknown : never);

/** Objects that live as long as a store and that its transactions share, such as a cache; found by their class. */
export type SharedObjects = readonly object[];

/** Reads without writing; each statement sees what is committed when it starts. */
export class ReadTransaction {
  readonly #session: Session;
  readonly #shared: SharedObjects;
  readonly #repositories = new Map<AnyConstructor, object>();

  /** @internal */
  constructor(session: Session, shared: SharedObjects = []) {
    this.#session = session;
    this.#shared = shared;
  }

  /** Returns the rows of a statement. */
  query<R extends Row>(statement: Statement<R>, parameters: readonly Value[]): Promise<readonly R[]> {
    return this.#session.query(statement, parameters);
  }

  /**
   * The repository of this transaction; created at its first use.
   * @internal
   */
  repository<C extends AnyConstructor>(repository: RepositoryClass<this, C>): InstanceType<C> {
    let created = this.#repositories.get(repository);
    if (created === undefined) {
      created = new repository(this);
      this.#repositories.set(repository, created);
    }
    return created as InstanceType<C>;
  }

  /**
   * The object of this class that the transactions of the store share; undefined where the store has none.
   */
  shared<C extends AnyConstructor>(sharedClass: C): InstanceType<C> | undefined {
    return this.#shared.find((each): each is InstanceType<C> => each instanceof sharedClass);
  }

  /** @internal */
  get idempotencyRecords(): IdempotencyRecordReader {
    return new StoredRecordReader(this.#session);
  }

  /** @internal */
  get importProgress(): ImportProgressReader {
    return new ImportProgressReader(this.#session);
  }
}

/** What happens at the end of a transaction; its work adds to it. */
interface AtEnd {
  /** Run once the transaction has ended, whether or not it was committed, and before its caller continues. */
  readonly hooks: (() => void)[];
  /** The kinds of saved jobs, which are announced once the transaction is committed. */
  readonly savedKinds: Set<JobKind>;
}

/** Reads and writes: all of it is committed, or nothing. */
export class Transaction extends ReadTransaction {
  readonly #session: TransactionSession;
  readonly #atEnd: AtEnd;
  #idempotencyRecords: IdempotencyRecordRepository | undefined;
  #jobs: JobRepository | undefined;
  #outbox: Outbox | undefined;

  /** @internal */
  constructor(session: TransactionSession, atEnd: AtEnd, shared: SharedObjects = []) {
    super(session, shared);
    this.#session = session;
    this.#atEnd = atEnd;
  }

  /** Returns the number of rows written. */
  execute(statement: Statement, parameters: readonly Value[]): Promise<number> {
    return this.#session.execute(statement, parameters);
  }

  /**
   * For a statement whose number of rows nothing needs. Its failure may come with a later statement or the commit. With `unwritten`,
   * a statement that writes no row fails the transaction with this error.
   * @internal
   */
  executeDeferred(statement: Statement, parameters: readonly Value[], unwritten?: () => Error): Promise<void> {
    return this.#session.executeDeferred(statement, parameters, unwritten);
  }

  /** Rolls back what `work` wrote where it throws; the transaction around it continues. */
  savepoint<T>(work: () => Promise<T>): Promise<T> {
    return this.#session.savepoint(work);
  }

  /** @internal */
  override get idempotencyRecords(): IdempotencyRecords {
    this.#idempotencyRecords ??= new IdempotencyRecordRepository(this.#session);
    return this.#idempotencyRecords;
  }

  /** @internal */
  get pendingRequests(): PendingRequests {
    return new PendingRequestRepository(this.#session);
  }

  /** @internal */
  override get importProgress(): ImportProgressRepository {
    return new ImportProgressRepository(this.#session);
  }

  /** Saves and ends jobs. */
  get jobs(): JobRepository {
    this.#jobs ??= new JobRepository(this.#session, this.#atEnd.savedKinds);
    return this.#jobs;
  }

  /** Enqueues events for webhooks. */
  get outbox(): Outbox {
    this.#outbox ??= new Outbox(this.#session, this.shared(WebhookFormats), this.#atEnd.savedKinds);
    return this.#outbox;
  }

  /**
   * Runs the hook once the transaction has ended, whether or not it was committed, and before its caller continues.
   * @internal
   */
  afterEnd(hook: () => void): void {
    this.#atEnd.hooks.push(hook);
  }
}
