/** Account updaters: what they return for a card, and what they need. */

import type { Sealed } from '../../../core/vault/index.ts';
import type { Expiry } from '../details.ts';

/** What an issuer reports about a card. */
export type AccountUpdateOutcome =
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'renewed'; readonly expiry: Expiry }
  | { readonly kind: 'replaced'; readonly number: string; readonly expiry: Expiry }
  | { readonly kind: 'closed' }
  /** The issuer reports no more; the cardholder has to be asked. */
  | { readonly kind: 'contactCardholder' }
  /** The outcome comes later. */
  | { readonly kind: 'pending' }
  /** The card cannot be checked. */
  | { readonly kind: 'failed' };

/** A card whose outcome is requested. */
export interface CheckedCard {
  readonly company: string;
  /** Equals that of a stored detail with the same card. */
  readonly fingerprint: string;
  readonly expiry: Expiry;
  /** Opens the number where it is sealed; throws `VaultUnavailable`. */
  number(): string;
}

export type Updater = LocalUpdater | HttpUpdater | BatchUpdater;

/** Decides by announcements in the store. */
export interface LocalUpdater {
  readonly kind: 'local';
  /** Throws `StoreUnavailable` or `VaultUnavailable` where the outcome cannot be read now; nothing is saved then. */
  check(card: CheckedCard, announcements: Announcements): Promise<AccountUpdateOutcome>;
}

/** Calls a service outside, in the time of the request. */
export interface HttpUpdater {
  readonly kind: 'http';
  /**
   * `id`: the same for a check and its retries, at most 64 characters. Returns 'pending' soon where the outcome comes later or
   * the service does not respond; the check continues as a job. Throws only `VaultUnavailable`. `isJob`: whether that job asks.
   */
  check(card: CheckedCard, id: string, isJob?: boolean): Promise<AccountUpdateOutcome>;
}

/** Exchanges files with a service outside: each check continues as a job. */
interface BatchUpdater {
  readonly kind: 'batch';
}

/** What was announced of a card; the number of the new card is sealed. */
export interface Announcement {
  readonly fingerprint: string;
  readonly status: 'renewed' | 'replaced' | 'closed' | 'contactCardholder' | 'unchanged';
  readonly expiry?: Expiry | undefined;
  readonly sealed?: Sealed | undefined;
}

export interface Announcements {
  findAnnouncement(company: string, fingerprint: string): Promise<Announcement | undefined>;
}
