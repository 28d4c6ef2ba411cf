/** What the domain needs of the world: stored details, card secrecy, time and references. All of it can be simulated. */
import type { contractType, recurringDetail } from '../api/recurring/shapes.ts';
import type { Infer } from '../contract/shape.ts';
import type { Kind, PlatformUnit, PlatformView, Records } from './balance-platform/ports.ts';

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
  /** 25 characters: what kind of resource it is, and 23 of A-Z and 0-9; globally unique. */
  resourceId(kind: 'AH' | 'BA' | 'PI'): string;
  /** So many decimal digits, each as likely as any other. */
  digits(length: number): string;
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
export type Updater =
  | {
      /** By what lies in the store. */
      readonly kind: 'known';
      /** Throws `StoreUnavailable` or `VaultUnavailable` where it cannot be known now; nothing is settled then. */
      check(card: CheckedCard, announcements: Announcements): Promise<Fate>;
    }
  | {
      /** By somebody outside, who has to be waited for. */
      readonly kind: 'asked';
      /**
       * `id`: the same each time that one check is asked for, at most 64 characters. Never takes long: 'pending' where it
       * will be known later, or could not be asked now; such a check goes on as a job. Throws only `VaultUnavailable`.
       */
      ask(card: CheckedCard, id: string): Promise<Fate>;
    }
  /** By answers to files that checks are gathered into: each goes on as a job. */
  | { readonly kind: 'gathered' };

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

/** What a company is told of a stored detail, or of a check whose outcome came after its answer. */
export type RecurringNotice = { readonly merchantAccount: string } & (
  | {
      readonly kind: 'created' | 'alreadyExisting' | 'updated' | 'disabled';
      readonly shopperReference: string;
      readonly recurringDetailReference: string;
      readonly variant: string;
      readonly firstPspReference: string;
    }
  | {
      readonly kind: 'checked';
      /** That of the merchant for the check. */
      readonly reference: string;
      readonly result: string;
      /** As far as the request named them. */
      readonly shopperReference?: string | undefined;
      readonly recurringDetailReference?: string | undefined;
    }
);

/** What a company is told of a resource of its balance platform: that it came to be or changed, and how it is now. */
export interface ResourceNotice<K extends Kind = Kind> {
  readonly kind: K;
  readonly operation: 'created' | 'updated';
  readonly platform: string;
  /** What lies open of it, so nothing that is sealed. */
  readonly record: Records[K];
}

export type Notice = RecurringNotice | ResourceNotice;

/** What one request did, in the order in which it did it. */
export interface Telling {
  readonly company: string;
  /** Of the request; each notice is known by it, so it tells once. */
  readonly pspReference: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly notices: readonly Notice[];
}

/** Kinds of work that outlives a request. */
export type JobKind =
  /** A check that its updater is asked for again. */
  | 'check'
  /** A check that waits for a file to be gathered into. */
  | 'gather'
  /** A check that is in a file, which holds it; it is due when no answer has come in time. */
  | 'answer'
  /** A file of checks that is to be written. */
  | 'file'
  /** The round in which checks are gathered and answers read: one for all processes. */
  | 'round'
  | 'webhook';

/** Work that is kept with the effect of a request and done after it. */
export interface NewJob {
  readonly company: string;
  /** Unique within the company. */
  readonly jobId: string;
  readonly kind: JobKind;
  /** Jobs of a lane are done one after the other, in the order in which they were saved; absent: a lane of its own. */
  readonly lane?: string | undefined;
  /** JSON text; never holds a card number. */
  readonly payload: string;
  /** A card number, sealed for the record `job <jobId>`. */
  readonly sealed?: SealedDetail | undefined;
  /** Before anyone takes it, in milliseconds; it stands only where no other job of the lane comes first. */
  readonly afterMs?: number | undefined;
}

/** A job that was taken: nobody else takes it until the lease is over. */
export interface TakenJob extends NewJob {
  readonly lane: string;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  /** How often it was taken, this time included. */
  readonly attempts: number;
  /** Who took it. */
  readonly holder: string;
}

/** A job that nobody takes any more. */
export interface GivenUpJob
  extends Pick<TakenJob, 'company' | 'jobId' | 'kind' | 'payload' | 'createdAt' | 'attempts'> {
  /** Milliseconds since the epoch. */
  readonly givenUpAt: number;
  /** Why; for people. */
  readonly lastFailure: string;
}

/** The lease was over, and another process took the job: what this one made of it must not be kept. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';
}

/** The jobs of a store, each method in a unit of its own. */
export interface Jobs {
  /** Those of a kind that are due, the longest due first; they are due again when the lease is over. */
  take(
    kind: JobKind,
    options: { readonly holder: string; readonly leaseMs: number; readonly max: number },
  ): Promise<readonly TakenJob[]>;
  /** As `postpone`, and this time does not count: nothing was tried. Throws `LeaseLost`. */
  putBack(job: TakenJob, afterMs: number): Promise<void>;
  /** It comes again after so many milliseconds. Throws `LeaseLost`. */
  postpone(job: TakenJob, afterMs: number, because: string): Promise<void>;
  /** Nobody takes it any more, and the next of its lane is due. Throws `LeaseLost`. */
  giveUp(job: TakenJob, because: string): Promise<void>;
  /** The longest given up first. */
  findGivenUp(company: string, kind: JobKind, max: number): Promise<readonly GivenUpJob[]>;
  /** Has it taken again, as often and for as long as a new one; false where no such job was given up. */
  revive(company: string, jobId: string): Promise<boolean>;
}

/** Checks that are gathered into files. */
export interface Gathering {
  /** Has checks that another kind of updater was to tell of go on with this one; and keeps the one job for rounds. */
  begin(updater: Updater['kind']): Promise<void>;
  /** How many checks wait for a file, counted up to `max`; and for how long the first of them has, in milliseconds. */
  findWaiting(max: number): Promise<{ readonly checks: number; readonly longestMs: number }>;
  /**
   * Puts up to `max` checks into the file, the longest waiting first, and keeps the job to write it, in one unit; where none
   * waits there is no file. They are due again after `answerMsMax`. Gives how many there are.
   */
  gather(file: string, options: { readonly max: number; readonly answerMsMax: number }): Promise<number>;
  /** Checks of a file that wait for their answer, in an order that stays; those after the given one. */
  findGathered(file: string, max: number, after?: TakenJob): Promise<readonly TakenJob[]>;
}

/** What can be read of stored details. */
export interface View extends PlatformView {
  findShopper(key: ShopperKey): Promise<Shopper<ListedDetail> | undefined>;
  /** An active detail of the shopper, with all that is sealed of it. */
  findDetail(key: ShopperKey, recurringDetailReference: string): Promise<StoredDetail | undefined>;
  /** Who of a merchant account has an active detail with this fingerprint: the earliest 100, oldest first. */
  findHolders(account: Omit<ShopperKey, 'shopperReference'>, fingerprint: string): Promise<readonly Holder[]>;
}

/** One unit of work: all of it is kept, or nothing. */
export interface Unit extends View, PlatformUnit, Announcements {
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
  /** Tells whoever the company wants to be told, once the unit is kept: each of them in the order of its shopper, or of its resource. */
  tell(telling: Telling): Promise<void>;
  saveJob(job: NewJob): Promise<void>;
  /** A check that is in a file and waits for its answer. */
  findGathered(company: string, jobId: string): Promise<TakenJob | undefined>;
  /** The job is done, by what this unit does. Throws `LeaseLost` where it is somebody else's by now; the unit must be given up then. */
  endJob(job: TakenJob): Promise<void>;
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
