/** Composes a server from a configuration and a backend, and stops it in order. */
import { setTimeout } from 'node:timers/promises';
import { problemsOf, type Service } from '../contract/service.ts';
import { createDocuments } from '../documents/index.ts';
import { createProtocols, type Protocols } from '../formats/index.ts';
import { type Gateway, handleRequest } from '../gateway/handle-request.ts';
import { compose, type Implementation } from '../gateway/implement.ts';
import { compileRoutes } from '../gateway/route.ts';
import { type Admin, type AdminParts, openAdmin, type Probe } from '../http/admin.ts';
import { type Log, logFailure, openLog } from '../http/log.ts';
import { createMetrics, type Metrics } from '../http/metrics/metrics.ts';
import type { KnownNames } from '../http/metrics/requests.ts';
import { createObserver } from '../http/observer.ts';
import { openCallerServer } from '../http/server.ts';
import { createIdempotentExecutor } from '../idempotency/execute-idempotently.ts';
import type { IdempotencyCache } from '../idempotency/ports.ts';
import { startPeriodicTask } from '../lib/periodic-task.ts';
import type { Backend } from './backend.ts';
import { startBackgroundJobs } from './background-jobs.ts';
import type { Config } from './config.ts';

export interface RunningServer {
  /** The address for callers: `http://127.0.0.1:8080`. */
  readonly callers: string;
  /** The address of probes and metrics: `http://127.0.0.1:9090`. */
  readonly admin: string;
  readonly protocols: Protocols;
  /** Logs a failure outside of any request. */
  failed(thrown: unknown): void;
  /** Answers the requests in flight, then closes everything, the backend included. Resolves within the time to drain. */
  stop(): Promise<void>;
}

/** Replacements for what the configuration describes. */
export interface ServerOverrides {
  readonly implementations?: readonly Implementation[];
  readonly cache?: IdempotencyCache;
  /** Replaces the admin port. */
  readonly admin?: (parts: AdminParts & Pick<Metrics, 'registry'>) => Promise<Admin>;
  /** Called when the log cannot be written to standard output. */
  readonly onLogError?: (thrown: Error) => void;
}

const cleanupEveryMs = 10 * 60_000;
/** The end of the time to drain is for closing: requests and webhooks under way are cut off that much earlier. */
const closeMsMax = 500;
/** What writing the last lines of the log may take after that time. */
const logCloseMsMin = 200;

