/** The composition root of a server: from a configuration and a strongroom to answers. */

import { setTimeout } from 'node:timers/promises';
import { problemsOf, type Service } from '../contract/service.ts';
import { createDocuments } from '../documents/index.ts';
import { createProtocols, type Protocols } from '../formats/index.ts';
import { type Gateway, handleRequest } from '../gateway/handle-request.ts';
import { compose, type Implementation } from '../gateway/implement.ts';
import { createHandlerInvoker } from '../gateway/invoke-handler.ts';
import { compileRoutes } from '../gateway/route.ts';
import { type Admin, type AdminParts, openAdmin, type Probe } from '../http/admin.ts';
import { type Log, logFailure, openLog } from '../http/log.ts';
import { createMetrics, type Metrics } from '../http/metrics/metrics.ts';
import type { KnownNames } from '../http/metrics/requests.ts';
import { createObserver } from '../http/observer.ts';
import { openCallerServer } from '../http/server.ts';
import { createIdempotentExecutor } from '../idempotency/execute-idempotently.ts';
import { noCache } from '../idempotency/no-cache.ts';
import type { IdempotencyCache } from '../idempotency/ports.ts';
import { startPeriodicTask } from '../lib/periodic-task.ts';
import { implementServices } from '../services/implementations.ts';
import { type UpdaterEvent, updaterEventCounter } from '../services/recurring/account-updater/events.ts';
import { DetailReader } from '../services/recurring/store/repository.ts';
import type { Backend } from './backend.ts';
import { startBackgroundJobs } from './background-jobs.ts';
import type { Config } from './config.ts';

/** A server that answers. */
export interface RunningServer {
  /** Where callers are answered: `http://127.0.0.1:8080`. */
  readonly callers: string;
  /** Where probes and metrics are: `http://127.0.0.1:9090`. */
  readonly admin: string;
  readonly protocols: Protocols;
  /** Logs something of ours that failed outside of any request. */
  failed(thrown: unknown): void;
  /** Answers what is in flight, then closes everything, the strongroom too. */
  stop(): Promise<void>;
}

const knownNames = (protocols: Protocols, services: readonly Service[]): KnownNames => ({
  protocols: Object.keys(protocols),
  operations: services.flatMap(({ operations }) => [...operations.keys()]),
  versions: services.map(({ version }) => version),
  problems: services.flatMap((service) => [...problemsOf(service).keys()]),
});

/** What must work for a request to be answered: the store, and the key that new cards are sealed with. */
const probesOf = ({ store: details, context: world }: Backend): readonly Probe[] => {
  const nobody = { company: '', merchantAccount: '', shopperReference: '' };
  const nothing = { company: '', record: '' };
  return [
    { name: 'store', check: () => details.read((tx) => tx.repository(DetailReader).findShopper(nobody)) },
    {
      name: 'vault',
      check: () => world.vault.open(nothing, world.vault.seal(nothing, { shown: 'probe' }), 'shown'),
    },
  ];
};

const dropExpiredEveryMs = 10 * 60_000;

/** The gate that several processes share, where there is one; who has none does without the client of Redis. */
const gateOf = async (
  { redisUrl }: Config,
  { requestHasher: marks, context: world }: Backend,
  { logger }: Log,
  metrics: Metrics,
): Promise<IdempotencyCache> => {
  if (redisUrl === undefined) return noCache;
  const { openRedisCache } = await import('../store/redis/cache.ts');
  const gate = openRedisCache({
    url: redisUrl,
    mac: marks.mac,
    clock: world.clock,
    onEvent: ({ kind, ...about }) => {
      metrics.redisEvent(kind);
      if (kind === 'up' || kind === 'down') logger.info({ redis: kind, ...about }, `Redis is ${kind}`);
    },
    warn: (text) => logger.warn(text),
  });
  metrics.redisUp = () => gate.state() === 'up';
  return gate;
};

