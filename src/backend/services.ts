/** Composes the built-in services. The only file of the application that imports a service. */

import type { Config } from '../config/config.ts';
import { createEventCompleter } from '../services/balance-platform/complete-event.ts';
import { platformDataTables } from '../services/balance-platform/data-tables.ts';
import { keysOpenResources } from '../services/balance-platform/key-check.ts';
import { balancePlatformTables } from '../services/balance-platform/tables.ts';
import { cardNumberDetector } from '../services/card-numbers.ts';
import { implementServices, services, summarizeEvent, webhookFormats } from '../services/index.ts';
import {
  type AccountUpdater,
  createAccountUpdater,
  createUpdaterJobHandlers,
} from '../services/recurring/account-updater/account-updater.ts';
import { updaterEventCounter, updaterEventLevel } from '../services/recurring/account-updater/events.ts';
import { createUpdaterPanel } from '../services/recurring/account-updater/panel.ts';
import { createCardSearchLimits } from '../services/recurring/card-search-limits.ts';
import { recurringDataTables } from '../services/recurring/data-tables.ts';
import { keysOpenDetails } from '../services/recurring/key-check.ts';
import { createShopperCache } from '../services/recurring/store/shopper-cache.ts';
import { recurringTables } from '../services/recurring/tables.ts';
import { createRegistry, credentialRules, type Registry } from '../services/registry.ts';
import { engineTables } from './engine-tables.ts';
import type { ServiceDependencies, ServiceSet, Services } from './service-set.ts';

export type { ShopperKey } from '../services/recurring/details.ts';
export {
  type ErasedShopper,
  eraseShopper as eraseShopperIn,
  isAbout as isAboutShopper,
} from '../services/recurring/erase-shopper.ts';
export type { Registry } from '../services/registry.ts';

export interface BuiltInServices extends Services {
  readonly registry: Registry;
  readonly accountUpdater: AccountUpdater;
}

export const builtInServices: ServiceSet<BuiltInServices> = Object.freeze<ServiceSet<BuiltInServices>>({
  services,
  credentialRules,
  owners: [engineTables, recurringTables, balancePlatformTables],
  sharedObjects(engine, { rememberedBytesMax }) {
    const shopperCache = createShopperCache(engine, rememberedBytesMax);
    return shopperCache === undefined ? [webhookFormats] : [webhookFormats, shopperCache];
  },
  compose: composeBuiltIn,
});

function composeBuiltIn(
  config: Config,
  { engine, store, context, limits, pepper, integrity, credentialRules: rules, auditedWrite }: ServiceDependencies,
): BuiltInServices {
  const { clock, vault } = context;
  const registry = createRegistry(engine, pepper, clock, rules, auditedWrite, integrity);
  const accountUpdater = createAccountUpdater(config, { store, clock, vault });
  const { updater, events, batchQueue, calls } = accountUpdater;
  return Object.freeze<BuiltInServices>({
    implementations: implementServices({ updater, cardSearch: createCardSearchLimits(config, limits) }),
    webhookFormats,
    registry,
    summarizeEvent(payload) {
      const { at, type, ...owner } = summarizeEvent(payload);
      return { at, type, owner };
    },
    completeEvent: createEventCompleter({ store, vault }),
    textDetector: cardNumberDetector,
    accountUpdater,
    panels: [createUpdaterPanel(config, store)],
    tables: [...recurringDataTables(store), ...platformDataTables(store)],
    prepareJobs: () => batchQueue.begin(updater.kind),
    createJobHandlers: (jobs) => createUpdaterJobHandlers(config, accountUpdater, { store, jobs, registry, context }),
    keysOpenStoredData: () =>
      store.read(async (tx) => (await keysOpenDetails(tx, vault)) && (await keysOpenResources(tx, vault))),
    observe(log, metrics, trace) {
      if (trace !== undefined) calls.use(trace);
      const count = metrics.addEventCounter(updaterEventCounter);
      events.listen(({ kind, ...members }) => {
        count(kind, 'checks' in members ? members.checks : 1);
        log.write(updaterEventLevel[kind], 'account updater', { updater: kind, ...members });
      });
    },
  });
}
