/** Runs handlers of the Recurring service over an embedded store, without a gateway. */
import type { HandlerContext } from '../../src/core/gateway/handler-context.ts';
import { createVault } from '../../src/core/vault/vault.ts';
import {
  CardChangeReader,
  type DetailHistory,
} from '../../src/payments/recurring/account-updater/store/card-changes.ts';
import type { ShopperKey, StoredDetail } from '../../src/payments/recurring/details.ts';
import type { RecurringEventData } from '../../src/payments/recurring/events.ts';
import { type NewDetail, type SavedDetail, saveDetail } from '../../src/payments/recurring/save-detail.ts';
import { DetailRepository } from '../../src/payments/recurring/store/repository.ts';
import { keyScope } from '../../src/stores/jobs/webhooks/signing-keys.ts';
import type { Engine } from '../../src/stores/sql/engine.ts';
import { createJobs } from '../../src/stores/sql/jobs.ts';
import { createEndpoints } from '../../src/stores/sql/webhook-endpoints.ts';
import { createStore, type Store } from '../../src/stores/store.ts';
import { createSqliteTemplate, openSqliteCopy } from './databases.ts';
import { countedIds, now, ring } from './fixture.ts';
import { migrate } from './migrated.ts';
import { createRegistry, webhookFormats } from './services.ts';

export const anna: ShopperKey = { company: 'Demo', merchantAccount: 'DemoMerchant', shopperReference: 'anna' };

export interface RecurringHandlers {
  readonly store: Store;
  readonly context: HandlerContext;
  /** Saves a detail of anna, or of another shopper. */
  save(detail: Partial<NewDetail>, key?: ShopperKey): Promise<SavedDetail>;
  /** The active details of a shopper. */
  active(key?: ShopperKey): Promise<readonly StoredDetail[]>;
  history(key?: ShopperKey): Promise<readonly DetailHistory[]>;
  /** The events enqueued since the last call, in order. */
  events(): Promise<readonly RecurringEventData[]>;
  close(): Promise<void>;
}

let template: Promise<Buffer> | undefined;

async function prepare(engine: Engine): Promise<void> {
  await migrate(engine);
  const registry = createRegistry(engine, ring.pepper, { now: () => now });
  await registry.addMerchantAccount('Demo', 'DemoMerchant');
  await registry.addMerchantAccount('Other', 'OtherMerchant');
}

export async function openRecurringHandlers(): Promise<RecurringHandlers> {
  template ??= createSqliteTemplate(prepare);
  const { engine, close } = openSqliteCopy(await template);
  const store = createStore(engine, { shared: [webhookFormats] });
  const jobs = createJobs(engine);
  const vault = createVault(ring);
  const context: HandlerContext = { clock: { now: () => now }, ids: countedIds(), vault };
  const endpointId = 'we_test';
  await createEndpoints(engine).add({
    tenant: 'Demo',
    endpointId,
    url: 'https://shop.example.com/',
    format: 'tokenization',
    sealed: vault.seal(keyScope({ tenant: 'Demo', endpointId }), { payload: '00'.repeat(32) }),
    createdAt: 1,
  });
  return {
    store,
    context,
    save: (detail, key = anna) =>
      store.write((tx) =>
        saveDetail(
          key,
          { contracts: ['RECURRING'], firstPspReference: 'FIRST', also: {}, ...detail },
          tx.repository(DetailRepository),
          context,
        ),
      ),
    active: async (key = anna) =>
      (await store.write((tx) => tx.repository(DetailRepository).findShopper(key)))?.details ?? [],
    history: async (key = anna) =>
      (await store.read((tx) => tx.repository(CardChangeReader).findHistory(key)))?.details ?? [],
    async events() {
      const events: RecurringEventData[] = [];
      for (;;) {
        const taken = await jobs.take('webhook', { leaseOwner: 'test', leaseMs: 60_000, max: 100 });
        if (taken.length === 0) return events;
        for (const job of taken) {
          events.push(JSON.parse(job.payload) as RecurringEventData);
          await jobs.end(job);
        }
      }
    },
    close,
  };
}

export const card = (number = '4111111111111111', more: object = {}) => ({
  number,
  expiryMonth: '03',
  expiryYear: '2030',
  holderName: 'Anna van Dijk',
  ...more,
});
