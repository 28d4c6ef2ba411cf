/** The journal in a database: which keys were used, for what, and what came of it. */
import { keyDaysMax } from '../../contract/retry.ts';
import type { IdempotencyRecords, NewRecord, StoredOutcome } from '../../idempotency/ports.ts';
import { type Engine, type Session, statement } from './engine.ts';

const retentionMs = keyDaysMax * 24 * 60 * 60 * 1000;
/** How long a duplicate may wait for a unit that holds its row: it would hold a connection meanwhile. */
const claimMsMax = 150;
/** Rows dropped in one unit, so that none takes long. */
const droppedMax = 1_000;

type JournalRow = { readonly fingerprint: string; readonly outcome: string | null };

/** Writes no row when the scope is taken; one past its time is there for the taking. */
const claim = statement(
  'claim-scope',
  `insert into journal (scope, fingerprint, operation, psp_reference, created_at, expires_at)
   values ($1, $2, $3, $4, now_ms(), now_ms() + $5)
   on conflict (scope) do update set fingerprint = excluded.fingerprint, operation = excluded.operation,
     psp_reference = excluded.psp_reference, outcome = null, created_at = excluded.created_at,
     expires_at = excluded.expires_at
   where journal.expires_at <= now_ms()`,
  { waitMsMax: claimMsMax },
);

const find = statement<JournalRow>('find-scope', 'select fingerprint, outcome from journal where scope = $1');

const findInTime = statement<JournalRow>(
  'find-kept',
  'select fingerprint, outcome from journal where scope = $1 and expires_at > now_ms()',
);

const settle = statement('settle-scope', 'update journal set outcome = $2 where scope = $1');

const dropExpired = statement(
  'drop-expired-scopes',
  `delete from journal where scope in
     (select scope from journal where expires_at <= now_ms() order by expires_at limit ${droppedMax})`,
);

const keptOf = (row: JournalRow | undefined): StoredOutcome => {
  // Claim and outcome are written in one unit, so nobody else ever sees the one without the other.
  if (row === undefined || row.outcome === null) throw new Error('a row of the journal is without its outcome');
  return { requestHash: row.fingerprint, outcome: row.outcome };
};

export class IdempotencyRecordReader {
  protected readonly session: Session;

  constructor(session: Session) {
    this.session = session;
  }

  /** The outcome of an earlier request; undefined where there is none, or only an expired one. */
  async find(recordKey: string): Promise<StoredOutcome | undefined> {
    const [row] = await this.session.query(findInTime, [recordKey]);
    return row === undefined ? undefined : keptOf(row);
  }
}

export class IdempotencyRecordRepository extends IdempotencyRecordReader implements IdempotencyRecords {
  async reserve(
    recordKey: string,
    { requestHash, operation, pspReference }: NewRecord,
  ): Promise<StoredOutcome | undefined> {
    const written = await this.session.execute(claim, [recordKey, requestHash, operation, pspReference, retentionMs]);
    return written === 0 ? keptOf((await this.session.query(find, [recordKey]))[0]) : undefined;
  }

  async complete(recordKey: string, outcome: string): Promise<void> {
    await this.session.execute(settle, [recordKey, outcome]);
  }
}

/** Drops what is past its time, in units of its own; gives how many rows that were. */
export const deleteExpiredRecords = async (engine: Engine): Promise<number> => {
  let total = 0;
  for (;;) {
    const dropped = await engine.write((session) => session.execute(dropExpired, []));
    total += dropped;
    if (dropped < droppedMax) return total;
  }
};
