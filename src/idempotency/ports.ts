/** What the gateway needs beside the domain's ports: who the callers are, and what is known of a retried request. */
import type { Caller } from '../contract/canonical.ts';
import type { Unit, View } from '../store/transaction.ts';

/** A secret as a caller shows it. */
export type Presented =
  | { readonly kind: 'basic'; readonly username: string; readonly secret: string }
  | { readonly kind: 'apiKey'; readonly secret: string };

export interface Credentials {
  /** The caller behind a secret, or undefined; takes as long for an unknown one as for a wrong one. */
  verify(shown: Presented): Promise<Caller | undefined>;
}

/** What is told of a request with an Idempotency-Key; keyed, so that none of it says anything to who lacks the key. */
export interface Marks {
  /** 43 characters, base64url: the record of a key of a company in this environment. */
  scope(company: string, key: string): string;
  /** 43 characters, base64url: equal for equal commands. */
  fingerprint(command: string): string;
}

/** What came of a request, as it is kept: enough to answer it again in any format. */
export interface Kept {
  readonly fingerprint: string;
  /** JSON text. */
  readonly outcome: string;
}

/** The journal within a unit of work: its rows are kept with the effect, or not at all. */
export interface Journal {
  /**
   * Takes the scope for this request, or gives what was kept under it before. Throws `Contended` where another unit is at
   * the same scope right now and does not end soon.
   */
  claim(scope: string, entry: Claiming): Promise<Kept | undefined>;
  /** Keeps the outcome with what this unit claimed. */
  settle(scope: string, outcome: string): Promise<void>;
}

export interface Claiming {
  readonly fingerprint: string;
  readonly operation: string;
  readonly pspReference: string;
}

/** A unit of work with its page of the journal. */
export interface JournalPage extends Unit, Journal {
  /** Work that is undone where it throws, while the unit around it goes on. */
  attempt<T>(work: () => Promise<T>): Promise<T>;
}

/** The store as the journey sees it. */
export interface JournaledStore {
  read<T>(work: (view: View) => Promise<T>): Promise<T>;
  /** What the journal has of a scope; may be behind what a unit would see. */
  findKept(scope: string): Promise<Kept | undefined>;
  write<T>(work: (page: JournalPage) => Promise<T>): Promise<T>;
}

/** Another unit holds what this one needs; nothing was done. */
export class Contended extends Error {
  override readonly name = 'Contended';
}

/** What the gate knows of a scope. */
export type Claim =
  /** Nobody is at it: it is ours until the lease ends. */
  | { readonly kind: 'granted'; readonly ticket: string }
  /** Somebody took it so long ago. */
  | { readonly kind: 'running'; readonly fingerprint: string; readonly ageMs: number }
  | { readonly kind: 'settled'; readonly kept: Kept }
  /** The gate cannot be asked, or what it says cannot be read: the journal knows. A claim may have come to be all the same. */
  | { readonly kind: 'unknown'; readonly ticket?: string };

/** Turns away duplicates in flight and remembers outcomes, cheaply; advisory, the journal alone decides. Never rejects. */
export interface Gate {
  claim(scope: string, fingerprint: string): Promise<Claim>;
  /** Remembers what the journal has. */
  settle(scope: string, kept: Kept): Promise<void>;
  /** Gives a claim up, if it still stands. */
  release(scope: string, ticket: string): Promise<void>;
  close(): Promise<void>;
}
