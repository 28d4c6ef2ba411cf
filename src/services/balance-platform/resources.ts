/** The resources of the balance platform. Parents come first. */
import { accountHolderResource } from './account-holders/index.ts';
import { balanceAccountResource } from './balance-accounts/index.ts';
import { paymentInstrumentResource } from './payment-instruments/index.ts';
import type { ResourceKind } from './resource.ts';

export const resources = Object.freeze([
  accountHolderResource,
  balanceAccountResource,
  paymentInstrumentResource,
] as const);

export const resourceKinds: readonly ResourceKind[] = resources.map(({ kind }) => kind);
