/**
 * Executes requests: one with an Idempotency-Key has its effect once, whatever its format and however often it is sent.
 *
 * The record in the store decides, as it is committed with the effect. Every replay has read the record: a database that
 * is restored or fails over may have lost it together with the effect. The requests in flight in this process and the
 * shared cache only save work.
 */
import { type AnyCaller, type AnyRequest, Problem } from '../contract/index.ts';
import { BoundedMap } from '../lib/index.ts';
import type { Executor } from './executor.ts';
import {
  type CacheReservation,
  type IdempotencyCache,
  type IdempotentStore,
  LockTimeout,
  type ReadingTransaction,
  RecordStored,
  type RequestHasher,
  type StoredRecord,
} from './ports.ts';
import type { RemoteDependencies } from './remote-dependencies.ts';
import {
  type Execution,
  type ExecutionResult,
  type RecordIdentity,
  replay,
  requireOutcome,
  type TransactionResult,
} from './replay.ts';

/** Throws inProgress and keyReused, and what the handler throws where no outcome is stored. */
export type ExecuteIdempotently<R, C> = (request: AnyRequest, executor: Executor<R, C>) => Promise<ExecutionResult>;

interface IdempotencyDependencies<R extends ReadingTransaction, C> extends RemoteDependencies<R, C> {
  /** Without a shared cache the store is always asked. */
  readonly cache?: IdempotencyCache | undefined;
}

/** How long a duplicate waits for the transaction of the request in flight in this process. */
const waitMsMax = 150;
/** An older reservation may be that of a process that has died: the store is asked instead. */
const reservationMsMax = 2_000;
/** How many answered keys are remembered. They take about 1 MB. */
const answeredMax = 10_000;

/** Record keys that this process has answered. */
type AnsweredKeys = BoundedMap<string, true>;

/** An execution with an Idempotency-Key. */
interface KeyedExecution<R extends ReadingTransaction, C> extends Execution {
  readonly record: RecordIdentity;
  readonly executor: Executor<R, C>;
}

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
  const { store, hasher, wait } = dependencies;
  const inFlight = new Map<string, InFlight>();
  const answered: AnsweredKeys = new BoundedMap(answeredMax);

  /** Waits a little for the request in flight under the same key; throws inProgress where it takes longer or fails. */
  async function join(other: InFlight, { request, record, executor }: KeyedExecution<R, C>): Promise<ExecutionResult> {
    const hasEnded = await Promise.race([other.ended, other.executing.then(() => wait(waitMsMax))]);
    if (hasEnded !== true) throw new Problem('inProgress');
    // All who waited had arrived before this read begins, so it is new enough for each of them.
    other.record ??= findRecord(store, record.recordKey);
    const stored = await other.record;
    if (stored === undefined) throw new Problem('inProgress');
    return replay(requireOutcome(stored, record.requestHash, executor.deduplicates), request, record);
  }

  async function begin(execution: KeyedExecution<R, C>): Promise<ExecutionResult> {
    const { request, record } = execution;
    const executing = Promise.withResolvers<void>();
    const ended = Promise.withResolvers<true>();
    inFlight.set(record.recordKey, { executing: executing.promise, ended: ended.promise });
    try {
      const { stored, outcome } = await executeWithCache(dependencies, execution, answered, executing.resolve);
      answered.set(record.recordKey, true);
      return outcome === undefined ? replay(stored!, request, record) : { ...outcome, replayed: false };
    } finally {
      inFlight.delete(record.recordKey);
      ended.resolve(true);
    }
  }

  async function write(request: AnyRequest, executor: Executor<R, C>): Promise<ExecutionResult> {
    const { key } = request;
    if (key === undefined) {
      const { outcome } = await executor.write({ request }, dependencies);
      return { ...outcome!, replayed: false };
    }
    const own = identify(hasher, request, request.caller, key);
    const record = hasher.other === undefined ? own : await locate(store, own, hasher.other, request, key);
    const other = inFlight.get(record.recordKey);
    const execution = { request, record, executor };
    return other === undefined ? await begin(execution) : await join(other, execution);
  }

  // Reads are executed each time: their outcome is not stored, so no list is ever stale.
  return (request, executor) =>
    request.operation.effect === 'reads' ? executor.read(request, dependencies) : write(request, executor);
}

