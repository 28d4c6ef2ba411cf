/**
 * Settles requests whose outcome is unknown by asking the other server (decision 0154). That it has no such request counts only when no attempt can
 * arrive any more: then the key is free, and the request may be sent again.
 */
import { type Backoff, BoundedMap, backoffMs } from '../lib/index.ts';
import type {
  IdempotentStore,
  LookedUp,
  LookupAsker,
  OutcomeLookup,
  PendingName,
  PendingRequest,
  ReadingTransaction,
} from './ports.ts';

/** What a look-up came to. */
export type LookupResult =
  /** The outcome is stored: retries get it. */
  | 'done'
  /** The request never arrived: a retry is executed. */
  | 'notDone'
  /** It was not found, and may still arrive. */
  | 'tooEarly'
  | 'unknown'
  /** It was answered or settled meanwhile. */
  | 'settled';

export interface LookupEvent {
  readonly kind: 'lookedUp';
  /** Of the request that is asked about. */
  readonly requestReference: string;
  readonly upstream: string;
  readonly result: LookupResult;
  /** Why the outcome is still unknown. */
  readonly reason?: string;
}

/** A question about a request that no process waits for. `idleMs`: by the clock of the store, and of this process, where that is less. */
interface LookupSubject<C> extends PendingName, Pick<PendingRequest, 'idleMs'> {
  readonly upstream: string;
  readonly lookup: OutcomeLookup<C>;
  readonly question: string;
  /** The text of the outcome as it is stored, for an output. */
  readonly outcomeOf: (output: unknown) => string;
}

interface LookupDependencies<R extends ReadingTransaction, C> {
  readonly store: IdempotentStore<R>;
  readonly context: C;
  readonly report: (event: LookupEvent) => void;
}

/** Asks once, and stores what is known then. Throws what the store throws. */
export async function lookUpOutcome<R extends ReadingTransaction, C>(
  { store, context, report }: LookupDependencies<R, C>,
  subject: LookupSubject<C>,
  asker: LookupAsker,
): Promise<LookupResult> {
  const { id, upstream, lookup, question } = subject;
  const lookedUp = await lookup.ask(question, asker, context);
  const settlement = settlementOf(lookedUp, subject);
  const isSettled = typeof settlement === 'string' ? undefined : await settle(store, subject, settlement.outcome);
  const result = typeof settlement === 'string' ? settlement : isSettled === true ? settlement.result : 'settled';
  const reason = lookedUp.kind === 'unknown' ? { reason: lookedUp.reason } : {};
  report({ kind: 'lookedUp', requestReference: id, upstream, result, ...reason });
  return result;
}

interface Found {
  readonly result: 'done' | 'notDone';
  /** Absent where the key is free again. */
  readonly outcome?: string;
}

/** The time counts from before the question: what the other server has not got by then does not arrive. */
function settlementOf<C>(lookedUp: LookedUp, { lookup, idleMs, outcomeOf }: LookupSubject<C>): Found | LookupResult {
  const { kind } = lookedUp;
  switch (kind) {
    case 'done':
      return { result: 'done', outcome: outcomeOf(lookedUp.output) };
    case 'notFound':
      return lookup.arrivesWithinMs !== undefined && idleMs >= lookup.arrivesWithinMs
        ? { result: 'notDone' }
        : 'tooEarly';
    case 'unknown':
      return 'unknown';
    default:
      return kind satisfies never;
  }
}

/** Returns false where it was settled meanwhile. A later request under the key has another id, so this one is never taken for it. */
function settle<R extends ReadingTransaction>(
  store: IdempotentStore<R>,
  { id, recordKey }: PendingName,
  outcome: string | undefined,
): Promise<boolean> {
  return store.write(
    async ({ pendingRequests, idempotencyRecords }) => {
      if (!(await pendingRequests.remove({ id, recordKey }))) return false;
      if (recordKey !== undefined && outcome !== undefined)
        await idempotencyRecords.completePending(recordKey, outcome);
      else if (recordKey !== undefined) await idempotencyRecords.removePending(recordKey);
      return true;
    },
    { isolation: 'readCommitted' },
  );
}

/** Requests that are asked about at the same time, and those that this process remembers having asked about. */
const rememberedMax = 100_000;
/** Retries of callers ask about one request at most so often. */
const retryEveryMs = 1_000;
const backoff: Backoff = { firstMs: 2_000, maxMs: 10 * 60_000 };

interface Asked {
  readonly times: number;
  readonly retryFrom: number;
  readonly from: number;
}

/** What this process knows of the times of requests: how often each is asked about, and for how long none has waited for it. */
export class LookupPace {
  readonly #asked = new BoundedMap<string, Asked>(rememberedMax);
  readonly #idleFrom = new BoundedMap<string, number>(rememberedMax);
  readonly #monotonicMs: () => number;

  /** `monotonicMs`: milliseconds of a clock that never jumps. */
  constructor(monotonicMs: () => number = () => performance.now()) {
    this.#monotonicMs = monotonicMs;
  }

  /** Whether a question is due, which is then counted. `byRetry`: a caller waits for the answer. */
  tryAsk(id: string, { byRetry }: { readonly byRetry: boolean }): boolean {
    const now = this.#monotonicMs();
    const { times, retryFrom, from } = this.#asked.get(id) ?? { times: 0, retryFrom: now, from: now };
    if (now < (byRetry ? retryFrom : from)) return false;
    this.#asked.set(id, {
      times: times + 1,
      retryFrom: now + retryEveryMs,
      from: now + backoffMs(times + 1, backoff),
    });
    return true;
  }

  /** This process has ceased to wait for the answer. */
  left(id: string): void {
    this.#idleFrom.set(id, this.#monotonicMs());
  }

  /**
   * For how long no process can have waited for the answer, in milliseconds, negative where one may. The clock of the store may be set, or
   * be that of another server after a failover. So a process that has not sent the request itself counts from where it has first seen it.
   */
  idleMs(id: string, inFlightMs: number): number {
    const now = this.#monotonicMs();
    return now - this.#idleFrom.getOrCreate(id, () => now + inFlightMs);
  }

  forget(id: string): void {
    this.#asked.delete(id);
    this.#idleFrom.delete(id);
  }
}
