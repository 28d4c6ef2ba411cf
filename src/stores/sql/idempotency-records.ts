/** The idempotency records in a database: which keys were used, for which request, and with which outcome. */
import { keyDaysMax } from '../../core/contract/index.ts';
import {
  type IdempotencyRecordReader,
  type IdempotencyRecords,
  LockTimeout,
  type NewRecord,
  RecordStored,
  type StoredRecord,
} from '../../core/idempotency/index.ts';
import { type Engine, type Session, type Statement, statement, type TransactionSession, type Value } from './engine.ts';
import { findPendingRequest } from './pending-requests.ts';
import { aliasPrefix, isAlias } from './tables.ts';

const retentionMs = keyDaysMax * 24 * 60 * 60 * 1000;
/** A record without an outcome does not expire: nothing else shows that the request may have had its effect. */
export const pendingMs = 8_000_000_000_000_000;
/** How long a duplicate waits for the transaction that holds its record: it occupies a connection meanwhile. */
const reserveWaitMsMax = 150;

type RecordRow = { readonly request_hash: string; readonly request_reference: string; readonly outcome: string | null };

const isSameReference = ' or idempotency_record.request_reference = excluded.request_reference';

/** Writes no row where the record exists; an expired one is replaced. */
const reserve = statement('reserve-record', reserveText(), { waitMsMax: reserveWaitMsMax });

/** As `reserve`; replaces also the alias of the same record. */
const reserveAlias = statement('reserve-record-alias', reserveText(isSameReference), { waitMsMax: reserveWaitMsMax });

const find = statement<RecordRow>(
  'find-record',
  'select request_hash, request_reference, outcome from idempotency_record where record_key = $1',
);

const findUnexpired = statement<RecordRow>(
  'find-unexpired-record',
  'select request_hash, request_reference, outcome from idempotency_record where record_key = $1 and expires_at > now_ms()',
  { isQuick: true },
);

/**
 * The record exists: this transaction has added it. An update would find it by a search, whose predicate lock on PostgreSQL
 * covers the records next to it, so that transactions with other keys would conflict.
 */
const complete = statement(
  'complete-record',
  `insert into idempotency_record (record_key, request_hash, operation, request_reference, created_at, expires_at)
   values ($1, '', '', $1, 0, 0) on conflict (record_key) do update set outcome = $2`,
);

const completePending = statement(
  'complete-pending-record',
  `update idempotency_record set outcome = $2, expires_at = now_ms() + $3 where record_key = $1 and outcome is null`,
);

const removePending = statement(
  'remove-pending-record',
  `delete from idempotency_record where (record_key = $1 and outcome is null) or (${isAlias} and request_reference = $2)`,
);

function reserveText(also = ''): string {
  return `insert into idempotency_record (record_key, request_hash, operation, request_reference, created_at, expires_at)
   values ($1, $2, $3, $4, now_ms(), now_ms() + $5)
   on conflict (record_key) do update set request_hash = excluded.request_hash, operation = excluded.operation,
     request_reference = excluded.request_reference, outcome = null, created_at = excluded.created_at,
     expires_at = excluded.expires_at
   where idempotency_record.expires_at <= now_ms()${also}`;
}

export class StoredRecordReader implements IdempotencyRecordReader {
  protected readonly session: Session;

  constructor(session: Session) {
    this.session = session;
  }

  /** The record of an earlier request; undefined where there is none, or only an expired one. */
  async find(recordKey: string): Promise<StoredRecord | undefined> {
    const [row] = await this.session.query(findUnexpired, [recordKey]);
    return row === undefined ? undefined : await recordOf(this.session, recordKey, row);
  }
}

export class IdempotencyRecordRepository extends StoredRecordReader implements IdempotencyRecords {
  readonly #session: TransactionSession;

  constructor(session: TransactionSession) {
    super(session);
    this.#session = session;
  }

  async reserve(recordKey: string, record: NewRecord): Promise<void> {
    for (const { statement, row, unwritten } of additions(recordKey, record, retentionMs))
      await this.#session.executeDeferred(statement, row, unwritten);
  }

