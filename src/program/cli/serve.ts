/** `triglyph serve`: the production server, in one process or in several workers. */
import { type Command, Option } from 'commander';
import {
  type Backend,
  databaseFaults,
  openBackend,
  productionFaults,
  type UpstreamPlan,
  withoutJobs,
} from '../../backend/index.ts';
import { type Config, hasDatabase, keyFileOfFolder, origin, version } from '../../config/index.ts';
import { upstreamFormats } from '../../core/formats/index.ts';
import { roles } from '../../operators/index.ts';
import { type RunningServer, type ServerOverrides, startServer } from '../app/server.ts';
import { startWorkers } from '../app/workers/primary.ts';
import { answerPrimary, isWorker, reportFailure, reportServing, runAsWorker } from '../app/workers/worker.ts';
import { explain, fail } from './command-error.ts';
import { type ContractFlags, openContracts, type ServedContracts } from './contracts/serve.ts';
import { handleOutputError, print, serveWithoutOutput } from './output.ts';
import {
  configFileName,
  loadProjectServices,
  projectDeprecations,
  projectServices,
  projectSources,
  readProjectConfig,
  servesBuiltIn,
} from './project.ts';
import { readUpstreams, servedServices, type UpstreamFlags } from './project-upstreams.ts';
import { notSensitiveOption, readsOption, sensitiveOption } from './reads-option.ts';
import { credentialFaults, storeFaults } from './store-faults.ts';
import { firstSignal, untilStopped } from './until-stopped.ts';

export function add(program: Command): void {
  program
    .command('serve')
    .description('serves callers; refuses to start on an unsafe configuration and says how to correct it')
    .option('--wsdl <location>', 'serves what this WSDL describes, a file or a URL, and lets its server answer')
    .option(
      '--openapi <location>',
      'serves what this OpenAPI document describes in SOAP and FORM, too: a file or a URL; its server answers',
    )
    .addOption(readsOption())
    .addOption(sensitiveOption())
    .addOption(notSensitiveOption())
    .option('--save <folder>', 'with --wsdl or --openapi: writes the contract and triglyph.config.ts, to go on from')
    .option(
      '--folder <folder>',
      'with --wsdl or --openapi: the folder that files may be in which the document names; by default its own',
    )
    .option('--time-zone <zone>', 'with --wsdl: the time zone of a dateTime without one; by default UTC')
    .addOption(
      new Option(
        '--unknown-members <mode>',
        'with --wsdl or --openapi: members of answers that the document lacks; keep, the default, gives them to callers apart',
      ).choices(['keep', 'refuse', 'drop']),
    )
    .addOption(
      new Option(
        '--unknown-request-members <mode>',
        'with --wsdl or --openapi: members of requests that the document lacks; by default refuse',
      ).choices(['refuse', 'drop']),
    )
    .option('--require-credentials', 'asks callers for stored credentials, and does not forward them')
    .option(
      '--upstream <url>',
      'lets this server answer everything, and forwards the credentials of callers to it; with --wsdl or --openapi, instead of its address',
    )
    .addOption(new Option('--upstream-format <format>', 'its wire format; by default json').choices(upstreamFormats))
    .addOption(
      new Option(
        '--upstream-idempotency <mode>',
        'header: it has the effect of one Idempotency-Key once; none, the default: writes are sent at most once',
      ).choices(['header', 'none']),
    )
    .addOption(
      new Option(
        '--upstream-server-errors <mode>',
        'final, the default: an error of its application is the outcome of a write; unknown: it may follow the effect',
      ).choices(['final', 'unknown']),
    )
    .option(
      '--upstream-lookups <file>',
      'JSON that says how it is asked for unknown outcomes of writes, where it does not deduplicate (docs/upstreams.md)',
    )
    .option(
      '--oauth2-client <id>',
      'with --wsdl or --openapi: gets tokens by OAuth 2 client credentials and sends them; the secret is in OAUTH2_CLIENT_SECRET; callers need stored credentials',
    )
    .option('--oauth2-secret-file <file>', 'the file with the secret, instead of OAUTH2_CLIENT_SECRET')
    .option('--oauth2-token-url <url>', 'the token endpoint, instead of that of the document')
    .option('--oauth2-scope <scopes>', 'the scopes that are asked for, with blanks between them')
    .option('--stateless', 'stores nothing: every upstream must have the effect of one Idempotency-Key once')
    .option('--accept-clock', 'starts though the clock is days away from the last time that a server has recorded')
    .addHelpText(
      'after',
      '\nExample:\n  KEY_FILE=/etc/triglyph/keys DATA_DIR=/var/lib/triglyph triglyph serve\n' +
        '  KEY_FILE=/etc/triglyph/keys triglyph serve --upstream https://erp.example.com\n' +
        '  KEY_FILE=/etc/triglyph/keys triglyph serve --upstream https://erp.example.com --upstream-idempotency header --stateless\n' +
        '  triglyph serve --wsdl https://erp.example.com/orders?wsdl --reads "get*,list*"\n' +
        '  triglyph serve --openapi petstore.yaml --upstream http://localhost:8081/api/v3\n\n' +
        'A configuration file names several upstreams, and other credentials (docs/upstreams.md).',
    )
    .action(serve);
}

