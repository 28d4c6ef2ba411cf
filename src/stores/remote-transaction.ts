/** The transaction of a gateway without a database: other servers have the effects, so no SQL runs in it. */
import type { IdempotencyRecords } from '../core/idempotency/index.ts';
import type { Session } from './sql/engine.ts';
import { ReadTransaction } from './transaction.ts';

export class RemoteTransaction extends ReadTransaction {
  constructor() {
    super(noSession);
  }

  override get idempotencyRecords(): IdempotencyRecords {
    return noRecords;
  }

  savepoint<T>(): Promise<T> {
    return refuse();
  }
}

const noSession: Session = Object.freeze<Session>({ query: refuse, execute: refuse });

const noRecords: IdempotencyRecords = Object.freeze<IdempotencyRecords>({
  find: refuse,
  reserve: refuse,
  complete: refuse,
  reservePending: refuse,
  completePending: refuse,
  removePending: refuse,
});

async function refuse(): Promise<never> {
  throw new TypeError('a gateway without a database has no handlers of its own');
}
