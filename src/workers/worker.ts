/** A worker: what it would say on an admin port of its own, it says to its primary. */
import cluster from 'node:cluster';
import { type Admin, type AdminParts, isReady } from '../http/admin.ts';
import { answerMetrics, type Metrics } from '../http/metrics.ts';
import { isAsk, type Said } from './messages.ts';

export const isWorker = cluster.isWorker;

const say = (said: Said): void => {
  // The primary may be gone; its workers go on until they are told to stop.
  if (process.connected) process.send?.(said);
};

export const sayServing = (callers: string): void => say({ triglyph: 'serving', callers });

/** In place of an admin port. */
export const answerPrimary = async (parts: AdminParts & Pick<Metrics, 'registry'>): Promise<Admin> => {
  answerMetrics(parts.registry);
  const answer = (message: unknown): void => {
    if (!isAsk(message)) return;
    void isReady(parts).then((ready) => say({ triglyph: 'ready', id: message.id, ready }));
  };
  process.on('message', answer);
  return {
    port: 0,
    close: async () => {
      process.off('message', answer);
      // The channel would keep the process alive.
      if (process.connected) process.disconnect?.();
    },
  };
};
