/** `triglyph serve`: the production server, in one process or in several workers. */
import type { Command } from 'commander';
import { type Backend, openBackend } from '../app/backend.ts';
import type { Config } from '../app/config.ts';
import { origin } from '../app/origin.ts';
import { productionFaults } from '../app/production-checks.ts';
import { type RunningServer, type ServerOverrides, startServer } from '../app/server.ts';
import { startWorkers } from '../app/workers/primary.ts';
import { answerPrimary, isWorker, reportServing, runAsWorker } from '../app/workers/worker.ts';
import { explain, fail } from './command-error.ts';
import { handleOutputError, print, serveWithoutOutput } from './output.ts';
import { ownServices, projectDeprecations, readProjectConfig } from './project.ts';
import { credentialFaults, storeFaults } from './store-faults.ts';
import { untilStopped } from './until-stopped.ts';

export function add(program: Command): void {
  program
    .command('serve')
    .description('serves callers; refuses to start on an unsafe configuration and says how to correct it')
    .addHelpText('after', '\nExample:\n  KEY_FILE=/etc/triglyph/keys DATA_DIR=/var/lib/triglyph triglyph serve')
    .action(serve);
}

async function serve(): Promise<void> {
  const config = readProjectConfig('production');
  serveWithoutOutput();
  if (isWorker) return runAsWorker((stopRequest) => serveAsWorker(config, stopRequest));
  return config.workers > 1 ? superviseWorkers(config) : serveAlone(config);
}

async function serveAlone(config: Config): Promise<void> {
  const running = await startSafely(config);
  // Signal handlers come before the message: its reader may send a signal at once.
  const stopped = untilStopped(running);
  log('info', 'ready', { callers: running.callers, admin: running.admin });
  await stopped;
}

async function serveAsWorker(config: Config, stopRequest: Promise<void>): Promise<void> {
  // The primary waits for DRAIN_NOTICE_MS before it stops its workers.
  const running = await startSafely({ ...config, drainNoticeMs: 0 }, { admin: answerPrimary });
  const stopped = untilStopped(running, stopRequest);
  reportServing(running.callers);
  await stopped;
}

async function superviseWorkers(config: Config): Promise<void> {
  // Migrates the store and refuses an unsafe one once, before every worker does.
  await (await openSafely(config)).close();
  const primary = await startWorkers(config, (text) => log('warn', text));
  process.on('SIGHUP', () => void primary.renew());
  const failed = (thrown: unknown): void => log('error', 'the primary failed', { cause: explain(thrown).join(' ') });
  const stopped = untilStopped({ failed, stop: primary.stop });
  const { callers, adminPort } = primary;
  log('info', 'ready', { callers, admin: origin(config.adminHost, adminPort), workers: config.workers });
  await stopped;
}

async function startSafely(config: Config, overrides: ServerOverrides = {}): Promise<RunningServer> {
  const backend = await openSafely(config);
  return startServer(config, backend, {
    onLogError: handleOutputError,
    deprecations: projectDeprecations(),
    ...overrides,
  }).catch(async (thrown) => {
    await backend.close();
    throw thrown;
  });
}

async function openSafely(config: Config): Promise<Backend> {
  const faults = productionFaults(config);
  // A configuration that must not serve must not migrate the store either.
  if (faults.length > 0) fail([...faults, ...(await storeFaults(config))]);
  const backend = await openBackend(config, { exclusive: true }, ownServices());
  try {
    fail(await credentialFaults(backend));
    return backend;
  } catch (thrown) {
    await backend.close();
    throw thrown;
  }
}

function log(level: 'info' | 'warn' | 'error', msg: string, members: object = {}): void {
  print(JSON.stringify({ level, time: new Date().toISOString(), msg, ...members }));
}