interface Project {
  readonly config: Config;
  /** Present with `--wsdl`. */
  readonly contracts: ServedContracts | undefined;
  readonly plan: UpstreamPlan;
  readonly acceptsClock: boolean;
}

interface ServeFlags extends UpstreamFlags, ContractFlags {
  readonly stateless?: true;
  readonly acceptClock?: true;
}

async function serve(flags: ServeFlags): Promise<void> {
  // The primary has accepted the clock. That of a worker which starts later may be another one.
  const acceptsClock = flags.acceptClock === true && !isWorker;
  const contracts = await openContracts(flags, { isSilent: isWorker });
  await loadProjectServices();
  // The upstreams of contracts are those of their project.
  const plan = readUpstreams(contracts === undefined ? flags : {});
  const project: Project = { config: configure(flags, plan), contracts, plan, acceptsClock };
  serveWithoutOutput();
  if (isWorker) return runAsWorker((stopRequest) => serveAsWorker(project, stopRequest));
  return project.config.workers > 1 ? superviseWorkers(project) : serveAlone(project);
}

/** What a gateway in front of other servers keeps needs no key file of the operator's: keyed hashes, and outcomes. */
function configure({ upstream, stateless }: ServeFlags, plan: UpstreamPlan): Config {
  const flag = { name: '--stateless', variables: { STATELESS: 'on' } };
  const sources = stateless ? projectSources().overriddenBy(flag) : projectSources();
  const config = readProjectConfig('production', sources);
  const { keys, databaseUrl, environment, dataDir } = config;
  // Several gateways need the same keys, and one that is started anew its own.
  if (!hasDatabase(config)) return config;
  const needsNoFile = upstream !== undefined || (plan.answersEverything && !servesBuiltIn());
  if (!needsNoFile || keys !== undefined || databaseUrl !== undefined || environment === 'live') return config;
  const created = { name: 'created', variables: { KEY_FILE: keyFileOfFolder(dataDir) } };
  return readProjectConfig('production', sources.overriddenBy(created));
}

async function serveAlone(project: Project): Promise<void> {
  logStart(project);
  const running = await startSafely(project);
  // Signal handlers come before the message: its reader may send a signal at once.
  const stopped = untilStopped(running);
  log('info', 'ready', { version, callers: running.callers, admin: running.admin });
  project.contracts?.introduce(running);
  await stopped;
}

