/** Composes what answers requests: the gateway, its documents, the log and the metrics. It opens no port. */

import { tmpdir } from 'node:os';
import { setTimeout } from 'node:timers/promises';
import {
  createAuthenticator,
  createLoginGuard,
  createLoginReports,
  createMessageAuthenticator,
  createSecretReports,
  gatewayActor,
  type LoginGuard,
  LoginLimits,
  loginCounter,
} from '../../access/index.ts';
import {
  type Backend,
  createDeprecationReport,
  createLoadLimits,
  createLookUpPending,
  createPendingLimit,
  createServerAudit,
  databaseFaults,
  deprecationFaults,
  LiveDeprecations,
  LiveShadows,
  needsDurableRecords,
  noUpstreams,
  type OpenUpstreams,
  observeLimits,
  openCache,
  openCopies,
  openUpstreams,
  type ServerAudit,
  type UpstreamPlan,
  withCallers,
} from '../../backend/index.ts';
import { type Config, ConfigError, hasDatabase, version } from '../../config/index.ts';
import {
  conventionsOf,
  maskSensitive,
  type Operation,
  problemsOf,
  type Service,
  upstreamRefusal,
} from '../../core/contract/index.ts';
import { allExcept, createProtocols, type Protocols } from '../../core/formats/index.ts';
import {
  type Answer,
  type Authenticator,
  compileChecks,
  compileRoutes,
  compose,
  createBodyLimit,
  createTextScan,
  encodeFailure,
  type Gateway,
  handleRequest,
  type Interceptor,
  isOfGateway,
  neutralParts,
  observerNames,
  observeSteps,
  type RequestObserver,
  type RequestObservers,
  servicesOf,
} from '../../core/gateway/index.ts';
import {
  createIdempotentExecutor,
  type IdempotencyCache,
  type LookupEvent,
  LookupPace,
  type RemoteEvent,
} from '../../core/idempotency/index.ts';
import { SpoolSpace } from '../../core/spool/index.ts';
import { createDocuments } from '../../documents/index.ts';
import {
  type Build,
  type CollectionFailed,
  createMetricsObserver,
  createRequestLog,
  createServerLog,
  type EventCounter,
  type KnownNames,
  type Log,
  logFailure,
  type Metrics,
  openLog,
} from '../../http/index.ts';
import type { CallerServerOptions } from '../../http/server/index.ts';
import {
  type CallerRecorder,
  createCallerRecorder,
  createNameClient,
  type DeprecationRule,
} from '../../insight/index.ts';
import type { RequestRecorder } from '../../insight/record/index.ts';
import type { Telemetry, TelemetryParts } from '../../insight/telemetry/index.ts';
import type { Traffic, TrafficParts } from '../../insight/traffic/index.ts';
import { type Implementation, observeStore, type ReadTransaction } from '../../stores/index.ts';

export interface ComposedGateway<M extends Metrics = Metrics> extends Omit<CallerServerOptions, 'options'> {
  readonly services: readonly Service[];
  readonly protocols: Protocols;
  readonly log: Log;
  readonly metrics: M;
  /** Absent where callers are not recorded. */
  readonly recorder: CallerRecorder | undefined;
  readonly audit: ServerAudit;
  readonly upstreams: OpenUpstreams;
  /** Asks upstreams for outcomes that are unknown. Absent where none may be asked without a caller. */
  readonly lookUpPending: ReturnType<typeof createLookUpPending>;
  readonly loginGuard: LoginGuard;
  readonly telemetry: Telemetry | undefined;
  /** Absent where traffic is not recorded. */
  readonly traffic: Traffic | undefined;
  readonly deprecations: LiveDeprecations;
  readonly shadows: LiveShadows;
}

/** Replacements for what the configuration describes. */
export interface GatewayOverrides {
  /** The path of the console, where callers reach it. */
  readonly publicConsole?: string | undefined;
  readonly implementations?: readonly Implementation[];
  readonly cache?: IdempotencyCache;
  readonly interceptor?: Interceptor;
  /** Replaces the credentials of callers. Documents ask for none then. */
  readonly authenticator?: Authenticator;
  /** Which upstream answers which operation. By default none does. */
  readonly upstreams?: UpstreamPlan;
  readonly deprecations?: readonly DeprecationRule[];
  /** Opens the exports of traces and metrics. By default nothing is exported. */
  readonly openTelemetry?: (parts: Pick<TelemetryParts, 'log' | 'count'>) => Promise<Telemetry | undefined>;
  /** Opens the recorder of traffic. By default nothing is recorded. */
  readonly openTraffic?: (parts: TrafficParts) => Promise<Traffic | undefined>;
  /** The observer of a test. */
  readonly observer?: RequestObserver;
  /** Called when the log cannot be written to standard output. */
  readonly onLogError?: (thrown: Error) => void;
}

