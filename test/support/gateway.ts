/** A whole gateway for tests: real handlers, store and vault; only time, references and keys are fixed. */
import { Buffer } from 'node:buffer';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { createProtocols } from '../../src/formats/index.ts';
import type { Answer } from '../../src/gateway/answer.ts';
import { type Gateway, handleRequest } from '../../src/gateway/handle-request.ts';
import type { HandlerContext } from '../../src/gateway/handler.ts';
import { createHandlerInvoker } from '../../src/gateway/invoke-handler.ts';
import { compileRoutes } from '../../src/gateway/route.ts';
import { createIdempotentExecutor } from '../../src/idempotency/execute-idempotently.ts';
import { noCache } from '../../src/idempotency/no-cache.ts';
import { createRequestHasher } from '../../src/idempotency/request-hash.ts';
import type { JobQueue } from '../../src/jobs/job.ts';
import type { Clock, IdGenerator } from '../../src/lib/clock-and-ids.ts';
import { handlers } from '../../src/services/handlers.ts';
import { services } from '../../src/services/index.ts';
import { announcedUpdater, announcementOf } from '../../src/services/recurring/account-updater/announced-changes.ts';
import type { BatchQueue } from '../../src/services/recurring/account-updater/batch/queue.ts';
import { createBatchQueue } from '../../src/services/recurring/account-updater/store/batch.ts';
import type { Updater } from '../../src/services/recurring/account-updater/updater.ts';
import { type NewDetail, saveDetail } from '../../src/services/recurring/save-detail.ts';
import { createDetailStore, type DetailStore } from '../../src/services/recurring/store/repository.ts';
import { createRegistry, type Registry } from '../../src/store/sql/credential-registry.ts';
import { createCredentials } from '../../src/store/sql/credentials.ts';
import type { Engine } from '../../src/store/sql/engine.ts';
import { createJobs } from '../../src/store/sql/jobs.ts';
import { migrate } from '../../src/store/sql/migrate.ts';
import { createEndpoints } from '../../src/store/sql/webhook-endpoints.ts';
import { openSqlite } from '../../src/store/sqlite/open.ts';
import { parseKeyRing } from '../../src/vault/key-ring.ts';
import type { Vault } from '../../src/vault/ports.ts';
import { createVault } from '../../src/vault/vault.ts';
import type { EndpointStore } from '../../src/webhooks/ports.ts';
import { passTime } from './advance-time.ts';

/** The moment at which everything happens. */
export const now = Date.UTC(2026, 0, 15, 12, 30, 45);

export const ring = parseKeyRing(`k-test:${'11'.repeat(32)}\nindex:${'22'.repeat(32)}\npepper:${'33'.repeat(32)}\n`);

/** The references of one gateway count from 1. */
const counting = () => {
  let psp = 0;
  let detail = 0;
  let resource = 0;
  let drawn = 0;
  const numbered = (start: string, count: number) => start + String(count).padStart(16 - start.length, '0');
  return {
    pspReference: () => numbered('PSP', ++psp),
    recurringDetailReference: () => numbered('DETAIL', ++detail),
    resourceId: (kind: string) => kind + String(++resource).padStart(23, '0'),
    // No noughts in front, so that none of it is found in what else is counted.
    randomDigits: (length: number) => String(5_717_498_765_432 + ++drawn * 7_919_317).slice(-length),
  };
};

const basic = (text: string) => ({ authorization: `Basic ${Buffer.from(text).toString('base64')}` });

/** Headers of those who call. */
export const callers = Object.freeze({
  demo: basic('ws@Company.Demo:demo:password'),
  key: { 'x-api-key': 'demo-api-key' },
  other: { 'x-api-key': 'other-api-key' },
  withoutRole: basic('ws_1@Company.Demo:no-role-at-all'),
  /** Acts for DemoPlatform. */
  platform: basic('ws@BalancePlatform.Demo:platform-password'),
  platformKey: { 'x-api-key': 'demo-platform-key' },
  /** Acts for OtherPlatform, of the same company. */
  otherPlatform: { 'x-api-key': 'other-platform-key' },
  platformWithoutRole: basic('ws_2@BalancePlatform.Demo:no-role-either'),
  wrong: basic('ws@Company.Demo:demo'),
  nobody: {},
});