/** What somebody may have to look into, and what they may want to know; the rest is counted. */
const levelOf: Readonly<Record<UpdaterEvent['kind'], 'warn' | 'info' | 'debug'>> = Object.freeze({
  malformed: 'warn',
  down: 'warn',
  unreadable: 'warn',
  overdue: 'warn',
  up: 'info',
  written: 'info',
  read: 'info',
  answered: 'debug',
  pending: 'debug',
  refused: 'debug',
  failed: 'debug',
  skipped: 'debug',
  unmatched: 'debug',
  malformedRows: 'debug',
});

/** The address as a caller on this machine would write it. */
export const origin = (host: string, port: number): string => {
  const reachable = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`;
};

/** What may stand in the place of what the configuration asks for. */
export interface ServerOverrides {
  /** The services to serve; those of `src/services` where it is absent. */
  readonly implementations?: readonly Implementation[];
  readonly cache?: IdempotencyCache;
  /** Where probes and metrics are answered, other than on a port. */
  /** Called when the log cannot be written to standard output. */
  readonly onLogError?: (thrown: Error) => void;
  readonly admin?: (parts: AdminParts & Pick<Metrics, 'registry'>) => Promise<Admin>;
}

/** Starts to serve what is in the strongroom. Rejects where a port cannot be had; the strongroom is then still open. */
export const startServer = async (
  config: Config,
  room: Backend,
  {
    implementations = implementServices({ updater: room.updater }),
    cache: given,
    admin: openProbes = openAdmin,
    onLogError,
  }: ServerOverrides = {},
): Promise<RunningServer> => {
  const composition = compose(implementations);
  const { services } = composition;
  const protocols = createProtocols(services, {
    formField: config.idempotencyFormField,
    messageId: config.idempotencyMessageId,
  });
  const log = openLog(config.logLevel, {
    isShared: config.workers > 1,
    ...(onLogError && { onError: onLogError }),
  });
  const metrics = createMetrics(knownNames(protocols, services), (thrown, gauge) =>
    logFailure(log, thrown, `reading ${gauge} failed`),
  );
  const gate = given ?? (await gateOf(config, room, log, metrics));
  const gateway: Gateway = Object.freeze({
    protocols,
    routes: compileRoutes(services),
    current: composition.current,
    credentials: room.credentials,
    ids: room.context.ids,
    executeIdempotently: createIdempotentExecutor({
      handlers: createHandlerInvoker(composition, room.store, room.context),
      store: room.store,
      cache: gate,
      hasher: room.requestHasher,
      clock: room.context.clock,
      wait: setTimeout,
    }),
  });
  const shell = await openCallerServer({
    handle: (request) => handleRequest(request, gateway),
    documents: createDocuments(services),
    observer: createObserver(log, metrics),
    options: config,
  }).catch(async (thrown) => {
    await gate.close();
    throw thrown;
  });
  metrics.connections = () => shell.connections();
  const countUpdaterEvent = metrics.addEventCounter(updaterEventCounter);
  room.updaterEvents.listen((event) => {
    countUpdaterEvent(event.kind, 'checks' in event ? event.checks : 1);
    const { kind, ...about } = event;
    log.logger[levelOf[kind]]({ updater: kind, ...about }, 'the updater');
  });
  const admin = await openProbes({
    host: config.adminHost,
    port: config.adminPort,
    registry: metrics.registry,
    probes: probesOf(room),
    draining: () => shell.draining(),
  }).catch(async (thrown) => {
    await shell.drain();
    await gate.close();
    throw thrown;
  });
  const housekeeping = startPeriodicTask(room.deleteExpiredRecords, dropExpiredEveryMs, (thrown) =>
    logFailure(log, thrown, 'dropping old rows of the journal failed'),
  );
  metrics.webhooks = room.endpoints;
  const duties = await startBackgroundJobs(config, room, {
    failed: (thrown) => logFailure(log, thrown, 'work beside the requests failed'),
    webhook: metrics.webhookEvent,
  });
  return Object.freeze({
    callers: origin(config.host, shell.port),
    admin: origin(config.adminHost, admin.port),
    protocols,
    failed: (thrown: unknown) => logFailure(log, thrown, 'the process failed'),
    async stop() {
      // The admin port answers until the end, so that whoever watches sees the draining.
      await shell.drain();
      await admin.close();
      await housekeeping.stop();
      await duties.stop();
      await gate.close();
      await room.close();
      log.close();
    },
  });
};
