/** What operators see of requests without an outcome, and how they settle them. */

import type { PendingCount, PendingRequest } from '../../core/idempotency/index.ts';
import type { RowOf } from '../table.ts';
import { type Engine, readCommitted, type Session, statement, type TransactionSession } from './engine.ts';
import { IdempotencyRecordRepository } from './idempotency-records.ts';
import { PendingRequestRepository, stateOfPendingRequest } from './pending-requests.ts';
import { fieldsOf } from './row-values.ts';
import type { pendingRequests } from './tables.ts';

/**
 * A request that was forwarded and has no outcome. `recordKey` is absent for a request without a key: no retry of it can be known.
 * `process`: host and number of the process that asked first. `input`: JSON text, with sensitive members masked. `failure`: why
 * the outcome is unknown, where a process has seen it. `question`, `idleMs`: as in the ports. Times are milliseconds since the epoch.
 */
export type UnsettledRequest = ReturnType<typeof requestOf>;

export type UnsettledRequests = ReturnType<typeof createUnsettledRequests>;

type Row = Omit<RowOf<typeof pendingRequests>, 'in_flight_until' | 'repeatable_until' | 'reported'> & {
  readonly state: PendingRequest['state'];
  readonly idle_ms: number;
};

const rows = `select request_id, record_key, attempt, tenant, credential, upstream, service, operation, process, input, question, failure,
  started_at, ${stateOfPendingRequest} from pending_request`;
const isUnknown = 'in_flight_until <= now_ms() and repeatable_until <= now_ms()';
/** So many are reported at once. */
const reportedMax = 100;

const list = statement<Row>('list-pending-requests', `${rows} order by started_at, request_id limit $1`);
const find = statement<Row>('show-pending-request', `${rows} where request_id = $1`);
const findByRecordKey = statement<Row>('find-pending-request-of-key', `${rows} where record_key = $1`);
const count = statement<{ readonly rows: number }>(
  'count-unknown-requests',
  `select count(*) as rows from pending_request where ${isUnknown}`,
);
const countEach = statement<{ readonly [K in keyof PendingCount]: PendingCount[K] }>(
  'count-pending-requests',
  // Rows without a key are of earlier releases.
  'select tenant, credential, count(*) as requests from pending_request where record_key is not null group by tenant, credential',
);
const unreported = statement<Row>(
  'list-unreported-requests',
  `${rows} where reported = 0 and ${isUnknown} order by started_at limit ${reportedMax}`,
);
const report = statement(
  'report-pending-request',
  'update pending_request set reported = 1 where request_id = $1 and reported = 0',
);

export function createUnsettledRequests(engine: Engine) {
  return Object.freeze({
    /** Oldest first, at most `max`. */
    list: (max: number) => engine.read(async (session) => (await session.query(list, [max])).map(requestOf)),
    find: (id: string) => engine.read((session) => findRequest(session, id)),
    countUnknown: () => engine.read(async (session) => (await session.query(count, []))[0]?.rows ?? 0),
    /** Of each credential that has one, whatever its state. */
    countByCredential: (): Promise<readonly PendingCount[]> => engine.read((session) => session.query(countEach, [])),
    /** Returns the unknown ones that no process has reported yet. */
    async takeUnreported() {
      const found = await engine.read((session) => session.query(unreported, []));
      if (found.length === 0) return [];
      return await engine.write(async (session) => {
        const taken: UnsettledRequest[] = [];
        // One of several processes reports it.
        for (const row of found) if ((await session.execute(report, [row.request_id])) > 0) taken.push(requestOf(row));
        return taken;
      }, readCommitted);
    },
    /**
     * Stores the outcome, or frees the key where there is none. Returns false where the request is in flight or settled, also since
     * it was read.
     */
    settle: (id: string, outcome: string | undefined) =>
      engine.write((session) => new UnsettledRequestRepository(session).settle(id, outcome), readCommitted),
  });
}

/** The same within a transaction. */
export class UnsettledRequestRepository {
  readonly #session: TransactionSession;

  constructor(session: TransactionSession) {
    this.#session = session;
  }

  find(id: string): Promise<UnsettledRequest | undefined> {
    return findRequest(this.#session, id);
  }

  async findByRecordKey(recordKey: string): Promise<UnsettledRequest | undefined> {
    return (await this.#session.query(findByRecordKey, [recordKey])).map(requestOf)[0];
  }

  async settle(id: string, outcome: string | undefined): Promise<boolean> {
    const found = await this.find(id);
    if (found === undefined || !(await new PendingRequestRepository(this.#session).removeIdle(id))) return false;
    const { recordKey } = found;
    const records = new IdempotencyRecordRepository(this.#session);
    if (recordKey === undefined) return true;
    if (outcome === undefined) await records.removePending(recordKey);
    else await records.completePending(recordKey, outcome);
    return true;
  }
}

async function findRequest(session: Session, id: string): Promise<UnsettledRequest | undefined> {
  return (await session.query(find, [id])).map(requestOf)[0];
}

function requestOf(row: Row) {
  const { requestId: id, ...request } = fieldsOf(row);
  return { id, ...request };
}
