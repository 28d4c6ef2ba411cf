/** The commands of idempotency records on a Redis server, a Sentinel set or a cluster, with their replies read and their failures translated. */
import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { Cluster, Command } from 'ioredis';
import type { NewPendingRequest, PendingRequest } from '../../core/idempotency/index.ts';
import { CircuitBreaker, type Clock, runAtMostEvery } from '../../core/lib/index.ts';
import { StoreUnavailable } from '../errors.ts';
import { type Copies, isUnknownScript, NotCopied, runConfirmed, scriptOf } from './confirmed-script.ts';
import type { Durability } from './durability.ts';
import { reasonOf } from './failure.ts';
import { field, mastersOf } from './inspect.ts';
import { type Connection, openConnection } from './open.ts';
import { memberOf, pendingLists, type RecordPlace } from './record-keys.ts';
import { type Guard, type MarkerOptions, RecordMarker, textOf } from './record-marker.ts';
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

interface Settlement {
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
  /** Where the gateway remembers which store this is. By default it does not compare. */
  readonly marker?: MarkerOptions;
}

/** What a reservation needs. */
export interface ReservationNeeds extends Copies {
  /** Whether its loss would double an effect, so that the store must be the one that this gateway knows. */
  readonly isVital: boolean;
}

/** `reason`: see `reasonOf`. */
type RecordEvent = { readonly kind: 'up' } | { readonly kind: 'down'; readonly reason: string };

