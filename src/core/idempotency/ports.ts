/** The ports of idempotent execution: the records in the store, a shared cache and the handlers. */
import type { AnyRequest, CallerIdentity, CanonicalRequest, Extras, Problem } from '../contract/index.ts';

/** HMACs that identify a request, and the encryption of its outcome, under keys of the index key: useless without it. */
export interface RequestHasher {
  /** During a rotation of the index key, under the other key. Records may be stored under both. */
  readonly other?: RequestHasher | undefined;
  /** Identifies the record of a caller's Idempotency-Key in this environment: 43 characters, base64url. */
  recordKey(caller: Pick<CallerIdentity, 'tenant' | 'partition'>, key: string): string;
  /** The key that another server gets for a record key: 43 characters, base64url. It reveals neither that nor the caller's key. */
  upstreamKey(recordKey: string): string;
  /** Returns one hash for equivalent requests in any format: 43 characters, base64url. */
  requestHash(request: Pick<CanonicalRequest, 'service' | 'operation' | 'input'>): string;
  /** Whether every outcome is sealed, and not those alone with what the contract calls sensitive. */
  readonly sealsAll?: boolean;
  /** Encrypts a text of a record. Returns the same for the same text and place. */
  seal(text: string, place: SealedPlace): string;
  /** Throws `SealBroken`, also for a text that was sealed for another place. */
  open(sealed: string, place: SealedPlace): string;
}

/** Where a sealed text is stored. It does not open anywhere else, so no record can be given the answer to another one. */
export interface SealedPlace {
  readonly part: 'outcome' | 'question';
  /** Identifies environment, tenant and Idempotency-Key; the id of a request without a key. */
  readonly record: string;
  /** The name of the operation. */
  readonly operation: string;
}

/** A record, and the hasher with the index key that it is stored under. */
export interface OwnedRecord {
  readonly recordKey: string;
  readonly hasher: RequestHasher;
}

/** The outcome of a request as it is stored: enough to answer a retry in any format. */
export interface StoredOutcome {
  readonly requestHash: string;
  /** The key of the record, where it was found by its alias. */
  readonly aliasOf?: string;
  /** JSON text, or a sealed one. */
  readonly outcome: string;
}

/** A record without an outcome: another server is asked, or its answer is unknown. */
export interface PendingOutcome {
  readonly requestHash: string;
  readonly aliasOf?: string;
  readonly pending: PendingRequest;
}

export type StoredRecord = StoredOutcome | PendingOutcome;

/** Finds a pending request. `recordKey` is absent for a request without a key. */
export interface PendingName {
  readonly id: string;
  readonly recordKey?: string | undefined;
}

/** A request that was forwarded, or is about to be, and has no outcome. */
export interface PendingRequest extends PendingName {
  /** The server that was asked. */
  readonly upstream: string;
  /** The reference of the request that has asked last. */
  readonly attempt: string;
  /**
   * `inFlight`: a process may still wait for the answer. `repeatable`: none waits, and a retry asks again: the other server still
   * knows the key, or is asked for the outcome. `unknown`: an operator settles it.
   */
  readonly state: 'inFlight' | 'repeatable' | 'unknown';
  /** For how long no process has waited for the answer, in milliseconds by the clock of the store; negative while one may. */
  readonly idleMs: number;
}

export interface NewRecord {
  readonly requestHash: string;
  readonly operation: string;
  readonly requestReference: string;
  /** During a rotation of the index key: what identifies the same request under the other key. */
  readonly alias?: RecordAlias | undefined;
}

export interface RecordAlias {
  readonly recordKey: string;
  readonly requestHash: string;
}

export interface IdempotencyRecordReader {
  /** The record of an earlier request; undefined where there is none, or only an expired one. */
  find(recordKey: string): Promise<StoredRecord | undefined>;
}

/** The idempotency records within a transaction: they are committed with the effect, or not at all. */
export interface IdempotencyRecords extends IdempotencyRecordReader {
  /**
   * Adds a record. The transaction fails with `RecordStored` where one is stored, and with `LockTimeout` where another transaction
   * holds the record and does not end soon, or where the alias belongs to a record of its own.
   */
  reserve(recordKey: string, record: NewRecord): Promise<void>;
  /** Stores the outcome in the record that this transaction has added. */
  complete(recordKey: string, outcome: string): Promise<void>;
  /** As `reserve`, for a record whose outcome another transaction adds. It does not expire before that. */
  reservePending(recordKey: string, record: NewRecord): Promise<StoredRecord | undefined>;
  /** Stores the outcome in a record that has none. */
  completePending(recordKey: string, outcome: string): Promise<void>;
  /** Removes a record that has no outcome. */
  removePending(recordKey: string): Promise<void>;
}

