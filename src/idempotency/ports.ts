/** The ports of idempotent execution: the records in the store, a shared cache and the handlers. */
import type { Caller, CanonicalRequest } from '../contract/canonical.ts';

/** HMACs that identify a request; useless without the MAC key. */
export interface RequestHasher {
  /** Identifies the record of a caller's Idempotency-Key in this environment: 43 characters, base64url. */
  recordKey(caller: Pick<Caller, 'tenant' | 'partition'>, key: string): string;
  /** The same for equivalent requests in any format: 43 characters, base64url. */
  requestHash(request: Pick<CanonicalRequest, 'service' | 'operation' | 'input'>): string;
}

/** The outcome of a request as it is stored: enough to answer a retry in any format. */
export interface StoredOutcome {
  readonly requestHash: string;
  /** JSON text. */
  readonly outcome: string;
}

export interface NewRecord {
  readonly requestHash: string;
  readonly operation: string;
  readonly requestReference: string;
}

export interface IdempotencyRecordReader {
  /** The outcome of an earlier request; undefined where there is none, or only an expired one. */
  find(recordKey: string): Promise<StoredOutcome | undefined>;
}

/** The idempotency records within a transaction: they are committed with the effect, or not at all. */
export interface IdempotencyRecords extends IdempotencyRecordReader {
  /**
   * Adds a record, or returns the outcome that is already stored. Throws `LockTimeout` where another transaction holds the
   * record and does not end soon.
   */
  reserve(recordKey: string, record: NewRecord): Promise<StoredOutcome | undefined>;
  /** Stores the outcome in the record that this transaction has added. */
  complete(recordKey: string, outcome: string): Promise<void>;
}

export interface ReadingTransaction {
  readonly idempotencyRecords: IdempotencyRecordReader;
}

/** A transaction that writes the idempotency record together with the effect. */
export interface IdempotentTransaction {
  readonly idempotencyRecords: IdempotencyRecords;
  /** Rolls back what `work` wrote where it throws; the transaction continues. */
  savepoint<T>(work: () => Promise<T>): Promise<T>;
}

/** `R`: what a handler may read. */
export interface ReadingStore<R> {
  read<T>(work: (tx: R) => Promise<T>): Promise<T>;
}

export interface IdempotentStore<R extends ReadingTransaction> extends ReadingStore<R> {
  write<T>(work: (tx: R & IdempotentTransaction) => Promise<T>): Promise<T>;
}

/** The handler of one operation. `C`: what the engine gives every handler. */
export interface OperationHandler<R, C> {
  /** Asks another system, while no transaction is open. `id`: the same for a request and its retries. */
  lookup?(request: CanonicalRequest, store: ReadingStore<R>, context: C, id: string): Promise<unknown>;
  handle(request: CanonicalRequest, transaction: R, context: C, lookupResult?: unknown): Promise<unknown>;
}

/** Another transaction holds a lock that this one needs; nothing was written. */
export class LockTimeout extends Error {
  override readonly name = 'LockTimeout';
}

/** The answer of the cache to a request that starts. */
export type CacheReservation =
  /** No other request holds the key: it is reserved until the lease ends. */
  | { readonly kind: 'reserved'; readonly token: string }
  | { readonly kind: 'inFlight'; readonly ageMs: number }
  /** The store had a record of the key lately. */
  | { readonly kind: 'completed' }
  /** No valid answer of the cache. The key may be reserved nevertheless. */
  | { readonly kind: 'unknown'; readonly token?: string };

/** Refuses duplicates in flight, and remembers which keys have a record. It holds no outcome: the store alone decides. Never rejects. */
export interface IdempotencyCache {
  reserve(recordKey: string): Promise<CacheReservation>;
  /** The store has a committed record of the key. */
  complete(recordKey: string): Promise<void>;
  /** Releases the reservation of this token, if it still exists. */
  release(recordKey: string, token: string): Promise<void>;
  close(): Promise<void>;
}
