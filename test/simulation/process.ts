/** One simulated server process: the real gateway over simulated ports. It can be killed, be stopped, and start again. */

import { Buffer } from 'node:buffer';
import { createAuthenticator } from '../../src/access/authenticate.ts';
import type { Credentials } from '../../src/access/credentials/credentials.ts';
import { webhookFormatsOf } from '../../src/backend/compose-services.ts';
import type { Caller } from '../../src/core/contract/canonical.ts';
import type { Answer } from '../../src/core/gateway/answer.ts';
import { compose } from '../../src/core/gateway/compose.ts';
import { type Gateway, handleRequest, neutralParts } from '../../src/core/gateway/handle-request.ts';
import { compileRoutes } from '../../src/core/gateway/route.ts';
import { createIdempotentExecutor } from '../../src/core/idempotency/execute-idempotently.ts';
import type { CacheReservation, IdempotencyCache, RequestHasher } from '../../src/core/idempotency/ports.ts';
import type { IdGenerator } from '../../src/core/lib/clock-and-ids.ts';
import { implementRecurring, recurring } from '../../src/payments/recurring/index.ts';
import { StoreUnavailable } from '../../src/stores/errors.ts';
import type { Implementation } from '../../src/stores/handlers.ts';
import { createStore, type Store } from '../../src/stores/store.ts';
import type { ReadTransaction } from '../../src/stores/transaction.ts';
import { protocols, services } from '../resources/operations.ts';
import { servedServices } from '../resources/served.ts';
import { type TestService, testServiceOf, testServices } from '../resources/services.ts';
import { type Attempt, currentAttempt } from './attempt.ts';
import type { CacheServer } from './cache-server.ts';
import { epoch, implementations as localImplementations } from './environment.ts';
import { type FaultInjector, Port } from './port.ts';
import { company, encodeCall } from './request.ts';
import { type Owner, owner, type Scheduler } from './scheduler.ts';
import type { SimDatabase } from './sim-database.ts';
import { type Isolation, SimEngine } from './sim-engine.ts';
import type { GroupDefect } from './sim-group.ts';
import { createSimulatedUpdater, type UpdaterQuestion } from './sim-updater.ts';
import { requestHasher, vault } from './vault.ts';

const limitMs = 50;
const unknown: CacheReservation = Object.freeze({ kind: 'unknown' });
const ignore = (): void => {};

function createSimulatedCache(server: CacheServer, port: Port): IdempotencyCache {
  const isDown = () => server.downUntil > port.scheduler.now;
  const notify = (point: string, apply: () => void) =>
    port.call<void>({ point, kind: 'cache', limitMs, apply: () => (isDown() ? undefined : apply()), fail: ignore });
  return Object.freeze<IdempotencyCache>({
    reserve: (recordKey) =>
      port.call<CacheReservation>({
        point: 'cache reserve',
        kind: 'cache',
        limitMs,
        apply: () => (isDown() ? unknown : server.reserve(recordKey)),
        fail: () => unknown,
      }),
    complete: (recordKey) => notify('cache complete', () => server.complete(recordKey)),
    release: (recordKey, token) => notify('cache release', () => server.release(recordKey, token)),
    close: async () => {},
  });
}

/** The parts of a gateway that a seeded defect can replace. */
export interface GatewayParts {
  readonly store: Store;
  readonly cache: IdempotencyCache;
  readonly requestHasher: RequestHasher;
  readonly implementations: readonly Implementation[];
}

/** What a seeded defect can see of its run. */
export interface RunParts {
  readonly cacheServer: CacheServer;
  /** Virtual milliseconds. */
  now(): number;
}

export type Variant = (parts: GatewayParts, run: RunParts) => GatewayParts;

/** What the processes of a run share. */
export interface Surroundings {
  readonly scheduler: Scheduler;
  readonly network: Owner;
  readonly faults: FaultInjector;
  readonly database: SimDatabase;
  readonly cacheServer: CacheServer;
  readonly isolation: Isolation;
  /** For seeded defects of groups. */
  readonly groupDefect?: GroupDefect | undefined;
  readonly ids: IdGenerator;
  readonly variant: Variant;
  /** Called with each question to an external updater; absent where the store holds the announced changes. */
  readonly onQuestion?: ((question: UpdaterQuestion) => void) | undefined;
  /** How long a restart takes, in milliseconds. */
  restartMs(): number;
}

const routes = compileRoutes(services);
const webhookFormats = webhookFormatsOf(servedServices);
const localComposition = compose(localImplementations);
const callers = new Map(testServices.map((each) => [each, callerOf(each)]));
const credentialsMs = 1_000;

