/** A worker: what it would say on an admin port of its own, it says to its primary, and it drains when it is told to stop. */
import cluster from 'node:cluster';
import { type Admin, type AdminParts, isReady } from '../../http/admin.ts';
import type { Metrics } from '../../http/metrics/metrics.ts';
import { answerMetrics } from '../../http/metrics/workers.ts';
import { isReadyQuery, type WorkerMessage } from './messages.ts';

export const isWorker = cluster.isWorker;

const say = (said: WorkerMessage): void => {
  // The primary may be gone; what is in flight is answered all the same.
  if (process.connected) process.send?.(said);
};

export const reportServing = (callers: string): void => say({ triglyph: 'serving', callers });

/**
 * Resolves when the worker is to stop: told so, or without a primary, for with that it has lost its port. A terminal and a
 * service manager tell every process of a group, and the primary tells its workers again: all but the first is no news.
 */
const toldToStop = (): Promise<void> =>
  new Promise((resolve) => {
    let told = false;
    const tell = (): void => {
      told = true;
      resolve();
    };
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, tell);
    // The primary's to answer.
    process.on('SIGHUP', () => {});
    // Node would end the process at once when the primary is gone, and what is in flight with it.
    if (cluster.worker !== undefined) cluster.worker.exitedAfterDisconnect = true;
    process.once('disconnect', () => {
      // Whoever ends a primary that is stopping already wants no more waiting.
      if (told) process.exit(1);
      tell();
    });
  });

/** Runs a worker to its end. */
export const asWorker = async (work: (told: Promise<void>) => Promise<void>): Promise<void> => {
  try {
    await work(toldToStop());
  } finally {
    // The channel to the primary would keep a process alive that has nothing left to do.
    process.channel?.unref();
  }
};

/** In place of an admin port. */
export const answerPrimary = async (parts: AdminParts & Pick<Metrics, 'registry'>): Promise<Admin> => {
  answerMetrics(parts.registry);
  const answer = (message: unknown): void => {
    if (!isReadyQuery(message)) return;
    void isReady(parts).then((ready) => say({ triglyph: 'ready', id: message.id, ready }));
  };
  process.on('message', answer);
  return {
    port: 0,
    close: async () => {
      process.off('message', answer);
    },
  };
};
