/** Caller records in a database. Several processes add to the same rows. */
import {
  type CallerRecord,
  type CallerRecords,
  type CallerUpdate,
  type CallerUse,
  type DayCounts,
  idOf,
  otherOfAll,
  otherOfCredential,
  recordsMax,
  recordsPerCredentialMax,
  type SealedRequest,
} from '../../callers/caller-record.ts';
import type { RecordedUse } from '../../callers/listed-caller.ts';
import { CommitUnknown } from '../errors.ts';
import { type Engine, type Session, statement, type TransactionSession } from './engine.ts';
import { memoize, placeholders } from './row-values.ts';

export interface StoredCallerRecords extends CallerRecords {
  /** Those used since the moment, with the counts of the days since then; last used first. Milliseconds since the epoch. */
  list(since: number): Promise<readonly CallerRecord[]>;
  /** Those used since the moment without their counts, last used first. */
  listUses(since: number): Promise<readonly RecordedUse[]>;
  /** The counts of the days since the moment, by the ids of the records. */
  listDays(
    records: readonly Pick<RecordedUse, 'id' | 'use'>[],
    since: number,
  ): Promise<ReadonlyMap<string, readonly DayCounts[]>>;
  findUse(id: string): Promise<CallerUse | undefined>;
  /** Whether a credential has records. */
  hasCredential(credential: string): Promise<boolean>;
  /** The last request of a record that has one. */
  findRequest(id: string): Promise<SealedRequest | undefined>;
  /** The sealed last requests of a tenant, by their records. */
  findRequests(tenant: string): Promise<ReadonlyMap<string, SealedRequest>>;
  /** Destroys a last request, unless it was replaced meanwhile. Returns whether it did. */
  eraseRequest(tenant: string, id: string, request: SealedRequest): Promise<boolean>;
  /** Deletes records that were last used before the moment, and the counts of days before it. */
  deleteBefore(moment: number): Promise<void>;
}

/** The database may be another one for tests: `max` records, of which each credential has `perCredential`. */
export interface RecordLimits {
  readonly max: number;
  readonly perCredential: number;
}

const defaultLimits: RecordLimits = { max: recordsMax, perCredential: recordsPerCredentialMax };

/** Rows of other processes are only locked, never in conflict. */
const readCommitted = { isolation: 'readCommitted' } as const;
const dayMs = 24 * 60 * 60 * 1000;
/** Rows that one transaction deletes. */
const deletedMax = 1_000;

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
    list: (since) =>
      engine.read(async (session) =>
        (await session.query(listRecords, [since, Math.floor(since / dayMs)])).map(recordOf),
      ),
    listUses: (since) =>
      engine.read(async (session) => (await session.query(listUses, [since])).map((row) => recordedUseOf(row))),
    listDays: (records, since) => engine.read((session) => listDays(session, records, Math.floor(since / dayMs))),
    findUse: (id) =>
      engine.read(async (session) => {
        const [row] = await session.query(findUse, [id]);
        return row && recordedUseOf(row).use;
      }),
    hasCredential: (credential) =>
      engine.read(async (session) => (await session.query(findCredential, [credential])).length > 0),
    findRequest: (id) =>
      engine.read(async (session) => {
        const [row] = await session.query(findRequest, [id]);
        return row && { keyId: row.key_id, dataKey: row.data_key, payload: row.last_request };
      }),
    findRequests: (tenant) =>
      engine.read(async (session) => {
        const rows = await session.query(findRequestsOfTenant, [tenant]);
        return new Map(
          rows.map((row) => [row.caller_id, { keyId: row.key_id, dataKey: row.data_key, payload: row.last_request }]),
        );
      }),
    eraseRequest: async (tenant, id, { dataKey }) =>
      (await engine.write((session) => session.execute(eraseRequest, [tenant, id, dataKey]), readCommitted)) > 0,
    async deleteBefore(moment) {
      await deleteAll(engine, deleteDays, Math.floor(moment / dayMs));
      await deleteAll(engine, deleteRecords, moment);
    },
  });
}

