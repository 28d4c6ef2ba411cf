/** A gateway in the test's process: real handlers, store and vault; only time, references and keys are fixed. */

import { Buffer } from 'node:buffer';
import { setTimeout } from 'node:timers/promises';
import { createAuthenticator } from '../../src/access/authenticate.ts';
import { type Credentials, createCredentials } from '../../src/access/credentials/credentials.ts';
import type { LoginGuard } from '../../src/access/login-guard.ts';
import type { Leniencies } from '../../src/core/formats/leniencies.ts';
import { createProtocols } from '../../src/core/formats/wire-formats.ts';
import type { Answer } from '../../src/core/gateway/answer.ts';
import { compileChecks } from '../../src/core/gateway/checks.ts';
import { compose } from '../../src/core/gateway/compose.ts';
import { type Gateway, handleRequest, neutralParts } from '../../src/core/gateway/handle-request.ts';
import type { HandlerContext } from '../../src/core/gateway/handler-context.ts';
import { compileRoutes } from '../../src/core/gateway/route.ts';
import type { ScanTexts } from '../../src/core/gateway/text-scan.ts';
import { createIdempotentExecutor } from '../../src/core/idempotency/execute-idempotently.ts';
import { createRequestHasher } from '../../src/core/idempotency/request-hash.ts';
import type { Clock, IdGenerator } from '../../src/core/lib/clock-and-ids.ts';
import type { Vault } from '../../src/core/vault/ports.ts';
import { createVault } from '../../src/core/vault/vault.ts';
import { compileDeprecations, type DeprecationRule } from '../../src/insight/callers/deprecation.ts';
import { services } from '../../src/payments/index.ts';
import { createLocalUpdater } from '../../src/payments/recurring/account-updater/announced-changes.ts';
import { type BatchQueue, createBatchQueue } from '../../src/payments/recurring/account-updater/store/batch.ts';
import type { Updater } from '../../src/payments/recurring/account-updater/updater.ts';
import { DetailReader } from '../../src/payments/recurring/store/repository.ts';
import { createShopperCache } from '../../src/payments/recurring/store/shopper-cache.ts';
import type { Implementation } from '../../src/stores/handlers.ts';
import type { JobQueue } from '../../src/stores/jobs/job.ts';
import type { EndpointStore } from '../../src/stores/jobs/webhooks/ports.ts';
import type { Engine } from '../../src/stores/sql/engine.ts';
import { createJobs } from '../../src/stores/sql/jobs.ts';
import { createEndpoints } from '../../src/stores/sql/webhook-endpoints.ts';
import type { Store } from '../../src/stores/store.ts';
import { createStore } from '../../src/stores/store.ts';
import type { ReadTransaction } from '../../src/stores/transaction.ts';
import { passTime } from './advance-time.ts';
import { createSqliteTemplate, openSqliteCopy } from './databases.ts';
import { countedIds, now, ring, saveFixture, shopper1 } from './fixture.ts';
import { createRegistry, implementServices, type Registry, webhookFormats } from './services.ts';

export interface Asked {
  readonly method?: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Buffer | string;
  readonly address?: string;
}

/** The internal parts of the gateway. */
export interface GatewayParts {
  readonly store: Store;
  readonly jobs: JobQueue;
  readonly batchQueue: BatchQueue;
  readonly endpoints: EndpointStore;
  readonly registry: Registry;
  readonly context: HandlerContext;
  readonly updater: Updater;
  /** Moves the due time of every job back by `ms`. */
  pass(ms: number): Promise<void>;
}

export interface TestGateway {
  readonly parts: GatewayParts;
  /** The response header with the reference of a request. */
  readonly referenceHeader: string;
  ask(request: Asked): Promise<Answer>;
  /** Returns the active details of shopper-1 as `reference: uses`. */
  active(): Promise<readonly string[]>;
  /** Discards the memory of the process, as a restart does. */
  restart(): void;
  close(): Promise<void>;
}

