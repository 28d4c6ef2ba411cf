/** The idempotency cache on Redis. A request continues without it when Redis does not answer. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { CacheReservation, IdempotencyCache } from '../../core/idempotency/index.ts';
import { CircuitBreaker, type Clock } from '../../core/lib/index.ts';
import { isWrongType, reasonOf } from './failure.ts';
import { inspectServers } from './inspect.ts';
import { type Connection, openConnection } from './open.ts';

/** The lease of a reservation; longer than any request takes. */
const leaseMs = 15_000;
/** How long Redis knows that the store has a record; the store has it for longer. */
const retentionMs = 3_600_000;
const closeMsMax = 500;
/** After so many failures in a row no command is sent for so long. */
const failuresMax = 5;
const openMs = 1_000;
/** The longest wait for one command; then the request continues without Redis. */
const defaultCommandMsMax = 50;

export type CacheEvent =
  | { readonly kind: 'up' }
  /** `reason`: see `reasonOf`. */
  | { readonly kind: 'down'; readonly reason: string }
  /** One command failed. */
  | { readonly kind: 'failed'; readonly reason: string }
  /** A value that is no entry: damage, or another program's. */
  | { readonly kind: 'unreadable' };

export interface CacheOptions {
  /** See `parseAddress`. */
  readonly url: string;
  /** The authorities of the servers in PEM; those of Node where it is absent. */
  readonly ca?: string | undefined;
  readonly clock: Clock;
  /** Milliseconds for one command; 50 by default. */
  readonly commandMsMax?: number;
  readonly onEvent?: (event: CacheEvent) => void;
  /** Receives warnings about the version and the settings of the servers. */
  readonly warn?: (text: string) => void;
}

export interface RedisCache extends IdempotencyCache {
  /** `up` while Redis is connected and answers. */
  state(): 'up' | 'down';
  /** The connection, for other uses of the same Redis. */
  readonly client: object;
}

type Answer =
  | { readonly kind: 'answered'; readonly reply: unknown }
  /** The command was sent, and failed or timed out. */
  | { readonly kind: 'failed' }
  | { readonly kind: 'skipped' };

const skipped: Answer = Object.freeze({ kind: 'skipped' });
const failed: Answer = Object.freeze({ kind: 'failed' });

class RedisIdempotencyCache implements RedisCache {
  readonly #client: Connection;
  readonly #options: CacheOptions;
  readonly #warned = new Set<string>();
  readonly #breaker: CircuitBreaker;
  #reportedState: 'up' | 'down' | undefined;
  #lastReason = 'closed';
  #isClosing = false;

