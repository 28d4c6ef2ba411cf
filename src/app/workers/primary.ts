/** The primary: starts the workers, starts a lost one anew, answers for all of them, and stops them together. */
import cluster, { type Worker } from 'node:cluster';
import { setTimeout } from 'node:timers/promises';
import { openAdmin, type Probe } from '../../http/admin.ts';
import { workersMetrics } from '../../http/metrics/workers.ts';
import type { Config } from '../config.ts';
import { isWorkerMessage, type ReadyQuery } from './messages.ts';

/** How long a worker may take to say whether it is ready. */
const readyMsMax = 2_000;
/** How long a lost worker is waited with, doubled for each that is lost before it serves. */
const againMs = 500;
const againMsMax = 30_000;
/** How long a worker has to end when its drain is over. */
const endMsMax = 5_000;

export interface Primary {
  /** Where callers are answered. */
  readonly callers: string;
  readonly adminPort: number;
  failed(thrown: unknown): void;
  /** New workers in the place of all, one after the other, each serving before the old one drains. Never rejects. */
  renew(): Promise<void>;
  /** Lets every worker answer what is in flight. */
  stop(): Promise<void>;
}

const fork = (): Worker => {
  const worker = cluster.fork();
  // A worker that is gone cannot be spoken to; of its end another event tells.
  worker.on('error', () => {});
  return worker;
};

/** Resolves when the worker serves; rejects where it ends before. */
const serving = (worker: Worker): Promise<string> =>
  new Promise((resolve, reject) => {
    worker.on('message', (message: unknown) => {
      if (isWorkerMessage(message) && message.triglyph === 'serving') resolve(message.callers);
    });
    worker.once('exit', (code, signal) => reject(new Error(`a worker ended with ${signal ?? code} before it served`)));
  });

let asked = 0;

const isReady = (worker: Worker): Promise<boolean> =>
  new Promise((resolve) => {
    const id = ++asked;
    const done = (ready: boolean): void => {
      clearTimeout(timer);
      worker.off('message', hear);
      worker.off('exit', gone);
      resolve(ready);
    };
    const hear = (message: unknown): void => {
      if (isWorkerMessage(message) && message.triglyph === 'ready' && message.id === id) done(message.ready);
    };
    const gone = (): void => done(false);
    const timer = globalThis.setTimeout(gone, readyMsMax);
    worker.on('message', hear);
    worker.on('exit', gone);
    if (worker.isConnected()) worker.send({ triglyph: 'ready?', id } satisfies ReadyQuery);
    else done(false);
  });

/** Those that start are among them. */
const living = (): readonly Worker[] =>
  Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined && !worker.isDead()) as Worker[];

/** The service is ready as long as one worker is. */
const workersProbe: Probe = Object.freeze({
  name: 'workers',
  async check() {
    const ready = await Promise.all(living().map(isReady));
    if (!ready.includes(true)) throw new Error('no worker is ready');
  },
});

/** Drains the worker; one that hangs is killed when its time is over. */
const end = (worker: Worker, drainMsMax: number): Promise<void> =>
  new Promise((resolve) => {
    if (worker.isDead()) {
      resolve();
      return;
    }
    const kill = globalThis.setTimeout(() => worker.process.kill('SIGKILL'), drainMsMax + endMsMax);
    worker.once('exit', () => {
      clearTimeout(kill);
      resolve();
    });
    worker.process.kill('SIGTERM');
  });

interface Crew {
  readonly config: Config;
  readonly say: (text: string) => void;
  /** Those that are told to end. */
  readonly leaving: WeakSet<Worker>;
  stopping: boolean;
}

/** A worker that ends while nobody stops it is started anew, ever more slowly where that does not help. */
const keepUp = (crew: Crew): void => {
  let waitMs = againMs;
  cluster.on('exit', async (worker, code, signal) => {
    if (crew.stopping || crew.leaving.has(worker)) return;
    crew.say(`worker ${worker.process.pid} ended with ${signal ?? code}: another one starts in ${waitMs} ms`);
    await setTimeout(waitMs);
    waitMs = Math.min(2 * waitMs, againMsMax);
    if (crew.stopping || living().length >= crew.config.workers) return;
    const fresh = fork();
    await serving(fresh).then(
      () => {
        waitMs = againMs;
        crew.say(`worker ${fresh.process.pid} serves in its place`);
      },
      // Its end is an `exit` of its own.
      () => {},
    );
  });
};

const replaceAll = async (crew: Crew): Promise<void> => {
  for (const old of living()) {
    if (crew.stopping) return;
    const fresh = fork();
    // Where it ends before it serves, it was one too many.
    crew.leaving.add(fresh);
    try {
      await serving(fresh);
    } catch (thrown) {
      crew.say(`${(thrown as Error).message}: the workers stay as they are`);
      return;
    }
    crew.leaving.delete(fresh);
    crew.leaving.add(old);
    await end(old, crew.config.drainMsMax);
  }
  crew.say('all workers are new');
};

const stopAll = async (crew: Crew): Promise<void> => {
  crew.stopping = true;
  await Promise.all(living().map((worker) => end(worker, crew.config.drainMsMax)));
};

/** Starts `config.workers` workers, each running the same command. Rejects where one of the first cannot serve. */
export const startWorkers = async (config: Config, say: (text: string) => void): Promise<Primary> => {
  const crew: Crew = { config, say, leaving: new WeakSet(), stopping: false };
  try {
    // One alone at first: what keeps it from serving keeps all, and is said once.
    const callers = await serving(fork());
    await Promise.all(Array.from({ length: config.workers - 1 }, () => serving(fork())));
    keepUp(crew);
    const admin = await openAdmin({
      host: config.adminHost,
      port: config.adminPort,
      registry: workersMetrics(),
      probes: [workersProbe],
      draining: () => crew.stopping,
    });
    let renewed: Promise<void> = Promise.resolve();
    return Object.freeze({
      callers,
      adminPort: admin.port,
      failed: (thrown: unknown) => say(`the primary failed: ${thrown instanceof Error ? thrown.name : typeof thrown}`),
      renew() {
        renewed = renewed.then(() => replaceAll(crew));
        return renewed;
      },
      async stop() {
        crew.stopping = true;
        await setTimeout(config.drainNoticeMs);
        await stopAll(crew);
        await admin.close();
      },
    });
  } catch (thrown) {
    await stopAll(crew);
    throw thrown;
  }
};
