/**
 * Exactly once: a request with an Idempotency-Key has its effect a single time, whatever its format and whoever retries.
 *
 * The journal decides, for its row is kept in the unit of the effect. What stands before it only saves work: what this
 * process runs and ran lately, and the gate that processes share. Losing either changes how long an answer takes.
 */
import type { CanonicalRequest } from '../contract/canonical.ts';
import { keyOwner } from '../contract/canonical.ts';
import { Problem } from '../contract/problem.ts';
import type { Performer } from '../gateway/invoke-handler.ts';
import type { Clock } from '../lib/clock-and-ids.ts';
import { commandOf } from './canonical-request.ts';
import { Recent } from './local-replay-cache.ts';
import type { Gate, JournaledStore, JournalPage, Kept, Marks } from './ports.ts';
import { keptOf } from './redacted-output.ts';
import { isOutcome, type Outcome, printOutcome, readOutcome } from './stored-outcome.ts';

export interface Performed extends Outcome {
  /** The effect was an earlier request's. */
  readonly replayed: boolean;
}

export type Once = (request: CanonicalRequest) => Promise<Performed>;

export interface OnceParts {
  readonly performer: Performer;
  readonly store: JournaledStore;
  readonly gate: Gate;
  readonly marks: Marks;
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
  readonly kept: Kept;
  readonly own?: Outcome;
}

const replayed = (kept: Kept, fingerprint: string): Performed => {
  if (kept.fingerprint !== fingerprint) throw new Problem('keyReused');
  return { ...readOutcome(kept.outcome), replayed: true };
};

/** The effect, within a unit that goes on where the domain refuses: the refusal is then what came of the request. */
const outcomeOf = async (
  { performer }: OnceParts,
  page: JournalPage,
  request: CanonicalRequest,
  heard: unknown,
): Promise<Outcome> => {
  const { pspReference } = request;
  try {
    return { pspReference, output: await page.attempt(() => performer.performIn(page, request, heard)) };
  } catch (thrown) {
    if (isOutcome(thrown)) return { pspReference, problem: thrown };
    throw thrown;
  }
};

/** What is shown only once is not kept: a retry gets the answer without it. */
const keptPart = ({ operation }: CanonicalRequest, own: Outcome): Outcome =>
  own.output === undefined ? own : { ...own, output: keptOf(operation, own.output) };

/** Effect and journal row in one unit; or what the journal has already. */
const settle = async (parts: OnceParts, { request, scope, fingerprint }: Marked): Promise<Settled> => {
  const { performer, store } = parts;
  let heard: unknown;
  if (performer.inquires(request)) {
    // Nobody outside is asked for the sake of a retry.
    const kept = await store.findKept(scope);
    if (kept !== undefined) return { kept };
    heard = await performer.inquire(request, scope);
  }
  return store.write(async (page) => {
    const { pspReference } = request;
    const before = await page.claim(scope, { fingerprint, operation: request.operation.name, pspReference });
    if (before !== undefined) return { kept: before };
    const own = await outcomeOf(parts, page, request, heard);
    const outcome = printOutcome(keptPart(request, own));
    await page.settle(scope, outcome);
    return { kept: { fingerprint, outcome }, own };
  });
};

/** Past the gate, where it lets pass; what it remembers comes back as it is. */
const throughGate = async (parts: OnceParts, marked: Marked): Promise<Settled> => {
  const { gate } = parts;
  const { scope, fingerprint } = marked;
  const claim = await gate.claim(scope, fingerprint);
  if (claim.kind === 'settled') return { kept: claim.kept };
  // Whatever it is for: until something is kept, nobody can say which of two requests the key belongs to.
  if (claim.kind === 'running' && claim.ageMs < freshMsMax) throw new Problem('inProgress');
  try {
    const settled = await settle(parts, marked);
    await gate.settle(scope, settled.kept);
    return settled;
  } catch (thrown) {
    // A claim left behind would keep the retry waiting until it is old.
    if ('ticket' in claim && claim.ticket !== undefined) await gate.release(scope, claim.ticket);
    throw thrown;
  }
};

/** A request that this process is at. Never rejects: undefined where nothing came of it. */
type Running = Promise<Kept | undefined>;

const nothing = (): undefined => undefined;

/** Gives `once`, which throws inProgress and keyReused, and what performing throws where nothing was kept. */
export const exactlyOnce = (parts: OnceParts): Once => {
  const { performer, marks, clock, wait } = parts;
  const running = new Map<string, Running>();
  const recent = new Recent(clock);

  /** Another request under a key that this process is at: what the key stands for if that is known soon, and else "in progress". */
  const join = async (other: Running, fingerprint: string): Promise<Performed> => {
    const kept = await Promise.race([other, wait(waitMsMax).then(nothing)]);
    if (kept === undefined) throw new Problem('inProgress');
    return replayed(kept, fingerprint);
  };

  const begin = async (marked: Marked): Promise<Performed> => {
    const { scope, fingerprint } = marked;
    const settling = throughGate(parts, marked);
    running.set(
      scope,
      settling.then(({ kept }) => kept, nothing),
    );
    try {
      const { kept, own } = await settling;
      recent.keep(scope, kept);
      return own === undefined ? replayed(kept, fingerprint) : { ...own, replayed: false };
    } finally {
      running.delete(scope);
    }
  };

  return async (request) => {
    const { operation, caller, pspReference, key } = request;
    // What only reads is done each time: nothing of it is kept, and no list is ever stale.
    if (key === undefined || operation.effect === 'reads')
      return { pspReference, output: await performer.perform(request), replayed: false };
    const scope = marks.scope(keyOwner(caller), key);
    const fingerprint = marks.fingerprint(commandOf(operation, request.input));
    const known = recent.find(scope);
    if (known !== undefined) return replayed(known, fingerprint);
    const other = running.get(scope);
    return other === undefined ? begin({ request, scope, fingerprint }) : join(other, fingerprint);
  };
};
