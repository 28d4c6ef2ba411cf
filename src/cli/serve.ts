/** `triglyph serve`: production. No data of its own, no credentials that anyone knows, no unsafe configuration. */
import type { Command } from 'commander';
import { type Backend, openBackend } from '../app/backend.ts';
import { type Config, readConfig, readVariables } from '../app/config.ts';
import { productionFaults } from '../app/production-checks.ts';
import { origin, type RunningServer, type ServerOverrides, startServer } from '../app/server.ts';
import { startWorkers } from '../app/workers/primary.ts';
import { answerPrimary, asWorker, isWorker, reportServing } from '../app/workers/worker.ts';
import { fail } from './command-error.ts';
import { handleOutputError } from './output.ts';
import { credentialFaults, storeFaults } from './store-faults.ts';
import { untilStopped } from './until-stopped.ts';

async function openSafely(config: Config): Promise<Backend> {
  const faults = productionFaults(config);
  // A configuration that must not serve must not migrate the store either.
  if (faults.length > 0) fail([...faults, ...(await storeFaults(config))]);
  const backend = await openBackend(config, { exclusive: true });
  try {
    fail(await credentialFaults(backend));
    return backend;
  } catch (thrown) {
    await backend.close();
    throw thrown;
  }
}

const say = (level: 'info' | 'warn', msg: string, also: object = {}): void => {
  const time = new Date().toISOString();
  process.stdout.write(`${JSON.stringify({ level, time, msg, ...also })}\n`);
};

const startSafely = async (config: Config, instead: ServerOverrides): Promise<RunningServer> => {
  const room = await openSafely(config);
  return startServer(config, room, { onLogError: handleOutputError, ...instead }).catch(async (thrown) => {
    await room.close();
    throw thrown;
  });
};

const runAlone = async (config: Config): Promise<void> => {
  const running = await startSafely(config, {});
  // Listened for before it is said: who waits for the line may send a signal at once.
  const stopped = untilStopped(running);
  say('info', 'ready', { callers: running.callers, admin: running.admin });
  await stopped;
};

const runWorker = (config: Config, told: Promise<void>): Promise<void> =>
  // The notice is the primary's to give.
  startSafely({ ...config, drainNoticeMs: 0 }, { admin: answerPrimary }).then((running) => {
    reportServing(running.callers);
    return untilStopped(running, told);
  });

/** Before the workers do it each: bring the database up to date, and refuse what is unsafe, once. */
const runPrimary = async (config: Config): Promise<void> => {
  await (await openSafely(config)).close();
  const primary = await startWorkers(config, (text) => say('warn', text));
  process.on('SIGHUP', () => void primary.renew());
  const stopped = untilStopped(primary);
  say('info', 'ready', {
    callers: primary.callers,
    admin: origin(config.adminHost, primary.adminPort),
    workers: config.workers,
  });
  await stopped;
};

const run = async (): Promise<void> => {
  if (isWorker) return asWorker(async (told) => runWorker(readConfig('production', readVariables()), told));
  const config = readConfig('production', readVariables());
  return config.workers > 1 ? runPrimary(config) : runAlone(config);
};

export const add = (program: Command): void => {
  program
    .command('serve')
    .description('serves callers; refuses to start on an unsafe configuration and says how to mend it')
    .addHelpText('after', '\nExample:\n  KEY_FILE=/etc/triglyph/keys DATA_DIR=/var/lib/triglyph triglyph serve')
    .action(run);
};
