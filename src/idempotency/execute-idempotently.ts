/**
 * Executes requests: one with an Idempotency-Key has its effect once, whatever its format and however often it is sent.
 *
 * The record in the store decides, as it is committed with the effect. Every replay has read the record: a database that
 * is restored or fails over may have lost it together with the effect. The requests in flight in this process and the
 * shared cache only save work.
 */
import { type CanonicalRequest, keyOwner } from '../contract/canonical.ts';
import { Problem } from '../contract/problem.ts';
import { canonicalRequestText } from './canonical-request.ts';
import type {
  HandlerInvoker,
  IdempotencyCache,
  IdempotentStore,
  IdempotentTransaction,
  RequestHasher,
  StoredOutcome,
} from './ports.ts';
import { redactOutput } from './redacted-output.ts';
import { isStorableProblem, type Outcome, parseOutcome, serializeOutcome } from './stored-outcome.ts';

export interface ExecutionResult extends Outcome {
  /** An earlier request had the effect. */
  readonly replayed: boolean;
}

export type ExecuteIdempotently = (request: CanonicalRequest) => Promise<ExecutionResult>;

export interface IdempotencyDependencies<Tx extends IdempotentTransaction> {
  readonly handlers: HandlerInvoker<Tx>;
  readonly store: IdempotentStore<Tx>;
  readonly cache: IdempotencyCache;
  readonly hasher: RequestHasher;
  /** Resolves after this time. */
  readonly wait: (ms: number) => Promise<unknown>;
}

/** How long a duplicate waits for the transaction of the request in flight in this process. */
const waitMsMax = 150;
/** An older reservation may be that of a process that has died: the store is asked instead. */
const reservationMsMax = 2_000;

/** Identifies a request with an Idempotency-Key. */
interface RecordIdentity {
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

/** The returned function throws inProgress and keyReused, and what the handler throws where no outcome is stored. */
export function createIdempotentExecutor<Tx extends IdempotentTransaction>(
  dependencies: IdempotencyDependencies<Tx>,
): ExecuteIdempotently {
  const { handlers, store, hasher, wait } = dependencies;
  const inFlight = new Map<string, InFlight>();

  /** Waits a little for the request in flight under the same key; throws inProgress where it takes longer or fails. */
  async function join(other: InFlight, request: CanonicalRequest, record: RecordIdentity): Promise<ExecutionResult> {
    const hasEnded = await Promise.race([other.ended, other.executing.then(() => wait(waitMsMax))]);
    if (hasEnded !== true) throw new Problem('inProgress');
    // All who waited had arrived before this read begins, so it is new enough for each of them.
    other.record ??= findRecord(store, record);
    const stored = await other.record;
    if (stored === undefined) throw new Problem('inProgress');
    return replay(stored, record, request);
  }

  async function begin(request: CanonicalRequest, record: RecordIdentity): Promise<ExecutionResult> {
    const executing = Promise.withResolvers<void>();
    const ended = Promise.withResolvers<true>();
    inFlight.set(record.recordKey, { executing: executing.promise, ended: ended.promise });
    try {
      const { stored, outcome } = await executeWithCache(dependencies, request, record, executing.resolve);
      return outcome === undefined ? replay(stored!, record, request) : { ...outcome, replayed: false };
    } finally {
      inFlight.delete(record.recordKey);
      ended.resolve(true);
    }
  }

  return async function executeIdempotently(request) {
    const { operation, caller, requestReference, key } = request;
    // Reads are executed each time: their outcome is not stored, so no list is ever stale.
    if (operation.effect === 'reads')
      return { requestReference, output: await handlers.read(request), replayed: false };
    if (key === undefined) {
      const { outcome } = await executeInTransaction(dependencies, request);
      return { ...outcome!, replayed: false };
    }
    const recordKey = hasher.recordKey(keyOwner(caller), key);
    const record = { recordKey, requestHash: hasher.requestHash(canonicalRequestText(request)) };
    const other = inFlight.get(recordKey);
    return other === undefined ? await begin(request, record) : await join(other, request, record);
  };
}

function findRecord<Tx extends IdempotentTransaction>(
  store: IdempotentStore<Tx>,
  { recordKey }: RecordIdentity,
): Promise<StoredOutcome | undefined> {
  return store.read((tx) => tx.idempotencyRecords.find(recordKey));
}

function replay(
  stored: StoredOutcome,
  { requestHash }: RecordIdentity,
  { service }: CanonicalRequest,
): ExecutionResult {
  if (stored.requestHash !== requestHash) throw new Problem('keyReused');
  return { ...parseOutcome(stored.outcome, service), replayed: true };
}

/** Asks the shared cache before the store, and tells it of the record. Calls `executing` before a transaction. */
async function executeWithCache<Tx extends IdempotentTransaction>(
  dependencies: IdempotencyDependencies<Tx>,
  request: CanonicalRequest,
  record: RecordIdentity,
  executing: () => void,
): Promise<TransactionResult> {
  const { cache, store, handlers } = dependencies;
  const { recordKey } = record;
  const reservation = await cache.reserve(recordKey);
  // While no outcome is stored, the owner of the key is undecided: inProgress also for a different request, not keyReused.
  if (reservation.kind === 'inFlight' && reservation.ageMs < reservationMsMax) throw new Problem('inProgress');
  try {
    // A key that was reserved is most likely new, and the transaction finds a record all the same. Two cases are worth a
    // read before it: a replay needs no transaction, and a retry must not cause a second lookup.
    const isRead = reservation.kind !== 'reserved' || handlers.needsLookup(request);
    const stored = isRead ? await findRecord(store, record) : undefined;
    if (stored === undefined) executing();
    const result = stored === undefined ? await executeInTransaction(dependencies, request, record) : { stored };
    if (reservation.kind !== 'completed') await cache.complete(recordKey);
    return result;
  } catch (thrown) {
    // A reservation that stays would refuse the retry until the lease ends.
    if ('token' in reservation && reservation.token !== undefined) await cache.release(recordKey, reservation.token);
    throw thrown;
  }
}

/** Runs the lookup of the operation, if it has one, then the handler and the idempotency record in one transaction. */
async function executeInTransaction<Tx extends IdempotentTransaction>(
  { handlers, store }: IdempotencyDependencies<Tx>,
  request: CanonicalRequest,
  record?: RecordIdentity,
): Promise<TransactionResult> {
  const { operation, requestReference } = request;
  const lookupResult = handlers.needsLookup(request)
    ? await handlers.lookup(request, record?.recordKey ?? requestReference)
    : undefined;
  return await store.write(async (tx) => {
    if (record === undefined)
      return { outcome: { requestReference, output: await handlers.write(request, tx, lookupResult) } };
    const { recordKey, requestHash } = record;
    const earlier = await tx.idempotencyRecords.reserve(recordKey, {
      requestHash,
      operation: operation.name,
      requestReference,
    });
    if (earlier !== undefined) return { stored: earlier };
    const outcome = await storableOutcome(request, tx, () => handlers.write(request, tx, lookupResult));
    await tx.idempotencyRecords.complete(recordKey, serializeOutcome(withoutSecrets(request, outcome)));
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

/** What is shown only once is not stored: a retry is answered without it. */
function withoutSecrets({ operation }: CanonicalRequest, outcome: Outcome): Outcome {
  return outcome.output === undefined ? outcome : { ...outcome, output: redactOutput(operation, outcome.output) };
}
