/** The audit log in a database: one chain, to which processes append one after the other. */
import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import type { Clock } from '../../core/lib/index.ts';
import type { Vault } from '../../core/vault/index.ts';
import {
  CommitUnknown,
  type Engine,
  fieldsOf,
  readCommitted,
  type Session,
  type Statement,
  type Table,
} from '../../stores/index.ts';
import { gatewayActor } from './audit-event.ts';
import * as sql from './audit-statements.ts';
import type { AppendEvents } from './audit-trail.ts';
import {
  type AuditEntry,
  type ChainHead,
  emptyHead,
  extendChain,
  isSameMac,
  macOfHead,
  pinOf,
  type RecordedEvent,
} from './chain.ts';
import { faultsWithoutHead, type Pins, type StoredHead, type VerifiedChain, verifyChain } from './verify.ts';

export interface AuditFilter {
  /** Milliseconds since the epoch. */
  readonly since?: number | undefined;
  readonly until?: number | undefined;
  readonly kind?: string | undefined;
  readonly actor?: string | undefined;
  /** Only entries that one of these credentials has caused. */
  readonly actors?: readonly string[] | undefined;
  readonly subject?: string | undefined;
  /** Only entries that have this text of letters and digits as their subject, or as a value of their detail. */
  readonly reference?: string | undefined;
  /** Entries before this sequence. */
  readonly before?: number | undefined;
  readonly max: number;
}

interface AuditLogParts {
  readonly engine: Engine;
  readonly vault: Vault;
  readonly clock: Clock;
  /** `host pid`. */
  readonly process: string;
  /** The tables of the store, whose MACs hold pins. */
  readonly tables: readonly Table[];
}

const scope = Object.freeze({ tenant: '', record: 'audit gateway' });
const keyBytes = 32;
const anchorBytes = 16;
/** After every time and every entry. */
const unbounded = Number.MAX_SAFE_INTEGER;

interface FoundChain {
  readonly head: StoredHead;
  readonly key: KeyObject;
  /** Whether the head is forged, gone, or set back. */
  readonly isBroken: boolean;
}
type LockedChain = Omit<FoundChain, 'head'> & { readonly head: ChainHead };
type KnownEntry = Pick<AuditEntry, 'sequence' | 'mac'>;

/** The public members of a `StoredAuditLog`: the console replaces one of them for people of one tenant. */
export type AuditLog = Pick<StoredAuditLog, keyof StoredAuditLog>;

/** Appends to the chain, reads it, and verifies it. */
export class StoredAuditLog {
  readonly #engine: Engine;
  readonly #vault: Vault;
  readonly #clock: Clock;
  readonly #process: string;
  /** Reads the pins of each table. */
  readonly #pinStatements: readonly (readonly [table: string, statement: Statement<{ readonly pin: string }>])[];
  readonly #openKey: (row: sql.ChainRow) => KeyObject;
  /** The last entry that this process knows to be stored. */
  #known: KnownEntry = { sequence: 0, mac: emptyHead.lastMac };