  constructor(options: CacheOptions) {
    this.#options = options;
    this.#breaker = new CircuitBreaker({ clock: options.clock, failuresMax, openMs: () => openMs, probeMsMax: openMs });
    this.#client = openConnection(options.url, {
      commandMsMax: options.commandMsMax ?? defaultCommandMsMax,
      ca: options.ca,
    });
    this.#client.on('error', (error) => {
      this.#lastReason = reasonOf(error);
      this.#reportState();
    });
    this.#client.on('ready', () => {
      this.#reportState();
      void this.#inspect();
    });
    for (const event of ['close', 'end'] as const) this.#client.on(event, () => this.#reportState());
  }

  async reserve(recordKey: string): Promise<CacheReservation> {
    const token = randomBytes(8).toString('hex');
    const answer = await this.#send((client) =>
      client.idemReserve(keyOf(recordKey), printPending(token), leaseMs, entryBytesMax),
    );
    switch (answer.kind) {
      case 'answered':
        return this.#read(token, answer.reply);
      case 'failed':
        return { kind: 'unknown', token };
      case 'skipped':
        return { kind: 'unknown' };
      default:
        return answer satisfies never;
    }
  }

  async complete(recordKey: string): Promise<void> {
    await this.#send((client) => client.set(keyOf(recordKey), done, 'PX', retentionMs));
  }

  async release(recordKey: string, token: string): Promise<void> {
    await this.#send((client) => client.idemRelease(keyOf(recordKey), printPending(token)));
  }

  async close(): Promise<void> {
    // This end of the connection is no outage to report or count.
    this.#isClosing = true;
    const open = /^(?:connecting|connect|ready)$/.test(this.#client.status);
    const ended = once(this.#client, 'end', { signal: AbortSignal.timeout(closeMsMax) }).catch(() => {});
    this.#client.disconnect();
    // A client that waits to reconnect emits no `end`.
    if (open) await ended;
  }

  get client(): object {
    return this.#client;
  }

  state(): 'up' | 'down' {
    return this.#client.status === 'ready' && !this.#breaker.isOpen ? 'up' : 'down';
  }

  /** Never rejects. Only a command that was sent counts for the breaker. */
  async #send(send: (client: Connection) => Promise<unknown>): Promise<Answer> {
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
      return failed;
    }
  }

  #read(token: string, reply: unknown): CacheReservation {
    const [kind, text, leftMs]: readonly unknown[] = Array.isArray(reply) ? reply : [];
    if (kind === 'N') return { kind: 'reserved', token };
    const entry = typeof text === 'string' ? parseEntry(text) : undefined;
    const left = typeof leftMs === 'number' ? leftMs : -1;
    // Only a foreign reservation has no end or a longer lease. It would refuse requests all that time.
    if (entry === undefined || (entry.kind === 'pending' && (left < 0 || left > leaseMs))) {
      this.#report({ kind: 'unreadable' });
      return { kind: 'unknown' };
    }
    switch (entry.kind) {
      case 'pending':
        return { kind: 'inFlight', ageMs: leaseMs - left };
      case 'done':
        return { kind: 'completed' };
      default:
        return entry satisfies never;
    }
  }

  #succeed(): void {
    this.#breaker.succeed();
    this.#reportState();
  }

  #fail(reason: string): void {
    this.#lastReason = reason;
    this.#breaker.fail();
    this.#report({ kind: 'failed', reason });
    this.#reportState();
  }

  #reportState(): void {
    const state = this.state();
    if (this.#isClosing || state === this.#reportedState) return;
    this.#reportedState = state;
    this.#report(state === 'up' ? { kind: 'up' } : { kind: 'down', reason: this.#lastReason });
  }

  #report(event: CacheEvent): void {
    ignoreErrors(() => this.#options.onEvent?.(event));
  }

  /** Runs at each connection, which may be to another server. Each warning is given once. */
  async #inspect(): Promise<void> {
    for (const warning of await inspectServers(this.#client)) {
      if (this.#warned.has(warning)) continue;
      this.#warned.add(warning);
      ignoreErrors(() => this.#options.warn?.(warning));
    }
  }
}

/** Opens the cache without waiting for Redis. Throws only for an invalid URL, without repeating it. */
export function openRedisCache(options: CacheOptions): RedisCache {
  return new RedisIdempotencyCache(options);
}

/** A listener that throws must not fail a request. */
function ignoreErrors(listener: () => void): void {
  try {
    listener();
  } catch {
    // The listener is where errors would be reported.
  }
}

type Entry =
  /** A request is in flight. */
  | { readonly kind: 'pending'; readonly token: string }
  /** The store had the record lately. */
  | { readonly kind: 'done' };

/** Longer values are no entries. */
export const entryBytesMax = 64;

/** It says nothing of the outcome, so that Redis can answer no request. */
export const done = 'D';

const pendingForm = /^P:([0-9a-f]{16})$/;

/** The whole record key is the hash tag, so that a cluster spreads the entries over its nodes. */
export function keyOf(recordKey: string): string {
  return `idem:v2:{${recordKey}}`;
}

/** `token`: 16 hexadecimal digits. */
export function printPending(token: string): string {
  return `P:${token}`;
}

/** Undefined for a text that is no entry. */
export function parseEntry(text: string): Entry | undefined {
  if (text === done) return { kind: 'done' };
  const [, token] = pendingForm.exec(text) ?? [];
  return token === undefined ? undefined : { kind: 'pending', token };
}
