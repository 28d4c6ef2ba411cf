/** The Recurring service, with the account updater. */

import { defineActions, defineService, type GatewayService, refuseSecrets } from '../../backend/index.ts';
import { cardNumberDetector } from '../../core/contract/index.ts';
import type { Vault } from '../../core/vault/index.ts';
import { bindHandlers, type Implementation, implement, type ReadTransaction } from '../../stores/index.ts';
import { tenants } from '../conventions.ts';
import { createAccountUpdater, createUpdaterJobHandlers } from './account-updater/account-updater.ts';
import { createResponseImporter } from './account-updater/batch/responses.ts';
import { updaterEventCounter, updaterEventLevel } from './account-updater/events.ts';
import { createCardChangeImporter } from './account-updater/import-changes.ts';
import { createUpdaterPanel } from './account-updater/panel.ts';
import { scheduleAccountUpdater } from './account-updater/schedule.ts';
import type { Updater } from './account-updater/updater.ts';
import { merchantAccountOperations } from './actions/merchant-accounts.ts';
import { shopperOperations } from './actions/shoppers.ts';
import { type CardSearchLimits, createCardSearchLimits, noCardSearchLimits } from './card-search-limits.ts';
import { recurringCommands } from './commands.ts';
import { recurringDataTables } from './data-tables.ts';
import { disable } from './disable.ts';
import { shopperErasure } from './erase-shopper.ts';
import { isRecurringEvent, recurringEventType } from './events.ts';
import { createDetailImporter } from './import-details.ts';
import { listRecurringDetails } from './list-details.ts';
import { olderOperations } from './older-operations/contract.ts';
import { olderOperationHandlers } from './older-operations/handlers.ts';
import type { RecurringParts } from './parts.ts';
import { createPermit, disablePermit } from './permits/handlers.ts';
import { recurringSettings } from './settings.ts';
import { notifyShopper } from './shopper-notifications/notify-shopper.ts';
import { createMerchantAccountRegistry, merchantAccountRule } from './store/merchant-accounts.ts';
import { DetailReader } from './store/repository.ts';
import { createShopperCache } from './store/shopper-cache.ts';
import { storeToken } from './store-token.ts';
import { recurringTables } from './tables.ts';
import { tokenLookup } from './token-lookup.ts';
import { newestRecurring, olderVersions, olderVersionsWithout1 } from './versions.ts';
import { classicFormat } from './webhooks/classic.ts';
import { tokenizationFormat } from './webhooks/tokenization.ts';

