/**
 * Executes requests: one with an Idempotency-Key has its effect once, whatever its format and however often it is sent.
 *
 * The record in the store decides, as it is committed with the effect. Every replay has read the record: a database that
 * is restored or fails over may have lost it together with the effect. The requests in flight in this process and the
 * shared cache only save work.
 */
import type { AnyCaller, AnyRequest, CanonicalRequest } from '../contract/canonical.ts';
import { Problem } from '../contract/problem.ts';
import { executeRemotely, type RemoteDependencies, readRemotely } from './execute-remotely.ts';
import type {
  CacheReservation,
  IdempotencyCache,
  IdempotentStore,
  IdempotentTransaction,
  OperationHandler,
  ReadingTransaction,
  RemoteHandler,
  RequestHasher,
  StoredRecord,
} from './ports.ts';
import { type Execution, type KeyedExecution, replay, requireOutcome, type TransactionResult } from './replay.ts';
import { isStorableProblem, type Outcome, sealOutcome } from './stored-outcome.ts';

export interface ExecutionResult extends Outcome {
  /** An earlier request had the effect. */
  readonly replayed: boolean;
}

/** Throws inProgress and keyReused, and what the handler throws where no outcome is stored. */
export type ExecuteIdempotently<R, C> = (
  request: AnyRequest,
  handler: OperationHandler<R, C> | RemoteHandler<C>,
) => Promise<ExecutionResult>;

export interface IdempotencyDependencies<R extends ReadingTransaction, C> extends RemoteDependencies<R, C> {
  /** Without a shared cache the store is always asked. */
  readonly cache?: IdempotencyCache | undefined;
}

/** How long a duplicate waits for the transaction of the request in flight in this process. */
const waitMsMax = 150;
/** An older reservation may be that of a process that has died: the store is asked instead. */
const reservationMsMax = 2_000;

type Handler<R, C> = OperationHandler<R, C> | RemoteHandler<C>;
type Keyed<R, C> = KeyedExecution<Handler<R, C>>;

/** A request in flight in this process. */
interface InFlight {
  /** Resolves when its transaction, or the lookup before it, begins. A replay has none. */
  readonly executing: Promise<void>;
  /** Resolves true when it has ended, in whatever way. */
  readonly ended: Promise<true>;
  /** The record as it is read after the end, once for all duplicates that have waited. */
  record?: Promise<StoredRecord | undefined>;
}

export function createIdempotentExecutor<R extends ReadingTransaction, C>(
  dependencies: IdempotencyDependencies<R, C>,
): ExecuteIdempotently<R, C> {
  const { store, hasher, context, wait } = dependencies;
  const inFlight = new Map<string, InFlight>();

  /** Waits a little for the request in flight under the same key; throws inProgress where it takes longer or fails. */
  async function join(other: InFlight, execution: Keyed<R, C>): Promise<ExecutionResult> {
    const hasEnded = await Promise.race([other.ended, other.executing.then(() => wait(waitMsMax))]);
    if (hasEnded !== true) throw new Problem('inProgress');
    // All who waited had arrived before this read begins, so it is new enough for each of them.
    other.record ??= findRecord(store, execution.recordKey);
    const stored = await other.record;
    if (stored === undefined) throw new Problem('inProgress');
    return { ...replay(requireOutcome(stored, execution), execution), replayed: true };
  }

  async function begin(execution: Keyed<R, C>): Promise<ExecutionResult> {
    const executing = Promise.withResolvers<void>();
    const ended = Promise.withResolvers<true>();
    inFlight.set(execution.recordKey, { executing: executing.promise, ended: ended.promise });
    try {
      const { stored, outcome } = await executeWithCache(dependencies, execution, executing.resolve);
      return outcome === undefined
        ? { ...replay(stored!, execution), replayed: true }
        : { ...outcome, replayed: false };
    } finally {
      inFlight.delete(execution.recordKey);
      ended.resolve(true);
    }
  }

  return async function executeIdempotently(request, handler) {
    const { operation, caller, requestReference, key } = request;
    if (operation.effect === 'reads') {
      // Reads are executed each time: their outcome is not stored, so no list is ever stale.
      if ('forward' in handler) return { ...(await readRemotely({ request, handler }, context)), replayed: false };
      requireRights(request);
      const output = await store.read((tx) => handler.handle(request, tx, context));
      return { requestReference, output, replayed: false };
    }
    if (key === undefined) {
      const { outcome } = await execute(dependencies, { request, handler });
      return { ...outcome!, replayed: false };
    }
    const keyed = identify(hasher, { request, handler }, caller, key);
    const execution = hasher.other === undefined ? keyed : await locate(store, keyed, hasher.other, key);
    const other = inFlight.get(execution.recordKey);
    return other === undefined ? await begin(execution) : await join(other, execution);
  };
}