/** What the last spans and metrics may take. The receiver may be away. */
const telemetryMsMax = 2_000;

/** `closers` gets what closes each part. Requests must have been answered before. */
export async function composeGateway<M extends Metrics>(
  config: Config,
  backend: Backend,
  closers: AsyncDisposableStack,
  createMetrics: (names: KnownNames, onFailure: CollectionFailed, build: Build) => M,
  overrides: GatewayOverrides = {},
): Promise<ComposedGateway<M>> {
  const {
    implementations = backend.services.implementations,
    cache: givenCache,
    interceptor = neutralParts.intercept,
    authenticator,
    onLogError,
    upstreams = noUpstreams,
    deprecations: configured = [],
  } = overrides;
  const services = servicesOf(implementations);
  const conventions = conventionsOf(services);
  const faults = [...deprecationFaults(configured, services), ...databaseFaults(config, upstreams, services)];
  if (faults.length > 0) throw new ConfigError(faults);
  if (needsDurableRecords(upstreams, services)) await backend.records?.requireDurability();
  const leniencies = allExcept(config.lenienciesOff);
  const places = {
    formField: config.idempotencyFormField,
    messageId: config.idempotencyMessageId,
    usernameToken: config.usernameToken,
  };
  const plainProtocols = createProtocols(services, places, undefined, leniencies);
  const log = openLog(config.logLevel, {
    ...(config.workers > 1 && { isShared: true, worker: process.pid }),
    ...(onLogError && { onError: onLogError }),
    count: (kind, times) => metrics.logEvent(kind, times),
  });
  const engine = config.databaseUrl === undefined ? 'sqlite' : 'postgres';
  const metrics: M = createMetrics(
    knownNames(plainProtocols, services),
    (thrown, gauge) => logFailure(log, thrown, `reading ${gauge} failed`),
    { version, store: hasDatabase(config) ? engine : config.stateless ? 'none' : 'redis' },
  );
  if (backend.connections !== undefined) metrics.observeConnections(backend.connections);
  const telemetry = await overrides.openTelemetry?.({ log, count: metrics.addEventCounter(telemetryExports) });
  const tracing = telemetry?.tracing;
  const { textScan } = backend.services;
  const traffic = await overrides.openTraffic?.({ services });
  const recorder = config.callerRecords
    ? createCallerRecorder({
        records: backend.callerRecords,
        vault: backend.context.vault,
        clock: backend.context.clock,
      })
    : undefined;
  const audit = createServerAudit(config, backend, { log, metrics });
  const requestRecorder = await openRequestRecorder(config, { backend, log, metrics });
  closers.defer(() => requestRecorder?.close());
  const copies = openCopies(upstreams, {
    services,
    referenceHeader: conventions.requestReference,
    backend,
  });
  const shadows = new LiveShadows(upstreams, copies, {
    store: backend.shadows,
    clock: backend.context.clock,
    mask: maskSensitive,
    log,
    metrics: metrics.shadows,
  });
  const spoolSpace = openSpoolSpace(config, metrics);
  const observers = listObservers({
    metrics: createMetricsObserver(metrics),
    log: createRequestLog(log, conventions),
    traces: tracing?.observer,
    traffic: traffic?.recorder,
    record: requestRecorder?.observer,
    shadow: shadows.observer,
    callers: recorder && recordCallers(recorder),
    audit: audit.requests,
    test: overrides.observer,
  });
  const steps = observeSteps(observers);
  const protocols = steps.decode(plainProtocols);
  metrics.webhooks = backend.endpoints;
  metrics.unsettled = backend.unsettled;
  metrics.credentials = backend.credentialUses;
  backend.services.observe(log, metrics, tracing?.call);
  observeLimits(backend, log, metrics);
  const valueBytesMin = config.spoolBytesMax > 0 ? config.spoolValueBytesMin : undefined;
  const opened = openUpstreams(upstreams, {
    implementations,
    protocols,
    referenceHeader: conventions.requestReference,
    backend,
    log,
    metrics: metrics.upstreams,
    observe: steps.upstream,
    shadows,
    valueBytesMin,
  });
  closers.defer(() => opened.close());
  closers.defer(async () => void (await Promise.all([shadows.close(), copies.close()])));
  const composition = compose(opened.implementations);
  const load = createLoadLimits(config, metrics);
  const cache = givenCache ?? (await openCache(config, backend, log, metrics));
  closers.defer(() => cache?.close());
  const nameClient =
    config.callerRecords || log.writesRequests ? createNameClient(conventions.libraryHeaders) : neutralParts.nameClient;
  const loginReports = createLoginReports(backend.audit, metrics.addEventCounter(loginCounter));
  const loginLimits = new LoginLimits(config, backend.limits);
  const guard = createLoginGuard(loginLimits, loginReports.report);
  const secretReports = textScan && createSecretReports(backend.audit, metrics.addEventCounter(textScan.counter));
  const store = backend.records?.store ?? observeStore(backend.store, engine, steps.within);
  const lookupPace = new LookupPace();
  const reportLookup = createLookupReport(backend, log, metrics);
  const executeIdempotently = createIdempotentExecutor({
    store,
    context: backend.context,
    cache,
    hasher: backend.requestHasher,
    wait: setTimeout,
    remote: {
      process: backend.processName,
      report: (event) => (event.kind === 'lookedUp' ? reportLookup(event) : logRemoteEvent(log, event)),
      lookupPace,
      pendingLimit: createPendingLimit(config, backend, log, metrics),
    },
  });
  const deprecations = new LiveDeprecations({
    configured,
    store: backend.deprecations,
    clock: backend.context.clock,
    report: createDeprecationReport(log, metrics),
  });
  metrics.invalidDeprecations = () => deprecations.invalidCount;
  // They hold from the first request on.
  await Promise.all([deprecations.refresh(), backend.limits.refresh(), shadows.refresh()]);
  backend.records?.started?.();
  const scanTexts =
    textScan && secretReports && createTextScan(textScan.detector, textScan.refuses, secretReports.report);
  const accepting =
    authenticator ??
    (upstreams.decidesRights
      ? backend.forwarded
      : createAuthenticator(withCallers(backend.credentials, upstreams.callers), guard));
  const isForwarded = (operation: Operation): boolean => composition.current(operation).executor.isRemote;
  const gateway: Gateway<ReadTransaction> = Object.freeze({
    protocols,
    routes: compileRoutes(services, leniencies),
    current: composition.current,
    authenticator: accepting,
    messages: config.usernameToken
      ? createMessageAuthenticator(accepting, { ...backend.limits, clock: backend.context.clock })
      : neutralParts.messages,
    ids: backend.context.ids,
    requestReferenceHeader: conventions.requestReference,
    executeIdempotently: steps.execute(executeIdempotently),
    nameClient,
    deprecations,
    turns: load.turns ?? neutralParts.turns,
    checks: compileChecks(deprecations, scanTexts),
    bodyLimit: createBodyLimit({
      configured: config.bodyBytesMax,
      valueBytesMin,
      isForwarded,
    }),
    intercept: interceptor,
  });
  closers.defer(() => traffic?.close());
  // The last metrics are read from the store and the cache.
  closers.defer(() => telemetry?.close(telemetryMsMax));
  closers.defer(async () => {
    loginReports.flush();
    secretReports?.flush();
    const failed = (message: string) => (thrown: unknown) => logFailure(log, thrown, message);
    await backend.credentialUses.flush().catch(failed('saving the last use of credentials failed'));
    await recorder?.flush().catch(failed('saving the records of callers failed'));
    await audit.stop();
  });
  return {
    services,
    protocols,
    log,
    metrics,
    pace: load.pace,
    onConnectionRefused: load.onConnectionRefused,
    recorder,
    audit,
    upstreams: opened,
    lookUpPending: createLookUpPending({
      ...{ backend, store, lookups: opened.lookups, pace: lookupPace, report: reportLookup },
    }),
    loginGuard: guard,
    telemetry,
    deprecations,
    shadows,
    handle: (request) => handleRequest(request, gateway),
    encodeFailure: (answer: Answer, thrown: unknown) => encodeFailure(answer, thrown, gateway),
    documents: createDocuments(services, {
      wsdlSoap12: config.wsdlSoap12,
      usernameToken: config.usernameToken,
      console: overrides.publicConsole,
      needsCredentials: !upstreams.decidesRights && authenticator === undefined,
      isForwarded,
    }),
    nameClient,
    observers,
    spoolSpace,
    serverLog: createServerLog(log, metrics),
    traffic,
  };
}