async function serveAsWorker(project: Project, stopRequest: Promise<void>): Promise<void> {
  // The primary waits for DRAIN_NOTICE_MS before it stops its workers.
  const config = { ...project.config, drainNoticeMs: 0 };
  const running = await startSafely({ ...project, config }, { admin: answerPrimary }).catch((thrown) => {
    reportFailure(explain(thrown));
  });
  if (running === undefined) return;
  const stopped = untilStopped(running, stopRequest);
  reportServing(running.callers);
  log('info', 'worker ready', { worker: process.pid, version });
  await stopped;
}

async function superviseWorkers(project: Project): Promise<void> {
  const { config, plan } = project;
  logStart(project);
  // Migrates the store and refuses an unsafe one once, before every worker does.
  const opened = await openSafely(project);
  const backend = config.console ? opened : undefined;
  if (backend === undefined) await opened.close();
  const report = (text: string): void => log('warn', text);
  const deprecations = { configured: projectDeprecations(), source: configFileName() ?? 'configuration' };
  const primary = await startWorkers(config, { report, console: backend && { backend, plan, deprecations } }).catch(
    async (thrown) => {
      await backend?.close();
      throw thrown;
    },
  );
  process.on('SIGHUP', () => {
    log('info', 'reloading', { workers: config.workers });
    void primary.renew();
  });
  const failed = (thrown: unknown): void => log('error', 'the primary failed', { cause: explain(thrown).join(' ') });
  const stop = async (): Promise<void> => {
    log('info', 'draining', { workers: config.workers, noticeMs: config.drainNoticeMs, msMax: config.drainMsMax });
    await primary.stop();
    await backend?.close();
    log('info', 'stopped', {});
  };
  const stopped = untilStopped({ failed, stop }, firstSignal(['SIGTERM', 'SIGINT']));
  const { callers, adminPort } = primary;
  const admin = origin(config.adminHost, adminPort, config.adminTls ? 'https' : 'http');
  log('info', 'ready', { version, callers, admin, workers: config.workers });
  project.contracts?.introduce({ callers, admin });
  await stopped;
}

async function startSafely(project: Project, overrides: ServerOverrides = {}): Promise<RunningServer> {
  const { config, plan } = project;
  const backend = await openSafely(project);
  return startServer(config, backend, {
    onLogError: handleOutputError,
    deprecations: projectDeprecations(),
    configFile: configFileName(),
    upstreams: plan,
    ...overrides,
  }).catch(async (thrown) => {
    await backend.close();
    throw thrown;
  });
}

async function openSafely({ config, contracts, plan, acceptsClock }: Project): Promise<Backend> {
  const faults = [...productionFaults(config, { plan }), ...databaseFaults(config, plan, servedServices())];
  // A configuration that must not serve must not migrate the store either.
  if (faults.length > 0) fail([...faults, ...(await storeFaults(config, plan))]);
  const services = plan.answersEverything ? withoutJobs(projectServices()) : projectServices();
  const backend = await openBackend(config, { exclusive: true, acceptsClock }, services);
  try {
    await contracts?.addFirstCredentials(backend, plan, config);
    await addAdminToken(backend, config);
    fail(await credentialFaults(backend, plan));
    return backend;
  } catch (thrown) {
    await backend.close();
    throw thrown;
  }
}

/** Without a database, ADMIN_TOKEN is the one credential of the console. */
async function addAdminToken({ records, registry }: Backend, { console, adminToken: secret }: Config): Promise<void> {
  if (records === undefined || !console || secret === undefined) return;
  await registry.addCredential({ tenant: 'admin', kind: 'apiKey', roles: [roles.act], grants: {}, secret });
}

/** The settings that differ from their defaults, without secrets. */
function logStart({ config: { workers, reports } }: Project): void {
  const changed = reports.filter(({ source }) => source !== 'default').map(({ name, value }) => [name, value]);
  const { node } = process.versions;
  log('info', 'starting', { version, node, pid: process.pid, workers, settings: Object.fromEntries(changed) });
}

function log(level: 'info' | 'warn' | 'error', msg: string, members: object = {}): void {
  print(JSON.stringify({ level, time: new Date().toISOString(), msg, ...members }));
}
