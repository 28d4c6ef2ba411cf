/** The Recurring service with its handlers. */
import { type Implementation, implement } from '../../gateway/implement.ts';
import { scheduleAccountUpdater } from './account-updater/schedule.ts';
import type { Updater } from './account-updater/updater.ts';
import { disable } from './disable.ts';
import { listRecurringDetails } from './list-details.ts';
import { storeToken } from './store-token.ts';
import { tokenLookup } from './token-lookup.ts';
import { recurringV25 } from './v25.ts';

export interface RecurringDependencies {
  readonly updater: Updater;
}

export function implementRecurring(dependencies: RecurringDependencies): Implementation {
  return implement(recurringV25, recurringHandlers(dependencies));
}

/** One handler for each operation. */
export function recurringHandlers({ updater }: RecurringDependencies) {
  return {
    disable,
    listRecurringDetails,
    scheduleAccountUpdater: scheduleAccountUpdater(updater),
    storeToken,
    tokenLookup,
  };
}
