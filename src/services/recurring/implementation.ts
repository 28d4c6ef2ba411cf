/** The Recurring service with its handlers. */
import type { Service } from '../../contract/service.ts';
import { type Implementation, implement } from '../../gateway/implement.ts';
import type { ServiceDependencies } from '../built-in-service.ts';
import { scheduleAccountUpdater } from './account-updater/schedule.ts';
import { noCardSearchLimits } from './card-search-limits.ts';
import { recurringV68 } from './contract.ts';
import { disable } from './disable.ts';
import { listRecurringDetails } from './list-details.ts';
import { notifyShopper } from './shopper-notifications/notify-shopper.ts';
import { storeToken } from './store-token.ts';
import { tokenLookup } from './token-lookup.ts';
import { olderVersions } from './versions.ts';

/** Newest last. */
export const recurringVersions: readonly Service[] = [...olderVersions, recurringV68];

/** The handlers serve the newest version. */
export function implementRecurring(dependencies: ServiceDependencies): Implementation {
  return implement(recurringV68, recurringHandlers(dependencies), ...olderVersions);
}

/** One handler for each operation. */
export function recurringHandlers({ updater, cardSearch = noCardSearchLimits }: ServiceDependencies) {
  return {
    disable,
    listRecurringDetails,
    notifyShopper,
    scheduleAccountUpdater: scheduleAccountUpdater(updater),
    storeToken: storeToken(cardSearch),
    tokenLookup: tokenLookup(cardSearch),
  };
}
