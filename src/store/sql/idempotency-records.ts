/** The idempotency records in a database: which keys were used, for which request, and with which outcome. */
import { keyDaysMax } from '../../contract/retry.ts';
import { type IdempotencyRecords, LockTimeout, type NewRecord, type StoredRecord } from '../../idempotency/ports.ts';
import { type Engine, type Session, statement, type TransactionSession } from './engine.ts';
import { findPendingRequest } from './pending-requests.ts';

const retentionMs = keyDaysMax * 24 * 60 * 60 * 1000;
/** A record without an outcome does not expire: nothing else shows that the request may have had its effect. */
const pendingMs = 8_000_000_000_000_000;
/** How long a duplicate waits for the transaction that holds its record: it occupies a connection meanwhile. */
const reserveWaitMsMax = 150;
/** About so many records are deleted in one transaction, so that none takes long. */
const deletedMax = 1_000;

type RecordRow = { readonly request_hash: string; readonly outcome: string | null };

/** Writes no row where the record exists; an expired one is replaced. */
const reserve = statement(
  'reserve-record',
  `insert into idempotency_record (record_key, request_hash, operation, psp_reference, created_at, expires_at)
   values ($1, $2, $3, $4, now_ms(), now_ms() + $5)
   on conflict (record_key) do update set request_hash = excluded.request_hash, operation = excluded.operation,
     psp_reference = excluded.psp_reference, outcome = null, created_at = excluded.created_at,
     expires_at = excluded.expires_at
   where idempotency_record.expires_at <= now_ms()`,
  { waitMsMax: reserveWaitMsMax },
);

const find = statement<RecordRow>(
  'find-record',
  'select request_hash, outcome from idempotency_record where record_key = $1',
);

const findUnexpired = statement<RecordRow>(
  'find-unexpired-record',
  'select request_hash, outcome from idempotency_record where record_key = $1 and expires_at > now_ms()',
);

/**
 * The record exists: this transaction has added it. An update would find it by a search, whose predicate lock on PostgreSQL
 * covers the records next to it, so that transactions with other keys would conflict.
 */
const complete = statement(
  'complete-record',
  `insert into idempotency_record (record_key, request_hash, operation, psp_reference, created_at, expires_at)
   values ($1, '', '', $1, 0, 0) on conflict (record_key) do update set outcome = $2`,
);

const completePending = statement(
  'complete-pending-record',
  `update idempotency_record set outcome = $2, expires_at = now_ms() + $3 where record_key = $1 and outcome is null`,
);

const removePending = statement(
  'remove-pending-record',
  'delete from idempotency_record where record_key = $1 and outcome is null',
);

/**
 * By a range of the index on the expiry, up to that of the last record of the batch: PostgreSQL reads the whole table to find
 * a thousand keys. Records that expire in the same millisecond are deleted together. A record that another transaction has
 * replaced meanwhile has a later expiry, so it stays.
 */
const deleteExpired = statement(
  'delete-expired-records',
  `delete from idempotency_record where expires_at <= now_ms() and expires_at <=
     (select max(expires_at) from
       (select expires_at from idempotency_record where expires_at <= now_ms() order by expires_at limit ${deletedMax}) oldest)`,
);

export class IdempotencyRecordReader {
  protected readonly session: Session;

  constructor(session: Session) {
    this.session = session;
  }

  /** The record of an earlier request; undefined where there is none, or only an expired one. */
  async find(recordKey: string): Promise<StoredRecord | undefined> {
    const [row] = await this.session.query(findUnexpired, [recordKey]);
    return row === undefined ? undefined : recordOf(this.session, recordKey, row);
  }
}

export class IdempotencyRecordRepository extends IdempotencyRecordReader implements IdempotencyRecords {
  readonly #session: TransactionSession;

  constructor(session: TransactionSession) {
    super(session);
    this.#session = session;
  }

  reserve(recordKey: string, record: NewRecord): Promise<StoredRecord | undefined> {
    return this.#reserve(recordKey, record, retentionMs);
  }

  async complete(recordKey: string, outcome: string): Promise<void> {
    await this.#session.executeDeferred(complete, [recordKey, outcome]);
  }

  reservePending(recordKey: string, record: NewRecord): Promise<StoredRecord | undefined> {
    return this.#reserve(recordKey, record, pendingMs);
  }

  async completePending(recordKey: string, outcome: string): Promise<void> {
    await this.#session.executeDeferred(completePending, [recordKey, outcome, retentionMs]);
  }

  async removePending(recordKey: string): Promise<void> {
    await this.#session.executeDeferred(removePending, [recordKey]);
  }

  async #reserve(
    recordKey: string,
    { requestHash, operation, requestReference }: NewRecord,
    ms: number,
  ): Promise<StoredRecord | undefined> {
    const written = await this.session.execute(reserve, [recordKey, requestHash, operation, requestReference, ms]);
    if (written > 0) return undefined;
    const [row] = await this.session.query(find, [recordKey]);
    // Another transaction has removed it since: its request had no effect.
    if (row === undefined) throw new LockTimeout('an idempotency record was removed meanwhile');
    return await recordOf(this.session, recordKey, row);
  }
}

/** Deletes expired records, in transactions of its own; returns how many. */
export async function deleteExpiredRecords(engine: Engine): Promise<number> {
  let total = 0;
  for (;;) {
    const deleted = await engine.write((session) => session.execute(deleteExpired, []), { isolation: 'readCommitted' });
    total += deleted;
    if (deleted < deletedMax) return total;
  }
}

async function recordOf(session: Session, recordKey: string, row: RecordRow): Promise<StoredRecord> {
  const { request_hash: requestHash, outcome } = row;
  if (outcome !== null) return { requestHash, outcome };
  const pending = await findPendingRequest(session, recordKey);
  // Between the two statements the request was settled.
  if (pending === undefined) throw new LockTimeout('an idempotency record was completed meanwhile');
  return { requestHash, pending };
}