export interface GatewayOptions {
  /** The account updater; the local updater with test cards where it is absent. */
  readonly updater?: (parts: { readonly vault: Vault; readonly clock: Clock }) => Updater;
  /** Replaces a part of the store, for seeded defects. */
  readonly change?: (store: Store) => Store;
  readonly scanTexts?: ScanTexts;
  /** Limits failed log-ins. */
  readonly guard?: LoginGuard;
  /** Replaces the credentials in the store. */
  readonly credentials?: Credentials;
  /** The services to serve; the built-in ones where it is absent. */
  readonly implementations?: (dependencies: { readonly updater: Updater }) => readonly Implementation[];
  /** Overrides the generator of counted references. */
  readonly made?: Partial<IdGenerator>;
  readonly deprecations?: readonly DeprecationRule[];
  /** All where it is absent. */
  readonly leniencies?: Leniencies;
  /** The time; by default it stands still. */
  readonly clock?: Clock;
}

let template: Promise<Buffer> | undefined;

/** Opens a gateway over a SQLite database of its own, with the rows of the fixture. */
export const openGateway = async (options: GatewayOptions = {}): Promise<TestGateway> => {
  template ??= createSqliteTemplate(saveFixture);
  const { engine, close } = openSqliteCopy(await template);
  return { ...assemble(engine, options), close };
};

/** Opens a gateway over an empty database, which gets the rows of the fixture. */
export const gatewayOver = async (engine: Engine, options: GatewayOptions = {}): Promise<TestGateway> => {
  await saveFixture(engine);
  return assemble(engine, options);
};

const protocols = createProtocols(services);
const routes = compileRoutes(services);

/** The objects that a server's store shares as well. */
const sharedOf = (engine: Engine) => {
  const cache = createShopperCache(engine, 1_000_000);
  return cache === undefined ? [webhookFormats] : [webhookFormats, cache];
};

const assemble = (engine: Engine, options: GatewayOptions): TestGateway => {
  const { updater: updaterOf, change = (store) => store, made = {}, implementations, credentials } = options;
  const { clock = { now: () => now }, deprecations = [], leniencies } = options;
  const store = change(createStore(engine, { shared: sharedOf(engine) }));
  const vault = createVault(ring);
  const updater = updaterOf?.({ vault, clock }) ?? createLocalUpdater(vault, { testCards: true });
  const context: HandlerContext = { clock, ids: { ...countedIds(), ...made }, vault };
  const composition = compose(implementations?.({ updater }) ?? implementServices({ updater }));
  const { current, conventions } = composition;
  const start = () =>
    createIdempotentExecutor({
      store,
      context,
      hasher: createRequestHasher(ring.index, 'test'),
      wait: setTimeout,
    });
  let execute = start();
  const isUsual = implementations === undefined && leniencies === undefined;
  const inForce = { current: compileDeprecations(deprecations, clock) };
  const gateway: Gateway<ReadTransaction> = {
    ...neutralParts,
    protocols: isUsual ? protocols : createProtocols(composition.services, undefined, undefined, leniencies),
    routes: isUsual ? routes : compileRoutes(composition.services, leniencies),
    current,
    authenticator: createAuthenticator(credentials ?? createCredentials(engine, ring.pepper, clock), options.guard),
    ids: context.ids,
    requestReferenceHeader: conventions.requestReference,
    executeIdempotently: (request, handler) => execute(request, handler),
    deprecations: inForce,
    checks: compileChecks(inForce, options.scanTexts),
  };
  const parts: GatewayParts = {
    store,
    jobs: createJobs(engine),
    batchQueue: createBatchQueue(store),
    endpoints: createEndpoints(engine),
    registry: createRegistry(engine, ring.pepper, clock),
    context,
    updater,
    pass: async (ms) => {
      await engine.write((session) => session.execute(passTime, [ms]));
    },
  };
  return {
    parts,
    referenceHeader: conventions.requestReference,
    ask({ method = 'POST', path: target, headers, body, address }) {
      const [path = '', query = ''] = target.split('?');
      const received = {
        method,
        path,
        query,
        headers,
        ...(address !== undefined && { sender: { address, scheme: 'http' as const } }),
        inspect: () => {},
        body: async () => Buffer.from(body as string),
      };
      return handleRequest(received, gateway);
    },
    async active() {
      const shopper = await store.read((tx) => tx.repository(DetailReader).findShopper(shopper1));
      return (shopper?.details ?? []).map((each) => `${each.recurringDetailReference}: ${each.contracts.join(',')}`);
    },
    restart() {
      execute = start();
    },
    async close() {
      await engine.close();
    },
  };
};
