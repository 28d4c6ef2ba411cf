/**
 * Exactly once: a request with an Idempotency-Key has its effect a single time, whatever its format and whoever retries.
 *
 * The journal decides, for its row is kept in the unit of the effect. What stands before it only saves work: what this
 * process runs and ran lately, and the gate that processes share. Losing either changes how long an answer takes.
 */
import type { CanonicalRequest } from '../contract/canonical.ts';
import { keyOwner } from '../contract/canonical.ts';
import { Problem } from '../contract/problem.ts';
import type { HandlerInvoker } from '../gateway/invoke-handler.ts';
import type { Clock } from '../lib/clock-and-ids.ts';
import { canonicalRequestText } from './canonical-request.ts';
import { LocalReplayCache } from './local-replay-cache.ts';
import type {
  IdempotencyCache,
  IdempotentStore,
  IdempotentTransaction,
  RequestHasher,
  StoredOutcome,
} from './ports.ts';
import { redactOutput } from './redacted-output.ts';
import { isStorableProblem, type Outcome, parseOutcome, serializeOutcome } from './stored-outcome.ts';

export interface ExecutionResult extends Outcome {
  /** The effect was an earlier request's. */
  readonly replayed: boolean;
}

export type ExecuteIdempotently = (request: CanonicalRequest) => Promise<ExecutionResult>;

export interface IdempotencyDependencies {
  readonly performer: HandlerInvoker;
  readonly store: IdempotentStore;
  readonly gate: IdempotencyCache;
  readonly marks: RequestHasher;
  readonly clock: Clock;
  /** Resolves after so many milliseconds. */
  readonly wait: (ms: number) => Promise<unknown>;
}

/** How long a duplicate waits for the request that this process is at. */
const waitMsMax = 150;
/** A claim older than this is perhaps a dead process's: the journal is asked instead. */
const freshMsMax = 2_000;

/** A request with its key, as the journal and the gate know it. */
interface Marked {
  readonly request: CanonicalRequest;
  readonly scope: string;
  readonly fingerprint: string;
}

/** What the journal holds once a unit has ended, and what came of it where the effect was this unit's own. */
interface Settled {
  readonly kept: StoredOutcome;
  readonly own?: Outcome;
}

const replayed = (kept: StoredOutcome, fingerprint: string): ExecutionResult => {
  if (kept.requestHash !== fingerprint) throw new Problem('keyReused');
  return { ...parseOutcome(kept.outcome), replayed: true };
};

/** The effect, within a unit that goes on where the domain refuses: the refusal is then what came of the request. */
const outcomeOf = async (
  { performer }: IdempotencyDependencies,
  page: IdempotentTransaction,
  request: CanonicalRequest,
  heard: unknown,
): Promise<Outcome> => {
  const { pspReference } = request;
  try {
    return { pspReference, output: await page.savepoint(() => performer.invokeIn(page, request, heard)) };
  } catch (thrown) {
    if (isStorableProblem(thrown)) return { pspReference, problem: thrown };
    throw thrown;
  }
};

/** What is shown only once is not kept: a retry gets the answer without it. */
const keptPart = ({ operation }: CanonicalRequest, own: Outcome): Outcome =>
  own.output === undefined ? own : { ...own, output: redactOutput(operation, own.output) };

/** Effect and journal row in one unit; or what the journal has already. */
const settle = async (parts: IdempotencyDependencies, { request, scope, fingerprint }: Marked): Promise<Settled> => {
  const { performer, store } = parts;
  let heard: unknown;
  if (performer.needsLookup(request)) {
    // Nobody outside is asked for the sake of a retry.
    const kept = await store.findOutcome(scope);
    if (kept !== undefined) return { kept };
    heard = await performer.lookup(request, scope);
  }
  return store.write(async (page) => {
    const { pspReference } = request;
    const before = await page.reserve(scope, {
      requestHash: fingerprint,
      operation: request.operation.name,
      pspReference,
    });
    if (before !== undefined) return { kept: before };
    const own = await outcomeOf(parts, page, request, heard);
    const outcome = serializeOutcome(keptPart(request, own));
    await page.complete(scope, outcome);
    return { kept: { requestHash: fingerprint, outcome }, own };
  });
};

/** Past the gate, where it lets pass; what it remembers comes back as it is. */
const throughGate = async (parts: IdempotencyDependencies, marked: Marked): Promise<Settled> => {
  const { gate } = parts;
  const { scope, fingerprint } = marked;
  const claim = await gate.reserve(scope, fingerprint);
  if (claim.kind === 'settled') return { kept: claim.kept };
  // Whatever it is for: until something is kept, nobody can say which of two requests the key belongs to.
  if (claim.kind === 'running' && claim.ageMs < freshMsMax) throw new Problem('inProgress');
  try {
    const settled = await settle(parts, marked);
    await gate.complete(scope, settled.kept);
    return settled;
  } catch (thrown) {
    // A claim left behind would keep the retry waiting until it is old.
    if ('ticket' in claim && claim.ticket !== undefined) await gate.release(scope, claim.ticket);
    throw thrown;
  }
};

/** A request that this process is at. Never rejects: undefined where nothing came of it. */
type Running = Promise<StoredOutcome | undefined>;

const nothing = (): undefined => undefined;

/** Gives `once`, which throws inProgress and keyReused, and what performing throws where nothing was kept. */
export const createIdempotentExecutor = (parts: IdempotencyDependencies): ExecuteIdempotently => {
  const { performer, marks, clock, wait } = parts;
  const running = new Map<string, Running>();
  const recent = new LocalReplayCache(clock);

  /** Another request under a key that this process is at: what the key stands for if that is known soon, and else "in progress". */
  const join = async (other: Running, fingerprint: string): Promise<ExecutionResult> => {
    const kept = await Promise.race([other, wait(waitMsMax).then(nothing)]);
    if (kept === undefined) throw new Problem('inProgress');
    return replayed(kept, fingerprint);
  };

  const begin = async (marked: Marked): Promise<ExecutionResult> => {
    const { scope, fingerprint } = marked;
    const settling = throughGate(parts, marked);
    running.set(
      scope,
      settling.then(({ kept }) => kept, nothing),
    );
    try {
      const { kept, own } = await settling;
      recent.save(scope, kept);
      return own === undefined ? replayed(kept, fingerprint) : { ...own, replayed: false };
    } finally {
      running.delete(scope);
    }
  };

  return async (request) => {
    const { operation, caller, pspReference, key } = request;
    // What only reads is done each time: nothing of it is kept, and no list is ever stale.
    if (key === undefined || operation.effect === 'reads')
      return { pspReference, output: await performer.invoke(request), replayed: false };
    const scope = marks.recordKey(keyOwner(caller), key);
    const fingerprint = marks.requestHash(canonicalRequestText(request));
    const known = recent.find(scope);
    if (known !== undefined) return replayed(known, fingerprint);
    const other = running.get(scope);
    return other === undefined ? begin({ request, scope, fingerprint }) : join(other, fingerprint);
  };
};
