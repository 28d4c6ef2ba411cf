/** The requests in a database that were forwarded to another server and have no outcome. */
import type { NewPendingRequest, PendingName, PendingRequest, PendingRequests } from '../../core/idempotency/index.ts';
import { type Session, statement, type TransactionSession } from './engine.ts';

/** Compared with the clock of the database, which all processes share. */
export const stateOfPendingRequest = `case when in_flight_until > now_ms() then 'inFlight'
  when repeatable_until > now_ms() then 'repeatable' else 'unknown' end as state, now_ms() - in_flight_until as idle_ms`;

type PendingRow = {
  readonly request_id: string;
  readonly attempt: string;
  readonly upstream: string;
  readonly state: PendingRequest['state'];
  readonly idle_ms: number;
};

const find = statement<PendingRow>(
  'find-pending-request',
  `select request_id, attempt, upstream, ${stateOfPendingRequest} from pending_request where record_key = $1`,
);

const add = statement(
  'add-pending-request',
  `insert into pending_request (request_id, record_key, attempt, tenant, credential, upstream, service, operation, process,
     input, question, started_at, in_flight_until, repeatable_until)
   values ($1, $2, $1, $3, $4, $5, $6, $7, $8, $9, $10, now_ms(), now_ms() + $11, now_ms() + $12)`,
);

const takeOver = statement(
  'take-over-pending-request',
  `update pending_request set attempt = $3, failure = null, in_flight_until = now_ms() + $4
    where request_id = $1 and attempt = $2 and in_flight_until <= now_ms()`,
);

const remove = statement('remove-pending-request', 'delete from pending_request where request_id = $1');

const removeOwn = statement(
  'remove-own-pending-request',
  'delete from pending_request where request_id = $1 and attempt = $2',
);

const removeIdle = statement(
  'remove-idle-pending-request',
  'delete from pending_request where request_id = $1 and in_flight_until <= now_ms()',
);

const leave = statement(
  'leave-pending-request',
  'update pending_request set in_flight_until = now_ms(), failure = $3 where request_id = $1 and attempt = $2',
);

export async function findPendingRequest(session: Session, recordKey: string): Promise<PendingRequest | undefined> {
  const [row] = await session.query(find, [recordKey]);
  return (
    row && { id: row.request_id, attempt: row.attempt, upstream: row.upstream, state: row.state, idleMs: row.idle_ms }
  );
}

export class PendingRequestRepository implements PendingRequests {
  readonly #session: TransactionSession;

  constructor(session: TransactionSession) {
    this.#session = session;
  }

  async add(request: NewPendingRequest): Promise<void> {
    const { id, recordKey, tenant, credential, upstream, service, operation, process, input } = request;
    await this.#session.executeDeferred(add, [
      id,
      recordKey ?? null,
      tenant,
      credential,
      upstream,
      service,
      operation,
      process,
      input ?? null,
      request.question ?? null,
      request.inFlightMs,
      request.repeatableMs,
    ]);
  }

  async takeOver({ id, attempt }: PendingRequest, by: string, inFlightMs: number): Promise<boolean> {
    return (await this.#session.execute(takeOver, [id, attempt, by, inFlightMs])) > 0;
  }

  async remove({ id }: PendingName, attempt?: string): Promise<boolean> {
    const removed =
      attempt === undefined ? this.#session.execute(remove, [id]) : this.#session.execute(removeOwn, [id, attempt]);
    return (await removed) > 0;
  }

  /** Removes one that no process waits for. Returns false where there is none. */
  async removeIdle(id: string): Promise<boolean> {
    return (await this.#session.execute(removeIdle, [id])) > 0;
  }

  async leave({ id }: PendingName, attempt: string, failure: string): Promise<void> {
    await this.#session.executeDeferred(leave, [id, attempt, failure]);
  }
}
