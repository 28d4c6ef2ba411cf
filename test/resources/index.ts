/** The resources that tests cover; each resource is a file and a line here. Parents come first. */
import { accountHolder } from './account-holder.ts';
import { balanceAccount } from './balance-account.ts';
import { paymentInstrument } from './payment-instrument.ts';
import type { PlatformTestResource } from './platform.ts';
import type { TestResource } from './resource.ts';
import { storedDetail } from './stored-detail.ts';

export const platformResources: readonly PlatformTestResource[] = Object.freeze([
  accountHolder,
  balanceAccount,
  paymentInstrument,
]);

export const resources: readonly TestResource[] = Object.freeze([storedDetail, ...platformResources]);
