/** Limits failed log-ins: locks a name at an address, an address, and watches names that many addresses try. */
import { addressGroup, BoundedMap } from '../../core/lib/index.ts';
import type { Limits } from './limits.ts';
import type { Quota } from './quota.ts';

/** Numbers of different wrong secrets within `loginLockMs`; 0 is unlimited. */
export interface LoginSettings {
  /** For one name, from one address. */
  readonly loginFailuresMax: number;
  /** From one address, for any names. */
  readonly loginFailuresPerAddressMax: number;
  /** For one name, from all addresses. */
  readonly loginFailuresPerNameMax: number;
  readonly loginLockMs: number;
}

/** What a caller presents. */
export interface LoginAttempt {
  /** Absent where the secret is all there is. */
  readonly name?: string | undefined;
  readonly secret: string;
  /** Whether a one-time code is part of the secret. */
  readonly hasCode?: boolean;
  /** Absent where there is no connection. */
  readonly address?: string | undefined;
}

const acceptedMax = 20_000;
const acceptedMsMax = 86_400_000;
/** Accepted secrets that are remembered for one address. */
const rememberedMax = 100;
/** Secrets in the clear are held for a second at most. */
const seenMsMax = 1_000;
const seenMax = 4_096;
/** No credential has a longer name. */
const nameMax = 256;

/**
 * Wrong secrets count once each: a client that repeats an old secret guesses nothing, and its correction works at once. A one-time
 * code counts each time: it may be right later. A secret
 * that this process has accepted from the same address within a day is always tried, so no failures of others lock its caller out.
 * From another address it may be a guess.
 */
export class LoginLimits {
  readonly #limits: Limits;
  readonly #pairs: Quota;
  readonly #addresses: Quota;
  readonly #names: Quota;
  /** Counts for names that have reached their quota: each address has one guess left. */
  readonly #watched: Quota;
  /** The last acceptance, by the hash of address, name and secret. */
  readonly #accepted = new BoundedMap<string, { readonly at: number; readonly address: string | undefined }>(
    acceptedMax,
  );
  /** Secrets that were accepted at an address before it was locked: another process, or this one after a restart, knows them. */
  readonly #remembered: Quota;
  /** What was accepted within the second, so that its hash is made once: a caller may have several addresses at the same time. */
  readonly #seen = new BoundedMap<string, true>(seenMax, { msMax: seenMsMax });

  constructor(settings: LoginSettings, limits: Limits) {
    const { loginFailuresMax, loginFailuresPerAddressMax, loginFailuresPerNameMax, loginLockMs } = settings;
    const rule = { windowMs: loginLockMs, blockMs: loginLockMs, of: 'logins' } as const;
    this.#limits = limits;
    this.#pairs = limits.quota({ ...rule, name: 'loginNameAtAddress', max: loginFailuresMax });
    this.#addresses = limits.quota({ ...rule, name: 'loginAddress', max: loginFailuresPerAddressMax });
    this.#names = limits.quota({ ...rule, name: 'loginName', max: loginFailuresPerNameMax });
    this.#watched = limits.quota({ ...rule, name: 'loginWatchedName', max: 1, isSilent: true });
    this.#remembered = limits.quota({ name: 'loginAccepted', max: 1, windowMs: acceptedMsMax, isSilent: true });
  }

  /** Returns the milliseconds for which the attempt may not be verified; 0 where it may. */
  lockedMs(attempt: LoginAttempt): number {
    if (this.#areNoneBlocked()) return 0;
    const { pair, address, name } = keysOf(attempt);
    const watchedMs = name !== undefined && this.#names.blockedMs(name) > 0 ? this.#watched.blockedMs(pair) : 0;
    const addressMs = address === undefined ? 0 : this.#addresses.blockedMs(address);
    const pairMs = name === undefined ? 0 : this.#pairs.blockedMs(pair);
    const ms = Math.max(watchedMs, addressMs, pairMs);
    return ms > 0 && !this.#wasAccepted(attempt) ? ms : 0;
  }

  /** The secret was wrong, or the name unknown. Resolves when no restart forgets it; see `Quota.count`. */
  async countFailure(attempt: LoginAttempt): Promise<void> {
    const { pair, address, name } = keysOf(attempt);
    const counted: Promise<void>[] = [];
    const once = attempt.hasCode ? {} : { member: this.#hashOf(attempt) };
    if (address !== undefined) counted.push(this.#addresses.count(address, { ...once, actor: address }));
    if (name !== undefined) {
      const actor = this.#limits.hash(name);
      counted.push(this.#pairs.count(pair, { ...once, actor }));
      counted.push(this.#names.count(name, { ...once, actor }));
      if (this.#names.blockedMs(name) > 0) counted.push(this.#watched.count(pair, once));
    }
    await Promise.all(counted);
    if (address !== undefined && this.lockedMs(attempt) > 0) await this.#rememberAccepted(address);
  }

  /** Remembers the secret and its address, by their hash. */
  accepted(attempt: LoginAttempt): void {
    const seen = `${attempt.address} ${attempt.secret} ${attempt.name}`;
    if (this.#seen.has(seen)) return;
    this.#seen.set(seen, true);
    const hash = this.#hashOf(attempt, keysOf(attempt).address);
    this.#accepted.set(hash, { at: this.#limits.clock.now(), address: keysOf(attempt).address });
  }

  /** The name as logs may show it. */
  nameHash({ name }: LoginAttempt): string | undefined {
    return name === undefined ? undefined : this.#limits.hash(name.slice(0, nameMax));
  }

  #areNoneBlocked(): boolean {
    return this.#pairs.isIdle && this.#addresses.isIdle && this.#names.isIdle;
  }

  #wasAccepted(attempt: LoginAttempt): boolean {
    const hash = this.#hashOf(attempt, keysOf(attempt).address);
    const accepted = this.#accepted.get(hash);
    return (accepted !== undefined && this.#isFresh(accepted)) || this.#remembered.blockedMs(hash) > 0;
  }

  #isFresh({ at }: { readonly at: number }): boolean {
    return this.#limits.clock.now() - at < acceptedMsMax;
  }

  async #rememberAccepted(address: string): Promise<void> {
    const hashes = [...this.#accepted].filter(([, each]) => each.address === address && this.#isFresh(each));
    await Promise.all(hashes.slice(-rememberedMax).map(([hash]) => this.#remembered.count(hash, { member: hash })));
  }

  #hashOf({ name, secret }: LoginAttempt, address?: string): string {
    // JSON keeps them apart: joined, two names and secrets could make one text.
    return this.#limits.hash(JSON.stringify([name, secret, address]));
  }
}

function keysOf({ name: given, address: from }: LoginAttempt) {
  const address = from === undefined || from === '' ? undefined : addressGroup(from);
  const name = given?.slice(0, nameMax);
  return { name, address, pair: `${address ?? ''} ${name ?? ''}` };
}