/** Returns undefined where values stay in memory. */
function openSpoolSpace({ spoolDir, spoolBytesMax }: Config, metrics: Metrics): SpoolSpace | undefined {
  if (spoolBytesMax === 0) return undefined;
  const onFull = metrics.addEventCounter(fullTemporaryFiles);
  const space = new SpoolSpace({ folder: spoolDir ?? tmpdir(), bytesMax: spoolBytesMax, onFull });
  metrics.temporaryFiles = space;
  return space;
}

const fullTemporaryFiles: EventCounter = {
  name: 'triglyph_temporary_files_full_total',
  help: 'Large values that found no space in temporary files, by kind: limit (SPOOL_BYTES_MAX), disk.',
};

interface RecorderParts {
  readonly backend: Backend;
  readonly log: Log;
  readonly metrics: Metrics;
}

/** Returns undefined where requests are not recorded. */
async function openRequestRecorder(
  config: Config,
  { backend, log, metrics }: RecorderParts,
): Promise<RequestRecorder | undefined> {
  if (config.record === undefined) return undefined;
  const { createRequestRecorder } = await import('../../insight/record/index.ts');
  return createRequestRecorder(config.record, config, {
    clock: backend.context.clock,
    vault: backend.context.vault,
    count: metrics.addEventCounter(recordedRequests),
    onError: (thrown) => logFailure(log, thrown, 'recording requests failed'),
  });
}