  constructor({ engine, vault, clock, process, tables }: AuditLogParts) {
    this.#engine = engine;
    this.#vault = vault;
    this.#clock = clock;
    this.#process = process;
    this.#pinStatements = tables.flatMap((table) =>
      table.mac === undefined ? [] : [[table.name, sql.pinsOf(table)] as const],
    );
    this.#openKey = createKeyOpener(vault);
  }

  #examine(row: sql.ChainRow, { anchor, known_mac }: sql.ReferenceRow, before: KnownEntry): FoundChain {
    const key = this.#openKey(row);
    const head = sql.headOf(row, anchor);
    const isForged = !isSameMac(macOfHead(key, head, head.anchor), head.headMac);
    const isSetBack =
      head.lastSequence < before.sequence || (before.sequence > head.removedThrough && known_mac !== before.mac);
    return { head, key, isBroken: isForged || isSetBack };
  }

  async #lockChain(session: Session): Promise<LockedChain> {
    const before = this.#known;
    let [row] = await session.query(sql.lockChain, []);
    let isNew = false;
    if (row === undefined) {
      // Another process may have added it at the same time.
      isNew = await addChain(session, this.#vault);
      [row] = await session.query(sql.lockChain, []);
    }
    if (row === undefined) throw new Error('the chain of the audit log cannot be added');
    // After the lock: what was read before may be older than the row.
    const [reference] = await session.query(sql.findReference, [before.sequence]);
    const chain = this.#examine(row, reference!, before);
    const isLost = isNew && (await findLast(session)) > 0;
    return { ...chain, isBroken: chain.isBroken || isLost };
  }

  async #saveHead(session: Session, key: KeyObject, head: ChainHead): Promise<void> {
    const { lastSequence, lastMac, removedThrough, removedMac } = head;
    const anchor = randomBytes(anchorBytes).toString('base64url');
    const isAnchored = (await session.execute(sql.saveAnchor, [anchor])) > 0;
    const headMac = macOfHead(key, head, isAnchored ? anchor : '');
    await session.execute(sql.saveHead, [lastSequence, lastMac, removedThrough, removedMac, headMac]);
  }

  async #extend(
    session: Session,
    { head, key, isBroken }: LockedChain,
    events: readonly RecordedEvent[],
  ): Promise<readonly AuditEntry[]> {
    // Signing what follows would hide a forged head, so the log says that it was one.
    const all = isBroken ? [brokenEvent(this.#clock.now(), head), ...events] : events;
    const lastSequence = isBroken
      ? Math.max(head.lastSequence, this.#known.sequence, await findLast(session))
      : head.lastSequence;
    const entries = extendChain(key, { ...head, lastSequence }, all, this.#process);
    const last = entries.at(-1);
    if (last === undefined) return entries;
    await session.execute(sql.insertEntries(entries.length), entries.flatMap(sql.valuesOf));
    await this.#saveHead(session, key, { ...head, lastSequence: last.sequence, lastMac: last.mac });
    return entries;
  }

  /** In the transaction of an effect, as its last work: other processes that append wait for its end. */
  readonly appendIn = async (session: Session, events: readonly RecordedEvent[]): Promise<readonly AuditEntry[]> => {
    const chain = await this.#lockChain(session);
    return await this.#extend(session, chain, await withoutKnown(session, events));
  };

  #learn(entry: KnownEntry | undefined): void {
    if (entry !== undefined && entry.sequence > this.#known.sequence)
      this.#known = { sequence: entry.sequence, mac: entry.mac };
  }

  /** In a transaction of its own. Returns the entries. */
  readonly append: AppendEvents = async (events) => {
    let entries: readonly AuditEntry[] = [];
    try {
      await this.#engine.write(async (session) => {
        entries = await this.appendIn(session, events);
      }, readCommitted);
    } catch (thrown) {
      // Appending again would record the events twice.
      if (!(thrown instanceof CommitUnknown) || !(await isStored(this.#engine, entries.at(-1)))) throw thrown;
    }
    this.#learn(entries.at(-1));
    return entries;
  };

  async #findChain(): Promise<FoundChain | undefined> {
    const before = this.#known;
    const [row] = await this.#engine.read((session) => session.query(sql.findChain, [before.sequence]));
    return row && this.#examine(row, row, before);
  }

  /** The entries between two sequences, both included. */
  async *read(from: number, through: number): AsyncGenerator<readonly AuditEntry[]> {
    for (let next = from; ; ) {
      const rows = await this.#engine.read((session) => session.query(sql.readEntries, [next, through]));
      if (rows.length > 0) yield rows.map(fieldsOf);
      if (rows.length < sql.entriesPerPage) return;
      next = rows.at(-1)!.sequence + 1;
    }
  }

  /** The end of the chain. */
  async head(): Promise<StoredHead | undefined> {
    return (await this.#findChain())?.head;
  }

  /** Names the last entry that this process knows to be stored; see `pinOf`. Empty for none. */
  readonly pin = (): string => (this.#known.sequence === 0 ? '' : pinOf(this.#known));

  /** Reads the end of the chain, as it grows by other processes. Records `chainBroken` where it is not what it was. */
  async follow(): Promise<void> {
    const found = await this.#findChain();
    if (found === undefined ? this.#known.sequence > 0 : found.isBroken) await this.append([]);
    else if (found !== undefined) this.#learn({ sequence: found.head.lastSequence, mac: found.head.lastMac });
  }

  /** The newest entries that match, the oldest of them first. */
  list({
    since = 0,
    until = unbounded,
    kind = '',
    actor = '',
    subject = '',
    reference = '',
    before = unbounded,
    max,
    actors,
  }: AuditFilter): Promise<readonly AuditEntry[]> {
    if (actors?.length === 0) return Promise.resolve([]);
    return this.#engine.read(async (session) => {
      const values = [since, until, kind, actor, subject, before, max, reference, ...(actors ?? [])];
      return (await session.query(sql.listEntries(actors?.length), values)).map(fieldsOf).reverse();
    });
  }

  /** Undefined where nothing was ever recorded. Throws as a vault does where the key of the chain does not open. */
  async verify(): Promise<VerifiedChain | undefined> {
    for (;;) {
      const pins = await findPins(this.#engine, this.#pinStatements);
      const found = await this.#findChain();
      if (found === undefined) return await verifyWithoutHead(this.#engine, pins);
      const { head, key } = found;
      const beyond = await this.#engine.read(async (session) => (await session.query(sql.countBeyond, []))[0]!.entries);
      const verified = await verifyChain(
        key,
        head,
        this.read(head.removedThrough + 1, head.lastSequence),
        beyond,
        pins,
      );
      // Entries whose time was over may have been removed meanwhile.
      if ((await this.#findChain())?.head.removedThrough === head.removedThrough) return verified;
    }
  }

  /** Removes the entries from before the moment in steps, and records this first. Returns their number. */
  async removeBefore(moment: number, pause: () => Promise<void> = async () => {}): Promise<number> {
    const head = (await this.#findChain())?.head;
    if (head === undefined) return 0;
    const last = await findLastBefore(this.#engine, head.removedThrough, moment);
    if (last !== undefined)
      await this.#engine.write(async (session) => {
        const chain = await this.#lockChain(session);
        // Another process has removed more.
        if (chain.head.removedThrough >= last.sequence) return;
        const removed = { removedThrough: last.sequence, removedMac: last.mac };
        const event = removedEvent(this.#clock.now(), chain.head.removedThrough, last.sequence);
        await this.#extend(session, { ...chain, head: { ...chain.head, ...removed } }, [event]);
      }, readCommitted);
    const through = last?.sequence ?? head.removedThrough;
    for (let total = 0; ; await pause()) {
      const deleted = await this.#engine.write(
        (session) => session.execute(sql.deleteThrough, [through]),
        readCommitted,
      );
      total += deleted;
      if (deleted < sql.entriesPerPage) return total;
    }
  }
}

/** The sealed key changes with the wrapping key only, and what it seals never. */
function createKeyOpener(vault: Vault): (row: sql.ChainRow) => KeyObject {
  let opened: { readonly text: string; readonly key: KeyObject } | undefined;
  return ({ key_id: keyId, data_key: dataKey, sealed_key: payload }) => {
    const text = `${keyId} ${dataKey} ${payload}`;
    if (opened?.text === text) return opened.key;
    const key = createSecretKey(Buffer.from(vault.open(scope, { keyId, dataKey, payload }, 'payload'), 'base64'));
    opened = { text, key };
    return key;
  };
}

/** Returns false where the chain exists. */
async function addChain(session: Session, vault: Vault): Promise<boolean> {
  const bytes = randomBytes(keyBytes);
  const { keyId, dataKey, payload } = vault.seal(scope, { payload: bytes.toString('base64') });
  const headMac = macOfHead(createSecretKey(bytes), emptyHead, '');
  return (await session.execute(sql.addChain, [headMac, keyId, dataKey, payload!])) > 0;
}

async function findLast(session: Session): Promise<number> {
  return (await session.query(sql.findLast, []))[0]!.sequence;
}

/** A store in which nothing was recorded has neither entries nor an anchor or pins. */
async function verifyWithoutHead(engine: Engine, pins: Pins): Promise<VerifiedChain | undefined> {
  const last = await engine.read(findLast);
  const [reference] = await engine.read((session) => session.query(sql.findReference, [0]));
  const faults = faultsWithoutHead(last, reference?.anchor ?? '', pins);
  return faults.length === 0 ? undefined : { entries: 0, faults };
}

async function findPins(
  engine: Engine,
  statements: readonly (readonly [table: string, statement: Statement<{ readonly pin: string }>])[],
): Promise<Pins> {
  const pins = new Map<string, string>();
  for (const [table, statement] of statements)
    for (const { pin } of await engine.read((session) => session.query(statement, []))) pins.set(pin, table);
  return pins;
}

async function isStored(engine: Engine, entry: AuditEntry | undefined): Promise<boolean> {
  if (entry === undefined) return true;
  return engine.read(async (session) => (await session.query(sql.findMac, [entry.sequence]))[0]?.mac === entry.mac);
}

/** Removes events that the log holds once and has. */
async function withoutKnown(session: Session, events: readonly RecordedEvent[]): Promise<readonly RecordedEvent[]> {
  const keys = events.flatMap(({ once, event: { kind, subject } }) => (once ? [[kind, subject]] : []));
  if (keys.length === 0) return events;
  const rows = await session.query(sql.findKnown(keys.length), keys.flat());
  const known = new Set(rows.map(({ kind, subject }) => `${kind} ${subject}`));
  return events.filter(({ once, event: { kind, subject } }) => {
    if (!once) return true;
    const name = `${kind} ${subject}`;
    const isNew = !known.has(name);
    known.add(name);
    return isNew;
  });
}

/** The last of the oldest entries that are all from before the moment. */
async function findLastBefore(
  engine: Engine,
  after: number,
  moment: number,
): Promise<{ readonly sequence: number; readonly mac: string } | undefined> {
  let last: { readonly sequence: number; readonly mac: string } | undefined;
  for (;;) {
    const from = last?.sequence ?? after;
    const rows = await engine.read((session) => session.query(sql.readTimes, [from]));
    for (const row of rows) {
      if (row.recorded_at >= moment) return last;
      last = row;
    }
    if (rows.length < sql.entriesPerPage) return last;
  }
}

function brokenEvent(recordedAt: number, { lastSequence }: ChainHead): RecordedEvent {
  const detail = { lastSequence };
  return { recordedAt, once: false, event: { kind: 'chainBroken', actor: gatewayActor, subject: 'chain', detail } };
}

function removedEvent(recordedAt: number, from: number, through: number): RecordedEvent {
  const detail = { from: from + 1, through, rows: through - from };
  return { recordedAt, once: false, event: { kind: 'destroyed', actor: gatewayActor, subject: 'auditEntry', detail } };
}
