/** The primary: starts the workers, starts a lost one anew, answers for all of them, and stops them together. */
import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import type { Config } from '../config.ts';
import { type Admin, openAdmin, type Probe } from '../http/admin.ts';
import { workersMetrics } from '../http/metrics.ts';
import { type Ask, isSaid } from './messages.ts';

/** How long a worker may take to say whether it is ready. */
const readyMsMax = 2_000;
/** How long a lost worker is waited with, doubled for each that is lost before it serves. */
const againMs = 500;
const againMsMax = 30_000;

export interface Primary {
  /** Where callers are answered. */
  readonly callers: string;
  readonly adminPort: number;
  failed(thrown: unknown): void;
  /** Lets every worker answer what is in flight. */
  stop(): Promise<void>;
}

/** Resolves when the worker serves; rejects where it ends before. */
const serving = (worker: Worker): Promise<string> =>
  new Promise((resolve, reject) => {
    worker.on('message', (message: unknown) => {
      if (isSaid(message) && message.triglyph === 'serving') resolve(message.callers);
    });
    worker.once('exit', (code) => reject(new Error(`a worker ended with ${code} before it served`)));
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
      if (isSaid(message) && message.triglyph === 'ready' && message.id === id) done(message.ready);
    };
    const gone = (): void => done(false);
    const timer = globalThis.setTimeout(gone, readyMsMax);
    worker.on('message', hear);
    worker.on('exit', gone);
    if (worker.isConnected()) worker.send({ triglyph: 'ready?', id } satisfies Ask);
    else done(false);
  });

const living = (): readonly Worker[] => Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined);

/** The service is ready as long as one worker is. */
const workersProbe: Probe = Object.freeze({
  name: 'workers',
  async check() {
    const ready = await Promise.all(living().map(isReady));
    if (!ready.includes(true)) throw new Error('no worker is ready');
  },
});

/** A worker that ends while nobody stops it is started anew, ever more slowly where that does not help. */
const keepUp = (isStopping: () => boolean, say: (text: string) => void): void => {
  let waitMs = againMs;
  cluster.on('exit', async (worker, code, signal) => {
    if (isStopping()) return;
    say(`worker ${worker.process.pid} ended with ${signal ?? code}: another one starts in ${waitMs} ms`);
    await setTimeout(waitMs);
    waitMs = Math.min(2 * waitMs, againMsMax);
    if (isStopping()) return;
    await serving(cluster.fork()).then(
      () => {
        waitMs = againMs;
      },
      // Its end is an `exit` of its own.
      () => {},
    );
  });
};

/** Starts `config.workers` workers, each running the same command. Rejects where one of the first cannot serve. */
export const startWorkers = async (config: Config, say: (text: string) => void): Promise<Primary> => {
  let stopping = false;
  const stopAll = async (): Promise<void> => {
    stopping = true;
    const ends = living().map((worker) => (worker.isDead() ? undefined : once(worker, 'exit')));
    for (const worker of living()) worker.process.kill('SIGTERM');
    await Promise.all(ends);
  };
  let admin: Admin | undefined;
  try {
    const first = await Promise.all(Array.from({ length: config.workers }, () => serving(cluster.fork())));
    keepUp(() => stopping, say);
    admin = await openAdmin({
      host: config.adminHost,
      port: config.adminPort,
      registry: workersMetrics(),
      probes: [workersProbe],
      draining: () => stopping,
    });
    return Object.freeze({
      callers: first[0]!,
      adminPort: admin.port,
      failed: (thrown: unknown) => say(`the primary failed: ${thrown instanceof Error ? thrown.name : typeof thrown}`),
      async stop() {
        await stopAll();
        await admin?.close();
      },
    });
  } catch (thrown) {
    await stopAll();
    throw thrown;
  }
};
