/**
 * Idempotency records and pending requests in Redis, for a gateway that only forwards. Each call of a script is one atomic step. A transaction
 * changes one record at its end. It first takes the key of a reservation for new, and runs again where the record is not what it has taken it for.
 */
import {
  type IdempotencyRecords,
  type IdempotentStore,
  type IdempotentTransaction,
  LockTimeout,
  type NewPendingRequest,
  type NewRecord,
  type PendingCount,
  type PendingName,
  type PendingRequest,
  type PendingRequests,
  type StoredRecord,
} from '../../core/idempotency/index.ts';
import { RemoteTransaction } from '../remote-transaction.ts';
import type { UnsettledRequest, UnsettledRequests } from '../sql/unsettled-requests.ts';
import type { ReadTransaction } from '../transaction.ts';
import type { FoundPlace, RecordCommands, ReservationNeeds } from './record-commands.ts';
import { placeOf } from './record-keys.ts';

/** What is known of a stored record without opening its outcome. */
interface FoundRecord {
  readonly requestHash: string;
  readonly operation: string;
  readonly requestReference: string;
  readonly createdAt: number;
  /** Absent for a record without an outcome, which does not expire. */
  readonly expiresAt: number | undefined;
  readonly outcome: string | undefined;
}

interface RecordStoreOptions {
  readonly commands: RecordCommands;
  /** How long a record with an outcome lives. */
  readonly lifeMs: number;
}

interface RedisRecordStore extends IdempotentStore<ReadTransaction> {
  readonly unsettled: UnsettledRequests & {
    findByRecordKey(recordKey: string): Promise<UnsettledRequest | undefined>;
  };
  findRecord(recordKey: string): Promise<FoundRecord | undefined>;
}

/** A transaction runs at most so often: then its record changes faster than it can be read. */
const runsMax = 5;
/** So many are reported at once. */
const reportedMax = 100;

/** Every call throws StoreUnavailable where Redis does not answer. */
export function createRecordStore({ commands, lifeMs }: RecordStoreOptions): RedisRecordStore {
  return Object.freeze<RedisRecordStore>({
    read: (work) => work(new RedisTransaction(commands, lifeMs)),
    async write(work) {
      let known: Known = {};
      for (let run = 1; run <= runsMax; run += 1) {
        const tx = new RedisTransaction(commands, lifeMs, known);
        let result: Awaited<ReturnType<typeof work>>;
        try {
          result = await work(tx);
        } catch (thrown) {
          const earlier = await tx.findTakenForNew();
          // What refuses a new request refuses no replay.
          if (earlier === undefined) throw thrown;
          known = { earlier };
          continue;
        }
        const found = await tx.commit();
        if (found === undefined) return result;
        known = found;
      }
      throw new LockTimeout('an idempotency record was changed meanwhile');
    },
    unsettled: createUnsettled(commands, lifeMs),
    findRecord: (recordKey) => findRecord(commands, recordKey),
  });
}

/** What an earlier run of a transaction has found. */
interface Known {
  /** The record of the key that it reserves, which it takes for new otherwise. */
  readonly earlier?: StoredRecord;
  /** The pending request is gone. */
  readonly isGone?: true;
}

/** What a transaction does at its end. */
type Change =
  | {
      readonly kind: 'reserve';
      readonly request: NewPendingRequest;
      readonly needs: ReservationNeeds;
      readonly record?: NewRecord | undefined;
    }
  | { readonly kind: 'settle'; readonly name: PendingName; readonly attempt: string; outcome: string };

class RedisTransaction extends RemoteTransaction implements IdempotentTransaction {
  readonly #commands: RecordCommands;
  readonly #lifeMs: number;
  readonly #known: Known;
  #takenForNew: { readonly recordKey: string; readonly record: NewRecord } | undefined;
  #change: Change | undefined;

  constructor(commands: RecordCommands, lifeMs: number, known: Known = {}) {
    super();
    this.#commands = commands;
    this.#lifeMs = lifeMs;
    this.#known = known;
  }

