/** Runs a gateway inside a program: opens its store, answers requests with or without a port, and stops in order. */

import type { CredentialRegistry } from '../../access/index.ts';
import {
  type AnsweredBy,
  type Backend,
  type BackendOptions,
  type GatewayCaller,
  type GatewayService,
  openBackend,
  planUpstreams,
  productionFaults,
  settingGroupsOf,
  type UpstreamPlan,
  type Upstreams,
} from '../../backend/index.ts';
import {
  type Config,
  ConfigError,
  keyFileOfFolder,
  openTlsFiles,
  origin,
  readConfig,
  readSources,
  settingsInMemory,
  type TlsFiles,
  tlsReport,
} from '../../config/index.ts';
import { servicesOf } from '../../core/gateway/index.ts';
import { clock } from '../../core/lib/index.ts';
import { freshKeys, parseKeyRing } from '../../core/vault/index.ts';
import { ownedPaths } from '../../documents/index.ts';
import {
  createHandler,
  createMiddleware,
  createNoMetrics,
  exchange,
  type MountedMiddleware,
  type RequestHandler,
} from '../../http/index.ts';
import type { CallerServer } from '../../http/server/index.ts';
import type { DeprecationRule } from '../../insight/index.ts';
import { startBackgroundWork } from './background-work.ts';
import { composeGateway, type GatewayOverrides } from './compose-gateway.ts';
import { GatewayAddress } from './gateway-address.ts';

/** Where data lives: in memory until the gateway is closed, in a folder, or in PostgreSQL. */
export type StoreOptions = 'memory' | { readonly dataDir: string } | { readonly databaseUrl: string };

/** The services of a gateway, its store and its settings. */
export interface GatewayOptions {
  readonly services: readonly GatewayService[];
  /** As in a configuration file. A gateway inside a program serves what `services` names, and nothing else. */
  readonly builtIn?: false;
  /** In memory by default. */
  readonly store?: StoreOptions;
  /**
   * The text of a key file. By default a gateway in memory generates its keys, and one in a folder creates the file `keys`
   * there. Required for PostgreSQL, and where `ENVIRONMENT` is `live`.
   */
  readonly keys?: string;
  /** Other settings, by the names of docs/configuration.md. By default only warnings and errors are logged. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Other servers that answer operations, by name. */
  readonly upstreams?: Upstreams;
  /** Which of them answers a service, or one of its operations. */
  readonly answeredBy?: AnsweredBy;
  /** The calls that are deprecated. */
  readonly deprecations?: readonly DeprecationRule[];
  /** Callers that need no stored credential. */
  readonly callers?: readonly GatewayCaller[];
}

/** Options that add controls to the gateway: those of `withControls`. */
export interface ControlledOptions<C extends object> extends GatewayOptions {
  /** @internal */
  readonly controls: {
    readonly overrides: StartOverrides;
    connect(backend: Backend): Promise<C>;
  };
}

/** Where a gateway listens. */
export interface ListenOptions {
  /** 0, the default, selects a free port. */
  readonly port?: number;
  /** By default `127.0.0.1`. */
  readonly host?: string;
}

/** A gateway that runs inside a program. */
export interface RunningGateway {
  /** Adds, lists, rotates and revokes the credentials of callers. */
  readonly credentials: CredentialRegistry;
  /** Answers a request without a connection. Never rejects for what a caller sends. */
  fetch(request: Request): Promise<Response>;
  /** Returns a handler for node:http, Express or Fastify. Mount it before middlewares that read bodies. */
  handler(): RequestHandler;
  /** Returns a Koa middleware; it passes on requests for other paths. */
  koa(): MountedMiddleware;
  /** Opens a port, and returns its address. As a text it is `http://127.0.0.1:8080`; `console.log` prints each format and document. */
  listen(options?: ListenOptions): Promise<GatewayAddress>;
  /** Answers the requests in flight, then closes ports and store. */
  close(): Promise<void>;
}

/** Starts a gateway. Throws ConfigError for settings, KeyRingError for keys, and StoreUnavailable where the store cannot be opened. */
export function createGateway<C extends object>(options: ControlledOptions<C>): Promise<RunningGateway & C>;
export function createGateway(options: GatewayOptions): Promise<RunningGateway>;
export async function createGateway(
  options: GatewayOptions & Partial<ControlledOptions<object>>,
): Promise<RunningGateway> {
  const { controls } = options;
  const { gateway, backend } = await startGateway(options, controls?.overrides);
  if (controls === undefined) return gateway;
  // Some of them are getters.
  const added = Object.getOwnPropertyDescriptors(await controls.connect(backend));
  return Object.freeze(Object.defineProperties({ ...gateway }, added));
}

/**
 * Replacements for parts of a gateway, for tests.
 * @internal
 */
export interface StartOverrides extends Pick<GatewayOverrides, 'interceptor' | 'observer'> {
  readonly backend?: Pick<BackendOptions, 'open' | 'context'>;
}

/** @internal */
export interface StartedGateway {
  readonly gateway: RunningGateway;
  readonly backend: Backend;
}

/**
 * Throws as `createGateway` does.
 * @internal
 */
