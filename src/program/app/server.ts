/** Starts a server from a configuration and a backend, and stops it in order. */
import { setTimeout } from 'node:timers/promises';
import type { PresentedSecret } from '../../access/index.ts';
import { type Backend, noUpstreams, type ProcessReport, reportProcess } from '../../backend/index.ts';
import { adminAccess, type Config, openTlsFiles, origin, tlsReport } from '../../config/index.ts';
import { consolePath, type DemoCaller, type DemoControls, lazyConsole } from '../../console/index.ts';
import type { Protocols } from '../../core/formats/index.ts';
import { endsWithin, runAtMostEvery } from '../../core/lib/index.ts';
import {
  type Admin,
  type AdminParts,
  createMetrics,
  inspect,
  type Log,
  logFailure,
  type Metrics,
  openAdmin,
  type Probe,
  type Readiness,
  type ServedMetrics,
  type Site,
  type SiteServerOptions,
  type TlsSource,
} from '../../http/index.ts';
import { type CallerServer, openCallerServer } from '../../http/server/index.ts';
import { openTelemetry } from '../../insight/telemetry/index.ts';
import type { Traffic, TrafficParts } from '../../insight/traffic/index.ts';
import { startBackgroundWork } from './background-work.ts';
import { composeGateway, type GatewayOverrides } from './compose-gateway.ts';

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

export interface ServerOverrides extends GatewayOverrides {
  /** Replaces the admin port. `traffic`: for the process that serves the console. */
  readonly admin?: (
    parts: AdminParts &
      Pick<ServedMetrics, 'registry'> & {
        readonly report: () => ProcessReport;
        readonly traffic?: Pick<Traffic, 'recorder'> | undefined;
      },
  ) => Promise<Admin>;
  /** Replaces the certificate files of the configuration. */
  readonly tls?: TlsSource | undefined;
  /** In the demo: callers reach the console, too, and are this credential by one click. */
  readonly consoleForAll?: PresentedSecret | undefined;
  /** In a demo that the console can control. */
  readonly demoControls?: DemoControls;
  /** In the demo: credentials of callers that the console sends requests with, by name. */
  readonly demoCallers?: ReadonlyMap<string, DemoCaller> | undefined;
  /** The name of the configuration file, for the console. */
  readonly configFile?: string | undefined;
}

/** How often readiness asks the key management service. */
const kmsCheckMs = 10_000;
/** The end of the time to drain is for closing: requests and webhooks under way are cut off that much earlier. */
const closeMsMax = 500;
/** What writing the last lines of the log may take after that time. */
const logCloseMsMin = 200;

/** Rejects if a port is not available. The backend is then still open. */
export async function startServer(
  config: Config,
  backend: Backend,
  {
    admin: openProbes = openAdmin,
    tls: givenTls,
    consoleForAll,
    configFile,
    demoCallers,
    demoControls,
    ...overrides
  }: ServerOverrides = {},
): Promise<RunningServer> {
  await using opening = new AsyncDisposableStack();
  const composed = await composeGateway(config, backend, opening, createMetrics, {
    openTelemetry: (parts) => openTelemetry({ variables: process.env, ...parts }),
    publicConsole: config.console && consoleForAll !== undefined ? consolePath : undefined,
    openTraffic: (parts) => openTraffic(config, parts),
    ...overrides,
  });
  const { protocols, log, metrics } = composed;
  const tlsFiles = openTlsFiles(config, tlsReport(log));
  opening.defer(() => tlsFiles?.stop());
  const tls = givenTls ?? tlsFiles;
  const kms = backend.keyProvider.check && runAtMostEvery(kmsCheckMs, backend.keyProvider.check);
  if (kms !== undefined) metrics.kmsUp = () => succeeds(kms);
  const probes = [...createProbes(backend, kms), ...composed.upstreams.probes];
  const readiness = (): Promise<Readiness> => inspect({ probes, draining: () => server.draining() });
  const callers = (): string => origin(config.host, server.port, tls === undefined ? 'http' : 'https');
  const report = (): ProcessReport =>
    reportProcess({ ...composed, role: 'server', redisUp: metrics.redisUp, connections: backend.connections });
  const site: Site | undefined = config.console
    ? lazyConsole({
        config,
        backend,
        services: composed.services,
        callers,
        readiness,
        demoControls,
        plan: overrides.upstreams ?? noUpstreams,
        processes: async () => [report()],
        guard: composed.loginGuard,
        deprecations: {
          configured: overrides.deprecations ?? [],
          source: configFile ?? 'configuration',
          refresh: composed.deprecations.refresh,
        },
        refreshShadows: composed.shadows.refresh,
        oneClick: consoleForAll,
        traffic: composed.traffic?.reader,
        demoCallers,
        certificate: () => tls?.current().cert,
        failed: (thrown) => logFailure(log, thrown, 'the console failed'),
      })
    : undefined;
  const siteOptions: SiteServerOptions | undefined = site && {
    site,
    access: adminAccess(config),
    options: config,
    failed: (thrown) => logFailure(log, thrown, 'a request to the console failed'),
  };
  const server: CallerServer = await openCallerServer({
    ...composed,
    options: config,
    tls,
    site: consoleForAll && siteOptions,
  });
  opening.defer(() => server.drain());
  metrics.connections = () => server.connections();
  composed.telemetry?.exportMetrics(metrics.registry);
  if (tlsFiles !== undefined) metrics.certificateExpiresAt = tlsFiles.expiresAt;
  const admin = await openProbes({
    host: config.adminHost,
    port: config.adminPort,
    access: adminAccess(config),
    tls: config.adminTls ? tls : undefined,
    registry: metrics.registry,
    traffic: composed.traffic,
    readiness,
    site: siteOptions,
    report,
  });
  opening.defer(async () => {
    // The admin port answers until the end of the drain, so that probes see it.
    await server.drain();
    await admin.close();
  });
  const cutOffMs = config.drainMsMax - Math.min(closeMsMax, config.drainMsMax / 2);
  await startBackgroundWork(config, backend, composed, opening, cutOffMs);
  const closers = new AsyncDisposableStack();
  closers.defer(() => backend.close());
  closers.use(opening.move());
  return Object.freeze({
    callers: callers(),
    admin: origin(config.adminHost, admin.port, config.adminTls ? 'https' : 'http'),
    protocols,
    failed: (thrown: unknown) => logFailure(log, thrown, 'the process failed'),
    stop: () => stopServer({ config, log, metrics, server, site, closers, cutOffMs }),
  });
}