  override get idempotencyRecords(): IdempotencyRecords {
    return {
      ...super.idempotencyRecords,
      find: (recordKey) => this.#find(recordKey),
      reservePending: async (recordKey, record) => {
        const { earlier } = this.#known;
        if (earlier === undefined) this.#takenForNew = { recordKey, record };
        return earlier;
      },
      completePending: async (_, outcome) => {
        if (this.#change?.kind === 'settle') this.#change.outcome = outcome;
      },
      // The record goes with its pending request.
      removePending: async () => {},
    };
  }

  get pendingRequests(): PendingRequests {
    return {
      add: async (request) => {
        const needs = await this.#commands.needsOf(request);
        this.#change = { kind: 'reserve', request, needs, record: this.#takenForNew?.record };
      },
      takeOver: ({ id, recordKey, attempt }, by, ms) =>
        this.#commands.takeOver(placeOf({ id, recordKey }), id, attempt, by, ms),
      remove: async (name, attempt = '') => {
        if (this.#known.isGone) return false;
        this.#change = { kind: 'settle', name, attempt, outcome: '' };
        return true;
      },
      leave: (name, attempt, failure) => this.#commands.leave(placeOf(name), name.id, attempt, failure),
    };
  }

  /** Where the record is not what the work takes it for, nothing is changed, and what was found is returned. */
  async commit(): Promise<Known | undefined> {
    const change = this.#change;
    switch (change?.kind) {
      case undefined:
        return undefined;
      case 'reserve': {
        const { request, record, needs } = change;
        const place = placeOf(request);
        const found = await this.#commands.reserve(place, request, record?.requestHash ?? '', needs);
        return found && { earlier: storedIn(found, request.recordKey ?? '') };
      }
      case 'settle': {
        const { name, attempt, outcome } = change;
        const parts = { id: name.id, attempt, condition: 'any', outcome, lifeMs: this.#lifeMs } as const;
        return (await this.#commands.settle(placeOf(name), parts)) ? undefined : { isGone: true };
      }
      default:
        return change satisfies never;
    }
  }

  /** The record of the key that was taken for new. */
  async findTakenForNew(): Promise<StoredRecord | undefined> {
    return this.#takenForNew && (await this.#find(this.#takenForNew.recordKey));
  }

  async #find(recordKey: string): Promise<StoredRecord | undefined> {
    const found = await this.#commands.find(placeOf({ id: '', recordKey }));
    return found && storedIn(found, recordKey);
  }
}

function storedIn(found: FoundPlace, recordKey: string): StoredRecord {
  if (found.kind === 'pending') {
    const { requestHash, id, attempt, upstream, state, idleMs } = found;
    return { requestHash, pending: { id, recordKey, attempt, upstream, state, idleMs } };
  }
  const { requestHash, outcome } = parseRecord(found.text);
  return { requestHash, outcome };
}

async function findRecord(commands: RecordCommands, recordKey: string): Promise<FoundRecord | undefined> {
  const place = placeOf({ id: '', recordKey });
  const found = await commands.find(place);
  if (found?.kind === 'done') return { ...parseRecord(found.text), expiresAt: Date.now() + found.leftMs };
  const fields = found && (await commands.show(place));
  if (found === undefined || fields === undefined) return undefined;
  const { operation = '', startedAt, id = '' } = fields;
  const { requestHash } = found;
  return {
    requestHash,
    operation,
    requestReference: id,
    createdAt: Number(startedAt),
    expiresAt: undefined,
    outcome: undefined,
  };
}

/** Throws TypeError for a text that no script has written. */
function parseRecord(text: string): Omit<FoundRecord, 'expiresAt'> & { readonly outcome: string } {
  const [requestHash = '', operation = '', requestReference = '', createdAt, ...outcome] = text.split('\n');
  if (outcome.length === 0) throw new TypeError('a key in Redis holds no idempotency record');
  return { requestHash, operation, requestReference, createdAt: Number(createdAt), outcome: outcome.join('\n') };
}

function createUnsettled(commands: RecordCommands, lifeMs: number): RedisRecordStore['unsettled'] {
  /** Where the requests are that were listed last, by their ids. */
  let places = new Map<string, PendingName>();
  const listMembers = async (): Promise<readonly Member[]> => {
    const members = (await commands.listPending()).map(parseMember);
    places = new Map(members.map(({ id, recordKey }) => [id, { id, recordKey }]));
    return members;
  };
  const show = async (name: PendingName): Promise<UnsettledRequest | undefined> => {
    const fields = await commands.show(placeOf(name));
    return fields?.id === name.id ? requestOf(fields, name.recordKey) : undefined;
  };
  const find = async (id: string): Promise<UnsettledRequest | undefined> => {
    const known = places.get(id);
    const found = known && (await show(known));
    if (found !== undefined) return found;
    const member = (await listMembers()).find((each) => each.id === id);
    return member && (await show(member));
  };
  return Object.freeze({
    /** Reads all of them: their number is limited. */
    async list(max) {
      const shown = await inSteps(await listMembers(), show);
      const found = shown.flatMap((each) => each ?? []);
      return found.sort((one, other) => one.startedAt - other.startedAt || (one.id < other.id ? -1 : 1)).slice(0, max);
    },
    find,
    findByRecordKey: (recordKey) => show({ id: '', recordKey }),
    countUnknown: () => commands.countUnknown(),
    async countByCredential() {
      const counts = new Map<string, PendingCount>();
      for (const { tenant, credential, recordKey } of await listMembers()) {
        // One without a key is of an earlier release.
        if (recordKey === undefined) continue;
        const name = `${tenant}\n${credential}`;
        counts.set(name, { tenant, credential, requests: (counts.get(name)?.requests ?? 0) + 1 });
      }
      return [...counts.values()];
    },
    async takeUnreported() {
      const members = (await commands.listUnreported(reportedMax)).map(parseMember);
      // One of several processes reports it.
      const taken = await inSteps(members, async (member) =>
        (await commands.report(placeOf(member), member.text)) ? await show(member) : undefined,
      );
      return taken.flatMap((each) => each ?? []);
    },
    async settle(id, outcome = '') {
      const found = await find(id);
      if (found === undefined) return false;
      const { recordKey } = found;
      return commands.settle(placeOf({ id, recordKey }), { id, attempt: '', condition: 'idle', outcome, lifeMs });
    },
  } satisfies RedisRecordStore['unsettled']);
}

/** What the list of pending requests has of one: enough to find and to count it. */
interface Member extends PendingName {
  readonly text: string;
  readonly tenant: string;
  readonly credential: string;
}

function parseMember(text: string): Member {
  const [id = '', recordKey = '', tenant = '', credential = ''] = text.split('\n');
  return { text, id, recordKey: recordKey === '' ? undefined : recordKey, tenant, credential };
}

function requestOf(fields: Readonly<Record<string, string>>, recordKey: string | undefined): UnsettledRequest {
  const { id = '', attempt = '', upstream = '', service = '', operation = '', tenant = '', credential = '' } = fields;
  const { process = '', input, question, failure, startedAt, state, idle } = fields;
  return {
    ...{ id, recordKey, attempt, tenant, credential, upstream, service, operation, process, input, question, failure },
    startedAt: Number(startedAt),
    state: state as PendingRequest['state'],
    idleMs: Number(idle),
  };
}

const stepMax = 200;

/** A few hundred at a time: a command waits for those before it on its connection. */
async function inSteps<T, R>(all: readonly T[], work: (each: T) => Promise<R>): Promise<readonly R[]> {
  const results: R[] = [];
  for (let from = 0; from < all.length; from += stepMax)
    results.push(...(await Promise.all(all.slice(from, from + stepMax).map(work))));
  return results;
}