/** The payments interface: stored payment details, their tokens, and the account updater. */
export const recurring: GatewayService<RecurringParts> = defineService({
  contract: newestRecurring,
  olderVersions,
  chooseVersions: ({ unversionedVersion }) => (unversionedVersion === '1' ? olderVersions : olderVersionsWithout1),
  settings: recurringSettings,
  open({ engine, store, context, limits, environment, settings }) {
    const { clock, vault } = context;
    return {
      store,
      context,
      settings,
      registry: createMerchantAccountRegistry(engine, clock),
      cardSearch: createCardSearchLimits(settings, limits),
      accountUpdater: createAccountUpdater({ environment, ...settings }, { store, clock, vault }),
    };
  },
  bind: ({ accountUpdater, cardSearch }) =>
    implementRecurring({ updater: accountUpdater.updater, cardSearch }).handlers,
  tenants,
  grants: [merchantAccountRule],
  owner: recurringTables.name,
  tables: recurringTables.tables,
  upgrades: recurringTables.upgrades,
  sharedObjects(engine, { rememberedBytesMax }) {
    const cache = createShopperCache(engine, rememberedBytesMax);
    return cache === undefined ? [] : [cache];
  },
  keysOpenStoredData: ({ store, context }) => store.read((tx) => keysOpenDetails(tx, context.vault)),
  erasure: shopperErasure,
  webhookFormats: [tokenizationFormat, classicFormat],
  async findEndpointFault({ registry }, tenant) {
    const accounts = await registry.listMerchantAccounts();
    return accounts.some(({ company }) => company === tenant)
      ? undefined
      : `${tenant} has no merchant account: add one with triglyph credential merchant-account add`;
  },
  summarizeEvent: (data) =>
    isRecurringEvent(data)
      ? { type: recurringEventType(data.kind), owner: { merchantAccount: data.merchantAccount } }
      : undefined,
  textScan: ({ settings }) => ({
    detector: cardNumberDetector,
    refuses: settings.refuseCardNumbersInText,
    counter: {
      name: 'triglyph_card_numbers_found_total',
      help: 'Card numbers in fields that are no card fields, by operation and field.',
    },
  }),
  importers: {
    details: {
      rows: 'stored details',
      create(shared) {
        const importer = createDetailImporter(shared);
        return shared.settings.refuseCardNumbersInText ? refuseSecrets(importer, cardNumberDetector) : importer;
      },
    },
    updates: { rows: 'announced changes', create: createCardChangeImporter },
    answers: { rows: 'answers to checks', create: createResponseImporter },
  },
  prepare: ({ accountUpdater: { batchQueue, updater } }) => batchQueue.begin(updater.kind),
  jobs: (shared, jobs) => createUpdaterJobHandlers(shared.settings, shared.accountUpdater, { ...shared, jobs }),
  panels: ({ settings, store }) => [createUpdaterPanel(settings, store)],
  dataTables: recurringDataTables,
  hasGuides: true,
  actions: [
    defineActions({
      subject: 'accounts',
      operations: merchantAccountOperations,
      load: async () => (await import('./actions/merchant-account-handlers.ts')).merchantAccountHandlers,
      loadCommands: async () => (await import('./actions/merchant-account-commands.ts')).merchantAccountCommands,
    }),
    defineActions({
      subject: 'shoppers',
      operations: shopperOperations,
      areForTenants: true,
      load: async () => (await import('./actions/shopper-handlers.ts')).shopperHandlers,
      loadCommands: async () => (await import('./actions/shopper-commands.ts')).shopperCommands,
    }),
  ],
  commands: recurringCommands,
  observe({ accountUpdater: { events, calls } }, log, metrics, trace) {
    if (trace !== undefined) calls.use(trace);
    const count = metrics.addEventCounter(updaterEventCounter);
    events.listen(({ kind, ...members }) => {
      count(kind, 'checks' in members ? members.checks : 1);
      log.write(updaterEventLevel[kind], 'account updater', { updater: kind, ...members });
    });
  },
});

/** What the handlers need besides the parts of every request. */
export interface RecurringDependencies {
  readonly updater: Updater;
  /** Absent where nothing is limited. */
  readonly cardSearch?: CardSearchLimits;
}

/** The handlers serve the newest version, and what only older versions have. */
export function implementRecurring(dependencies: RecurringDependencies): Implementation {
  const implementation = implement(newestRecurring, recurringHandlers(dependencies), ...olderVersions);
  const { cardSearch = noCardSearchLimits } = dependencies;
  const older = bindHandlers(Object.values(olderOperations), olderOperationHandlers(cardSearch));
  return { ...implementation, handlers: new Map([...implementation.handlers, ...older]) };
}

/** One handler for each operation. */
export function recurringHandlers({ updater, cardSearch = noCardSearchLimits }: RecurringDependencies) {
  return {
    createPermit,
    disable,
    disablePermit,
    listRecurringDetails,
    notifyShopper,
    scheduleAccountUpdater: scheduleAccountUpdater(updater),
    storeToken: storeToken(cardSearch),
    tokenLookup: tokenLookup(cardSearch),
  };
}

/** Returns whether the keys are those of the stored details; true if there is none. Throws if one does not open. */
async function keysOpenDetails(tx: ReadTransaction, vault: Vault): Promise<boolean> {
  const sample = await tx.repository(DetailReader).findSample();
  if (sample === undefined) return true;
  const { company, detail } = sample;
  const { recurringDetailReference, sealed, publicData } = detail;
  const part = sealed.number === undefined ? 'payload' : 'number';
  const text = vault.open({ tenant: company, record: recurringDetailReference }, sealed, part);
  // Under another index key every card would get a new alias, and be stored twice.
  return part === 'payload' || vault.aliases(company, text).includes(publicData.alias ?? '');
}
