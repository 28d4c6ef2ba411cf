/**
 * Lets requests to the server that callers are switched to: only few, until it has answered one. The counts are those of all gateways of the
 * store; where the store does not answer, those of this process hold.
 */
import { setTimeout as wait } from 'node:timers/promises';
import type { Clock } from '../../core/lib/index.ts';
import {
  addCounts,
  admit,
  type Counter,
  countsOf,
  failuresMax,
  inARow,
  merge,
  noCounts,
  type RollbackBound,
  type SwitchCounts,
  type SwitchOutcome,
  settle,
  whyRollBack,
} from './rollback.ts';

/** Changes the counts of all gateways, in one transaction. Rejects where the store does not answer. */
export type ChangeCounts = <T>(
  change: (counts: SwitchCounts) => T,
) => Promise<{ readonly counts: SwitchCounts; readonly result: T }>;

/** How a request was let to the shadow. `proven`: it has answered one of the operation in this process. */
export type Admission = 'proven' | 'admitted' | 'denied';

/** How long a request waits for one before it to prove that the shadow answers, in milliseconds. */
export const admissionMsMax = 2_000;
const askAgainMs = 25;

export class SwitchGuard {
  readonly #bound: RollbackBound;
  readonly #clock: Clock;
  readonly #change: ChangeCounts;
  readonly #rollBack: (why: string) => void;
  #counts = noCounts();
  /** What the store does not know yet. */
  #added = noCounts();
  /** By operation, the requests that were sent since the shadow has answered one. */
  readonly #sentSince = new Map<string, number>();
  /** Operations for which a request has waited in vain. */
  readonly #stalled = new Set<string>();

  /** `rollBack` is called each time that the counts are beyond the bound. */
  constructor(bound: RollbackBound, clock: Clock, change: ChangeCounts, rollBack: (why: string) => void) {
    this.#bound = bound;
    this.#clock = clock;
    this.#change = change;
    this.#rollBack = rollBack;
  }

  /** Never rejects. What is not denied must be settled. */
  async admit(operation: string): Promise<Admission> {
    // Failures roll nothing back.
    if (this.#bound.errors >= 100) return 'proven';
    const deadline = performance.now() + admissionMsMax;
    for (;;) {
      const sent = this.#sentSince.get(operation);
      if (sent !== undefined && sent < failuresMax) {
        this.#sentSince.set(operation, sent + 1);
        return 'proven';
      }
      const result =
        sent === undefined ? await this.#exchange((counts) => admit(counts, operation, this.#clock.now())) : 'full';
      if (result === 'admitted') return 'admitted';
      if (performance.now() > deadline) this.#stalled.add(operation);
      if (result === 'over' || this.#stalled.has(operation)) return 'denied';
      await wait(askAgainMs);
    }
  }

  /** Never rejects. Returns when other gateways know of what failed. */
  async settle(operation: string, outcome: SwitchOutcome, admission: Admission): Promise<void> {
    if (admission === 'denied') return;
    const isGood = outcome === 'answered';
    this.#stalled.delete(operation);
    if (isGood) this.#sentSince.set(operation, 0);
    else if (outcome !== 'unproven') this.#sentSince.delete(operation);
    const isAdmitted = admission === 'admitted';
    const isAfterFailure = ['', operation].some((name) => inARow(this.#counts, name) > 0);
    if (isGood && !isAdmitted && !isAfterFailure) {
      this.count(operation, 'answered');
      return;
    }
    const known = this.#exchange((counts) => settle(counts, operation, outcome, isAdmitted));
    if (!isGood) await known;
  }

  /** Counts what can wait for the next `flush`. What the upstream answers counts for all operations together, too. */
  count(operation: string, counter: Counter): void {
    countsOf(this.#added, operation)[counter] += 1;
    if (counter === 'currentAnswered' || counter === 'currentBad') countsOf(this.#added, '')[counter] += 1;
  }

  /** Tells the store what was counted, and takes over the counts of others. Rejects where the store does not answer. */
  async flush(): Promise<void> {
    if (Object.keys(this.#added.operations).length > 0) await this.#exchange(() => {}, true);
  }

  /** After a change of the switch: the shadow must prove itself again. */
  restart(): void {
    this.#sentSince.clear();
    this.#stalled.clear();
  }

  async #exchange<T>(change: (counts: SwitchCounts) => T, mayReject = false): Promise<T> {
    const added = this.#added;
    this.#added = noCounts();
    const apply = (counts: SwitchCounts): T => {
      addCounts(counts, added, this.#clock.now(), this.#bound);
      return change(counts);
    };
    try {
      const { counts, result } = await this.#change(apply);
      this.#counts = counts;
      return result;
    } catch (thrown) {
      if (!mayReject) return apply(this.#counts);
      merge(this.#added, added);
      throw thrown;
    } finally {
      const why = whyRollBack(this.#counts, this.#bound);
      if (why !== undefined) this.#rollBack(why);
    }
  }
}