const anna = 'Anna van Dijk';

/** shopper-1 at DemoMerchant has a visa card, a mc card and an account, in this order; shopper-2 nothing any more. */
const details: readonly NewDetail[] = [
  {
    card: { number: '4111111111111111', expiryMonth: '03', expiryYear: '2030', holderName: anna },
    contracts: ['ONECLICK', 'RECURRING'],
    firstPspReference: '8815252013129012',
    shopperEmail: 'shopper@example.com',
    also: { additionalData: { 'card.bin': '411111' }, name: 'My "first" card & more' },
    createdAt: Date.UTC(2020, 2, 1, 10, 53, 11),
    recurringDetailReference: '8313147988756818',
  },
  {
    card: { number: '5555444433331111', expiryMonth: '10', expiryYear: '2031', holderName: anna },
    contracts: ['RECURRING'],
    firstPspReference: '8815252013129013',
    also: {},
    createdAt: Date.UTC(2020, 6, 1, 10, 0, 0),
    recurringDetailReference: '8415995487234100',
  },
  {
    bank: { iban: 'NL13TEST0123456789', countryCode: 'NL', ownerName: 'Ánna van Dijk' },
    contracts: ['PAYOUT'],
    firstPspReference: '8815252013129014',
    also: {},
    createdAt: Date.UTC(2021, 0, 1),
    recurringDetailReference: '8814232895168272',
  },
];

/** What issuers have told: the visa card was renewed, the mc card was closed. */
const announced = [
  { number: '4111111111111111', newExpiryMonth: '08', newExpiryYear: '2034' },
  { number: '5555444433331111', status: 'closed' },
] as const;

export interface Asked {
  readonly method?: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Buffer | string;
}

/** The parts behind the answers. */
export interface GatewayParts {
  readonly store: DetailStore;
  readonly jobs: JobQueue;
  readonly batchQueue: BatchQueue;
  readonly endpoints: EndpointStore;
  readonly registry: Registry;
  readonly context: HandlerContext;
  /** As if so much time had gone by for every job that is due some time. */
  pass(ms: number): Promise<void>;
}

export interface TestGateway {
  readonly parts: GatewayParts;
  ask(request: Asked): Promise<Answer>;
  /** What shopper-1 has: `reference: uses` for each active detail. */
  active(): Promise<readonly string[]>;
  /** What a process remembers beside its store is lost. */
  restart(): void;
  close(): Promise<void>;
}

export interface GatewayOptions {
  /** Who tells what has become of cards; else announcements and test cards do. */
  readonly updater?: (parts: { readonly vault: Vault; readonly clock: Clock }) => Updater;
  /** Breaks a part of the store, for controls. */
  readonly change?: (store: DetailStore) => DetailStore;
  /** Takes the place of references that count. */
  readonly made?: Partial<IdGenerator>;
}

