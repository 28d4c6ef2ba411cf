/** A quota: a number of events of a key in a window of time, after which the key is blocked. */
import { atMost, BoundedMap, type Clock } from '../../core/lib/index.ts';
import { type CountRule, longestMs, type SharedCount, type SharedCounts } from './shared-counts.ts';

/** A keyed hash: names and credentials are in no other form outside this process. */
export type HashKey = (text: string) => string;

/** Its name is in metrics, in the audit log, in Redis and in the store; 0 events are unlimited. */
export interface QuotaRule extends CountRule {
  readonly keysMax?: number;
  /** What the actors are: `credentials` where it is absent. */
  readonly of?: 'credentials' | 'logins';
  /** Nothing is reported. */
  readonly isSilent?: true;
}

/** A key has reached its quota. */
export interface QuotaReached {
  readonly limit: string;
  readonly of: 'credentials' | 'logins';
  /** A credential; of log-ins the keyed hash of a name, or an address. */
  readonly actor: string;
  readonly blockedMs: number;
}

interface QuotaParts {
  /** Is never set back. */
  readonly clock: Clock;
  readonly hash: HashKey;
  readonly onReached: (event: QuotaReached) => void;
  /** Counts in Redis or in the store. */
  readonly add: SharedCounts['add'];
}

interface Counted {
  /** Events of a key with the same member count once in a window. */
  readonly member?: string;
  /** By default the key. */
  readonly actor?: string;
  /** Events of a key that wait in the memory of this process until a further one follows in their window; 0 by default. */
  readonly heldMax?: number;
}

const defaultKeysMax = 20_000;
/** Answers wait no longer for the shared counts, which count the event nevertheless. */
const waitMsMax = 250;

/**
 * Counts in this process first, so that the limit of a process is exact. The sum over all processes arrives a moment later. A
 * process begins with the sums that the store knows.
 */
export class Quota {
  readonly #rule: QuotaRule;
  readonly #parts: QuotaParts;
  readonly #local: WindowCounter;
  readonly #members: WindowCounter;
  /** The members of events that are in no shared count yet. */
  readonly #held = new WeakMap<Window, (string | undefined)[]>();
  /** The end of the block of each key, by the clock. */
  readonly #blocked: BoundedMap<string, number>;
  /** The sums of the store, by the hash of the key: those below the quota, and the blocks, which other keys must not displace. */
  readonly #knownSums: BoundedMap<string, Window>;
  readonly #knownBlocks: BoundedMap<string, Window>;
  #lastEnd = Number.NEGATIVE_INFINITY;

  constructor(rule: QuotaRule, parts: QuotaParts) {
    const { windowMs, keysMax = defaultKeysMax } = rule;
    this.#rule = rule;
    this.#parts = parts;
    const options = { clock: parts.clock, windowMs, keysMax };
    this.#local = new WindowCounter(options);
    this.#members = new WindowCounter(options);
    this.#blocked = new BoundedMap(keysMax);
    this.#knownSums = new BoundedMap(keysMax);
    this.#knownBlocks = new BoundedMap(keysMax);
  }

