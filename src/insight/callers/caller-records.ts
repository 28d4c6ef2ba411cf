/** Caller records in a database. Several processes add to the same rows. */

import { compareTexts } from '../../core/lib/index.ts';
import {
  CommitUnknown,
  type Engine,
  fieldsOf,
  readCommitted,
  type Session,
  type TransactionSession,
} from '../../stores/index.ts';
import {
  type CallerUpdate,
  type CallerUse,
  type DayCounts,
  defaultLimits,
  idOf,
  otherOfAll,
  otherOfCredential,
  type RecordedUse,
  type RecordLimits,
  type SealedRequest,
  type StoredCallerRecords,
} from './caller-record.ts';
import * as sql from './caller-statements.ts';

const dayMs = 24 * 60 * 60 * 1000;

/** Returns the caller records of a database. */
export function createCallerRecords(engine: Engine, limits = defaultLimits): StoredCallerRecords {
  return Object.freeze<StoredCallerRecords>({
    async add(updates) {
      try {
        await engine.write(async (session) => add(session, updates, limits), readCommitted);
      } catch (thrown) {
        // Adding again might count requests twice.
        if (!(thrown instanceof CommitUnknown)) throw thrown;
      }
    },
    listUses: (since) =>
      engine.read(async (session) => (await session.query(sql.listUses, [since])).map((row) => recordedUseOf(row))),
    listDays: (records, since) => engine.read((session) => listDays(session, records, Math.floor(since / dayMs))),
    findUse: (id) =>
      engine.read(async (session) => {
        const [row] = await session.query(sql.findUse, [id]);
        return row && recordedUseOf(row).use;
      }),
    hasCredential: (credential) =>
      engine.read(async (session) => (await session.query(sql.findCredential, [credential])).length > 0),
    findRequest: (id) =>
      engine.read(async (session) => {
        const [row] = await session.query(sql.findRequest, [id]);
        return row && requestOf(row);
      }),
    async deleteBefore(moment) {
      await deleteAll(engine, sql.deleteDays, Math.floor(moment / dayMs));
      await deleteAll(engine, sql.deleteRecords, moment);
    },
  });
}

/** Finds and destroys the last requests of a tenant. */
export function createLastRequests(engine: Engine) {
  return Object.freeze({
    /** The sealed last requests of a tenant, by their records. */
    findRequests: (tenant: string): Promise<ReadonlyMap<string, SealedRequest>> =>
      engine.read(async (session) => {
        const rows = await session.query(sql.findRequestsOfTenant, [tenant]);
        return new Map(rows.map((row) => [row.caller_id, requestOf(row)]));
      }),
    /** Destroys a last request, unless it was replaced meanwhile. Returns whether it did. */
    eraseRequest: async (tenant: string, id: string, { dataKey }: SealedRequest) =>
      (await engine.write((session) => session.execute(sql.eraseRequest, [tenant, id, dataKey]), readCommitted)) > 0,
  });
}

async function add(session: TransactionSession, updates: readonly CallerUpdate[], limits: RecordLimits): Promise<void> {
  const rows = await redirectSurplus(session, updates, limits);
  // Sorted: two transactions that lock several rows then do not deadlock.
  for (const update of rows.toSorted((one, another) => compareTexts(keyOf(one), keyOf(another)))) {
    const { id, use, firstUsedAt, lastUsedAt, lastOutcome, days, request } = update;
    const { tenant, credential, service, operation, version, format, client } = use;
    await session.executeDeferred(sql.saveRecord, [
      ...[tenant, id, credential, service, operation, version ?? null, format, client],
      ...[firstUsedAt, lastUsedAt, lastOutcome],
      ...[request?.keyId ?? null, request?.dataKey ?? null, request?.payload ?? null],
    ]);
    for (const { day, succeeded, refused, failed, switchedOff, exempt } of days)
      await session.executeDeferred(sql.addDay, [tenant, id, day, succeeded, refused, failed, switchedOff, exempt]);
  }
}

/** New records beyond the limits are counted as `other`. The records `other`, and processes that add at once, may exceed them a little. */
async function redirectSurplus(
  session: Session,
  updates: readonly CallerUpdate[],
  { max, perCredential }: RecordLimits,
): Promise<readonly CallerUpdate[]> {
  const keys = updates.flatMap(({ id, use }) => [use.tenant, id]);
  const known = new Set((await session.query(sql.findKnown(updates.length), keys)).map((row) => row.caller_id));
  if (updates.every(({ id }) => known.has(id))) return updates;
  let total = (await session.query(sql.countAll, []))[0]!.records;
  const counts = new Map<string, number>();
  const rows: CallerUpdate[] = [];
  for (const update of updates) {
    const { use, id } = update;
    if (known.has(id) || id === idOf(otherOfAll)) {
      rows.push(update);
      continue;
    }
    const owner = JSON.stringify([use.tenant, use.credential]);
    const count =
      counts.get(owner) ?? (await session.query(sql.countOfCredential, [use.tenant, use.credential]))[0]!.records;
    if (count >= perCredential) rows.push(asOther(update, otherOfCredential(use)));
    else if (total >= max) rows.push(asOther(update, otherOfAll));
    else {
      rows.push(update);
      total += 1;
      counts.set(owner, count + 1);
    }
  }
  return rows;
}

/** Without its request, which is sealed for another record. */
function asOther(update: CallerUpdate, use: CallerUse): CallerUpdate {
  return { ...update, id: idOf(use), use, request: undefined };
}

function keyOf({ use, id }: CallerUpdate): string {
  return `${use.tenant}\n${id}`;
}

async function deleteAll(engine: Engine, oldest: typeof sql.deleteDays, limit: number): Promise<void> {
  for (;;) {
    const deleted = await engine.write((session) => session.execute(oldest, [limit]), readCommitted);
    if (deleted < sql.deletedMax) return;
  }
}

/** Records of one statement. */
const daysOfMax = 100;

async function listDays(
  session: Session,
  records: readonly Pick<RecordedUse, 'id' | 'use'>[],
  since: number,
): Promise<ReadonlyMap<string, readonly DayCounts[]>> {
  const found = new Map<string, DayCounts[]>();
  for (let start = 0; start < records.length; start += daysOfMax) {
    const some = records.slice(start, start + daysOfMax);
    const keys = some.flatMap(({ id, use }) => [use.tenant, id]);
    for (const row of await session.query(sql.listDaysOf(some.length), [...keys, since])) {
      const { callerId, ...counts } = fieldsOf(row);
      const days = found.get(callerId) ?? [];
      days.push(counts);
      found.set(callerId, days);
    }
  }
  return found;
}

function recordedUseOf(row: sql.UseRow): RecordedUse {
  const { callerId: id, firstUsedAt, lastUsedAt, lastOutcome, ...use } = fieldsOf(row);
  return { id, use, firstUsedAt, lastUsedAt, lastOutcome };
}

function requestOf({ key_id: keyId, data_key: dataKey, last_request: payload }: sql.RequestRow): SealedRequest {
  return { keyId, dataKey, payload };
}