const recordedRequests: EventCounter = {
  name: 'triglyph_recorded_requests_total',
  help: 'Requests for RECORD, by kind: recorded; dropped, where the disk was too slow or failed.',
};

const telemetryExports: EventCounter = {
  name: 'triglyph_telemetry_exports_total',
  help: 'Exports of traces and metrics to OpenTelemetry, by kind: exported, failed; droppedSpans counts the spans for which the queue had no place.',
};

function listObservers(observers: RequestObservers): readonly RequestObserver[] {
  return observerNames.flatMap((name) => observers[name] ?? []);
}

function recordCallers(recorder: CallerRecorder): RequestObserver {
  return {
    answered(request, answer) {
      if (isOfGateway(answer.entry)) recorder.record(request.headers, answer);
    },
  };
}

/** The values that metric labels may have. */
function knownNames(protocols: Protocols, services: readonly Service[]): KnownNames {
  return {
    protocols: Object.keys(protocols),
    operations: services.flatMap(({ operations }) => [...operations.keys()]),
    versions: services.map(({ version }) => version),
    problems: [...services.flatMap((service) => [...problemsOf(service).keys()]), upstreamRefusal],
  };
}

/** Counts each question, and logs what it came to; the audit log has those that settle a request. */
function createLookupReport({ audit }: Backend, log: Log, metrics: Metrics): (event: LookupEvent) => void {
  return ({ requestReference, upstream, result, reason }) => {
    metrics.upstreams.lookedUp(upstream, result);
    const isSettled = result === 'done' || result === 'notDone';
    if (isSettled)
      audit.record({
        kind: 'outcomeLookedUp',
        actor: gatewayActor,
        subject: requestReference,
        detail: { upstream, result },
      });
    if (isSettled || result === 'unknown')
      log.write(isSettled ? 'info' : 'warn', 'an upstream was asked for the outcome of a request', {
        ...{ pending: requestReference, upstream, result },
        ...(reason !== undefined && { reason }),
      });
  };
}

function logRemoteEvent(log: Log, event: Exclude<RemoteEvent, LookupEvent>): void {
  const { kind, requestReference } = event;
  switch (kind) {
    case 'notStored':
      logFailure(log, event.cause, `the outcome of ${requestReference} at another server was not stored`);
      break;
    case 'answeredAfterSettling':
      log.write('error', 'another server answered a request after it had been settled', { requestReference });
      break;
    default:
      kind satisfies never;
  }
}
