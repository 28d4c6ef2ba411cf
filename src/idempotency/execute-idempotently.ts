/**
 * Executes requests: one with an Idempotency-Key has its effect once, whatever its format and however often it is sent.
 *
 * The record in the store decides, as it is committed with the effect. Every replay has read the record: a database that
 * is restored or fails over may have lost it together with the effect. The requests in flight in this process and the
 * shared cache only save work.
 */
import type { CanonicalRequest } from '../contract/canonical.ts';
import { Problem } from '../contract/problem.ts';
import type {
  CacheReservation,
  IdempotencyCache,
  IdempotentStore,
  IdempotentTransaction,
  OperationHandler,
  ReadingTransaction,
  RequestHasher,
  StoredOutcome,
} from './ports.ts';
import { isStorableProblem, type Outcome, parseOutcome, serializeOutcome } from './stored-outcome.ts';

export interface ExecutionResult extends Outcome {
  /** An earlier request had the effect. */
  readonly replayed: boolean;
}

/** Throws inProgress and keyReused, and what the handler throws where no outcome is stored. */
export type ExecuteIdempotently<R, C> = (
  request: CanonicalRequest,
  handler: OperationHandler<R, C>,
) => Promise<ExecutionResult>;

export interface IdempotencyDependencies<R extends ReadingTransaction, C> {
  readonly store: IdempotentStore<R>;
  /** Without a shared cache the store is always asked. */
  readonly cache?: IdempotencyCache | undefined;
  readonly hasher: RequestHasher;
  readonly context: C;
  /** Resolves after this time. */
  readonly wait: (ms: number) => Promise<unknown>;
}

/** How long a duplicate waits for the transaction of the request in flight in this process. */
const waitMsMax = 150;
/** An older reservation may be that of a process that has died: the store is asked instead. */
const reservationMsMax = 2_000;

/** A request, and what executes it. */
interface Execution<R, C> {
  readonly request: CanonicalRequest;
  readonly handler: OperationHandler<R, C>;
}

/** An execution with an Idempotency-Key. */
interface KeyedExecution<R, C> extends Execution<R, C> {
  readonly recordKey: string;
  readonly requestHash: string;
}

/** Without a key only `outcome`. With a key `stored`, and also `outcome` where this request had the effect. */
interface TransactionResult {
  /** What the record holds. */
  readonly stored?: StoredOutcome;
  /** Present where this request had the effect. */
  readonly outcome?: Outcome;
}

/** A request in flight in this process. */
interface InFlight {
  /** Resolves when its transaction, or the lookup before it, begins. A replay has none. */
  readonly executing: Promise<void>;
  /** Resolves true when it has ended, in whatever way. */
  readonly ended: Promise<true>;
  /** The record as it is read after the end, once for all duplicates that have waited. */
  record?: Promise<StoredOutcome | undefined>;
}

export function createIdempotentExecutor<R extends ReadingTransaction, C>(
  dependencies: IdempotencyDependencies<R, C>,
): ExecuteIdempotently<R, C> {
  const { store, hasher, context, wait } = dependencies;
  const inFlight = new Map<string, InFlight>();

  /** Waits a little for the request in flight under the same key; throws inProgress where it takes longer or fails. */
  async function join(other: InFlight, execution: KeyedExecution<R, C>): Promise<ExecutionResult> {
    const hasEnded = await Promise.race([other.ended, other.executing.then(() => wait(waitMsMax))]);
    if (hasEnded !== true) throw new Problem('inProgress');
    // All who waited had arrived before this read begins, so it is new enough for each of them.
    other.record ??= findRecord(store, execution.recordKey);
    const stored = await other.record;
    if (stored === undefined) throw new Problem('inProgress');
    return replay(stored, execution);
  }

  async function begin(execution: KeyedExecution<R, C>): Promise<ExecutionResult> {
    const executing = Promise.withResolvers<void>();
    const ended = Promise.withResolvers<true>();
    inFlight.set(execution.recordKey, { executing: executing.promise, ended: ended.promise });
    try {
      const { stored, outcome } = await executeWithCache(dependencies, execution, executing.resolve);
      return outcome === undefined ? replay(stored!, execution) : { ...outcome, replayed: false };
    } finally {
      inFlight.delete(execution.recordKey);
      ended.resolve(true);
    }
  }

  return async function executeIdempotently(request, handler) {
    const { operation, caller, requestReference, key } = request;
    if (operation.effect === 'reads') {
      // Reads are executed each time: their outcome is not stored, so no list is ever stale.
      const output = await store.read((tx) => handler.handle(request, tx, context));
      return { requestReference, output, replayed: false };
    }
    if (key === undefined) {
      const { outcome } = await executeInTransaction(dependencies, { request, handler });
      return { ...outcome!, replayed: false };
    }
    const recordKey = hasher.recordKey(caller, key);
    const execution = { request, handler, recordKey, requestHash: hasher.requestHash(request) };
    const other = inFlight.get(recordKey);
    return other === undefined ? await begin(execution) : await join(other, execution);
  };
}

