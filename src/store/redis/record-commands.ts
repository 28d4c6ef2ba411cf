/** The commands of idempotency records on a Redis server, a Sentinel set or a cluster, with their replies read and their failures translated. */
import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import type { NewPendingRequest, PendingRequest } from '../../idempotency/ports.ts';
import { CircuitBreaker } from '../../lib/circuit-breaker.ts';
import type { Clock } from '../../lib/clock-and-ids.ts';
import { runAtMostEvery } from '../../lib/run-at-most-every.ts';
import { StoreUnavailable } from '../errors.ts';
import { runConfirmed, scriptOf } from './confirmed-script.ts';
import type { Durability } from './durability.ts';
import { reasonOf } from './failure.ts';
import { type Connection, openConnection } from './open.ts';
import { memberOf, pendingLists, type RecordPlace } from './record-keys.ts';
import { recordScripts } from './record-scripts.ts';

export type FoundPlace =
  | { readonly kind: 'done'; readonly text: string; readonly leftMs: number }
  | {
      readonly kind: 'pending';
      readonly requestHash: string;
      readonly id: string;
      readonly attempt: string;
      readonly upstream: string;
      readonly state: PendingRequest['state'];
      readonly idleMs: number;
    };

export interface Settlement {
  readonly id: string;
  /** Empty for any. */
  readonly attempt: string;
  readonly condition: 'any' | 'idle';
  /** Empty: the record is removed. */
  readonly outcome: string;
  readonly lifeMs: number;
}

export interface RecordCommandOptions {
  /** See `parseAddress`. */
  readonly url: string;
  readonly ca?: string | undefined;
  readonly clock: Clock;
  /** Whether reservations outlive a crash, where the other server has every request anew. See `inspectDurability`. */
  readonly inspect: (client: Connection) => Promise<Durability>;
  readonly onEvent?: (event: RecordEvent) => void;
}

/** Of a reservation, which replicas must have. */
export type Copies = Pick<Durability, 'replicas' | 'toFiles'>;

/** `reason`: see `reasonOf`. */
export type RecordEvent = { readonly kind: 'up' } | { readonly kind: 'down'; readonly reason: string };

/** Longer than `WAIT`, and shorter than the margin between a reservation and the question. */
const commandMsMax = 1_500;
const waitMsMax = 800;
/** Pauses before a command is sent again: a connection that was lost is made anew, or another master found. */
const repeatPausesMs = [60, 240];
const failuresMax = 5;
const needsNoCopy = { replicas: 0, toFiles: false } as const;
const reserveScript = scriptOf(recordScripts.recordReserve.lua);
const openMs = 500;
const closeMsMax = 500;
/** So long a change of the settings of the server may go unnoticed. */
const inspectEveryMs = 2_000;
/** How long a start waits for Redis. */
const connectMsMax = 2_000;
const connectPauseMs = 10;

/** Every call throws StoreUnavailable where Redis does not answer, or not as it should. */
export class RecordCommands {
  readonly client: Connection;
  readonly #options: RecordCommandOptions;
  readonly #breaker: CircuitBreaker;
  #reported: 'up' | 'down' | undefined;
  #reason = 'closed';
  #durability: () => Promise<Durability>;
  #isClosing = false;

