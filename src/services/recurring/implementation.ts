/** The Recurring service with its handlers. */
import type { Service } from '../../contract/service.ts';
import { type Implementation, implement } from '../../gateway/implement.ts';
import type { OlderVersion } from '../../gateway/older-version.ts';
import type { ServiceDependencies } from '../built-in-service.ts';
import { scheduleAccountUpdater } from './account-updater/schedule.ts';
import { disable } from './disable.ts';
import { listRecurringDetails } from './list-details.ts';
import { storeToken } from './store-token.ts';
import { tokenLookup } from './token-lookup.ts';
import { recurringV25 } from './v25.ts';

/** The newest version, which the handlers serve, and those before it, oldest first. */
const current = recurringV25;
const older = [] as const;

export const recurringVersions: readonly Service[] = [...older.map(({ service }: OlderVersion) => service), current];

export function implementRecurring(dependencies: ServiceDependencies): Implementation {
  return implement(current, recurringHandlers(dependencies), ...older);
}

/** One handler for each operation. */
export function recurringHandlers({ updater }: ServiceDependencies) {
  return {
    disable,
    listRecurringDetails,
    scheduleAccountUpdater: scheduleAccountUpdater(updater),
    storeToken,
    tokenLookup,
  };
}
