/** The gate on Redis: turns away duplicates in flight and remembers outcomes, and never stands in the way. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { CacheReservation, IdempotencyCache, StoredOutcome } from '../../idempotency/ports.ts';
import { CircuitBreaker } from '../../lib/circuit-breaker.ts';
import type { Clock } from '../../lib/clock-and-ids.ts';
import { isWrongType, reasonOf } from './failure.ts';
import { inspectServers } from './inspect.ts';
import { type Connection, openConnection } from './open.ts';
import { keyOf, type Mac, parseRecord, printDone, printPending, recordBytesMax } from './record.ts';

/** How long a claim stands; longer than any request takes. */
const leaseMs = 15_000;
/** How long an outcome stays at hand; the journal keeps it for longer. */
const keptMs = 3_600_000;
const closeMsMax = 500;
/** After so many failures in a row Redis is left alone for so long. */
const failuresMax = 5;
const openMs = 1_000;
/** How long Redis may take for one command; then the request goes on without. */
const defaultCommandMsMax = 50;

export type CacheEvent =
  | { readonly kind: 'up' }
  /** `reason`: see `reasonOf`. */
  | { readonly kind: 'down'; readonly reason: string }
  /** One command did not help. */
  | { readonly kind: 'failed'; readonly reason: string }
  /** A record that nobody with the key has written: damage, or tampering. */
  | { readonly kind: 'unreadable' };

export interface CacheOptions {
  /** See `parseAddress`. */
  readonly url: string;
  readonly mac: Mac;
  readonly clock: Clock;
  /** Milliseconds for one command; 50 where it is left out. */
  readonly commandMsMax?: number;
  readonly onEvent?: (event: CacheEvent) => void;
  /** Told what about the servers should be mended. */
  readonly warn?: (text: string) => void;
}

export interface RedisCache extends IdempotencyCache {
  /** `up` while there is a connection and it answers. */
  state(): 'up' | 'down';
}

type Answer =
  | { readonly kind: 'answered'; readonly reply: unknown }
  /** Asked, and no use came of it. */
  | { readonly kind: 'failed' }
  | { readonly kind: 'skipped' };

const skipped: Answer = Object.freeze({ kind: 'skipped' });
const lost: Answer = Object.freeze({ kind: 'failed' });

/** A listener that throws must not hinder a request. */
const quietly = (told: () => void): void => {
  try {
    told();
  } catch {
    // There is nobody to tell.
  }
};

class RedisGate implements RedisCache {
  readonly #client: Connection;
  readonly #options: CacheOptions;
  readonly #advised = new Set<string>();
  readonly #breaker: CircuitBreaker;
  #told: 'up' | 'down' | undefined;
  #lastReason = 'closed';
  #isClosing = false;

  constructor(options: CacheOptions) {
    this.#options = options;
    this.#breaker = new CircuitBreaker({ clock: options.clock, failuresMax, openMs: () => openMs, probeMsMax: openMs });
    this.#client = openConnection(options.url, options.commandMsMax ?? defaultCommandMsMax);
    this.#client.on('error', (error) => {
      this.#lastReason = reasonOf(error);
      this.#tellState();
    });
    this.#client.on('ready', () => {
      this.#tellState();
      void this.#inspect();
    });
    for (const event of ['close', 'end'] as const) this.#client.on(event, () => this.#tellState());
  }

  async reserve(recordKey: string, requestHash: string): Promise<CacheReservation> {
    const key = keyOf(recordKey);
    const token = randomBytes(8).toString('hex');
    const pending = printPending(requestHash, token);
    const answer = await this.#ask((client) => client.idemClaim(key, pending, leaseMs, recordBytesMax));
    switch (answer.kind) {
      case 'answered':
        return this.#read(key, token, answer.reply);
      case 'failed':
        return { kind: 'unknown', token };
      case 'skipped':
        return { kind: 'unknown' };
      default:
        return answer satisfies never;
    }
  }

  async complete(recordKey: string, stored: StoredOutcome): Promise<void> {
    const key = keyOf(recordKey);
    // Unconditional: the value comes from the journal and can only be this one. What is not kept here gives way to the journal.
    await this.#ask((client) => {
      const text = printDone(this.#options.mac, key, stored);
      return text === undefined ? client.del(key) : client.set(key, text, 'PX', keptMs);
    });
  }

  async release(recordKey: string, token: string): Promise<void> {
    await this.#ask((client) => client.idemRelease(keyOf(recordKey), token));
  }

  async close(): Promise<void> {
    // The end of this connection is planned: it is no outage to report or count.
    this.#isClosing = true;
    const open = /^(?:connecting|connect|ready)$/.test(this.#client.status);
    const ended = once(this.#client, 'end', { signal: AbortSignal.timeout(closeMsMax) }).catch(() => {});
    this.#client.disconnect();
    // What waits to connect again just stops.
    if (open) await ended;
  }

  state(): 'up' | 'down' {
    return this.#client.status === 'ready' && !this.#breaker.isOpen ? 'up' : 'down';
  }

  /** Never rejects. Without a connection it costs nothing, so only what was sent counts for the breaker. */
  async #ask(send: (client: Connection) => Promise<unknown>): Promise<Answer> {
    if (this.#client.status !== 'ready') return skipped;
    if (!this.#breaker.tryAcquire().isAllowed) return skipped;
    try {
      const reply = await send(this.#client);
      this.#succeed();
      return { kind: 'answered', reply };
    } catch (thrown) {
      if (isWrongType(thrown)) {
        this.#succeed();
        return { kind: 'answered', reply: undefined };
      }
      this.#fail(reasonOf(thrown));
      return lost;
    }
  }

  #read(key: string, token: string, reply: unknown): CacheReservation {
    const [word, text, leftMs]: readonly unknown[] = Array.isArray(reply) ? reply : [];
    if (word === 'N') return { kind: 'reserved', token };
    const record = typeof text === 'string' ? parseRecord(this.#options.mac, key, text) : undefined;
    const left = typeof leftMs === 'number' ? leftMs : -1;
    // A claim without an end, or with a later one than we give, is none of ours: it would turn callers away all that time.
    if (record === undefined || (record.kind === 'pending' && (left < 0 || left > leaseMs))) {
      this.#tell({ kind: 'unreadable' });
      return { kind: 'unknown' };
    }
    switch (record.kind) {
      case 'pending':
        return { kind: 'inFlight', requestHash: record.requestHash, ageMs: leaseMs - left };
      case 'done':
        return { kind: 'completed', stored: record.stored };
      default:
        return record satisfies never;
    }
  }

  #succeed(): void {
    this.#breaker.succeed();
    this.#tellState();
  }

  #fail(reason: string): void {
    this.#lastReason = reason;
    this.#breaker.fail();
    this.#tell({ kind: 'failed', reason });
    this.#tellState();
  }

  #tellState(): void {
    const state = this.state();
    if (this.#isClosing || state === this.#told) return;
    this.#told = state;
    this.#tell(state === 'up' ? { kind: 'up' } : { kind: 'down', reason: this.#lastReason });
  }

  #tell(event: CacheEvent): void {
    quietly(() => this.#options.onEvent?.(event));
  }

  /** At each connection, for it may be to another server; each advice is given once. */
  async #inspect(): Promise<void> {
    for (const advice of await inspectServers(this.#client)) {
      if (this.#advised.has(advice)) continue;
      this.#advised.add(advice);
      quietly(() => this.#options.warn?.(advice));
    }
  }
}

/** Opens the gate without waiting for Redis. Throws only for a URL of no known form, without showing it. */
export const openRedisCache = (options: CacheOptions): RedisCache => new RedisGate(options);