/** `id`: the reference of the request. */
export interface NewPendingRequest extends PendingName {
  readonly upstream: string;
  readonly service: string;
  readonly operation: string;
  readonly tenant: string;
  readonly credential: string;
  /** Host and number of the process that asks. */
  readonly process: string;
  /** JSON text, with sensitive members masked; absent where it is long. */
  readonly input?: string | undefined;
  /** The sealed question for its outcome. Only where the other server does not deduplicate, and can be asked. */
  readonly question?: string | undefined;
  /** How long the request may be in flight. */
  readonly inFlightMs: number;
  /** How long a retry may ask again; 0 where the other server does not deduplicate, and cannot be asked. */
  readonly repeatableMs: number;
}

/** The requests that were forwarded and have no outcome, within a transaction. */
export interface PendingRequests {
  add(request: NewPendingRequest): Promise<void>;
  /** Makes this request the one that asks. Returns false where another has done so. */
  takeOver(pending: PendingRequest, attempt: string, inFlightMs: number): Promise<boolean>;
  /** Returns false where there is none, as it was settled. With `attempt`, also where another request has asked since. */
  remove(name: PendingName, attempt?: string): Promise<boolean>;
  /** No process waits for the answer any more. */
  leave(name: PendingName, attempt: string, failure: string): Promise<void>;
}

export interface ReadingTransaction {
  readonly idempotencyRecords: IdempotencyRecordReader;
}

/** A transaction that writes the idempotency record together with the effect. */
export interface IdempotentTransaction {
  readonly idempotencyRecords: IdempotencyRecords;
  readonly pendingRequests: PendingRequests;
  /** Rolls back what `work` wrote where it throws; the transaction continues. */
  savepoint<T>(work: () => Promise<T>): Promise<T>;
}

/** `R`: what a handler may read. */
interface ReadingStore<R> {
  read<T>(work: (tx: R) => Promise<T>): Promise<T>;
}

export interface IdempotentStore<R> extends ReadingStore<R> {
  /** `readCommitted`: only locks of rows isolate the transaction, so it never conflicts. */
  write<T>(
    work: (tx: R & IdempotentTransaction) => Promise<T>,
    options?: { readonly isolation: 'readCommitted' },
  ): Promise<T>;
}

/** The handler of an operation of this program. `R`: what it may read. `C`: what the engine gives every handler. */
export interface LocalHandler<R, C> {
  handle(request: CanonicalRequest, transaction: R, context: C, lookupResult?: unknown): Promise<unknown>;
}

interface PlainHandler<R, C> extends LocalHandler<R, C> {
  readonly kind: 'plain';
}

/** A handler that asks another system before its transaction. */
export interface LookupHandler<R, C> extends LocalHandler<R, C> {
  readonly kind: 'twoPhase';
  /** Asks the other system, while no transaction is open. `id`: the same for a request and its retries. */
  lookup(request: CanonicalRequest, store: ReadingStore<R>, context: C, id: string): Promise<unknown>;
}

/** What executes one operation. */
export type BoundHandler<R, C> = PlainHandler<R, C> | LookupHandler<R, C> | RemoteHandler<C>;

/** What another server answered. */
export interface RemoteAnswer {
  /** Canonical. */
  readonly output: unknown;
  /** Members that the contract does not have. */
  readonly extras?: Extras;
  /** The reference that the other server gave the request. */
  readonly requestReference?: string;
}