function identify<H>(
  hasher: RequestHasher,
  execution: Execution<H>,
  caller: Pick<AnyCaller, 'tenant' | 'partition'>,
  key: string,
): KeyedExecution<H> {
  const { request } = execution;
  return { ...execution, recordKey: hasher.recordKey(caller, key), requestHash: hasher.requestHash(request), hasher };
}

/**
 * During a rotation of the index key: returns the execution under the key that the record has. A new record gets an alias under the
 * other key, so that a process that writes under that one finds it, and cannot add a record of its own.
 */
async function locate<R extends ReadingTransaction, H>(
  store: IdempotentStore<R>,
  own: KeyedExecution<H>,
  otherHasher: RequestHasher,
  key: string,
): Promise<KeyedExecution<H>> {
  const { request, handler } = own;
  const { caller } = request;
  const otherTenant = ('otherTenant' in caller ? caller.otherTenant : undefined) ?? caller.tenant;
  const other = identify(otherHasher, { request, handler }, { ...caller, tenant: otherTenant }, key);
  const [stored, storedOther] = await store.read(async ({ idempotencyRecords }) => [
    await idempotencyRecords.find(own.recordKey),
    await idempotencyRecords.find(other.recordKey),
  ]);
  if (stored !== undefined && !stored.isAlias) return own;
  if (storedOther !== undefined && !storedOther.isAlias) return other;
  if (stored !== undefined) return own;
  return { ...own, alias: { recordKey: other.recordKey, requestHash: other.requestHash } };
}

function findRecord<R extends ReadingTransaction>(
  store: IdempotentStore<R>,
  recordKey: string,
): Promise<StoredRecord | undefined> {
  return store.read((tx) => tx.idempotencyRecords.find(recordKey));
}

/** Asks the shared cache before the store, and reports the record to it. Calls `executing` before a transaction. */
async function executeWithCache<R extends ReadingTransaction, C>(
  dependencies: IdempotencyDependencies<R, C>,
  execution: Keyed<R, C>,
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
    const isRead = reservation.kind !== 'reserved' || ('lookup' in handler && handler.lookup !== undefined);
    const stored = isRead ? await findRecord(store, recordKey) : undefined;
    const isAnswered = stored !== undefined && !('pending' in stored);
    if (!isAnswered) executing();
    const result = isAnswered ? { stored } : await execute(dependencies, execution);
    if (reservation.kind !== 'completed') await cache?.complete(recordKey);
    return result;
  } catch (thrown) {
    // A reservation that stays would refuse the retry until the lease ends.
    if ('token' in reservation && reservation.token !== undefined) await cache?.release(recordKey, reservation.token);
    throw thrown;
  }
}

function execute<R extends ReadingTransaction, C>(
  dependencies: IdempotencyDependencies<R, C>,
  execution: Execution<Handler<R, C>> | Keyed<R, C>,
): Promise<TransactionResult> {
  const { handler } = execution;
  if ('forward' in handler) return executeRemotely(dependencies, { ...execution, handler });
  return executeInTransaction(dependencies, { ...execution, handler });
}

/** Runs the lookup of the operation, if it has one, then the handler and the idempotency record in one transaction. */
async function executeInTransaction<R extends ReadingTransaction, C>(
  { store, context }: IdempotencyDependencies<R, C>,
  execution: Execution<OperationHandler<R, C>> | KeyedExecution<OperationHandler<R, C>>,
): Promise<TransactionResult> {
  const { request, handler } = execution;
  requireRights(request);
  const { operation, requestReference } = request;
  const id = 'recordKey' in execution ? execution.recordKey : requestReference;
  const lookupResult = await handler.lookup?.(request, store, context, id);
  return await store.write(async (tx) => {
    const handle = () => handler.handle(request, tx, context, lookupResult);
    if (!('recordKey' in execution)) return { outcome: { requestReference, output: await handle() } };
    const { recordKey, requestHash, hasher, alias } = execution;
    const earlier = await tx.idempotencyRecords.reserve(recordKey, {
      requestHash,
      operation: operation.name,
      requestReference,
      alias,
    });
    if (earlier !== undefined) return { stored: requireOutcome(earlier, execution) };
    const outcome = await storableOutcome(request, tx, handle);
    await tx.idempotencyRecords.complete(recordKey, sealOutcome(outcome, operation, hasher));
    return { outcome };
  });
}

/** Handlers of this program decide by the rights of the caller. Throws TypeError where only another server knows them. */
function requireRights(request: AnyRequest): asserts request is CanonicalRequest {
  if ('rights' in request.caller)
    throw new TypeError(`the rights of the caller of ${request.operation.name} are not known here`);
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
