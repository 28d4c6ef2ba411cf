/** What the gateway needs beside the domain's ports: who the callers are, and what is known of a retried request. */
import type { Caller } from '../contract/canonical.ts';
import type { ReadTransaction, Transaction } from '../store/transaction.ts';

/** A secret as a caller shows it. */
export type PresentedCredential =
  | { readonly kind: 'basic'; readonly username: string; readonly secret: string }
  | { readonly kind: 'apiKey'; readonly secret: string };

export interface Credentials {
  /** The caller behind a secret, or undefined; takes as long for an unknown one as for a wrong one. */
  verify(shown: PresentedCredential): Promise<Caller | undefined>;
}

/** What is told of a request with an Idempotency-Key; keyed, so that none of it says anything to who lacks the key. */
export interface RequestHasher {
  /** 43 characters, base64url: the record of a key of a company in this environment. */
  recordKey(company: string, key: string): string;
  /** 43 characters, base64url: equal for equal commands. */
  requestHash(command: string): string;
}

/** What came of a request, as it is kept: enough to answer it again in any format. */
export interface StoredOutcome {
  readonly requestHash: string;
  /** JSON text. */
  readonly outcome: string;
}

/** The journal within a unit of work: its rows are kept with the effect, or not at all. */
export interface IdempotencyRecords {
  /**
   * Takes the scope for this request, or gives what was kept under it before. Throws `Contended` where another unit is at
   * the same scope right now and does not end soon.
   */
  reserve(scope: string, entry: NewRecord): Promise<StoredOutcome | undefined>;
  /** Keeps the outcome with what this unit claimed. */
  complete(scope: string, outcome: string): Promise<void>;
}

export interface NewRecord {
  readonly requestHash: string;
  readonly operation: string;
  readonly pspReference: string;
}

/** A unit of work with its page of the journal. */
export interface IdempotentTransaction extends Transaction, IdempotencyRecords {
  /** Work that is undone where it throws, while the unit around it goes on. */
  savepoint<T>(work: () => Promise<T>): Promise<T>;
}

/** The store as the journey sees it. */
export interface IdempotentStore {
  read<T>(work: (view: ReadTransaction) => Promise<T>): Promise<T>;
  /** What the journal has of a scope; may be behind what a unit would see. */
  findOutcome(scope: string): Promise<StoredOutcome | undefined>;
  write<T>(work: (page: IdempotentTransaction) => Promise<T>): Promise<T>;
}

/** Another unit holds what this one needs; nothing was done. */
export class LockTimeout extends Error {
  override readonly name = 'Contended';
}

/** What the gate knows of a scope. */
export type CacheReservation =
  /** Nobody is at it: it is ours until the lease ends. */
  | { readonly kind: 'granted'; readonly ticket: string }
  /** Somebody took it so long ago. */
  | { readonly kind: 'running'; readonly fingerprint: string; readonly ageMs: number }
  | { readonly kind: 'settled'; readonly kept: StoredOutcome }
  /** The gate cannot be asked, or what it says cannot be read: the journal knows. A claim may have come to be all the same. */
  | { readonly kind: 'unknown'; readonly ticket?: string };

/** Turns away duplicates in flight and remembers outcomes, cheaply; advisory, the journal alone decides. Never rejects. */
export interface IdempotencyCache {
  reserve(scope: string, fingerprint: string): Promise<CacheReservation>;
  /** Remembers what the journal has. */
  complete(scope: string, kept: StoredOutcome): Promise<void>;
  /** Gives a claim up, if it still stands. */
  release(scope: string, ticket: string): Promise<void>;
  close(): Promise<void>;
}
