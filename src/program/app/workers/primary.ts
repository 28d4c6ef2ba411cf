/** The primary process: supervises the workers, and answers probes and metrics for all of them. */
import type { Worker } from 'node:cluster';
import { setTimeout } from 'node:timers/promises';
import type { ProcessReport } from '../../../backend/index.ts';
import { adminAccess, type Config, openTlsFiles, type TlsFiles } from '../../../config/index.ts';
import { openAdmin, type Readiness, workersMetrics } from '../../../http/index.ts';
import type { TrafficReader } from '../../../insight/traffic/index.ts';
import { askWorker } from './ask-worker.ts';
import type { WorkerState } from './messages.ts';
import { openPrimaryConsole, type PrimaryConsoleParts } from './primary-console.ts';
import { Supervisor } from './supervisor.ts';

interface SupervisedCommand {
  readonly report: (text: string) => void;
  /** What the console needs; absent without one. The store stays open until `stop` has ended. */
  readonly console?: Pick<PrimaryConsoleParts, 'backend' | 'plan' | 'deprecations'> | undefined;
}

/** Starts `config.workers` processes that run the same command. Rejects if none of them can serve. */
export async function startWorkers(config: Config, { report, console: needed }: SupervisedCommand) {
  const supervisor = new Supervisor({ workers: config.workers, drainMsMax: config.drainMsMax, report });
  try {
    const callers = await supervisor.start();
    const tls = openAdminTls(config, report);
    const readiness = () => inspectWorkers(supervisor);
    const processes = () => reportWorkers(supervisor);
    const traffic = needed && (await openTrafficOfWorkers(config, supervisor));
    const console =
      needed && (await openPrimaryConsole({ config, ...needed, callers, readiness, processes, traffic, report }));
    const admin = await openAdmin({
      host: config.adminHost,
      port: config.adminPort,
      access: adminAccess(config),
      tls,
      registry: workersMetrics(),
      readiness,
      site: console?.options,
    });
    return Object.freeze({
      /** The address for callers. */
      callers,
      adminPort: admin.port,
      /** Replaces every worker without a failed request. Never rejects. */
      renew: (): Promise<void> => supervisor.renew(),
      /** Drains and ends all workers. */
      async stop(): Promise<void> {
        supervisor.beginStop();
        await setTimeout(config.drainNoticeMs);
        await supervisor.stop();
        await console?.close();
        await admin.close();
        await tls?.stop();
      },
    });
  } catch (thrown) {
    await supervisor.stop();
    throw thrown;
  }
}

/** Its code is not loaded where nothing is recorded. */
async function openTrafficOfWorkers(config: Config, supervisor: Supervisor): Promise<TrafficReader | undefined> {
  const { traffic, trafficRequestsMax, trafficBytesMax } = config;
  if (traffic === 'off') return undefined;
  const { readTrafficOfWorkers } = await import('./traffic-of-workers.ts');
  const options = { details: traffic, requestsMax: trafficRequestsMax, bytesMax: trafficBytesMax };
  return readTrafficOfWorkers(() => supervisor.answering(), options);
}

/** Workers read the files as well, and log what becomes of them. */
function openAdminTls(config: Config, report: (text: string) => void): TlsFiles | undefined {
  if (!config.adminTls) return undefined;
  return openTlsFiles(config, {
    renewed: () => {},
    failed: (thrown) => report(`the changed TLS files cannot be used by the admin port: ${String(thrown)}`),
  });
}

/**
 * The service is ready while one worker is. The others are asked how their parts work, but not waited for: one may hang. A part works
 * while it works for one worker.
 */
async function inspectWorkers(supervisor: Supervisor): Promise<Readiness> {
  const known: WorkerState[] = [];
  const asked = supervisor.answering().map(async (worker) => {
    const state = await stateOf(worker);
    if (state !== undefined) known.push(state);
    return state;
  });
  const isReady = await anyReady(asked);
  if (isReady) await Promise.race([Promise.all(asked), setTimeout(othersMsMax)]);
  const draining = supervisor.isStopping;
  const workers = isReady ? 'ok' : known.length === 0 ? 'noAnswer' : 'notReady';
  return {
    ready: isReady && !draining,
    readyForReads: known.some(({ readyForReads }) => readyForReads) && !draining,
    draining,
    probes: { workers, ...bestOf(known) },
  };
}

/** A worker that hangs is missing. */
async function reportWorkers(supervisor: Supervisor): Promise<readonly ProcessReport[]> {
  const states = await Promise.all(supervisor.answering().map(stateOf));
  return states.flatMap((state) => (state === undefined ? [] : [state.process]));
}

/** Resolves with the first worker that is ready, or with the last one that is not. */
async function anyReady(asked: readonly Promise<WorkerState | undefined>[]): Promise<boolean> {
  const ready = asked.map(async (answer) => {
    if ((await answer)?.ready !== true) throw new Error('the worker is not ready');
    return true;
  });
  return Promise.any(ready).catch(() => false);
}

function bestOf(states: readonly WorkerState[]): Readonly<Record<string, string>> {
  const best: Record<string, string> = {};
  for (const { probes } of states)
    for (const [name, result] of Object.entries(probes)) if (best[name] !== 'ok') best[name] = result;
  return best;
}

/** The time that the other workers have to answer after one that is ready. */
const othersMsMax = 100;

/** Undefined where the worker does not answer in time. */
const stateOf = (worker: Worker): Promise<WorkerState | undefined> =>
  askWorker(worker, 'ready', (id) => ({ triglyph: 'ready?', id }));