interface StartedServer {
  readonly config: Config;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly server: CallerServer;
  readonly site: Site | undefined;
  readonly closers: AsyncDisposableStack;
  /** Milliseconds after which requests under way are cut off. */
  readonly cutOffMs: number;
}

/** Drains the server, closes everything that it has opened, and writes the last lines of the log. */
async function stopServer({ config, log, metrics, server, site, closers, cutOffMs }: StartedServer): Promise<void> {
  const { drainNoticeMs, drainMsMax } = config;
  const startedAt = performance.now();
  const { inFlight } = metrics;
  const times = { noticeMs: drainNoticeMs, msMax: drainMsMax };
  log.write('info', 'draining', { connections: server.connections(), inFlight, ...times });
  site?.close();
  // Requests are answered while background work ends.
  void server.drain(cutOffMs);
  await setTimeout(drainNoticeMs);
  const deadline = performance.now() + drainMsMax;
  try {
    if (!(await endsWithin(closers.disposeAsync(), drainMsMax)))
      log.write('warn', 'DRAIN_MS_MAX is over: the server ends without closing everything');
  } finally {
    const ms = Math.round(performance.now() - startedAt);
    log.write('info', 'stopped', { ms, inFlight: metrics.inFlight });
    await log.close(Math.max(deadline - performance.now(), logCloseMsMin));
  }
}

/** Its code is loaded where a console shows the traffic. */
async function openTraffic(config: Config, parts: TrafficParts): Promise<Traffic | undefined> {
  if (!config.console || config.traffic === 'off') return undefined;
  const { createTraffic } = await import('../../insight/traffic/index.ts');
  return createTraffic(config, parts);
}

/** Requests need a store that reads and writes, and the key that seals new cards. */
function createProbes(
  { store, records, checkWrites, context: { vault } }: Backend,
  kms: Probe['check'] | undefined,
): readonly Probe[] {
  const scope = { tenant: '', record: '' };
  return [
    ...(records === undefined
      ? [
          { name: 'store', check: () => store.read((tx) => tx.importProgress.find('probe')) },
          { name: 'writes', check: checkWrites },
        ]
      : [
          { name: 'store', isOnlyForWrites: true, check: records.check },
          { name: 'records', isOnlyForWrites: true, check: async () => await records.checkMarker?.() },
        ]),
    { name: 'vault', check: () => vault.open(scope, vault.seal(scope, { payload: 'probe' }), 'payload') },
    // The keys are in memory: only a start needs the service.
    ...(kms === undefined ? [] : [{ name: 'kms', isPartial: true, check: kms }]),
  ];
}

async function succeeds(check: () => Promise<unknown>): Promise<boolean> {
  try {
    await check();
    return true;
  } catch {
    return false;
  }
}
