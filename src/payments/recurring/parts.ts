/** What the functions of the Recurring service share over one store. */
import type { ServiceParts } from '../../backend/index.ts';
import type { AccountUpdater } from './account-updater/account-updater.ts';
import type { CardSearchLimits } from './card-search-limits.ts';
import type { RecurringSettings } from './settings.ts';
import type { MerchantAccountRegistry } from './store/merchant-accounts.ts';

export interface RecurringParts extends Pick<ServiceParts<RecurringSettings>, 'store' | 'context' | 'settings'> {
  readonly registry: MerchantAccountRegistry;
  readonly cardSearch: CardSearchLimits;
  readonly accountUpdater: AccountUpdater;
}