/** Longer than a script waits for its copies, and shorter than the margin between a reservation and the question. */
const commandMsMax = 1_500;
/** Pauses before a command is sent again: a connection that was lost is made anew, or another master found. */
const repeatPausesMs = [60, 240];
/** The same while the gateway starts: half a second without Redis is no reason to fail. Counted, since a busy process may stand still. */
const startPausesMs = Array.from({ length: 20 }, () => 250);
const failuresMax = 5;
const needsNothing = { replicas: 0, toFiles: false, isVital: false } as const;
const reserveScript = scriptOf(recordScripts.recordReserve.lua);
const settleScript = scriptOf(recordScripts.recordSettle.lua);
/** Errors of a server that works and takes no write now: it is full, lacks replicas, or cannot write its file. */
const refusesWrites = /^(?:OOM|NOREPLICAS|MISCONF)$/;
/** Pause before the reservations that were not sent are taken back again. */
const takeBackEveryMs = 1_000;
/** More are not remembered: an operator finds them. */
const takenBackMax = 10_000;
/** So long the answer to a probe counts. */
const probeEveryMs = 2_000;
const probeMs = 60_000;
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
  #isStarted = false;
  readonly #marker: RecordMarker | undefined;
  /** Reservations of requests that were not sent, by their ids. */
  readonly #notSent = new Map<string, { readonly place: RecordPlace; readonly copies: Copies }>();
  #takingBack: Promise<void> | undefined;
  readonly #probe = runAtMostEvery(probeEveryMs, () => this.#write());

  /** Connects in the background. Throws for an invalid URL, without repeating it. */
  constructor(options: RecordCommandOptions) {
    this.#options = options;
    const { url, ca, clock, marker } = options;
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
    this.#marker = marker && new RecordMarker({ ...marker, client: this.client, run: (send) => this.run(send) });
  }

  /** From now on, reservations whose loss would double an effect are refused where the store is another one than before. */
  async watchMarker(): Promise<void> {
    await this.#marker?.watch();
  }

  /** Returns why the store is not the one that this gateway knows. Changes nothing. Throws StoreUnavailable. */
  async findLoss(): Promise<string | undefined> {
    return await this.#marker?.findLoss();
  }

  /** Makes Redis the store, with what it has. Returns why it was not. Throws StoreUnavailable. */
  async acceptLoss(): Promise<string | undefined> {
    return await this.#marker?.acceptLoss();
  }

  /** Throws StoreUnavailable where the store is not the one that this gateway knows. */
  async checkMarker(): Promise<void> {
    const state = await this.#marker?.state();
    if (state !== undefined && state.kind !== 'same') throw new StoreUnavailable(textOf(state));
  }

  /** Whether reservations outlive a crash of the server, as it was a few seconds ago. Throws StoreUnavailable. */
  durability(): Promise<Durability> {
    return this.#durability();
  }

  #inspectAnew(): () => Promise<Durability> {
    return runAtMostEvery(inspectEveryMs, () => this.run((client) => this.#options.inspect(client)));
  }

  get isUp(): boolean {
    return this.client.status === 'ready' && !this.#breaker.isOpen;
  }

  /** From now on a command fails soon where Redis does not answer: callers wait for it. */
  started(): void {
    this.#isStarted = true;
  }

  /** Waits until Redis answers. */
  async connected(): Promise<void> {
    // A process that stood still counts one pause only: the answer may have arrived meanwhile, and is read next.
    for (let waitedMs = 0; !this.isUp && waitedMs < connectMsMax; waitedMs += connectPauseMs)
      await setTimeout(connectPauseMs);
    if (!this.isUp) throw unavailable(this.#reason);
  }

  /** Rejects where Redis does not take writes. */
  async check(): Promise<void> {
    await this.#probe();
  }

  /** Writes a key at each master. */
  async #write(): Promise<void> {
    await this.run((client) => Promise.all(probeKeys(client).map((key) => client.set(key, '1', 'PX', probeMs))));
  }

  /** The memory that the fullest master uses, and what it may use; 0: without a limit. In bytes. Throws StoreUnavailable. */
  async memory(): Promise<{ readonly used: number; readonly max: number }> {
    const infos = await this.run((client) => Promise.all(mastersOf(client).map((node) => node.info('memory'))));
    const found = infos.map((info) => ({
      used: Number(field(info, 'used_memory') ?? 0),
      max: Number(field(info, 'maxmemory') ?? 0),
    }));
    const part = ({ used, max }: { used: number; max: number }): number => (max === 0 ? 0 : used / max);
    return found.reduce((one, other) => (part(other) > part(one) ? other : one), { used: 0, max: 0, ...found[0] });
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
  async needsOf({ repeatableMs, question }: NewPendingRequest): Promise<ReservationNeeds> {
    const deduplicates = repeatableMs > 0 && question === undefined;
    if (deduplicates) return needsNothing;
    const durability = await this.durability();
    if (durability.faults.length > 0)
      throw new StoreUnavailable(`the store in Redis may lose records: ${durability.faults.join('; ')}`);
    return { ...durability, isVital: true };
  }

  /**
   * Returns the record where another request has it. The request is reserved on so many replicas, too: where they do not confirm it in time,
   * the reservation is taken back. Throws StoreUnavailable.
   */
  async reserve(
    place: RecordPlace,
    request: NewPendingRequest,
    requestHash: string,
    needs: ReservationNeeds,
  ): Promise<FoundPlace | undefined> {
    // The second examination is that of a server that the first one has not seen.
    for (let examinations = 0; ; examinations += 1) {
      const guard = needs.isVital ? await this.#marker?.open(place) : undefined;
      const reply = await this.#sendReservation(
        place,
        parametersOf(request, requestHash, guard),
        request.id,
        needs,
        guard,
      );
      if (reply !== 'refused') {
        if (guard !== undefined && typeof reply === 'number') this.#marker?.confirm(place, guard.epoch, reply);
        return foundIn(reply);
      }
      this.#marker?.doubt();
      if (examinations > 0) throw unavailable('its marker changes');
    }
  }

  async #sendReservation(
    place: RecordPlace,
    parameters: readonly string[],
    id: string,
    copies: Copies,
    guard: Guard | undefined,
  ): Promise<unknown> {
    const { record, list, marker } = place;
    const keys = ['3', record, list, marker];
    const isReserved = (reply: unknown): boolean => typeof reply === 'number' && reply > 0;
    try {
      return await this.run(async (client) => {
        if (guard === undefined && copies.replicas === 0)
          return await client.recordReserve(record, list, marker, ...parameters);
        try {
          const script = guard?.script ?? reserveScript;
          const reply = await runConfirmed(client, script, [...keys, ...parameters], copies, isReserved);
          return reply === 0 ? 'refused' : reply;
        } catch (thrown) {
          if (guard !== undefined && isUnknownScript(thrown)) return 'refused';
          throw thrown;
        }
      });
    } catch (thrown) {
      if (this.#notSent.size < takenBackMax) this.#notSent.set(id, { place, copies });
      this.#takingBack ??= this.#takeBack().finally(() => {
        this.#takingBack = undefined;
      });
      throw thrown;
    }
  }

  /** Takes reservations back until each is confirmed as reservations are: a failover may bring one again. */
  async #takeBack(): Promise<void> {
    while (this.#notSent.size > 0 && !this.#isClosing) {
      for (const [id, { place, copies }] of this.#notSent) {
        const { record, list } = place;
        const parameters = ['2', record, list, id, id, 'any', '0', ''];
        try {
          await this.run((client) => runConfirmed(client, settleScript, parameters, copies));
          this.#notSent.delete(id);
        } catch {
          // Redis does not answer, or too few replicas have it: the others would fail, too.
          break;
        }
      }
      if (this.#notSent.size > 0) await setTimeout(takeBackEveryMs, undefined, { ref: false });
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
    this.#marker?.close();
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
      const pauseMs = (this.#isStarted ? repeatPausesMs : startPausesMs)[attempt];
      if (!this.#breaker.tryAcquire().isAllowed) {
        if (this.#isStarted || pauseMs === undefined) throw unavailable(this.#reason);
        await setTimeout(pauseMs);
        continue;
      }
      try {
        const reply = await send(this.client);
        this.#breaker.succeed();
        this.#report();
        return reply;
      } catch (thrown) {
        this.#reason = reasonOf(thrown);
        // It answers reads, and would refuse the same again.
        const answers = thrown instanceof NotCopied || refusesWrites.test(this.#reason);
        if (answers) this.#breaker.release();
        else this.#breaker.fail();
        this.#report();
        if (pauseMs === undefined || answers)
          throw thrown instanceof StoreUnavailable ? thrown : unavailable(this.#reason, thrown);
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

/** Those of the script `recordReserve`. */
function parametersOf(request: NewPendingRequest, requestHash: string, guard: Guard | undefined): readonly string[] {
  const { id, inFlightMs, repeatableMs, input, question, upstream, service, operation } = request;
  const { tenant, credential, process } = request;
  const parameters = [id, String(inFlightMs), String(repeatableMs), memberOf(request)];
  parameters.push(guard?.epoch ?? '', String(guard?.count ?? 0));
  parameters.push('upstream', upstream, 'service', service, 'operation', operation, 'tenant', tenant);
  parameters.push('credential', credential, 'process', process, 'hash', requestHash);
  if (input) parameters.push('input', input);
  if (question) parameters.push('question', question);
  return parameters;
}

/** A key at each master. */
function probeKeys(client: Connection): readonly string[] {
  if (!(client instanceof Cluster)) return pendingLists.slice(0, 1).map(probeKeyOf);
  const keys = pendingLists.map(probeKeyOf);
  const byMaster = new Map(keys.map((key) => [client.slots[new Command('get', [key]).getSlot() ?? 0]?.[0], key]));
  return [...byMaster.values()];
}

/** In the slot of a list of pending requests. */
function probeKeyOf(list: string): string {
  return `probe of ${list}`;
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