async function add(session: TransactionSession, updates: readonly CallerUpdate[], limits: RecordLimits): Promise<void> {
  const rows = await redirectSurplus(session, updates, limits);
  // Sorted: two transactions that lock several rows then do not deadlock.
  for (const update of rows.toSorted((one, another) => compare(keyOf(one), keyOf(another)))) {
    const { id, use, firstUsedAt, lastUsedAt, lastOutcome, days, request } = update;
    const { tenant, credential, service, operation, version, format, client } = use;
    await session.executeDeferred(saveRecord, [
      ...[tenant, id, credential, service, operation, version ?? null, format, client],
      ...[firstUsedAt, lastUsedAt, lastOutcome],
      ...[request?.keyId ?? null, request?.dataKey ?? null, request?.payload ?? null],
    ]);
    for (const { day, succeeded, refused, failed, switchedOff, exempt } of days)
      await session.executeDeferred(addDay, [tenant, id, day, succeeded, refused, failed, switchedOff, exempt]);
  }
}

/** New records beyond the limits are counted as `other`. The records `other`, and processes that add at once, may exceed them a little. */
async function redirectSurplus(
  session: Session,
  updates: readonly CallerUpdate[],
  { max, perCredential }: RecordLimits,
): Promise<readonly CallerUpdate[]> {
  const keys = updates.flatMap(({ id, use }) => [use.tenant, id]);
  const known = new Set((await session.query(findKnown(updates.length), keys)).map((row) => row.caller_id));
  if (updates.every(({ id }) => known.has(id))) return updates;
  let total = (await session.query(countAll, []))[0]!.records;
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
      counts.get(owner) ?? (await session.query(countOfCredential, [use.tenant, use.credential]))[0]!.records;
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

function compare(one: string, another: string): number {
  return one < another ? -1 : one > another ? 1 : 0;
}

async function deleteAll(engine: Engine, oldest: typeof deleteDays, limit: number): Promise<void> {
  for (;;) {
    const deleted = await engine.write((session) => session.execute(oldest, [limit]), readCommitted);
    if (deleted < deletedMax) return;
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
    for (const row of await session.query(listDaysOf(some.length), [...keys, since])) {
      const { caller_id, day, succeeded, refused, failed, switched_off, exempt } = row;
      const days = found.get(caller_id) ?? [];
      days.push({ day, succeeded, refused, failed, switchedOff: switched_off, exempt });
      found.set(caller_id, days);
    }
  }
  return found;
}

function recordedUseOf(row: UseRow): RecordedUse {
  const { tenant, credential, service, operation, version, format, client } = row;
  return {
    id: row.caller_id,
    use: { tenant, credential, service, operation, version: version ?? undefined, format, client },
    firstUsedAt: row.first_used_at,
    lastUsedAt: row.last_used_at,
    lastOutcome: row.last_outcome,
  };
}

function recordOf(row: RecordRow): CallerRecord {
  return {
    ...recordedUseOf(row),
    succeeded: row.succeeded,
    refused: row.refused,
    failed: row.failed,
    switchedOff: row.switched_off,
    exempt: row.exempt,
  };
}

const findKnown = memoize((count: number) =>
  statement<{ readonly caller_id: string }>(
    `find-known-callers-${count}`,
    `select caller_id from caller_record where (tenant, caller_id) in (values ${placeholders(count, ['', ''])})`,
  ),
);

type CountRow = { readonly records: number };

const countAll = statement<CountRow>('count-callers', 'select count(*) as records from caller_record');

const countOfCredential = statement<CountRow>(
  'count-callers-of-credential',
  'select count(*) as records from caller_record where tenant = $1 and credential = $2',
);

/** What another process has saved meanwhile may be newer. A request replaces an earlier one with all its parts. */
const saveRecord = statement(
  'save-caller',
  `insert into caller_record
     (tenant, caller_id, credential, service, operation, version, format, client, first_used_at, last_used_at, last_outcome,
      key_id, data_key, last_request)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
   on conflict (tenant, caller_id) do update set
     first_used_at = case when excluded.first_used_at < caller_record.first_used_at
                          then excluded.first_used_at else caller_record.first_used_at end,
     last_outcome = case when excluded.last_used_at >= caller_record.last_used_at
                         then excluded.last_outcome else caller_record.last_outcome end,
     last_used_at = case when excluded.last_used_at >= caller_record.last_used_at
                         then excluded.last_used_at else caller_record.last_used_at end,
     key_id = coalesce(excluded.key_id, caller_record.key_id),
     data_key = coalesce(excluded.data_key, caller_record.data_key),
     last_request = coalesce(excluded.last_request, caller_record.last_request)`,
);

const addDay = statement(
  'add-caller-day',
  `insert into caller_record_day (tenant, caller_id, day, succeeded, refused, failed, switched_off, exempt)
   values ($1, $2, $3, $4, $5, $6, $7, $8)
   on conflict (tenant, caller_id, day) do update set
     succeeded = caller_record_day.succeeded + excluded.succeeded,
     refused = caller_record_day.refused + excluded.refused,
     failed = caller_record_day.failed + excluded.failed,
     switched_off = caller_record_day.switched_off + excluded.switched_off,
     exempt = caller_record_day.exempt + excluded.exempt`,
);

type UseRow = {
  readonly tenant: string;
  readonly caller_id: string;
  readonly credential: string;
  readonly service: string;
  readonly operation: string;
  readonly version: number | null;
  readonly format: string;
  readonly client: string;
  readonly first_used_at: number;
  readonly last_used_at: number;
  readonly last_outcome: string;
};

type CountsRow = {
  readonly succeeded: number;
  readonly refused: number;
  readonly failed: number;
  readonly switched_off: number;
  readonly exempt: number;
};

type RecordRow = UseRow & CountsRow;

const useColumns =
  'tenant, caller_id, credential, service, operation, version, format, client, first_used_at, last_used_at, last_outcome';

const listUses = statement<UseRow>(
  'list-caller-uses',
  `select ${useColumns} from caller_record where last_used_at >= $1 order by last_used_at desc, caller_id`,
);

const findUse = statement<UseRow>('find-caller-use', `select ${useColumns} from caller_record where caller_id = $1`);

const listDaysOf = memoize((count: number) =>
  statement<CountsRow & { readonly caller_id: string; readonly day: number }>(
    `list-caller-days-${count}`,
    `select caller_id, day, succeeded, refused, failed, switched_off, exempt from caller_record_day
      where (tenant, caller_id) in (values ${placeholders(count, ['', ''])}) and day >= $${2 * count + 1}
      order by caller_id, day`,
  ),
);

const sums = ['succeeded', 'refused', 'failed', 'switched_off', 'exempt']
  .map((name) => `cast(coalesce(sum(d.${name}), 0) as bigint) as ${name}`)
  .join(', ');

const listRecords = statement<RecordRow>(
  'list-callers',
  `select r.tenant, r.caller_id, r.credential, r.service, r.operation, r.version, r.format, r.client, r.first_used_at,
          r.last_used_at, r.last_outcome, ${sums}
     from caller_record r
     left join caller_record_day d on d.tenant = r.tenant and d.caller_id = r.caller_id and d.day >= $2
    where r.last_used_at >= $1
    group by r.tenant, r.caller_id
    order by r.last_used_at desc, r.caller_id`,
);

const findCredential = statement('find-caller-credential', 'select 1 from caller_record where credential = $1 limit 1');

const findRequest = statement<{ readonly key_id: string; readonly data_key: string; readonly last_request: string }>(
  'find-caller-request',
  'select key_id, data_key, last_request from caller_record where caller_id = $1 and data_key is not null',
);

type RequestRow = { readonly key_id: string; readonly data_key: string; readonly last_request: string };

const findRequestsOfTenant = statement<RequestRow & { readonly caller_id: string }>(
  'find-caller-requests-of-tenant',
  'select caller_id, key_id, data_key, last_request from caller_record where tenant = $1 and data_key is not null',
);

const eraseRequest = statement(
  'erase-caller-request',
  `update caller_record set key_id = null, data_key = null, last_request = null
    where tenant = $1 and caller_id = $2 and data_key = $3`,
);

const deleteDays = statement(
  'delete-caller-days',
  `delete from caller_record_day where (tenant, caller_id, day) in
     (select tenant, caller_id, day from caller_record_day where day < $1 order by day limit ${deletedMax})`,
);

const deleteRecords = statement(
  'delete-callers',
  `delete from caller_record where last_used_at < $1 and (tenant, caller_id) in
     (select tenant, caller_id from caller_record where last_used_at < $1 limit ${deletedMax})`,
);
