/** The data of a service that is destroyed together, and what an erasure has destroyed. */
import type { AuditDetail } from '../access/index.ts';
import type { Transaction } from '../stores/index.ts';

/** What is destroyed together when someone asks for it, such as the data of a person. `K` names whose. */
export interface Erasure<K extends object = object> {
  /** What the audit log calls it. */
  readonly subject: string;
  tenantOf(key: K): string;
  /** The audit log has a fingerprint of it: an operator who knows it can find the entry. */
  nameOf(key: K): string;
  /** The part that the audit log shows. */
  publicPartOf(key: K): AuditDetail;
  /** Returns the number of rows of each kind. In a transaction that may wait. */
  erase(transaction: Transaction, key: K): Promise<Readonly<Record<string, number>>>;
  /** Whether the input of a request names it. `mask`: hides secrets as records of callers do. */
  isAbout(input: unknown, key: K, mask: (text: string) => string): boolean;
}

/** What an erasure has destroyed. */
export interface Erased {
  /** How many rows of each kind. `callerRequests`: last requests in the records of callers. */
  readonly erased: Readonly<Record<string, number>>;
  /** Whether no file of the embedded store holds what was destroyed. */
  readonly isScrubbed: boolean;
}