const credentialsOver = (port: Port): Credentials => ({
  verify: () =>
    port.call({
      point: 'credentials',
      kind: 'credentials',
      limitMs: credentialsMs,
      apply: () => ({ caller: callers.get(testServiceOf(currentAttempt.getStore()!.request.service))! }),
      fail: () => {
        throw new StoreUnavailable('simulated: the credentials cannot be read');
      },
    }),
});

/** The credential of a service. */
function callerOf({ role, simulated: { grants, partition } }: TestService): Caller {
  return Object.freeze({
    credential: `ws@${role}.Demo`,
    tenant: company,
    roles: new Set([role]),
    grants: new Map(Object.entries(grants).map(([name, values]) => [name, new Set(values)])),
    partition,
    requiresKey: true,
  });
}

export class Process {
  readonly #name: string;
  readonly #surroundings: Surroundings;
  /** How far its clock is off, in milliseconds. */
  skewMs = 0;
  #starts = 0;
  #owner: Owner | undefined;
  #gateway: Gateway<ReadTransaction> | undefined;
  readonly #connections = new Set<() => void>();

  constructor(name: string, surroundings: Surroundings) {
    this.#name = name;
    this.#surroundings = surroundings;
    this.start();
  }

  start(): void {
    const { scheduler, network, faults, database, cacheServer, isolation, groupDefect, ids, variant, onQuestion } =
      this.#surroundings;
    const self = owner(`${this.#name}.${++this.#starts}`);
    const port = new Port(scheduler, self, network, faults, () => this.crash());
    const clock = { now: () => epoch + Math.floor(scheduler.now) + this.skewMs };
    const realStore = createStore(new SimEngine(database, port, isolation, groupDefect), { shared: [webhookFormats] });
    const cache = createSimulatedCache(cacheServer, port);
    const implementations =
      onQuestion === undefined
        ? localImplementations
        : localImplementations.map((each) =>
            each.service === recurring.service
              ? implementRecurring({ updater: createSimulatedUpdater(port, onQuestion) })
              : each,
          );
    const parts = variant(
      { store: realStore, cache, requestHasher, implementations },
      { cacheServer, now: () => scheduler.now },
    );
    const { current } =
      parts.implementations === localImplementations ? localComposition : compose(parts.implementations);
    const wait = (ms: number) => scheduler.turn(self, 'has waited', ms);
    const executeIdempotently = createIdempotentExecutor({
      store: parts.store,
      context: { clock, ids, vault },
      cache: parts.cache,
      hasher: parts.requestHasher,
      wait,
    });
    this.#owner = self;
    this.#gateway = {
      ...neutralParts,
      protocols,
      routes,
      current,
      authenticator: createAuthenticator(credentialsOver(port)),
      ids,
      requestReferenceHeader: 'pspReference',
      executeIdempotently,
    };
  }

  /** kill -9: its work never continues, and its callers lose their connections. It starts again by itself. */
  crash(): void {
    const { scheduler, network, database, restartMs } = this.#surroundings;
    const dying = this.#owner;
    if (dying === undefined || dying.dead) return;
    scheduler.note(dying, 'dies');
    dying.dead = true;
    this.#owner = undefined;
    this.#gateway = undefined;
    database.abandon(dying);
    for (const disconnect of this.#connections) disconnect();
    this.#connections.clear();
    void scheduler.turn(network, `${this.#name} starts`, restartMs()).then(() => this.start());
  }

  /** SIGSTOP, and SIGCONT after so long. */
  stop(ms: number): void {
    const { scheduler } = this.#surroundings;
    if (this.#owner === undefined) return;
    scheduler.note(this.#owner, `is stopped for ${ms} ms`);
    this.#owner.stoppedUntil = scheduler.now + ms;
  }

  /** Resolves undefined where the connection is refused or lost. */
  send(attempt: Attempt): Promise<Answer | undefined> {
    const gateway = this.#gateway;
    if (gateway === undefined) return Promise.resolve(undefined);
    const { method = 'POST', path, contentType, body } = encodeCall(attempt.request, attempt.format);
    const headers = { 'content-type': contentType, 'x-api-key': 'any', 'idempotency-key': attempt.key };
    const wire = { method, path, query: '', headers, inspect: () => {}, body: async () => Buffer.from(body) };
    return new Promise((resolve) => {
      const disconnect = () => resolve(undefined);
      this.#connections.add(disconnect);
      currentAttempt
        .run(attempt, () => handleRequest(wire, gateway))
        .then((answer) => {
          this.#connections.delete(disconnect);
          resolve(answer);
        });
    });
  }
}
