/** What is kept of balance platforms: resources, each under the platform that it belongs to. */

import type { Infer } from '../../contract/schema.ts';
import type { Sealed } from '../../vault/ports.ts';
import type { accountHolder } from './account-holders/contract.ts';
import type { balanceAccount } from './balance-accounts/contract.ts';
import type { platformStatus } from './balance-platforms/contract.ts';
import type { paymentInstrument } from './payment-instruments/contract.ts';

export interface Platform {
  readonly id: string;
  /** The company that it belongs to. */
  readonly company: string;
  readonly description?: string | undefined;
  readonly status: Infer<typeof platformStatus>;
  /** What an account holder gets that names none. */
  readonly timeZone: string;
}

/** As answers show them, with all that is open. */
export interface Records {
  readonly accountHolder: Infer<typeof accountHolder>;
  readonly balanceAccount: Infer<typeof balanceAccount>;
  /** Without the numbers of a bank account, and with that of a card masked: these are sealed. */
  readonly paymentInstrument: Infer<typeof paymentInstrument>;
}

export type ResourceKind = keyof Records;

/** A resource as it is kept. */
export interface StoredResource<K extends ResourceKind = ResourceKind> {
  readonly kind: K;
  readonly platform: string;
  /** Counts its states, from 1. */
  readonly revision: number;
  readonly record: Records[K];
  /** Of a payment instrument: its number, and what of it is shown and secret. */
  readonly sealed?: Sealed | undefined;
  /** Of its number: equal for equal ones, whoever's they are. */
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
