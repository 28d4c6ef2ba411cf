/** The sessions of people in browsers: in memory, found by the hash of a random token, and ended when their credential is. */

import { createHash, createHmac, randomBytes } from 'node:crypto';
import type { LiveCredentials } from '../../access/index.ts';
import type { Caller } from '../../core/contract/index.ts';
import type { WireRequest } from '../../core/formats/index.ts';
import { BoundedMap, type Clock } from '../../core/lib/index.ts';
import { operatorRoles } from '../../operators/index.ts';

type Origin = Pick<WireRequest, 'sender' | 'certificate'>;

export interface Session {
  /** The credential as it is now: its roles may have changed since the log-in. */
  readonly caller: Caller;
  /** What a page sends along with each request that is no GET. Another site cannot read it. */
  readonly csrfToken: string;
  /** The keyed name of the session for the audit log. */
  readonly id: string;
}

export interface SessionTimes {
  /** A session that is not used for so long ends. */
  readonly idleMsMax: number;
  /** Any session ends after this time. */
  readonly ageMsMax: number;
}

/** Fifteen minutes (PCI DSS 8.2.8), and a working day. */
const sessionTimes: SessionTimes = Object.freeze({ idleMsMax: 15 * 60_000, ageMsMax: 12 * 3_600_000 });

interface Entry {
  readonly credential: string;
  /** The secrets of the credential at the log-in. */
  readonly secrets: readonly string[];
  readonly createdAt: number;
  usedAt: number;
}

/** Of the process. The oldest ends where another begins. */
const sessionsMax = 1_000;
const perCredentialMax = 20;

export class Sessions {
  readonly #entries = new BoundedMap<string, Entry>(sessionsMax);
  readonly #credentials: LiveCredentials;
  readonly #clock: Clock;
  readonly #times: SessionTimes;

  constructor(credentials: LiveCredentials, clock: Clock, times: SessionTimes = sessionTimes) {
    this.#credentials = credentials;
    this.#clock = clock;
    this.#times = times;
  }

  /** Returns the token of a new session, which is stored nowhere. Undefined where the credential was revoked meanwhile. */
  async create(credential: string, origin: Origin): Promise<string | undefined> {
    const live = await this.#credentials.find(credential, origin);
    if (live === undefined) return undefined;
    const token = randomBytes(32).toString('base64url');
    const now = this.#clock.now();
    this.#removeOldest(credential);
    this.#entries.set(hashOf(token), { credential, secrets: live.secrets, createdAt: now, usedAt: now });
    return token;
  }

  /**
   * Returns the session of a token while it is valid, and its credential may use the console from there. `isUse`: false
   * where its page only refreshes itself.
   */
  async find(token: string, origin: Origin, isUse = true): Promise<Session | undefined> {
    const id = hashOf(token);
    const entry = this.#entries.get(id);
    if (entry === undefined) return undefined;
    const now = this.#clock.now();
    const { idleMsMax, ageMsMax } = this.#times;
    if (now - entry.usedAt >= idleMsMax || now - entry.createdAt >= ageMsMax) {
      this.#entries.delete(id);
      return undefined;
    }
    const live = await this.#credentials.find(entry.credential, origin);
    // A secret that was rotated without a grace period is not trusted any more.
    if (live === undefined || !entry.secrets.some((each) => live.secrets.includes(each))) {
      this.#entries.delete(id);
      return undefined;
    }
    if (!operatorRoles.some((role) => live.caller.roles.has(role))) return undefined;
    if (isUse) entry.usedAt = now;
    return { caller: live.caller, csrfToken: csrfTokenOf(token), id: id.slice(0, 12) };
  }

  end(token: string): void {
    this.#entries.delete(hashOf(token));
  }

  #removeOldest(credential: string): void {
    const own = [...this.#entries].filter(([, each]) => each.credential === credential);
    for (const [id] of own.slice(0, Math.max(0, own.length - perCredentialMax + 1))) this.#entries.delete(id);
  }
}

/** The token has 256 random bits, so its hash needs no key. */
function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('base64url');
}

function csrfTokenOf(token: string): string {
  return createHmac('sha256', token).update('csrf').digest('base64url');
}