function identify(
  hasher: RequestHasher,
  request: AnyRequest,
  caller: Pick<AnyCaller, 'tenant' | 'partition'>,
  key: string,
): RecordIdentity {
  return { recordKey: hasher.recordKey(caller, key), requestHash: hasher.requestHash(request), hasher };
}

/**
 * During a rotation of the index key: returns what identifies the record under the key that it has. A new record gets an alias under the
 * other key, so that a process that writes under that one finds it, and cannot add a record of its own.
 */
async function locate<R extends ReadingTransaction>(
  store: IdempotentStore<R>,
  own: RecordIdentity,
  otherHasher: RequestHasher,
  request: AnyRequest,
  key: string,
): Promise<RecordIdentity> {
  const { caller } = request;
  const otherTenant = ('otherTenant' in caller ? caller.otherTenant : undefined) ?? caller.tenant;
  const other = identify(otherHasher, request, { ...caller, tenant: otherTenant }, key);
  const [stored, storedOther] = await store.read(async ({ idempotencyRecords }) => [
    await idempotencyRecords.find(own.recordKey),
    await idempotencyRecords.find(other.recordKey),
  ]);
  if (stored !== undefined && stored.aliasOf === undefined) return own;
  if (storedOther !== undefined && storedOther.aliasOf === undefined) return other;
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
  execution: KeyedExecution<R, C>,
  answered: AnsweredKeys,
  executing: () => void,
): Promise<TransactionResult> {
  const { cache, store } = dependencies;
  const { executor, record } = execution;
  const { recordKey } = record;
  const reservation: CacheReservation = cache === undefined ? { kind: 'unknown' } : await cache.reserve(recordKey);
  // While no outcome is stored, the owner of the key is undecided: inProgress also for a different request, not keyReused.
  if (reservation.kind === 'inFlight' && reservation.ageMs < reservationMsMax) throw new Problem('inProgress');
  try {
    // A key that was reserved, or not answered before, is most likely new, and the transaction finds a record all the same.
    // The rest is worth a read before it: a replay needs no transaction, and a retry must not ask another system again.
    const isNew =
      cache === undefined ? !executor.isRemote && !answered.has(recordKey) : reservation.kind === 'reserved';
    const isRead = !isNew || executor.hasLookup;
    const stored = isRead ? await findRecord(store, recordKey) : undefined;
    const isAnswered = stored !== undefined && !('pending' in stored);
    if (!isAnswered) executing();
    const result = isAnswered ? { stored } : await writeOrFind(dependencies, execution);
    if (reservation.kind !== 'completed') await cache?.complete(recordKey);
    return result;
  } catch (thrown) {
    // A reservation that stays would refuse the retry until the lease ends.
    if ('token' in reservation && reservation.token !== undefined) await cache?.release(recordKey, reservation.token);
    throw thrown;
  }
}

/** Executes the request, unless an earlier one was answered meanwhile. */
async function writeOrFind<R extends ReadingTransaction, C>(
  dependencies: RemoteDependencies<R, C>,
  { executor, ...execution }: KeyedExecution<R, C>,
): Promise<TransactionResult> {
  const { recordKey, requestHash } = execution.record;
  try {
    return await executor.write(execution, dependencies);
  } catch (thrown) {
    if (!(thrown instanceof RecordStored)) throw thrown;
    const stored = await findRecord(dependencies.store, recordKey);
    // It was removed since: its request had no effect.
    if (stored === undefined) throw new LockTimeout('an idempotency record was removed meanwhile', { cause: thrown });
    return { stored: requireOutcome(stored, requestHash, executor.deduplicates) };
  }
}