  async complete(recordKey: string, outcome: string): Promise<void> {
    await this.#session.executeDeferred(complete, [recordKey, outcome]);
  }

  async reservePending(recordKey: string, record: NewRecord): Promise<StoredRecord | undefined> {
    for (const { statement, row, unwritten } of additions(recordKey, record, pendingMs)) {
      if ((await this.session.execute(statement, row)) > 0) continue;
      if (statement === reserveAlias) throw unwritten();
      const [stored] = await this.session.query(find, [recordKey]);
      // Another transaction has removed it since: its request had no effect.
      if (stored === undefined) throw new LockTimeout('an idempotency record was removed meanwhile');
      return await recordOf(this.session, recordKey, stored);
    }
    return undefined;
  }

  async completePending(recordKey: string, outcome: string): Promise<void> {
    await this.#session.executeDeferred(completePending, [recordKey, outcome, retentionMs]);
  }

  async removePending(recordKey: string): Promise<void> {
    await this.#session.executeDeferred(removePending, [recordKey, aliasPrefix + recordKey]);
  }
}

interface Addition {
  readonly statement: Statement;
  readonly row: readonly Value[];
  /** Where the statement writes no row. */
  readonly unwritten: () => Error;
}

/** What adds a record, and its alias. A record under the other key is that of a request that was in flight a moment ago. */
function additions(recordKey: string, record: NewRecord, ms: number): readonly Addition[] {
  const { requestHash, operation, requestReference, alias } = record;
  const own = {
    statement: reserve,
    row: [recordKey, requestHash, operation, requestReference, ms],
    unwritten: () => new RecordStored('an idempotency record of the key is stored'),
  };
  if (alias === undefined) return [own];
  const other = {
    statement: reserveAlias,
    row: [alias.recordKey, alias.requestHash, operation, aliasPrefix + recordKey, retentionMs],
    unwritten: () => new LockTimeout('the idempotency record was added under the other index key meanwhile'),
  };
  // In the order of the keys: another process, whose record is this alias, would wait for us while we wait for it.
  return alias.recordKey < recordKey ? [other, own] : [own, other];
}

export interface UnaliasedRecords {
  readonly records: number;
  /** When the last of them expires. Far away for one without an outcome. */
  readonly expireAt: number | null;
}

/** While there are two index keys, each new record has an alias under the other one. */
const findUnaliased = statement<{ readonly records: number; readonly expire_at: number | null }>(
  'find-records-without-alias',
  `select count(*) as records, max(r.expires_at) as expire_at from idempotency_record r
    where r.expires_at > now_ms() and not (${isAlias})
      and not exists (select 1 from idempotency_record a where a.request_reference = '${aliasPrefix}' || r.record_key)`,
);

/** The records that a process with the current index key alone would not find. */
export async function findUnaliasedRecords(engine: Engine): Promise<UnaliasedRecords> {
  const [row] = await engine.read((session) => session.query(findUnaliased, []));
  return { records: row?.records ?? 0, expireAt: row?.expire_at ?? null };
}

async function recordOf(session: Session, recordKey: string, row: RecordRow): Promise<StoredRecord> {
  const { request_hash: requestHash, request_reference: reference, outcome } = row;
  if (reference.startsWith(aliasPrefix)) {
    const aliasOf = reference.slice(aliasPrefix.length);
    return { ...(await recordOfAlias(session, aliasOf)), requestHash, aliasOf };
  }
  if (outcome !== null) return { requestHash, outcome };
  const pending = await findPendingRequest(session, recordKey);
  // Between the two statements the request was settled.
  if (pending === undefined) throw new LockTimeout('an idempotency record was completed meanwhile');
  return { requestHash, pending };
}

/** A process without the other index key cannot repeat the question to another server: it would be another key there. */
async function recordOfAlias(session: Session, recordKey: string): Promise<StoredRecord> {
  const [row] = await session.query(find, [recordKey]);
  if (row === undefined) throw new LockTimeout('the record of an alias was removed meanwhile');
  const stored = await recordOf(session, recordKey, row);
  if (!('pending' in stored) || stored.pending.state !== 'repeatable') return stored;
  return { ...stored, pending: { ...stored.pending, state: 'unknown' } };
}
