/** The primary process: supervises the workers, and answers probes and metrics for all of them. */
import type { Worker } from 'node:cluster';
import { setTimeout } from 'node:timers/promises';
import { openAdmin, type Probe } from '../../http/admin.ts';
import { workersMetrics } from '../../http/metrics/workers.ts';
import type { Config } from '../config.ts';
import { CircuitOpen, upstreamProbeName } from '../upstreams/probe.ts';
import { isWorkerMessage, type ReadyQuery, type WorkerState } from './messages.ts';
import { Supervisor } from './supervisor.ts';

export interface Primary {
  /** The address for callers. */
  readonly callers: string;
  readonly adminPort: number;
  /** Replaces every worker without a failed request. Never rejects. */
  renew(): Promise<void>;
  /** Drains and ends all workers. */
  stop(): Promise<void>;
}

export interface SupervisedCommand {
  readonly report: (text: string) => void;
  /** The names of upstreams. */
  readonly upstreams: readonly string[];
}

/** Starts `config.workers` processes that run the same command. Rejects if the first one cannot serve. */
export async function startWorkers(config: Config, { report, upstreams }: SupervisedCommand): Promise<Primary> {
  const supervisor = new Supervisor({ workers: config.workers, drainMsMax: config.drainMsMax, report });
  try {
    const callers = await supervisor.start();
    const admin = await openAdmin({
      host: config.adminHost,
      port: config.adminPort,
      registry: workersMetrics(),
      probes: [createWorkersProbe(supervisor), ...upstreams.map((name) => createUpstreamProbe(supervisor, name))],
      draining: () => supervisor.isStopping,
    });
    return Object.freeze({
      callers,
      adminPort: admin.port,
      renew: () => supervisor.renew(),
      async stop() {
        supervisor.beginStop();
        await setTimeout(config.drainNoticeMs);
        await supervisor.stop();
        await admin.close();
      },
    });
  } catch (thrown) {
    await supervisor.stop();
    throw thrown;
  }
}

/** The service is ready while one worker is. The first one that is ready decides: another one may hang. */
function createWorkersProbe(supervisor: Supervisor): Probe {
  return Object.freeze({
    name: 'workers',
    async check() {
      const asked = supervisor.answering().map(async (worker) => {
        if ((await stateOf(worker))?.ready !== true) throw new Error('the worker is not ready');
      });
      await Promise.any(asked).catch(() => {
        throw new Error('no worker is ready');
      });
    },
  });
}

/** Requests reach an upstream while one worker tries them. Whether the service is ready without it, the workers decide. */
function createUpstreamProbe(supervisor: Supervisor, upstream: string): Probe {
  const name = upstreamProbeName(upstream);
  return Object.freeze({
    name,
    isPartial: true,
    async check() {
      const states = await Promise.all(supervisor.answering().map(stateOf));
      const known = states.filter((state) => state !== undefined);
      if (known.length > 0 && known.every(({ failing }) => failing.includes(name))) throw new CircuitOpen();
    },
  });
}

/** The time that a worker has to answer. Less than the admin port gives to a probe. */
const readyMsMax = 1_500;
let lastQuery = 0;

/** Undefined where the worker does not answer in time. */
function stateOf(worker: Worker): Promise<WorkerState | undefined> {
  return new Promise((resolve) => {
    const id = ++lastQuery;
    const finish = (state?: WorkerState): void => {
      clearTimeout(timer);
      worker.off('message', onMessage);
      worker.off('exit', onExit);
      resolve(state);
    };
    const onMessage = (message: unknown): void => {
      if (isWorkerMessage(message) && message.triglyph === 'ready' && message.id === id) finish(message);
    };
    const onExit = (): void => finish();
    const timer = globalThis.setTimeout(onExit, readyMsMax);
    worker.on('message', onMessage);
    worker.on('exit', onExit);
    if (worker.isConnected()) worker.send({ triglyph: 'ready?', id } satisfies ReadyQuery);
    else finish();
  });
}
