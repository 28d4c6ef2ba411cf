/** `triglyph demo`: serves sample data, by default on this machine only, and prints three calls to copy. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { type Backend, describeStore, openBackend, productionFaults, storeAddress } from '../../backend/index.ts';
import { type Config, valuesOf } from '../../config/index.ts';
import type { DemoControls } from '../../console/index.ts';
import { serviceAddress } from '../../core/contract/index.ts';
import { isLoopback } from '../../core/lib/index.ts';
import { type AdminParts, fixedTls, openAdmin } from '../../http/index.ts';
import {
  formatTree,
  ResourceReader,
  readResources,
  recurring,
  recurringSettings,
  treeOf,
} from '../../payments/index.ts';
import { databaseName } from '../../stores/sqlite/index.ts';
import { type RunningServer, startServer } from '../app/server.ts';
import type { PreparedControls, TestControls } from '../testing/controls.ts';
import { demoAccounts, demoConsole, demoCredentials, demoPlatform, rolesOf } from '../testing/demo/published.ts';
import { seed } from '../testing/demo/seed.ts';
import { createTestApi, testApiPath } from '../testing/test-api.ts';
import { commandEvent } from './audited-command.ts';
import { fail } from './command-error.ts';
import { sampleCalls } from './demo/calls.ts';
import { type DemoCertificate, findCertificate, trustLines } from './demo/certificate.ts';
import { prepareDemoControls, testApiFaults } from './demo/controls.ts';
import { claimFolder, clearFolder, findKeyFile } from './demo/folder.ts';
import { handleOutputError, print } from './output.ts';
import {
  type AddressFlags,
  addressSettings,
  configFileName,
  ownServices,
  projectDeprecations,
  projectServices,
  projectSources,
  readProjectConfig,
} from './project.ts';
import { readUpstreams } from './project-upstreams.ts';
import { untilStopped } from './until-stopped.ts';

export function add(program: Command): void {
  program
    .command('demo')
    .description('serves sample data on this machine only, and prints three calls to copy')
    .option('--fresh', "deletes the demo's data first")
    .option('--tls', 'serves HTTPS, with a throw-away certificate')
    .option('--host <address>', 'serves this address, 0.0.0.0 for all; the credentials of the demo are public')
    .option('--port <port>', 'the port for callers; by default PORT')
    .option('--admin-port <port>', 'the port of probes and metrics; by default ADMIN_PORT')
    .option('--test-api', 'controls the clock, faults and data over HTTP on the admin port (docs/testing.md)')
    .addHelpText(
      'after',
      '\nExample:\n  DEMO_SHOPPERS=1000 triglyph demo --fresh\n\nThe data is in ./data/demo, DATA_DIR or DATABASE_URL.',
    )
    .action(runDemo);
}

interface DemoOptions extends AddressFlags {
  readonly fresh?: true;
  readonly tls?: true;
  readonly testApi?: true;
}

/** The parts of a demo that its options ask for. */
interface DemoParts {
  readonly config: Config;
  readonly tls?: DemoCertificate | undefined;
  readonly controls?: PreparedControls | undefined;
  /** Whether the admin port serves the controls. */
  readonly hasTestApi: boolean;
}

async function runDemo(options: DemoOptions): Promise<void> {
  const config = prepare(options);
  const parts: DemoParts = {
    config,
    tls: options.tls && findCertificate(config.dataDir, config.host),
    controls: options.testApi || isControllable(config) ? prepareDemoControls(config) : undefined,
    hasTestApi: options.testApi === true,
  };
  const backend = await openBackend(config, { exclusive: true, ...parts.controls?.backend }, projectServices());
  const running = await start(backend, parts).catch(async (thrown) => {
    await backend.close();
    throw thrown;
  });
  // Signal handlers come before the message: its reader may send a signal at once.
  const stopped = untilStopped(running);
  await introduce(running, backend, parts);
  await stopped;
}

/** By the name of their company or their balance platform. */
const demoCallers = new Map(
  demoCredentials.flatMap((credential) => {
    const { company, balancePlatform = company, presented } = credential;
    return presented.kind === 'apiKey' ? [[balancePlatform, { presented, roles: rolesOf(credential) }] as const] : [];
  }),
);

async function start(backend: Backend, { config, tls, controls, hasTestApi }: DemoParts): Promise<RunningServer> {
  await claimDatabase(backend, config);
  const command = commandEvent();
  if (command) await backend.audit.append([command]);
  await addSampleData(backend, config);
  const overrides = {
    onLogError: handleOutputError,
    tls: tls && fixedTls(tls),
    deprecations: projectDeprecations(),
    configFile: configFileName(),
    upstreams: readUpstreams(),
    consoleForAll: demoConsole.presented,
    demoCallers,
  };
  if (controls === undefined) return startServer(config, backend, overrides);
  const connected = await controls.connect(backend);
  const demoControls = config.console && mayControl(config) ? await consoleControls(connected) : undefined;
  const { interceptor } = controls.overrides;
  const controlled = { ...overrides, interceptor, ...(demoControls && { demoControls }) };
  if (!hasTestApi) return startServer(config, backend, controlled);
  const extension = createTestApi(connected);
  const admin = (parts: AdminParts) => openAdmin({ ...parts, extension });
  return startServer(config, backend, { ...controlled, ...controls.overrides, admin });
}

