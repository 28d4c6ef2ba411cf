/** Shoppers and their stored details. */

import type { Infer } from '../../core/contract/index.ts';
import type { Sealed } from '../../core/vault/index.ts';
import type { contractType, recurringDetail } from './schemas.ts';

export type ContractType = Infer<typeof contractType>;

export type RecurringDetail = Infer<typeof recurringDetail>;

/** A shopper belongs to a company's merchant account; the same reference in another account is another shopper. */
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

/** The part of a detail that is stored in the clear; bank accounts and numbers are in `sealed`. */
export type PublicDetail = Omit<
  RecurringDetail,
  'recurringDetailReference' | 'creationDate' | 'contractTypes' | 'bank' | 'elv' | 'socialSecurityNumber'
>;

/** The part of a detail that responses contain and that is stored sealed. */
export type SecretDetail = Pick<RecurringDetail, 'bank' | 'elv' | 'socialSecurityNumber'>;

export interface StoredDetail {
  readonly recurringDetailReference: string;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  readonly contracts: readonly ContractType[];
  /** Equal for the same card or account within a company; useless without the key. */
  readonly fingerprint: string;
  readonly publicData: PublicDetail;
  readonly sealed: Sealed;
}

/** What of a detail is stored in the clear. */
export type PublicPart = Pick<StoredDetail, 'recurringDetailReference' | 'createdAt' | 'contracts' | 'publicData'>;

/** The part of a detail that a list needs: `sealed` is present only where the response contains a part of it. */
export type ListedDetail = PublicPart & { readonly sealed?: Sealed | undefined };

/** A shopper who holds a card or an account. */
export interface Holder {
  readonly shopperReference: string;
  readonly email?: string | undefined;
  /** When the detail was created; milliseconds since the epoch. */
  readonly createdAt: number;
}

/** The place of a holder in the order of a lookup. */
export type HolderPosition = Pick<Holder, 'createdAt' | 'shopperReference'>;

/** Before the first holder. */
export const beforeAll: HolderPosition = Object.freeze({ createdAt: 0, shopperReference: '' });

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

/** A card as the history of a detail has it. */
export type CardSnapshot = Expiry & { readonly lastFour: string; readonly alias?: string | undefined };

/** The effect of an update on a stored detail. */
export interface DetailChange {
  readonly recurringDetailReference: string;
  /** Milliseconds since the epoch. */
  readonly changedAt: number;
  /** The credential of the request. */
  readonly changedBy: string;
  /** The reference of the request. */
  readonly pspReference: string;
  readonly outcome: string;
  readonly before: CardSnapshot;
  /** Absent where the card did not change. */
  readonly after?: CardSnapshot | undefined;
}