/** Over an embedded store of its own. */
export const openGateway = async (options: GatewayOptions = {}): Promise<TestGateway> => {
  const dataDir = mkdtempSync(join(tmpdir(), 'triglyph-gateway-'));
  const gateway = await gatewayOver(openSqlite({ dataDir, exclusive: true }), options);
  return {
    ...gateway,
    async close() {
      await gateway.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
};

/** Over an empty database. */
export const gatewayOver = async (
  engine: Engine,
  { updater: updaterOf, change = (store) => store, made = {} }: GatewayOptions = {},
): Promise<TestGateway> => {
  await migrate(engine);
  const clock = { now: () => now };
  const registry = createRegistry(engine, ring.pepper, clock);
  for (const code of ['DemoMerchant', 'DemoMerchantNL']) await registry.addMerchantAccount('Demo', code);
  await registry.addMerchantAccount('Other', 'OtherMerchant');
  const demo = { company: 'Demo', merchantAccounts: ['DemoMerchant', 'DemoMerchantNL'], roles: ['recurring'] } as const;
  const other = { company: 'Other', merchantAccounts: ['OtherMerchant'], roles: ['recurring'] } as const;
  await registry.addCredential({ ...demo, kind: 'basic', secret: 'demo:password' });
  await registry.addCredential({ ...demo, kind: 'apiKey', secret: 'demo-api-key' });
  const username = 'ws_1@Company.Demo';
  await registry.addCredential({ ...demo, kind: 'basic', username, roles: [], secret: 'no-role-at-all' });
  await registry.addCredential({ ...other, kind: 'apiKey', secret: 'other-api-key' });

  for (const id of ['DemoPlatform', 'OtherPlatform'])
    await registry.saveBalancePlatform({ id, company: 'Demo', status: 'Active', timeZone: 'Europe/Amsterdam' });
  const actsFor = (balancePlatform: string) =>
    ({ company: 'Demo', merchantAccounts: [], roles: ['balancePlatform'], balancePlatform }) as const;
  const platform = actsFor('DemoPlatform');
  await registry.addCredential({ ...platform, kind: 'basic', secret: 'platform-password' });
  await registry.addCredential({ ...platform, kind: 'apiKey', secret: 'demo-platform-key' });
  await registry.addCredential({ ...actsFor('OtherPlatform'), kind: 'apiKey', secret: 'other-platform-key' });
  const roleless = { username: 'ws_2@BalancePlatform.Demo', roles: [], secret: 'no-role-either' } as const;
  await registry.addCredential({ ...platform, ...roleless, kind: 'basic' });

  const store = change(createDetailStore(engine, { rememberedBytesMax: 1_000_000 }));
  const vault = createVault(ring);
  const updater = updaterOf?.({ vault, clock }) ?? announcedUpdater(vault, { testCards: true });
  const world: HandlerContext = { clock, ids: { ...counting(), ...made }, updater, vault };
  const key = { company: 'Demo', merchantAccount: 'DemoMerchant', shopperReference: 'shopper-1' };
  await store.write(async (unit) => {
    for (const detail of details) await saveDetail(key, detail, unit, world);
    await unit.saveShopper({ ...key, shopperReference: 'shopper-2' }, { createdAt: Date.UTC(2019, 0, 1) });
    for (const change of announced) await unit.saveAnnouncement('Demo', announcementOf(change, 'Demo', vault), now);
  });

  const start = () =>
    createIdempotentExecutor({
      performer: createHandlerInvoker(handlers, store, world),
      store,
      gate: noCache,
      marks: createRequestHasher(ring.index, 'test'),
      clock,
      wait: setTimeout,
    });
  let once = start();
  const gateway: Gateway = {
    protocols: createProtocols(services),
    routes: compileRoutes(services),
    credentials: createCredentials(engine, ring.pepper, clock),
    ids: world.ids,
    executeIdempotently: (request) => once(request),
  };
  const parts: GatewayParts = {
    store: store,
    jobs: createJobs(engine),
    batchQueue: createBatchQueue(engine, () => {}),
    endpoints: createEndpoints(engine),
    registry,
    context: world,
    pass: async (ms) => {
      await engine.write((session) => session.execute(passTime, [ms]));
    },
  };
  return {
    parts,
    ask({ method = 'POST', path: target, headers, body }) {
      const [path = '', query = ''] = target.split('?');
      const received = {
        method,
        path,
        query,
        headers,
        inspect: () => {},
        body: async () => Buffer.from(body as string),
      };
      return handleRequest(received, gateway);
    },
    async active() {
      const shopper = await store.read((view) => view.findShopper(key));
      return (shopper?.details ?? []).map((each) => `${each.recurringDetailReference}: ${each.contracts.join(',')}`);
    },
    restart() {
      once = start();
    },
    async close() {
      await engine.close();
    },
  };
};
