/**
 * Proves that a Redis is the store that this gateway knows. Each hash tag of records has a marker: a random epoch, and a counter that each
 * reservation raises. A Redis that was emptied has no marker, and one that has lost reservations a lower counter than a gateway was told.
 */
import { randomBytes } from 'node:crypto';
import { accessSync, constants, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { Cluster } from 'ioredis';
import { StoreUnavailable } from '../errors.ts';
import { type Script, scriptOf } from './confirmed-script.ts';
import { field, mastersOf } from './inspect.ts';
import type { Connection } from './open.ts';
import { markers, type RecordPlace } from './record-keys.ts';
import { recordScripts } from './record-scripts.ts';

/** What a gateway knows of the store. */
interface Known {
  /** Milliseconds of the acceptance of a loss, 0 for a new store, and random digits: `0-9f86d081884c7d65`. */
  readonly epoch: string;
  /** The highest confirmed count of this gateway at each marker; 0 where it has reserved nothing. */
  readonly counts: readonly number[];
}

/** `settling`: Redis was restarted or failed over, and the other gateways have a moment to compare it with what they know. */
type Continuity =
  | { readonly kind: 'same' }
  | { readonly kind: 'settling' }
  | { readonly kind: 'lost'; readonly reason: string };

export interface MarkerOptions {
  /** The file that outlives the process; undefined where there is no place for one. */
  readonly file?: string | undefined;
  /** Whether an empty Redis is a new store although nothing is remembered: the keys do not outlive the process either. */
  readonly isTransient?: boolean;
  readonly onChange?: (now: Continuity) => void;
}

interface Parts extends MarkerOptions {
  readonly client: Connection;
  /** Sends commands; throws StoreUnavailable. */
  readonly run: <T>(send: (client: Connection) => Promise<T>) => Promise<T>;
}

/** What a reservation needs. */
export interface Guard {
  /** Only the servers that were examined know it. */
  readonly script: Script;
  readonly epoch: string;
  /** The count that the marker must have reached. */
  readonly count: number;
}

/** How often the store is examined while nothing happens, and while it is not the same. */
const examineEveryMs = 2_000;
const examineAgainMs = 500;
/** Longer than a gateway takes to find a new master and to examine it. */
const settleMs = 5_000;
/** The epoch of a store that a gateway has found to lack records. */
const lostEpoch = 'lost';
/** One command has all markers; in a cluster each is in a slot of its own. */
const groupsOn = (client: Connection): readonly (readonly string[])[] =>
  client instanceof Cluster ? markers.map((each) => [each]) : [markers];

export class RecordMarker {
  readonly #parts: Parts;
  #known: Known | undefined;
  #isSaved = true;
  /** Undefined while it must be examined. */
  #state: Continuity | undefined;
  #reported: Continuity['kind'] = 'same';
  #servers = '';
  #script: Script | undefined;
  /** Since when this gateway sees servers that no marker names. */
  #unknownSince: number | undefined;
  #examining: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isWatching = false;

  /** Throws an Error for a file that cannot be read. */
  constructor(parts: Parts) {
    this.#parts = parts;
    this.#known = readFile(parts.file);
  }

  /** Examines the store from now on: at once, again and again, and at each new connection. */
  async watch(): Promise<void> {
    if (this.#isWatching) return;
    this.#isWatching = true;
    // It may be another server now.
    for (const event of ['ready', '+node'] as const)
      this.#parts.client.on(event, () => {
        this.doubt();
        this.#examineSoon(0);
      });
    await this.#examine().catch(() => {});
    this.#examineSoon();
  }

  /** The next reservation waits for an examination. */
  doubt(): void {
    this.#state = undefined;
  }

  /** What the last examination has found. Throws StoreUnavailable. */
  async state(): Promise<Continuity> {
    if (this.#state === undefined) await this.#examine();
    return this.#state ?? { kind: 'settling' };
  }

  /** Throws StoreUnavailable where the store does not answer, or is not the one that this gateway knows. */
  async open({ marker }: RecordPlace): Promise<Guard> {
    const state = await this.state();
    if (state.kind !== 'same' || this.#script === undefined || this.#known === undefined)
      throw new StoreUnavailable(textOf(state));
    const { epoch, counts } = this.#known;
    return { script: this.#script, epoch, count: Math.max(counts[markers.indexOf(marker)] ?? 0, 1) };
  }

  /** A reservation was confirmed under this count. */
  confirm({ marker }: RecordPlace, epoch: string, count: number): void {
    if (epoch !== this.#known?.epoch) return;
    const at = markers.indexOf(marker);
    this.#known = { epoch, counts: this.#known.counts.with(at, Math.max(this.#known.counts[at] ?? 0, count)) };
    this.#isSaved = false;
  }

  /** Returns why the store is not the one that this gateway knows. Changes nothing. Throws StoreUnavailable. */
  async findLoss(): Promise<string | undefined> {
    const known = this.#known;
    const found = judge(await this.#read(false), known);
    if (found.kind === 'new') return this.#canRemember() ? undefined : noMarker;
    return found.kind === 'lost' ? found.reason : undefined;
  }

  /** Makes Redis the store, with what it has. Gateways follow within seconds. Returns why it was not. Throws StoreUnavailable. */
  async acceptLoss(): Promise<string | undefined> {
    const found = await this.#read(false);
    const loss = judge(found, this.#known);
    const [seconds] = await this.#parts.run((client) => client.time());
    const earlier = [...found.map(({ epoch }) => epoch), this.#known?.epoch ?? ''].map(timeOf);
    const epoch = newEpoch(Math.max(Number(seconds) * 1000, ...earlier.map((each) => each + 1)));
    await this.#mark('accept', epoch);
    this.#adopt(epoch);
    this.#save();
    return loss.kind === 'lost' ? loss.reason : undefined;
  }

  close(): void {
    this.#isWatching = false;
    clearTimeout(this.#timer);
    this.#save();
  }

  #examineSoon(ms = this.#state?.kind === 'same' ? examineEveryMs : examineAgainMs): void {
    clearTimeout(this.#timer);
    if (!this.#isWatching) return;
    this.#timer = setTimeout(() => {
      this.#save();
      void this.#examine()
        .catch(() => {})
        .then(() => this.#examineSoon());
    }, ms).unref();
  }

  /** Callers share one examination. */
  #examine(): Promise<void> {
    this.#examining ??= this.#compare().finally(() => {
      this.#examining = undefined;
    });
    return this.#examining;
  }

  async #compare(): Promise<void> {
    const { client, run } = this.#parts;
    const nodes = mastersOf(client);
    const infos = await run(() => Promise.all(nodes.map((node) => node.info())));
    const servers = infos.map(identityOf).sort().join(' ');
    const isAsBefore = servers === this.#servers && this.#state?.kind === 'same';
    const script = isAsBefore && this.#script !== undefined ? this.#script : scriptFor(servers);
    // Without keys it does nothing, and the server knows it from then on.
    if (script !== this.#script) await run(() => Promise.all(nodes.map((node) => node.eval(script.lua, 0))));
    // What is confirmed meanwhile may be missing in the answer.
    const known = this.#known;
    const found = await this.#read(!isAsBefore);
    const state = await this.#follow(judge(found, known), found, servers, isAsBefore);
    this.#servers = servers;
    this.#script = script;
    this.#set(state);
  }

  /** Returns the new state. Writes what follows from it for other gateways. */
  async #follow(verdict: Verdict, found: readonly Found[], servers: string, isAsBefore: boolean): Promise<Continuity> {
    switch (verdict.kind) {
      case 'new': {
        if (!this.#canRemember()) return { kind: 'lost', reason: noMarker };
        this.#adopt(await this.#mark('create', newEpoch(0)));
        this.#save();
        return { kind: 'same' };
      }
      case 'lost':
        if (verdict.isProved) await this.#mark('lose', this.#known?.epoch ?? '');
        return { kind: 'lost', reason: this.#state?.kind === 'lost' ? this.#state.reason : verdict.reason };
      case 'same':
        if (verdict.epoch !== this.#known?.epoch) this.#adopt(verdict.epoch);
        break;
      default:
        return verdict satisfies never;
    }
    if (isAsBefore || found.every(({ server, current }) => server === current)) {
      this.#unknownSince = undefined;
      return { kind: 'same' };
    }
    if (this.#unknownSince === undefined || servers !== this.#servers) this.#unknownSince = performance.now();
    if (performance.now() - this.#unknownSince < settleMs) return { kind: 'settling' };
    await this.#mark('trust', verdict.epoch);
    this.#unknownSince = undefined;
    return { kind: 'same' };
  }

  async #read(withServers: boolean): Promise<readonly Found[]> {
    const { client, run } = this.#parts;
    const read = async (keys: readonly string[]): Promise<readonly Found[]> => {
      const reply = await run((each) => each.recordMarkers(keys.length, ...keys, withServers ? '1' : '0'));
      const [current = '', ...parts] = Array.isArray(reply) ? reply.map(String) : [];
      return keys.map((_, at) => {
        const [epoch = '', server = '', count = ''] = parts.slice(3 * at, 3 * at + 3);
        return { epoch, server, count: Number(count), current };
      });
    };
    return (await Promise.all(groupsOn(client).map(read))).flat();
  }

  /** Returns the epoch of the first marker: gateways that create markers at once agree on it. */
  async #mark(change: 'create' | 'trust' | 'lose' | 'accept', epoch: string): Promise<string> {
    const { client, run } = this.#parts;
    const [first = [], ...others] = groupsOn(client);
    const mark = (keys: readonly string[], as: string): Promise<unknown> =>
      run((each) => each.recordMark(keys.length, ...keys, change, as));
    const agreed = String(await mark(first, epoch));
    await Promise.all(others.map((keys) => mark(keys, change === 'create' ? agreed : epoch)));
    return agreed;
  }

  #adopt(epoch: string): void {
    this.#known = { epoch, counts: markers.map(() => 0) };
    this.#isSaved = false;
  }

  #set(state: Continuity): void {
    this.#state = state;
    if (state.kind === this.#reported) return;
    this.#reported = state.kind;
    this.#parts.onChange?.(state);
  }

  /** Whether the next process will know what this one knows. */
  #canRemember(): boolean {
    const { file, isTransient = false } = this.#parts;
    if (file === undefined) return isTransient;
    try {
      accessSync(dirname(file), constants.W_OK);
      return true;
    } catch {
      return false;
    }
  }

  /** A file that cannot be written is an older one: it knows less, and nothing wrong. */
  #save(): void {
    const { file } = this.#parts;
    const known = this.#known;
    if (this.#isSaved || known === undefined || file === undefined) return;
    try {
      // Processes with one key file share it.
      const there = readFile(file);
      if (there !== undefined && timeOf(there.epoch) > timeOf(known.epoch)) return;
      const others = there?.epoch === known.epoch ? there.counts : [];
      const counts = markers.map((_, at) => Math.max(known.counts[at] ?? 0, others[at] ?? 0));
      const temporary = `${file}.${process.pid}.new`;
      writeFileSync(temporary, `${JSON.stringify({ epoch: known.epoch, counts })}\n`, { mode: 0o600 });
      renameSync(temporary, file);
      this.#isSaved = true;
    } catch {
      // Tried again with the next reservation.
    }
  }
}

/** The text of a refusal, for the log and for probes. */
export function textOf(state: Continuity): string {
  switch (state.kind) {
    case 'same':
      return 'the store in Redis is the one that this gateway knows';
    case 'settling':
      return 'the store in Redis was restarted or failed over: gateways compare what they know for some seconds';
    case 'lost':
      return `the store in Redis is not the one that this gateway knows: ${state.reason}`;
    default:
      return state satisfies never;
  }
}

interface Found {
  /** Empty where there is no marker. */
  readonly epoch: string;
  /** The server that the gateways have examined. */
  readonly server: string;
  readonly count: number;
  /** The server that has answered; empty where it was not asked. */
  readonly current: string;
}

type Verdict =
  | { readonly kind: 'same'; readonly epoch: string }
  | { readonly kind: 'new' }
  /** `isProved`: this gateway knows records that are gone. */
  | { readonly kind: 'lost'; readonly reason: string; readonly isProved: boolean };

const noMarker = 'it has no marker, so it is new, or has lost its records';

function judge(found: readonly Found[], known: Known | undefined): Verdict {
  const [first = ''] = found.map(({ epoch }) => epoch);
  const isWhole = found.every(({ epoch }) => epoch === first);
  const isMarked = isWhole && first !== '' && first !== lostEpoch;
  // An operator has accepted the loss since.
  if (isMarked && (known === undefined || timeOf(first) > timeOf(known.epoch))) return { kind: 'same', epoch: first };
  if (known === undefined && isWhole && first === '') return { kind: 'new' };
  const lost = (reason: string, isProved: boolean) => ({ kind: 'lost', reason, isProved }) as const;
  if (found.some(({ epoch }) => epoch === lostEpoch)) return lost('a gateway has found that it lacks records', false);
  if (known === undefined) return lost('a part of it has no marker', false);
  if (found.some(({ epoch }) => epoch === '')) return lost('its marker is gone, so it was emptied', true);
  if (!isWhole || first !== known.epoch) return lost('its marker is another one', false);
  const behind = found.reduce((sum, { count }, at) => sum + Math.max((known.counts[at] ?? 0) - count, 0), 0);
  if (behind > 0) return lost(`it lacks ${behind} or more of the last reservations`, true);
  return { kind: 'same', epoch: first };
}

function newEpoch(timeMs: number): string {
  return `${timeMs}-${randomBytes(8).toString('hex')}`;
}

/** When the loss before this epoch was accepted; -1 for no epoch. */
function timeOf(epoch: string): number {
  return /^\d+-[0-9a-f]{16}$/.test(epoch) ? Number.parseInt(epoch, 10) : -1;
}

/** A promoted replica has the history of its master as its second one. As the script `recordMarkers` has it. */
function identityOf(info: string): string {
  if (field(info, 'role') !== 'master') throw new StoreUnavailable('the store in Redis cannot answer now: READONLY');
  return `${field(info, 'run_id') ?? ''}:${field(info, 'master_replid2') ?? ''}`;
}

/** A server knows the script of an examination only if it was examined: another one, in its place, refuses it. */
function scriptFor(servers: string): Script {
  return { ...scriptOf(`${recordScripts.recordReserve.lua}-- ${servers}\n`), isKnown: true };
}

/** Throws an Error for a file that holds something else. */
function readFile(file: string | undefined): Known | undefined {
  if (file === undefined) return undefined;
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw thrown;
  }
  const { epoch, counts } = Object(parsed(text)) as Partial<Known>;
  if (typeof epoch !== 'string' || timeOf(epoch) < 0 || !Array.isArray(counts) || !counts.every(Number.isSafeInteger))
    throw new Error(`${file} is damaged: remove it, and run triglyph records accept-loss`);
  return { epoch, counts: markers.map((_, at) => counts[at] ?? 0) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
