/** The resources that the simulation and the fault injection cover; each resource is a file and a line here. Parents come first. */
import { accountHolder } from './account-holder.ts';
import { balanceAccount } from './balance-account.ts';
import { paymentInstrument } from './payment-instrument.ts';
import type { TestResource } from './resource.ts';
import { storedDetail } from './stored-detail.ts';

export const resources: readonly TestResource[] = Object.freeze([
  storedDetail,
  accountHolder,
  balanceAccount,
  paymentInstrument,
]);
