/**
 * Executes requests: one with an Idempotency-Key has its effect once, whatever its format and however often it is sent.
 *
 * The record in the store decides, as it is committed with the effect. The local replay cache, the requests in flight in
 * this process and the shared cache only save work: losing any of them changes how long an answer takes.
 */
import { type CanonicalRequest, keyOwner } from '../contract/canonical.ts';
import { Problem } from '../contract/problem.ts';
import type { Clock } from '../lib/clock-and-ids.ts';
import { canonicalRequestText } from './canonical-request.ts';
import { LocalReplayCache } from './local-replay-cache.ts';
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
  readonly clock: Clock;
  /** Resolves after this time. */
  readonly wait: (ms: number) => Promise<unknown>;
}

/** How long a duplicate waits for the request in flight in this process. */
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

/** The returned function throws inProgress and keyReused, and what the handler throws where no outcome is stored. */
export function createIdempotentExecutor<Tx extends IdempotentTransaction>(
  dependencies: IdempotencyDependencies<Tx>,
): ExecuteIdempotently {
  const { handlers, hasher, clock, wait } = dependencies;
  const inFlight = new Map<string, InFlight>();
  const replayCache = new LocalReplayCache(clock);

  /** Waits a little for the request in flight under the same key; throws inProgress where it takes longer. */
  async function join(other: InFlight, requestHash: string, request: CanonicalRequest): Promise<ExecutionResult> {
    const stored = await Promise.race([other, wait(waitMsMax).then(ignore)]);
    if (stored === undefined) throw new Problem('inProgress');
    return replay(stored, requestHash, request);
  }

  async function begin(request: CanonicalRequest, record: RecordIdentity): Promise<ExecutionResult> {
    const { recordKey, requestHash } = record;
    const ended = Promise.withResolvers<StoredOutcome | undefined>();
    inFlight.set(recordKey, ended.promise);
    let stored: StoredOutcome | undefined;
    try {
      const result = await executeWithCache(dependencies, request, record);
      stored = result.stored;
      if (stored !== undefined) replayCache.save(recordKey, stored);
      return result.outcome === undefined
        ? replay(stored!, requestHash, request)
        : { ...result.outcome, replayed: false };
    } finally {
      inFlight.delete(recordKey);
      ended.resolve(stored);
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
    const requestHash = hasher.requestHash(canonicalRequestText(request));
    const stored = replayCache.find(recordKey);
    if (stored !== undefined) return replay(stored, requestHash, request);
    const other = inFlight.get(recordKey);
    return other === undefined
      ? await begin(request, { recordKey, requestHash })
      : await join(other, requestHash, request);
  };
}

/** Resolves when the request in flight has ended, with what is stored of it. Never rejects. */
type InFlight = Promise<StoredOutcome | undefined>;

function ignore(): undefined {}

function replay(stored: StoredOutcome, requestHash: string, { service }: CanonicalRequest): ExecutionResult {
  if (stored.requestHash !== requestHash) throw new Problem('keyReused');
  return { ...parseOutcome(stored.outcome, service), replayed: true };
}

/** Asks the shared cache before the store, and saves the outcome in it. */
async function executeWithCache<Tx extends IdempotentTransaction>(
  dependencies: IdempotencyDependencies<Tx>,
  request: CanonicalRequest,
  record: RecordIdentity,
): Promise<TransactionResult> {
  const { cache } = dependencies;
  const { recordKey, requestHash } = record;
  const reservation = await cache.reserve(recordKey, requestHash);
  if (reservation.kind === 'completed') return { stored: reservation.stored };
  // While no outcome is stored, the owner of the key is undecided: inProgress also for a different request, not keyReused.
  if (reservation.kind === 'inFlight' && reservation.ageMs < reservationMsMax) throw new Problem('inProgress');
  try {
    const result = await executeInTransaction(dependencies, request, record);
    if (result.stored !== undefined) await cache.complete(recordKey, result.stored);
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
  let lookupResult: unknown;
  if (handlers.needsLookup(request)) {
    // A retry must not cause a second lookup.
    const stored = record && (await store.read((tx) => tx.idempotencyRecords.find(record.recordKey)));
    if (stored !== undefined) return { stored };
    lookupResult = await handlers.lookup(request, record?.recordKey ?? requestReference);
  }
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
    const text = serializeOutcome(withoutSecrets(request, outcome));
    await tx.idempotencyRecords.complete(recordKey, text);
    return { stored: { requestHash, outcome: text }, outcome };
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
