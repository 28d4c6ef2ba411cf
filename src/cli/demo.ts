/** `triglyph demo`: serves sample data on this machine, and prints three calls to copy. */
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { type Backend, openBackend } from '../app/backend.ts';
import { type Config, readConfig, readVariables } from '../app/config.ts';
import { describeStore, storeAddress } from '../app/open-store.ts';
import { demoMark, productionFaults } from '../app/production-checks.ts';
import { type RunningServer, startServer } from '../app/server.ts';
import { demoAccounts, demoPlatform } from '../demo/published.ts';
import { seed } from '../demo/seed.ts';
import { type AdminParts, openAdmin } from '../http/admin.ts';
import { ResourceReader } from '../services/balance-platform/store/repository.ts';
import type { PreparedControls } from '../testing/controls.ts';
import { createTestApi, testApiPath } from '../testing/test-api.ts';
import { createKeyFile } from '../vault/key-ring.ts';
import { fail } from './command-error.ts';
import { sampleCalls } from './demo-calls.ts';
import { prepareDemoControls, testApiFaults } from './demo-controls.ts';
import { handleOutputError, print } from './output.ts';
import { formatTree, readTree } from './platform.ts';
import { untilStopped } from './until-stopped.ts';

export function add(program: Command): void {
  program
    .command('demo')
    .description('serves sample data on this machine only, and prints three calls to copy')
    .option('--test-api', 'controls the clock, faults and data over HTTP on the admin port (docs/testing.md)')
    .addHelpText(
      'after',
      '\nExample:\n  DEMO_SHOPPERS=1000 triglyph demo\n\nThe data is in ./data/demo, DATA_DIR or DATABASE_URL. Delete the folder to start again.',
    )
    .action(runDemo);
}

interface DemoOptions {
  readonly testApi?: true;
}

async function runDemo(options: DemoOptions): Promise<void> {
  const config = prepare(options);
  const controls = options.testApi && prepareDemoControls(config);
  const backend = await openBackend(config, { exclusive: true, ...controls?.backend });
  const running = await start(backend, config, controls).catch(async (thrown) => {
    await backend.close();
    throw thrown;
  });
  // Signal handlers come before the message: its reader may send a signal at once.
  const stopped = untilStopped(running);
  await introduce(running, backend, { config, hasTestApi: controls !== undefined });
  await stopped;
}

async function start(backend: Backend, config: Config, controls?: PreparedControls): Promise<RunningServer> {
  await claimDatabase(backend, config);
  await addSampleData(backend, config);
  const overrides = { onLogError: handleOutputError };
  if (controls === undefined) return startServer(config, backend, overrides);
  const extension = createTestApi(await controls.connect(backend));
  const admin = (parts: AdminParts) => openAdmin({ ...parts, extension });
  return startServer(config, backend, { ...overrides, ...controls.overrides, admin });
}

function prepare({ testApi }: DemoOptions): Config {
  const variables = readVariables();
  const config = readConfig('demo', variables);
  // Reports every fault before it creates a folder.
  fail([...productionFaults(config), ...(testApi ? testApiFaults(config) : [])]);
  claimFolder(config.dataDir);
  return config.keys === undefined
    ? readConfig('demo', { ...variables, KEY_FILE: findKeyFile(config.dataDir) })
    : config;
}

/** Marks the folder: `serve` refuses the demo's data, and the demo refuses any other. */
function claimFolder(dataDir: string): void {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const mark = join(dataDir, demoMark);
  if (existsSync(mark)) return;
  if (readdirSync(dataDir).length > 0)
    fail([`DATA_DIR ${dataDir} holds something that is not the demo's: name an empty or missing folder.`]);
  writeFileSync(mark, 'The data of a demo, whose credentials are public. Delete the folder to start again.\n');
}

/** Returns the key file of the demo, and creates a missing one. */
function findKeyFile(dataDir: string): string {
  const file = join(dataDir, 'keys');
  if (!existsSync(file)) {
    createKeyFile(file);
    print(`Created the key file ${file}. In production, keep keys apart from the data.`);
  }
  return file;
}

/** A database has no mark: it is the demo's if it has no other merchant accounts. */
async function claimDatabase({ registry }: Backend, config: Config): Promise<void> {
  if (config.databaseUrl === undefined) return;
  const own = new Set(demoAccounts.map(({ code }) => code));
  const accounts = await registry.listMerchantAccounts();
  if (accounts.some(({ code }) => !own.has(code)))
    fail([
      `DATABASE_URL holds accounts that are not the demo's (${describeStore(storeAddress(config))}): name an empty database.`,
    ]);
}

async function addSampleData(backend: Backend, { demoShoppers }: Config): Promise<void> {
  const startedAt = performance.now();
  const added = await seed(backend, demoShoppers);
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  if (added > 0) print(`Added ${added} generated shoppers with three cards each in ${seconds} s.`);
}

/** The number of printed resources in each parent. */
const childrenMax = 3;

async function introduce(
  { callers, admin, protocols }: RunningServer,
  { store }: Backend,
  { config, hasTestApi }: { readonly config: Config; readonly hasTestApi: boolean },
): Promise<void> {
  const tree = await store.read((tx) => readTree(demoPlatform.id, tx.repository(ResourceReader), childrenMax));
  print(
    ...sampleCalls(protocols, callers).map(({ format, command }) => `\n# ${format}\n${command}`),
    `
On the balance platform ${demoPlatform.id}, at ${callers}/bcl/v2:
${formatTree(tree).join('\n')}

WSDL     ${callers}/pal/servlet/Recurring/v25?wsdl
OpenAPI  ${callers}/openapi.json and ${callers}/bcl/openapi.json
Admin    ${admin}/readyz and ${admin}/metrics
${hasTestApi ? `Test API ${admin}${testApiPath}/reset, /clock, /faults and /calls\n` : ''}Data     ${describeStore(storeAddress(config))}

The demo is ready: callers at ${callers}, admin at ${admin}. Ctrl-C stops it. Requests are logged below.`,
  );
}