export async function startGateway(options: GatewayOptions, overrides: StartOverrides = {}): Promise<StartedGateway> {
  const { services } = options;
  const roles = servicesOf(services).flatMap((service) => service.roles);
  const callers = options.callers?.map((caller, index) => placed(caller, index, roles));
  const { plan, faults } = planUpstreams({ ...options, callers }, services, readSources());
  if (plan === undefined) throw new ConfigError(faults);
  const config = configure(options, plan);
  const backend = await openBackend(config, { ...backendOptions(options), ...overrides.backend }, services);
  await using opening = new AsyncDisposableStack();
  opening.defer(() => backend.close());
  const { deprecations = [] } = options;
  const gateway = await run(config, backend, opening, { ...overrides, upstreams: plan, deprecations });
  return { backend, gateway };
}

/** `opening`: closes the backend. The gateway takes it over, and adds its own parts. */
async function run(
  config: Config,
  backend: Backend,
  opening: AsyncDisposableStack,
  overrides: GatewayOverrides,
): Promise<RunningGateway> {
  const composed = await composeGateway(config, backend, opening, createNoMetrics, overrides);
  let tls: TlsFiles | undefined;
  opening.defer(() => tls?.stop());
  await startBackgroundWork(config, backend, composed, opening, config.drainMsMax);
  const servers: CallerServer[] = [];
  opening.defer(async () => {
    await Promise.all(servers.map((server) => server.drain()));
  });
  const closers = opening.move();
  let closed: Promise<void> | undefined;
  // Koa is loaded for the first request: it takes as long as all other files of a gateway together.
  const load = async () => {
    const { createApp } = await import('../../http/server/index.ts');
    const isClosing = () => closed !== undefined;
    // The program that mounts the gateway decides for its host.
    const options = { ...config, strictTransportSecurity: undefined };
    return createApp({ ...composed, options, closing: isClosing, onRequest: () => {} }).callback();
  };
  let listener: ReturnType<typeof load> | undefined;
  const loaded = () => {
    listener ??= load();
    return listener;
  };
  const mounted = { listener: loaded, owns: ownedPaths(composed.services) };
  const close = async (): Promise<void> => {
    try {
      await closers.disposeAsync();
    } finally {
      await composed.log.close();
    }
  };
  return Object.freeze<RunningGateway>({
    credentials: backend.registry,
    fetch: async (request) => exchange(await loaded(), request),
    handler: () => createHandler(mounted),
    koa: () => createMiddleware(mounted),
    async listen({ port = 0, host = '127.0.0.1' } = {}) {
      const { openCallerServer } = await import('../../http/server/index.ts');
      tls ??= openTlsFiles(config, tlsReport(composed.log));
      const server = await openCallerServer({ ...composed, options: { ...config, host, port }, tls });
      servers.push(server);
      return new GatewayAddress(origin(host, server.port, tls === undefined ? 'http' : 'https'), composed.services);
    },
    close() {
      closed ??= close();
      return closed;
    },
  });
}

function configure({ services, store = 'memory', keys, settings = {} }: GatewayOptions, plan: UpstreamPlan): Config {
  const groups = settingGroupsOf(services);
  const variables = {
    LOG_LEVEL: 'warn',
    DRAIN_NOTICE_MS: '0',
    ...noLimits,
    ...storeVariables(store),
    ...(store === 'memory' && settingsInMemory(groups)),
    ...keyVariables(store, keys, settings),
    ...settings,
  };
  const config = readConfig('production', variables, groups);
  if (config.environment === 'live') {
    const faults = productionFaults(config, { plan });
    if (faults.length > 0) throw new ConfigError(faults);
  }
  return config;
}

/** A program may give a key as a text, and callers without names and roles. */
function placed(caller: GatewayCaller, index: number, roles: readonly string[]): GatewayCaller {
  const { apiKey } = caller;
  return {
    ...{ name: `caller ${index + 1}`, roles, ...caller },
    ...(typeof apiKey === 'string' && { apiKey: { inClear: apiKey } }),
  };
}

/** The callers of a gateway inside a program are that program, as a rule. */
const noLimits = {
  CONNECTIONS_PER_ADDRESS_MAX: '0',
  REQUESTS_PER_CREDENTIAL_MAX: '0',
  REQUEST_WAIT_MS_MAX: '0',
  UNAUTHENTICATED_PER_SECOND_MAX: '0',
};

type Variables = Readonly<Record<string, string>>;

function storeVariables(store: StoreOptions): Variables {
  if (store === 'memory') return {};
  return 'dataDir' in store ? { DATA_DIR: store.dataDir } : { DATABASE_URL: store.databaseUrl };
}

function keyVariables(store: StoreOptions, keys: string | undefined, settings: Variables): Variables {
  if (keys !== undefined) return { TRIGLYPH_KEYS: keys };
  const isGiven = ['KEY_FILE', 'TRIGLYPH_KEYS', 'TRIGLYPH_KEYS_FILE'].some((name) => settings[name] !== undefined);
  if (isGiven || store === 'memory' || !('dataDir' in store) || settings.ENVIRONMENT === 'live') return {};
  return { KEY_FILE: keyFileOfFolder(store.dataDir) };
}

function backendOptions({ store = 'memory', keys }: GatewayOptions): BackendOptions {
  if (store !== 'memory') return { exclusive: true };
  return {
    exclusive: true,
    open: async () => (await import('../../stores/sqlite/index.ts')).openMemory(clock.now),
    ...(keys === undefined && { keys: parseKeyRing(freshKeys()) }),
  };
}