/** Whether the console controls the demo: it copies the rows of its start into memory, so there are few. */
function isControllable(config: Config): boolean {
  const isSmall =
    valuesOf(config, recurringSettings).demoShoppers <= controlledShoppersMax &&
    storeBytes(config) <= controlledBytesMax;
  return config.console && mayControl(config) && testApiFaults(config).length === 0 && isSmall;
}

const controlledShoppersMax = 1_000;
const controlledBytesMax = 32 * 2 ** 20;

/** Returns 0 where there is no store yet. */
function storeBytes({ dataDir }: Config): number {
  return statSync(join(dataDir, databaseName), { throwIfNoEntry: false })?.size ?? 0;
}

/** Each caller of the demo is an administrator of the console. The test API stays where its host is. */
function mayControl({ host, adminHost }: Config): boolean {
  return isLoopback(host) || !isLoopback(adminHost);
}

/** Loaded on demand: without a console nothing of it is. */
async function consoleControls(controls: TestControls): Promise<DemoControls> {
  return (await import('../testing/demo-controls.ts')).createDemoControls(controls);
}

function prepare({ fresh, testApi, ...address }: DemoOptions): Config {
  const sources = projectSources().overriddenBy({ name: 'command line', variables: addressSettings(address) });
  const config = readProjectConfig('demo', sources);
  const { dataDir, keys, databaseUrl } = config;
  // Reports every fault before it creates or deletes anything.
  fail([
    ...productionFaults(config, { isHostChosen: address.host !== undefined }),
    ...(testApi ? testApiFaults(config) : []),
    ...(fresh && databaseUrl !== undefined
      ? ["--fresh deletes the demo's folder, not a database: unset DATABASE_URL."]
      : []),
  ]);
  if (fresh) clearFolder(dataDir, { hasOwnKeys: keys === undefined });
  claimFolder(dataDir);
  if (keys !== undefined) return config;
  const created = { name: 'demo', variables: { KEY_FILE: findKeyFile(dataDir) } };
  return readProjectConfig('demo', sources.overriddenBy(created));
}

/** A database has no mark: it is the demo's if it has no other merchant accounts. */
async function claimDatabase(backend: Backend, config: Config): Promise<void> {
  if (config.databaseUrl === undefined) return;
  const own = new Set(demoAccounts.map(({ code }) => code));
  const accounts = await recurring.sharedIn(backend).registry.listMerchantAccounts();
  if (accounts.some(({ code }) => !own.has(code)))
    fail([
      `DATABASE_URL holds accounts that are not the demo's (${describeStore(storeAddress(config))}): name an empty database.`,
    ]);
}

async function addSampleData(backend: Backend, config: Config): Promise<void> {
  const startedAt = performance.now();
  const added = await seed(backend, valuesOf(config, recurringSettings).demoShoppers);
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  if (added > 0) print(`Added ${added} generated shoppers with three cards each in ${seconds} s.`);
}

/** The number of printed resources in each parent. */
const childrenMax = 3;

async function introduce(
  { callers, admin, protocols }: RunningServer,
  { store }: Backend,
  { config, tls, hasTestApi }: DemoParts,
): Promise<void> {
  const resources = await store.read((tx) =>
    readResources(demoPlatform.id, tx.repository(ResourceReader), childrenMax),
  );
  const trust = tls && [`\nTo trust the certificate ${tls.file}:`, ...trustLines(tls).map((line) => `  ${line}`)];
  print(
    ...sampleCalls(protocols, callers, tls?.file).map(({ format, command }) => `\n# ${format}\n${command}`),
    `
On the balance platform ${demoPlatform.id}, at ${callers}/bcl/v2:
${formatTree(treeOf(resources)).join('\n')}

${config.console ? `Console  ${callers}/console\n` : ''}WSDL     ${callers}/pal/servlet/Recurring/v25?wsdl
OpenAPI  ${callers}/openapi.json and ${callers}/bcl/openapi.json
Admin    ${admin}/readyz and ${admin}/metrics`,
    ...ownServices().map(({ service }) => `${service.name.padEnd(8)} ${callers}${serviceAddress(service)}?wsdl`),
    ...(hasTestApi ? [`Tests    ${admin}${testApiPath}/reset, /clock, /faults and /calls`] : []),
    `Data     ${describeStore(storeAddress(config))}`,
    ...(trust ?? []),
    ...(isLoopback(config.host) ? [] : [publicWarning(config)]),
    `
The demo is ready: callers at ${callers}, admin at ${admin}. Ctrl-C stops it. Requests are logged below.`,
  );
}

function publicWarning({ host }: Config): string {
  return `
The demo serves ${host}: everyone who reaches this machine may use it, since its credentials are public. They can read and
change what it stores, and see the requests of others in the console. Use test cards only.`;
}