  /** No key is blocked. */
  get isIdle(): boolean {
    if (this.#parts.clock.now() < this.#lastEnd) return false;
    this.#blocked.clear();
    this.#knownBlocks.clear();
    return true;
  }

  /** Milliseconds for which the key is still blocked; 0 where it is not. */
  blockedMs(key: string): number {
    if (this.isIdle) return 0;
    const now = this.#parts.clock.now();
    const knownEnd = this.#knownBlocks.size === 0 ? now : (this.#knownBlocks.get(this.#parts.hash(key))?.endsAt ?? now);
    return Math.max(0, (this.#blocked.get(key) ?? now) - now, knownEnd - now);
  }

  /**
   * Counts an event. The key is blocked from the last one that its quota allows. Resolves when the event is in the shared counts,
   * so that no restart forgets it, or when they do not answer in time.
   */
  async count(key: string, { member, actor = key, heldMax = 0 }: Counted = {}): Promise<void> {
    const { max } = this.#rule;
    if (max === 0 || (member !== undefined && this.#members.add(`${key} ${member}`).count > 1)) return;
    const window = this.#local.add(key, this.#knownOf(key));
    if (window.count >= max) this.#block(key, actor, this.#rule.blockMs ?? window.endsAt - this.#parts.clock.now());
    const held = this.#held.get(window) ?? [];
    held.push(member);
    this.#held.set(window, held);
    if (held.length <= heldMax && window.count < max) return;
    this.#held.delete(window);
    await atMost(waitMsMax, Promise.all(held.map((each) => this.#countShared(key, actor, each))));
  }

  /** Takes over a sum of the store. `subject`: the hash of a key. */
  learn(subject: string, { count, leftMs }: SharedCount): void {
    const { max } = this.#rule;
    if (max === 0) return;
    const endsAt = this.#parts.clock.now() + Math.min(leftMs, longestMs(this.#rule));
    const isBlocked = count >= max;
    (isBlocked ? this.#knownBlocks : this.#knownSums).set(subject, { count, endsAt });
    if (isBlocked) this.#lastEnd = Math.max(this.#lastEnd, endsAt);
  }

  async #countShared(key: string, actor: string, member: string | undefined): Promise<void> {
    const { hash, add } = this.#parts;
    const subject = hash(key);
    const sum = await add({ rule: this.#rule, subject, member: member && hash(`${key} ${member}`) });
    if (sum === undefined) return;
    if (sum.count >= this.#rule.max) this.#block(key, actor, sum.leftMs);
    else this.learn(subject, sum);
  }

  /** What the store knows of a key in its present window. */
  #knownOf(key: string): Window | undefined {
    if (this.#knownSums.size === 0) return undefined;
    const subject = this.#parts.hash(key);
    const known = this.#knownSums.get(subject);
    if (known === undefined || known.endsAt > this.#parts.clock.now()) return known;
    this.#knownSums.delete(subject);
    return undefined;
  }

  #block(key: string, actor: string, ms: number): void {
    const { name, of = 'credentials', isSilent } = this.#rule;
    const isNew = this.blockedMs(key) === 0;
    const end = this.#parts.clock.now() + ms;
    this.#blocked.set(key, end);
    this.#lastEnd = Math.max(this.#lastEnd, end);
    if (isNew && isSilent !== true) this.#parts.onReached({ limit: name, of, actor, blockedMs: ms });
  }
}

interface Window {
  readonly count: number;
  /** By the clock of the counter. */
  readonly endsAt: number;
}

interface WindowOptions {
  /** Is never set back. */
  readonly clock: Clock;
  readonly windowMs: number;
  /** More keys than this are not counted side by side: the one without an event for the longest time is dropped. */
  readonly keysMax: number;
}

/**
 * In the memory of this process, which is bounded. The memory limiter of rate-limiter-flexible is not: it holds 425 bytes and a
 * timer for each key, and answers later.
 */
class WindowCounter {
  readonly #options: WindowOptions;
  readonly #windows: BoundedMap<string, { count: number; endsAt: number }>;

  constructor(options: WindowOptions) {
    this.#options = options;
    this.#windows = new BoundedMap(options.keysMax);
  }

  /** Counts one event; all events of a window get the same object. `known`: what others have counted of the key already. */
  add(key: string, known?: Window): Window {
    const { clock, windowMs } = this.#options;
    const window = this.#current(key) ?? { count: 0, endsAt: known?.endsAt ?? clock.now() + windowMs };
    window.count = Math.max(window.count, known?.count ?? 0) + 1;
    this.#windows.set(key, window);
    return window;
  }

  #current(key: string): { count: number; endsAt: number } | undefined {
    const window = this.#windows.get(key);
    return window !== undefined && window.endsAt > this.#options.clock.now() ? window : undefined;
  }
}
