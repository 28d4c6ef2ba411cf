/** Composes the services: what each contributes to a server. The only file of the application that imports a service. */
import type { HandlerContext } from '../gateway/handler.ts';
import type { Implementation } from '../gateway/implement.ts';
import type { Log } from '../http/log.ts';
import type { Metrics } from '../http/metrics/metrics.ts';
import type { JobHandler } from '../jobs/worker.ts';
import { keysOpenResources } from '../services/balance-platform/key-check.ts';
import { implementServices, webhookFormats } from '../services/index.ts';
import {
  type AccountUpdater,
  createAccountUpdater,
  createUpdaterJobHandlers,
  type UpdaterJobDependencies,
} from '../services/recurring/account-updater/account-updater.ts';
import { updaterEventCounter, updaterEventLevel } from '../services/recurring/account-updater/events.ts';
import { keysOpenDetails } from '../services/recurring/key-check.ts';
import { createShopperCache } from '../services/recurring/store/shopper-cache.ts';
import type { Engine } from '../store/sql/engine.ts';
import type { Store } from '../store/store.ts';
import type { SharedObjects } from '../store/transaction.ts';
import type { WebhookFormats } from '../webhooks/format.ts';
import type { Config } from './config.ts';

export { createRegistry, type Registry } from '../services/registry.ts';

export interface Services {
  readonly implementations: readonly Implementation[];
  readonly webhookFormats: WebhookFormats;
  readonly accountUpdater: AccountUpdater;
  /** Adapts stored jobs to the configuration. For serving processes, before their first request. */
  prepareJobs(): Promise<void>;
  createJobHandlers(dependencies: UpdaterJobDependencies): Promise<readonly JobHandler[]>;
  /** Returns whether the keys are those of all stored data. Throws if something does not open. */
  keysOpenStoredData(): Promise<boolean>;
  /** Logs and counts the events of services. */
  observe(log: Log, metrics: Metrics): void;
}

export function composeServices(config: Config, store: Store, { clock, vault }: HandlerContext): Services {
  const accountUpdater = createAccountUpdater(config, { store, clock, vault });
  const { updater, events, batchQueue } = accountUpdater;
  return Object.freeze<Services>({
    implementations: implementServices({ updater }),
    webhookFormats,
    accountUpdater,
    prepareJobs: () => batchQueue.begin(updater.kind),
    createJobHandlers: (dependencies) => createUpdaterJobHandlers(config, accountUpdater, dependencies),
    keysOpenStoredData: () =>
      store.read(async (tx) => (await keysOpenDetails(tx, vault)) && (await keysOpenResources(tx, vault))),
    observe({ logger }, metrics) {
      const count = metrics.addEventCounter(updaterEventCounter);
      events.listen(({ kind, ...members }) => {
        count(kind, 'checks' in members ? members.checks : 1);
        logger[updaterEventLevel[kind]]({ updater: kind, ...members }, 'account updater');
      });
    },
  });
}

/** Returns the objects of services that all transactions of a store share. */
export function sharedObjects(engine: Engine, { rememberedBytesMax }: Config): SharedObjects {
  const shopperCache = createShopperCache(engine, rememberedBytesMax);
  return shopperCache === undefined ? [webhookFormats] : [webhookFormats, shopperCache];
}
