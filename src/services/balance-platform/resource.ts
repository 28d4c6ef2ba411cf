/** Balance platforms and their stored resources. */

import type { Infer } from '../../contract/schema.ts';
import type { Sealed } from '../../vault/ports.ts';
import type { accountHolder } from './account-holders/contract.ts';
import type { balanceAccount } from './balance-accounts/contract.ts';
import type { platformStatus } from './balance-platforms/contract.ts';
import type { paymentInstrument } from './payment-instruments/contract.ts';

export interface Platform {
  readonly id: string;
  /** The company that owns it. */
  readonly company: string;
  readonly description?: string | undefined;
  readonly status: Infer<typeof platformStatus>;
  /** The default of account holders. */
  readonly timeZone: string;
}

/** Resources as responses contain them, without sealed values. */
export interface Records {
  readonly accountHolder: Infer<typeof accountHolder>;
  readonly balanceAccount: Infer<typeof balanceAccount>;
  /** The numbers of a bank account are absent, and that of a card is masked: they are sealed. */
  readonly paymentInstrument: Infer<typeof paymentInstrument>;
}

export type ResourceKind = keyof Records;

/** A resource as the store has it. */
export interface StoredResource<K extends ResourceKind = ResourceKind> {
  readonly kind: K;
  readonly platform: string;
  /** Counts its states, from 1. */
  readonly revision: number;
  readonly record: Records[K];
  /** The numbers of a payment instrument. */
  readonly sealed?: Sealed | undefined;
  /** Of the number of a payment instrument: equal for equal numbers on all platforms. */
  readonly fingerprint?: string | undefined;
}

/** The resources of a parent: account holders of a platform, balance accounts of those, payment instruments of these. */
export interface Children<K extends ResourceKind = ResourceKind> {
  readonly kind: K;
  readonly platform: string;
  /** The id of the parent. */
  readonly parent: string;
}

export interface Range {
  readonly offset: number;
  readonly limit: number;
  /** Only those with this status. */
  readonly status?: string | undefined;
}
