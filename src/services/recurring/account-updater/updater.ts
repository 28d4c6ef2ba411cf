/** Who knows what has become of cards, and what was announced of them. */

import type { Sealed } from '../../../vault/ports.ts';
import type { Expiry } from '../details.ts';

/** What has become of a card, as its issuer tells. */
export type AccountUpdateOutcome =
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'renewed'; readonly expiry: Expiry }
  | { readonly kind: 'replaced'; readonly number: string; readonly expiry: Expiry }
  | { readonly kind: 'closed' }
  /** The issuer says no more; the cardholder has to be asked. */
  | { readonly kind: 'contactCardholder' }
  /** It will be known later. */
  | { readonly kind: 'pending' }
  /** It cannot be asked. */
  | { readonly kind: 'failed' };

/** A card whose fate is asked for. */
export interface CheckedCard {
  readonly company: string;
  /** As that of a stored detail. */
  readonly fingerprint: string;
  readonly expiry: Expiry;
  /** Opens the number where it is sealed; throws `VaultUnavailable`. */
  number(): string;
}

/** Who knows what has become of cards. */
export type Updater =
  | {
      /** By what lies in the store. */
      readonly kind: 'known';
      /** Throws `StoreUnavailable` or `VaultUnavailable` where it cannot be known now; nothing is settled then. */
      check(card: CheckedCard, announcements: Announcements): Promise<AccountUpdateOutcome>;
    }
  | {
      /** By somebody outside, who has to be waited for. */
      readonly kind: 'asked';
      /**
       * `id`: the same each time that one check is asked for, at most 64 characters. Never takes long: 'pending' where it
       * will be known later, or could not be asked now; such a check goes on as a job. Throws only `VaultUnavailable`.
       */
      ask(card: CheckedCard, id: string): Promise<AccountUpdateOutcome>;
    }
  /** By answers to files that checks are gathered into: each goes on as a job. */
  | { readonly kind: 'gathered' };

/** One that has to be waited for. */
export type HttpUpdater = Extract<Updater, { readonly kind: 'asked' }>;

/** What was announced of a card before anyone asked; the number of the new card is sealed. */
export interface Announcement {
  readonly fingerprint: string;
  readonly status: 'renewed' | 'replaced' | 'closed' | 'contactCardholder' | 'unchanged';
  readonly expiry?: Expiry | undefined;
  readonly sealed?: Sealed | undefined;
}

export interface Announcements {
  findAnnouncement(company: string, fingerprint: string): Promise<Announcement | undefined>;
}
