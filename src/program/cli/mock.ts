/** `triglyph mock`: answers like the server of a contract, in every format, with the test API on the admin port. */
import { randomInt } from 'node:crypto';
import type { Command } from 'commander';
import { type GatewayService, openBackend, productionFaults } from '../../backend/index.ts';
import { type Config, settingsInMemory } from '../../config/index.ts';
import { servicesOf } from '../../core/gateway/index.ts';
import { freshKeys, parseKeyRing } from '../../core/vault/index.ts';
import { openAdmin } from '../../http/index.ts';
import { openMemory } from '../../stores/sqlite/index.ts';
import { type RunningServer, startServer } from '../app/server.ts';
import { prepareControls } from '../testing/controls.ts';
import { createMocks, describeMock, everyCaller, type MockedContract, type Mocks } from '../testing/mock/mock.ts';
import { createSeededRandom } from '../testing/seeded-random.ts';
import { createTestApi, testApiPath } from '../testing/test-api.ts';
import { CommandError, fail } from './command-error.ts';
import { sampleCalls } from './contracts/sample-calls.ts';
import { addressLines, type ContractFlags, openSource } from './contracts/serve.ts';
import { testApiFaults } from './demo/controls.ts';
import { readRules } from './mock/rules.ts';
import { handleOutputError, print } from './output.ts';
import {
  type AddressFlags,
  addressSettings,
  checkProject,
  ownServices,
  projectSettings,
  projectSources,
  readProjectConfig,
} from './project.ts';
import { notSensitiveOption, readsOption, sensitiveOption } from './reads-option.ts';
import { untilStopped } from './until-stopped.ts';

export function add(program: Command): void {
  program
    .command('mock')
    .description('answers like the server of a contract, with examples, recorded answers and state; for tests')
    .option('--openapi <location>', 'the contract: an OpenAPI document, a file or a URL')
    .option(
      '--wsdl <location>',
      'the contract: a WSDL, a file or a URL; by default the services of the configuration file',
    )
    .addOption(readsOption())
    .addOption(sensitiveOption())
    .addOption(notSensitiveOption())
    .option('--folder <folder>', 'the folder that files may be in which the document names; by default its own')
    .option('--time-zone <zone>', 'with --wsdl: the time zone of a dateTime without one; by default UTC')
    .option('--answers <path>', 'recorded answers: a JSON file, or a folder of them (docs/mock.md)')
    .option('--host <address>', 'serves this address, 0.0.0.0 for all; the mock asks callers for no credentials')
    .option('--port <port>', 'the port for callers; by default PORT')
    .option('--admin-port <port>', 'the port of probes, metrics and the test API; by default ADMIN_PORT')
    .addHelpText(
      'after',
      '\nExample:\n  triglyph mock --wsdl orders.wsdl\n\nThe data is in memory. The test API is that of the demo (docs/testing.md).',
    )
    .action(runMock);
}

interface MockFlags extends Omit<ContractFlags, 'save'>, AddressFlags {
  readonly answers?: string;
}

async function runMock({ answers, host, port, adminPort, ...document }: MockFlags): Promise<void> {
  const source = await openSource(document);
  if (source === undefined) checkProject();
  const contracts: readonly MockedContract[] =
    source?.services.map(({ service }) => ({ service, olderVersions: [] })) ?? ownServices();
  if (contracts.length === 0)
    throw new CommandError([
      'there is nothing to mock: give --wsdl or --openapi, or name services in triglyph.config.ts.',
    ]);
  const mocks = readMocks(contracts, answers);
  const config = configure({ host, port, adminPort });
  fail([...productionFaults(config, { isHostChosen: host !== undefined }), ...testApiFaults(config)]);
  const running = await start(config, mocks.services);
  // Signal handlers come before the message: its reader may send a signal at once.
  const stopped = untilStopped(running);
  // The terminal would follow the control characters of a document.
  print(...introduction(running, mocks, source?.report ?? []));
  await stopped;
}

function readMocks(contracts: readonly MockedContract[], path: string | undefined): Mocks {
  try {
    return createMocks(contracts, path === undefined ? {} : readRules(path));
  } catch (thrown) {
    if (thrown instanceof TypeError && path !== undefined) throw new CommandError([`${path}: ${thrown.message}`]);
    throw thrown;
  }
}

/** Settings of a project may name its stores and keys, which a mock does not touch. */
const untouched = [
  'DATABASE_URL',
  'REDIS_URL',
  'REDIS_STORE_URL',
  'STATELESS',
  'KMS_URL',
  'KEY_FILE',
  'TRIGLYPH_KEYS',
  'AUDIT_LOG',
];

function configure(address: AddressFlags): Config {
  const variables = {
    ...Object.fromEntries(untouched.flatMap((name) => [[name, ''] as const, [`${name}_FILE`, ''] as const])),
    CONSOLE: 'off',
    WORKERS: '1',
    ...addressSettings(address),
  };
  // All callers are one, so limits of one credential would be those of all.
  const defaults = { ...settingsInMemory(projectSettings()), REQUESTS_PER_CREDENTIAL_MAX: '0' };
  const sources = projectSources().with({ name: 'mock', variables: defaults });
  return readProjectConfig('demo', sources.overriddenBy({ name: 'command line', variables }));
}

async function start(config: Config, services: readonly GatewayService[]): Promise<RunningServer> {
  const controls = prepareControls({ random: createSeededRandom(randomInt(2 ** 48 - 1)), open: openMemory });
  const keys = parseKeyRing(freshKeys());
  const backend = await openBackend(config, { exclusive: true, keys, ...controls.backend }, services);
  try {
    const extension = createTestApi(await controls.connect(backend));
    return await startServer(config, backend, {
      ...controls.overrides,
      authenticator: everyCaller(servicesOf(services)),
      admin: (parts) => openAdmin({ ...parts, extension }),
      onLogError: handleOutputError,
    });
  } catch (thrown) {
    await backend.close();
    throw thrown;
  }
}

function introduction(
  { callers, admin, protocols }: RunningServer,
  { services, resources }: Mocks,
  report: readonly string[],
): readonly string[] {
  const contracts = services.map(({ service }) => service);
  return [
    ...report.slice(0, -1).map((line) => `  ${line}`),
    ...contracts.flatMap((service) => [
      '',
      ...addressLines([service], callers),
      ...describeMock(service, resources.get(service) ?? []).map((line) => `  ${line}`),
    ]),
    '',
    `Tests  ${admin}${testApiPath}/reset, /clock, /faults and /calls`,
    ...sampleCalls(contracts, protocols, callers, undefined),
    '',
    `The mock is ready: callers at ${callers}, admin at ${admin}. Ctrl-C stops it. Requests are logged below.`,
  ];
}
