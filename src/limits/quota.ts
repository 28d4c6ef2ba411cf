/** A quota: so many events of a key in a window of time, then the key is blocked. */
import type { Clock } from '../lib/clock-and-ids.ts';
import type { CountShared, OpenSharedCounter } from './shared-counter.ts';
import { WindowCounter } from './window-counter.ts';

export interface QuotaRule {
  /** In metrics, in the audit log and in Redis. */
  readonly name: string;
  /** The number of events in a window; 0 is unlimited. */
  readonly max: number;
  readonly windowMs: number;
  /** How long a key is blocked; to the end of its window where it is absent. */
  readonly blockMs?: number;
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

export interface QuotaParts {
  readonly clock: Clock;
  readonly onReached: (event: QuotaReached) => void;
  /** Undefined where no processes share their counts. */
  readonly shared: () => OpenSharedCounter | undefined;
}

export interface Counted {
  /** Events of a key with the same member count once in a window. */
  readonly member?: string;
  /** By default the key. */
  readonly actor?: string;
}

const defaultKeysMax = 20_000;

/**
 * Counts in this process first, so that the limit of a process is exact and holds without Redis. The sum over all processes
 * arrives a moment later, and no request waits for it.
 */
export class Quota {
  readonly #rule: QuotaRule;
  readonly #parts: QuotaParts;
  readonly #local: WindowCounter;
  readonly #members: WindowCounter;
  /** The end of the block of each key, in milliseconds since the epoch. */
  readonly #blocked = new Map<string, number>();
  #lastEnd = 0;
  #shared: { readonly count: CountShared; readonly countMember: CountShared } | undefined;

  constructor(rule: QuotaRule, parts: QuotaParts) {
    const { windowMs, keysMax = defaultKeysMax } = rule;
    this.#rule = rule;
    this.#parts = parts;
    this.#local = new WindowCounter({ clock: parts.clock, windowMs, keysMax });
    this.#members = new WindowCounter({ clock: parts.clock, windowMs, keysMax });
  }

  /** No key is blocked. */
  get isIdle(): boolean {
    if (this.#blocked.size > 0 && this.#parts.clock.now() >= this.#lastEnd) this.#blocked.clear();
    return this.#blocked.size === 0;
  }

  /** Milliseconds for which the key is still blocked; 0 where it is not. */
  blockedMs(key: string): number {
    if (this.isIdle) return 0;
    const end = this.#blocked.get(key);
    if (end === undefined) return 0;
    const leftMs = end - this.#parts.clock.now();
    const { blockMs, windowMs } = this.#rule;
    if (leftMs > 0 && leftMs <= (blockMs ?? windowMs)) return leftMs;
    this.#blocked.delete(key);
    return 0;
  }

  /** Counts an event. The key is blocked from the last one that its quota allows. */
  count(key: string, { member, actor = key }: Counted = {}): void {
    const { max } = this.#rule;
    if (max === 0 || (member !== undefined && this.#members.add(`${key} ${member}`).count > 1)) return;
    const { count, endsAt } = this.#local.add(key);
    if (count >= max) this.#block(key, actor, endsAt - this.#parts.clock.now());
    void this.#countShared(key, actor, member);
  }

  async #countShared(key: string, actor: string, member: string | undefined): Promise<void> {
    const shared = this.#openShared();
    if (shared === undefined) return;
    if (member !== undefined && ((await shared.countMember(`${key} ${member}`))?.count ?? 2) > 1) return;
    const sum = await shared.count(key);
    if (sum !== undefined && sum.count >= this.#rule.max) this.#block(key, actor, sum.leftMs);
  }

  #openShared() {
    const { name, windowMs } = this.#rule;
    const open = this.#parts.shared();
    if (open !== undefined)
      this.#shared ??= { count: open(name, windowMs), countMember: open(`${name}:members`, windowMs) };
    return this.#shared;
  }

  #block(key: string, actor: string, leftMs: number): void {
    const { name, blockMs = leftMs, keysMax = defaultKeysMax, of = 'credentials', isSilent } = this.#rule;
    const isNew = this.blockedMs(key) === 0;
    const end = this.#parts.clock.now() + blockMs;
    this.#blocked.delete(key);
    this.#blocked.set(key, end);
    this.#lastEnd = Math.max(this.#lastEnd, end);
    if (this.#blocked.size > keysMax) this.#blocked.delete(this.#blocked.keys().next().value!);
    if (isNew && isSilent !== true) this.#parts.onReached({ limit: name, of, actor, blockedMs: blockMs });
  }
}
