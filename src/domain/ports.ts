/** What the domain needs of the world: stored details, card secrecy, time and references. All of it can be simulated. */
import type { contractType, recurringDetail } from '../api/recurring/shapes.ts';
import type { Infer } from '../contract/shape.ts';

export type ContractType = Infer<typeof contractType>;
export type RecurringDetail = Infer<typeof recurringDetail>;

export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
}

export interface References {
  /** 16 characters of A-Z and 0-9, globally unique (specification, section 8). */
  pspReference(): string;
  recurringDetailReference(): string;
}

/** A shopper belongs to a company's merchant account; the same reference elsewhere is somebody else. */
export interface ShopperKey {
  readonly company: string;
  readonly merchantAccount: string;
  readonly shopperReference: string;
}

export interface Shopper<D extends ListedDetail = StoredDetail> {
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  readonly email?: string | undefined;
  /** The active details, oldest first. */
  readonly details: readonly D[];
}

/** The part of a detail that an answer shows and that needs no key; bank accounts and numbers are in `sealed`. */
export type OpenDetail = Omit<
  RecurringDetail,
  'recurringDetailReference' | 'creationDate' | 'contractTypes' | 'bank' | 'elv' | 'socialSecurityNumber'
>;

/** The part of a detail that an answer shows and that is kept sealed. */
export type SecretDetail = Pick<RecurringDetail, 'bank' | 'elv' | 'socialSecurityNumber'>;

export interface StoredDetail {
  readonly recurringDetailReference: string;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  readonly contracts: readonly ContractType[];
  /** Equal for the same card or account within a company; says nothing without the key. */
  readonly fingerprint: string;
  readonly open: OpenDetail;
  readonly sealed: SealedDetail;
}

/** As much of a detail as listing it takes: what is sealed comes along only where an answer shows it. */
export type ListedDetail = Pick<StoredDetail, 'recurringDetailReference' | 'createdAt' | 'contracts' | 'open'> & {
  readonly sealed?: SealedDetail | undefined;
};

/** What is secret about a detail, as it lies in the store. Base64 texts; opaque to all but the vault. */
export interface SealedDetail {
  /** Which wrapping key the data key is under. */
  readonly keyId: string;
  readonly dataKey: string;
  /** The card number. */
  readonly number?: string | undefined;
  /** A `SecretDetail`. */
  readonly shown?: string | undefined;
}

/** A data key, and which wrapping key it is under. */
export type WrappedKey = Pick<SealedDetail, 'keyId' | 'dataKey'>;

/** The record a ciphertext belongs to; moving it elsewhere makes it unreadable. */
export interface SealScope {
  readonly company: string;
  readonly recurringDetailReference: string;
}

export interface Vault {
  seal(
    scope: SealScope,
    secrets: { readonly number?: string | undefined; readonly shown?: string | undefined },
  ): SealedDetail;
  /** Throws `VaultUnavailable` when the wrapping key is not at hand; never falls back to anything. */
  open(scope: SealScope, sealed: SealedDetail, part: 'number' | 'shown'): string;
  /** Keyed, per company: the same text gives the same fingerprint (43 characters, base64url). */
  fingerprint(company: string, text: string): string;
  /** One capital letter and 15 digits, the same for the same card number within a company. */
  alias(company: string, number: string): string;
}

/** The wrapping keys at hand, and how a data key is moved to the current one; what it seals is not opened. */
export interface Wrapping {
  readonly current: string;
  /** All of them, the current one first. */
  readonly ids: readonly string[];
  /** Throws `VaultUnavailable` where its wrapping key is not at hand, and where it was changed or belongs elsewhere. */
  rewrap(scope: SealScope, wrapped: WrappedKey): WrappedKey;
}

/** A shopper who holds a card or an account. */
export interface Holder {
  readonly shopperReference: string;
  readonly email?: string | undefined;
  /** Of the detail; milliseconds since the epoch. */
  readonly createdAt: number;
}

/** A stored detail with the shopper to whom it belongs. */
export interface HeldDetail {
  readonly shopperReference: string;
  readonly detail: StoredDetail;
}

/** The month in which a card expires; without a leading zero. */
export interface Expiry {
  readonly expiryMonth: string;
  readonly expiryYear: string;
}

/** What has become of a card, as its issuer tells. */
export type Fate =
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
export interface Updater {
  /** Throws `StoreUnavailable` or `VaultUnavailable` where it cannot be known now; nothing is settled then. */
  check(card: CheckedCard, announcements: Announcements): Promise<Fate>;
}

/** What was announced of a card before anyone asked; the number of the new card is sealed. */
export interface Announcement {
  readonly fingerprint: string;
  readonly status: 'renewed' | 'replaced' | 'closed' | 'contactCardholder' | 'unchanged';
  readonly expiry?: Expiry | undefined;
  readonly sealed?: SealedDetail | undefined;
}

export interface Announcements {
  findAnnouncement(company: string, fingerprint: string): Promise<Announcement | undefined>;
}

/** What of a card is in a history. */
export type ShownCard = Expiry & { readonly lastFour: string; readonly alias?: string | undefined };

/** What an update did to a stored detail. */
export interface DetailChange {
  readonly recurringDetailReference: string;
  /** Milliseconds since the epoch. */
  readonly changedAt: number;
  /** The credential that asked. */
  readonly changedBy: string;
  /** Of the request. */
  readonly pspReference: string;
  readonly outcome: string;
  readonly before: ShownCard;
  /** Absent where the card stayed as it was. */
  readonly after?: ShownCard | undefined;
}

/** What can be read of stored details. */
export interface View {
  findShopper(key: ShopperKey): Promise<Shopper<ListedDetail> | undefined>;
  /** Who of a merchant account has an active detail with this fingerprint: the earliest 100, oldest first. */
  findHolders(account: Omit<ShopperKey, 'shopperReference'>, fingerprint: string): Promise<readonly Holder[]>;
}

/** One unit of work: all of it is kept, or nothing. */
export interface Unit extends View, Announcements {
  findShopper(key: ShopperKey): Promise<Shopper | undefined>;
  /** Makes the shopper known, or brings the e-mail up to date; leaves `createdAt` of a known shopper alone. */
  saveShopper(
    key: ShopperKey,
    shopper: { readonly createdAt: number; readonly email?: string | undefined },
  ): Promise<void>;
  /** Adds the detail, or replaces the active one with the same reference. */
  saveDetail(key: ShopperKey, detail: StoredDetail): Promise<void>;
  /** `at`: milliseconds since the epoch. */
  disableDetail(key: ShopperKey, recurringDetailReference: string, at: number): Promise<void>;
  /** The active details of a merchant account with this fingerprint: the earliest 100, oldest first. */
  findDetails(account: Omit<ShopperKey, 'shopperReference'>, fingerprint: string): Promise<readonly HeldDetail[]>;
  /** Adds to the history of the detail; one request changes a detail once. */
  saveChange(company: string, change: DetailChange): Promise<void>;
}

export interface Store {
  read<T>(work: (view: View) => Promise<T>): Promise<T>;
  /** Resolves when the unit is durable: fsynced, not merely written. */
  write<T>(work: (unit: Unit) => Promise<T>): Promise<T>;
}

/** The wrapping key that a ciphertext needs is not at hand. */
export class VaultUnavailable extends Error {
  override readonly name = 'VaultUnavailable';
}

/** The store cannot answer now; nothing was done. */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable';
}

/** The store went away during the commit: the unit was kept whole, or nothing of it. */
export class CommitUnknown extends Error {
  override readonly name = 'CommitUnknown';
}