function findRecord<R extends ReadingTransaction>(
  store: IdempotentStore<R>,
  recordKey: string,
): Promise<StoredOutcome | undefined> {
  return store.read((tx) => tx.idempotencyRecords.find(recordKey));
}

function replay<R, C>(stored: StoredOutcome, { request, requestHash }: KeyedExecution<R, C>): ExecutionResult {
  if (stored.requestHash !== requestHash) throw new Problem('keyReused');
  return { ...parseOutcome(stored.outcome, request.service), replayed: true };
}

/** Asks the shared cache before the store, and reports the record to it. Calls `executing` before a transaction. */
async function executeWithCache<R extends ReadingTransaction, C>(
  dependencies: IdempotencyDependencies<R, C>,
  execution: KeyedExecution<R, C>,
  executing: () => void,
): Promise<TransactionResult> {
  const { cache, store } = dependencies;
  const { handler, recordKey } = execution;
  const reservation: CacheReservation = cache === undefined ? { kind: 'unknown' } : await cache.reserve(recordKey);
  // While no outcome is stored, the owner of the key is undecided: inProgress also for a different request, not keyReused.
  if (reservation.kind === 'inFlight' && reservation.ageMs < reservationMsMax) throw new Problem('inProgress');
  try {
    // A key that was reserved is most likely new, and the transaction finds a record all the same. Two cases are worth a
    // read before it: a replay needs no transaction, and a retry must not cause a second lookup.
    const isRead = reservation.kind !== 'reserved' || handler.lookup !== undefined;
    const stored = isRead ? await findRecord(store, recordKey) : undefined;
    if (stored === undefined) executing();
    const result = stored === undefined ? await executeInTransaction(dependencies, execution) : { stored };
    if (reservation.kind !== 'completed') await cache?.complete(recordKey);
    return result;
  } catch (thrown) {
    // A reservation that stays would refuse the retry until the lease ends.
    if ('token' in reservation && reservation.token !== undefined) await cache?.release(recordKey, reservation.token);
    throw thrown;
  }
}

/** Runs the lookup of the operation, if it has one, then the handler and the idempotency record in one transaction. */
async function executeInTransaction<R extends ReadingTransaction, C>(
  { store, context }: IdempotencyDependencies<R, C>,
  execution: Execution<R, C> | KeyedExecution<R, C>,
): Promise<TransactionResult> {
  const { request, handler } = execution;
  const { operation, requestReference } = request;
  const id = 'recordKey' in execution ? execution.recordKey : requestReference;
  const lookupResult = await handler.lookup?.(request, store, context, id);
  return await store.write(async (tx) => {
    const handle = () => handler.handle(request, tx, context, lookupResult);
    if (!('recordKey' in execution)) return { outcome: { requestReference, output: await handle() } };
    const { recordKey, requestHash } = execution;
    const earlier = await tx.idempotencyRecords.reserve(recordKey, {
      requestHash,
      operation: operation.name,
      requestReference,
    });
    if (earlier !== undefined) return { stored: earlier };
    const outcome = await storableOutcome(request, tx, handle);
    await tx.idempotencyRecords.complete(recordKey, serializeOutcome(outcome, operation));
    return { outcome };
  });
}

/** A refusal by the handler rolls back to the savepoint and becomes the outcome; the record is committed with it. */
async function storableOutcome(
  { requestReference }: CanonicalRequest,
  tx: IdempotentTransaction,
  handle: () => Promise<unknown>,
): Promise<Outcome> {
  try {
    return { requestReference, output: await tx.savepoint(handle) };
  } catch (thrown) {
    if (isStorableProblem(thrown)) return { requestReference, problem: thrown };
    throw thrown;
  }
}