/** Rejects if a port is not available. The backend is then still open. */
export async function startServer(
  config: Config,
  backend: Backend,
  {
    implementations = backend.services.implementations,
    cache: givenCache,
    admin: openProbes = openAdmin,
    onLogError,
  }: ServerOverrides = {},
): Promise<RunningServer> {
  const composition = compose(implementations);
  const { services, conventions } = composition;
  const protocols = createProtocols(services, {
    formField: config.idempotencyFormField,
    messageId: config.idempotencyMessageId,
  });
  const log = openLog(config.logLevel, {
    isShared: config.workers > 1,
    ...(onLogError && { onError: onLogError }),
    count: (kind, times) => metrics.logEvent(kind, times),
  });
  const metrics: Metrics = createMetrics(knownNames(protocols, services), (thrown, gauge) =>
    logFailure(log, thrown, `reading ${gauge} failed`),
  );
  const cache = givenCache ?? (await openCache(config, backend, log, metrics));
  const gateway: Gateway = Object.freeze({
    protocols,
    routes: compileRoutes(services),
    current: composition.current,
    credentials: backend.credentials,
    ids: backend.context.ids,
    requestReferenceHeader: conventions.requestReference,
    executeIdempotently: createIdempotentExecutor({
      store: backend.store,
      context: backend.context,
      cache,
      hasher: backend.requestHasher,
      wait: setTimeout,
    }),
  });
  const server = await openCallerServer({
    handle: (request) => handleRequest(request, gateway),
    documents: createDocuments(services),
    observer: createObserver(log, metrics, conventions),
    options: config,
  }).catch(async (thrown) => {
    await cache?.close();
    throw thrown;
  });
  metrics.connections = () => server.connections();
  metrics.webhooks = backend.endpoints;
  backend.services.observe(log, metrics);
  const admin = await openProbes({
    host: config.adminHost,
    port: config.adminPort,
    registry: metrics.registry,
    probes: createProbes(backend),
    draining: () => server.draining(),
  }).catch(async (thrown) => {
    await server.drain();
    await cache?.close();
    throw thrown;
  });
  const cleanup = startPeriodicTask(backend.deleteExpiredRecords, cleanupEveryMs, (thrown) =>
    logFailure(log, thrown, 'deleting expired idempotency records failed'),
  );
  const jobs = await startBackgroundJobs(config, backend, {
    failed: (thrown) => logFailure(log, thrown, 'a background job failed'),
    webhook: metrics.webhookEvent,
  });
  return Object.freeze({
    callers: origin(config.host, server.port),
    admin: origin(config.adminHost, admin.port),
    protocols,
    failed: (thrown: unknown) => logFailure(log, thrown, 'the process failed'),
    async stop() {
      const { drainNoticeMs, drainMsMax } = config;
      const cutOffMs = drainMsMax - Math.min(closeMsMax, drainMsMax / 2);
      const drained = server.drain(cutOffMs);
      await setTimeout(drainNoticeMs);
      const deadline = performance.now() + drainMsMax;
      const close = async (): Promise<void> => {
        // The admin port answers until the end of the drain, so that probes see it.
        const answered = drained.then(() => admin.close());
        await Promise.all([answered, cleanup.stop(), jobs.stop(AbortSignal.timeout(cutOffMs))]);
        await cache?.close();
        await backend.close();
      };
      try {
        if (!(await endsWithin(close(), drainMsMax)))
          log.logger.warn('DRAIN_MS_MAX is over: the server ends without closing everything');
      } finally {
        await log.close(Math.max(deadline - performance.now(), logCloseMsMin));
      }
    },
  });
}

/** Returns whether the work ended in time. Work that ends later is not waited for. */
async function endsWithin(work: Promise<void>, msMax: number): Promise<boolean> {
  const waiting = new AbortController();
  try {
    const ended = work.then(() => true);
    return await Promise.race([ended, setTimeout(msMax, false, { signal: waiting.signal })]);
  } finally {
    waiting.abort();
    // A failure after the time has no consumer left.
    work.catch(() => {});
  }
}

/** Returns the address as a caller on this machine would write it. */
export function origin(host: string, port: number): string {
  const reachable = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`;
}

/** The values that metric labels may have. */
function knownNames(protocols: Protocols, services: readonly Service[]): KnownNames {
  return {
    protocols: Object.keys(protocols),
    operations: services.flatMap(({ operations }) => [...operations.keys()]),
    versions: services.map(({ version }) => version),
    problems: services.flatMap((service) => [...problemsOf(service).keys()]),
  };
}

/** Requests need a store that reads and writes, and the key that seals new cards. */
function createProbes({ store, checkWrites, context: { vault } }: Backend): readonly Probe[] {
  const scope = { tenant: '', record: '' };
  return [
    { name: 'store', check: () => store.read((tx) => tx.importProgress.find('probe')) },
    { name: 'writes', check: checkWrites },
    { name: 'vault', check: () => vault.open(scope, vault.seal(scope, { payload: 'probe' }), 'payload') },
  ];
}

/** Opens the cache in Redis, if there is one. */
async function openCache(
  { redisUrl }: Config,
  { context }: Backend,
  { logger }: Log,
  metrics: Metrics,
): Promise<IdempotencyCache | undefined> {
  if (redisUrl === undefined) return undefined;
  // Loaded on demand: a server without Redis needs no client.
  const { openRedisCache } = await import('../store/redis/cache.ts');
  const cache = openRedisCache({
    url: redisUrl,
    clock: context.clock,
    onEvent: ({ kind, ...members }) => {
      metrics.redisEvent(kind);
      if (kind === 'up' || kind === 'down') logger.info({ redis: kind, ...members }, `Redis is ${kind}`);
    },
    warn: (text) => logger.warn(text),
  });
  metrics.redisUp = () => cache.state() === 'up';
  return cache;
}