/** The handler of an operation that another server answers. No transaction is open while it is asked. */
export interface RemoteHandler<C> {
  readonly kind: 'remote';
  /** Names the other server for operators. */
  readonly upstream: string;
  /** Whether the other server has the effect of one key once, also of requests that arrive together. */
  readonly deduplicates: boolean;
  /** How long the other server knows a key, in milliseconds; a day by default. For one that deduplicates. */
  readonly keyMsMax?: number;
  /** `forward` settles within this time, in milliseconds. */
  readonly msMax: number;
  /** Asks the other server for an outcome that is unknown. Only where it does not deduplicate. */
  readonly lookup?: OutcomeLookup<C> | undefined;
  /**
   * Asks the other server. `key` is the same for a request and its retries in every format; undefined for a read, and where the
   * other server does not deduplicate. Throws NotSent, OutcomeUnknown, ApplicationError, or a Problem. A Problem for which
   * `isRefusal` holds is a refusal: no attempt of the request had an effect.
   */
  forward(request: AnyRequest, context: C, key: string | undefined): Promise<RemoteAnswer>;
  /** Returns the handler that answers instead, after `forward` has thrown this: the request had no effect, or is a read. */
  readonly instead?: (thrown: unknown) => RemoteHandler<C> | undefined;
  /** Present where one of two servers answers, and this handler stands for both. */
  readonly sides?: Sides<C>;
}

/** Two servers that answer one operation, such as an old one and a new one. */
interface Sides<C> {
  /** Whether one of them deduplicates. */
  readonly deduplicates: boolean;
  /** The server for a request that none has received. */
  choose(request: AnyRequest): RemoteHandler<C>;
  /** The server of this name, for the retry of a request that it may have received; undefined where neither has the name. */
  named(upstream: string): RemoteHandler<C> | undefined;
}

/** What the other server says about a request. */
export type LookedUp =
  /** It has had the effect. `output`: canonical; it satisfies the contract. */
  | { readonly kind: 'done'; readonly output: unknown }
  /** It has no such request at this moment. One that is still on its way may arrive later. */
  | { readonly kind: 'notFound' }
  /** It was not answered, or the answer says neither. `reason`: one word for operators. */
  | { readonly kind: 'unknown'; readonly reason: string };

/** Who asks: the caller of a retry, or the credential of the request where the gateway asks by itself. */
export type LookupAsker = Pick<AnyRequest, 'caller' | 'requestReference' | 'head'>;

/** Asks another server what became of a writing request (decision 0154). */
export interface OutcomeLookup<C> {
  /** Whether writes carry their key as a reference by which the other server finds them. It does not deduplicate by it. */
  readonly sendsKey: boolean;
  /** Whether only a retry can ask, with the credential of its caller. */
  readonly needsCaller: boolean;
  /**
   * How long after its last attempt a request may still arrive, in milliseconds: until then, that it is not found proves nothing.
   * Absent: it never does.
   */
  readonly arrivesWithinMs: number | undefined;
  /** Returns the question as JSON; undefined where the request does not say what identifies it. */
  questionOf(request: AnyRequest, key: string | undefined): string | undefined;
  /** Never rejects. */
  ask(question: string, asker: LookupAsker, context: C): Promise<LookedUp>;
}

/** No attempt of this request has reached the other server, or it has answered that it did nothing: it may be sent again. */
export class NotSent extends Error {
  override readonly name = 'NotSent';
  /** When it may be sent again, where the other server has said so. */
  readonly retryAfterSeconds: number | undefined;

  constructor(
    message: string,
    options: { readonly cause?: unknown; readonly retryAfterSeconds?: number | undefined } = {},
  ) {
    super(message, { cause: options.cause });
    this.retryAfterSeconds = options.retryAfterSeconds;
  }
}

/** The other server may have had the effect. The message says why, for the operator, without content of the request. */
export class OutcomeUnknown extends Error {
  override readonly name = 'OutcomeUnknown';
  /** The refusal of a later attempt under the same key. It says nothing about the earlier one, unless it is the outcome itself. */
  readonly refusal: Problem | undefined;

  constructor(message: string, options: { readonly cause?: unknown; readonly refusal?: Problem | undefined } = {}) {
    super(message, { cause: options.cause });
    this.refusal = options.refusal;
  }
}

/** The application of the other server has answered a write with an error of its own: that answer is the outcome. */
export class ApplicationError extends Error {
  override readonly name = 'ApplicationError';
  /** Its code, text and detail. */
  readonly problem: Problem;

  constructor(problem: Problem, options: { readonly cause?: unknown } = {}) {
    super(problem.message, options);
    this.problem = problem;
  }
}

/** Another transaction holds a lock that this one needs; nothing was written. */
export class LockTimeout extends Error {
  override readonly name = 'LockTimeout';
}

/** A record of the key is stored already; nothing was written. */
export class RecordStored extends Error {
  override readonly name = 'RecordStored';
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