  /** Connects in the background. Throws for an invalid URL, without repeating it. */
  constructor(options: RecordCommandOptions) {
    this.#options = options;
    const { url, ca, clock } = options;
    this.#breaker = new CircuitBreaker({ clock, failuresMax, openMs: () => openMs, probeMsMax: commandMsMax });
    this.client = openConnection(url, { commandMsMax, ca });
    this.client.on('error', (error) => {
      this.#reason = reasonOf(error);
      this.#report();
    });
    for (const event of ['ready', 'close', 'end'] as const) this.client.on(event, () => this.#report());
    this.#durability = this.#inspectAnew();
    // It may be another server now.
    for (const event of ['ready', '+node'] as const)
      this.client.on(event, () => {
        this.#durability = this.#inspectAnew();
      });
  }

  /** Whether reservations outlive a crash of the server, as it was a few seconds ago. Throws StoreUnavailable. */
  durability(): Promise<Durability> {
    return this.#durability();
  }

  #inspectAnew(): () => Promise<Durability> {
    return runAtMostEvery(inspectEveryMs, () => this.#options.inspect(this.client));
  }

  get isUp(): boolean {
    return this.client.status === 'ready' && !this.#breaker.isOpen;
  }

  /** Waits until Redis answers. */
  async connected(): Promise<void> {
    // A process that stood still counts one pause only: the answer may have arrived meanwhile, and is read next.
    for (let waitedMs = 0; !this.isUp && waitedMs < connectMsMax; waitedMs += connectPauseMs)
      await setTimeout(connectPauseMs);
    if (!this.isUp) throw unavailable(this.#reason);
  }

  /** Rejects where Redis does not answer. */
  async check(): Promise<void> {
    await this.run((client) => client.ping());
  }

  async find({ record }: RecordPlace): Promise<FoundPlace | undefined> {
    return foundIn(await this.run((client) => client.recordFind(record)));
  }

  /** The fields of a pending request; undefined for another record. */
  async show({ record }: RecordPlace): Promise<Readonly<Record<string, string>> | undefined> {
    const reply = await this.run((client) => client.recordShow(record));
    if (!Array.isArray(reply)) return undefined;
    const entries = reply.flatMap((name, at) => (at % 2 === 0 ? [[String(name), String(reply[at + 1])]] : []));
    return Object.fromEntries(entries) as Readonly<Record<string, string>>;
  }

  /** Throws StoreUnavailable for a request that must not be sent twice, where its reservation may be lost. */
  async copiesFor({ repeatableMs, question }: NewPendingRequest): Promise<Copies> {
    const deduplicates = repeatableMs > 0 && question === undefined;
    if (deduplicates) return needsNoCopy;
    const durability = await this.durability();
    if (durability.faults.length > 0)
      throw new StoreUnavailable(`the store in Redis may lose records: ${durability.faults.join('; ')}`);
    return durability;
  }

  /**
   * Returns the record where another request has it. The request is reserved on so many replicas, too: where they do not confirm it in time,
   * the reservation is taken back.
   */
  async reserve(
    place: RecordPlace,
    request: NewPendingRequest,
    requestHash: string,
    { replicas, toFiles }: Copies,
  ): Promise<FoundPlace | undefined> {
    const { record, list } = place;
    const { id, inFlightMs, repeatableMs, input, question, upstream, service, operation } = request;
    const { tenant, credential, process } = request;
    const parameters = [id, String(inFlightMs), String(repeatableMs), memberOf(request)];
    parameters.push('upstream', upstream, 'service', service, 'operation', operation, 'tenant', tenant);
    parameters.push('credential', credential, 'process', process, 'hash', requestHash);
    if (input) parameters.push('input', input);
    if (question) parameters.push('question', question);
    const bounds = [String(replicas), String(waitMsMax)];
    const wait = toFiles ? ['WAITAOF', '0', ...bounds] : ['WAIT', ...bounds];
    const send = async (client: Connection): Promise<unknown> => {
      if (replicas === 0) return await client.recordReserve(record, list, ...parameters);
      const { reply, copies } = await runConfirmed(client, reserveScript, ['2', record, list, ...parameters], wait);
      // WAITAOF answers with the number of files of the master and with that of the replicas.
      if (reply === 1 && !(Number([await copies].flat().at(-1)) >= replicas)) throw new NotCopied();
      return reply;
    };
    try {
      return foundIn(await this.run(send));
    } catch (thrown) {
      // Nothing was sent to the other server. Should this fail, too, an operator finds it.
      const settlement = { id, attempt: id, condition: 'any', outcome: '', lifeMs: 0 } as const;
      this.settle(place, settlement).catch(() => {});
      throw thrown;
    }
  }

  async takeOver({ record, list }: RecordPlace, id: string, attempt: string, by: string, ms: number): Promise<boolean> {
    return isOne(await this.run((client) => client.recordTakeOver(record, list, id, attempt, by, ms)));
  }

  async leave({ record, list }: RecordPlace, id: string, attempt: string, failure: string): Promise<void> {
    await this.run((client) => client.recordLeave(record, list, id, attempt, failure));
  }

  async settle({ record, list }: RecordPlace, settlement: Settlement): Promise<boolean> {
    const { id, attempt, condition, lifeMs, outcome } = settlement;
    return isOne(
      await this.run((client) => client.recordSettle(record, list, id, attempt, condition, lifeMs, outcome)),
    );
  }

  /** Returns whether this call has reported the request of a member. */
  async report({ record, list }: RecordPlace, member: string): Promise<boolean> {
    return isOne(await this.run((client) => client.recordReport(record, list, member)));
  }

  /** The members of all lists of pending requests. */
  listPending(): Promise<readonly string[]> {
    return this.#collect((client, list) => client.zrange(list, '0', '-1'));
  }

  /** At most so many members of requests that may be unknown and were not reported. */
  async listUnreported(max: number): Promise<readonly string[]> {
    const [seconds] = await this.run((client) => client.time());
    const through = (Number(seconds) + 1) * 1000;
    return (await this.#collect((client, list) => client.zrangebyscore(list, 0, through, 'LIMIT', 0, max))).slice(
      0,
      max,
    );
  }

  async countUnknown(): Promise<number> {
    const counts = await this.#collect(async (client, list) => [await client.pendingUnknown(list)]);
    return counts.reduce<number>((sum, each) => sum + Number(each), 0);
  }

  async close(): Promise<void> {
    // This end of the connection is no outage to report.
    this.#isClosing = true;
    const open = /^(?:connecting|connect|ready)$/.test(this.client.status);
    const ended = once(this.client, 'end', { signal: AbortSignal.timeout(closeMsMax) }).catch(() => {});
    this.client.disconnect();
    // A client that waits to reconnect emits no `end`.
    if (open) await ended;
  }

  async #collect<T>(ask: (client: Connection, list: string) => Promise<readonly T[]>): Promise<readonly T[]> {
    return (await Promise.all(pendingLists.map((list) => this.run((client) => ask(client, list))))).flat();
  }

  /** Sends a command, and sends it again where it fails: each finds its own work. */
  async run<T>(send: (client: Connection) => Promise<T>): Promise<T> {
    for (let attempt = 0; ; attempt += 1) {
      if (!this.#breaker.tryAcquire().isAllowed) throw unavailable(this.#reason);
      try {
        const reply = await send(this.client);
        this.#breaker.succeed();
        this.#report();
        return reply;
      } catch (thrown) {
        this.#reason = reasonOf(thrown);
        const pauseMs = repeatPausesMs[attempt];
        if (thrown instanceof NotCopied) this.#breaker.release();
        else this.#breaker.fail();
        this.#report();
        if (pauseMs === undefined || thrown instanceof NotCopied) throw unavailable(this.#reason, thrown);
        await setTimeout(pauseMs);
      }
    }
  }

  #report(): void {
    const state = this.isUp ? 'up' : 'down';
    if (this.#isClosing || state === this.#reported) return;
    this.#reported = state;
    this.#options.onEvent?.(state === 'up' ? { kind: 'up' } : { kind: 'down', reason: this.#reason });
  }
}

/** Fewer replicas than required have the reservation. */
class NotCopied extends Error {
  override readonly name = 'NotCopied';
}

function unavailable(reason: string, cause?: unknown): StoreUnavailable {
  return new StoreUnavailable(`the store in Redis cannot answer now: ${reason}`, { cause });
}

/** Reads the reply of a script; undefined for a reply without a record. */
function foundIn(reply: unknown): FoundPlace | undefined {
  if (!Array.isArray(reply)) return undefined;
  const [kind, text, left, attempt, state, idle, upstream] = reply as readonly unknown[];
  return kind === 'D'
    ? { kind: 'done', text: String(text), leftMs: Number(left) }
    : {
        kind: 'pending',
        requestHash: String(text),
        id: String(left),
        attempt: String(attempt),
        upstream: String(upstream),
        state: state as PendingRequest['state'],
        idleMs: Number(idle),
      };
}

function isOne(reply: unknown): boolean {
  return reply === 1;
}
