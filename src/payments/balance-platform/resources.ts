/** The resources of the balance platform. Parents come first. */
import { accountHolderResource } from './account-holders/handlers.ts';
import { balanceAccountResource } from './balance-accounts/handlers.ts';
import { paymentInstrumentResource } from './payment-instruments/handlers.ts';
import type { ResourceKind } from './resource.ts';

export const resources = Object.freeze([
  accountHolderResource,
  balanceAccountResource,
  paymentInstrumentResource,
] as const);

export const resourceKinds: readonly ResourceKind[] = resources.map(({ kind }) => kind);
