/** A worker process: answers the probes and metrics of its primary instead of an admin port, and drains when it must stop. */
import cluster from 'node:cluster';
import type { ProcessReport } from '../../../backend/index.ts';
import { type Admin, type AdminParts, answerMetrics, type ServedMetrics } from '../../../http/index.ts';
import { type TrafficRecorder, takeRates } from '../../../insight/traffic/index.ts';
import { isFromPrimary, type WorkerMessage } from './messages.ts';

export const isWorker = cluster.isWorker;

/** Runs a worker to its end. `stopRequest` resolves when the worker must stop. */
export async function runAsWorker(work: (stopRequest: Promise<void>) => Promise<void>): Promise<void> {
  try {
    await work(stopRequested());
  } finally {
    // The channel to the primary would keep the finished process alive.
    process.channel?.unref();
  }
}

let isServing = false;

export function reportServing(callers: string): void {
  isServing = true;
  // Until the end of the process, since a worker that drains does not hang.
  process.on('message', (message) => {
    if (isFromPrimary(message, 'ping')) send({ triglyph: 'alive' });
  });
  send({ triglyph: 'serving', callers });
}

/** Reports why this worker cannot serve, and lets it end with 1. The primary prints it, once for all workers. */
export function reportFailure(lines: readonly string[]): void {
  process.exitCode = 1;
  send({ triglyph: 'failed', lines });
}

type PrimaryParts = Pick<AdminParts, 'readiness'> &
  Pick<ServedMetrics, 'registry'> & {
    readonly report: () => ProcessReport;
    /** Absent where nothing is recorded. */
    readonly traffic?: { readonly recorder: TrafficRecorder } | undefined;
  };

/** Takes the place of an admin port. */
export async function answerPrimary({ registry, readiness, report, traffic }: PrimaryParts): Promise<Admin> {
  answerMetrics(registry);
  const endTraffic = traffic && answerTraffic(traffic.recorder);
  const onMessage = (message: unknown): void => {
    if (isFromPrimary(message, 'ready?'))
      void readiness().then(({ ready, readyForReads, probes }) => {
        const process: ProcessReport = { ...report(), role: 'worker' };
        send({ triglyph: 'ready', id: message.id, ready, readyForReads, probes, process });
      });
  };
  process.on('message', onMessage);
  return {
    port: 0,
    close: async () => {
      process.off('message', onMessage);
      endTraffic?.();
    },
  };
}

function send(message: WorkerMessage): void {
  // The primary may have ended. Requests in flight are answered nevertheless.
  if (process.connected) process.send?.(message);
}

/** A worker that must stop and does not serve after this time never will: only the primary can open the port. */
const startMsMax = 1_000;

/**
 * Resolves at a signal, or when the primary has ended and the port with it. Terminals and service managers signal every
 * process of a group and the primary signals its workers as well, so only the first signal counts. A worker that does not serve yet ends.
 */
function stopRequested(): Promise<void> {
  return new Promise((resolve) => {
    let isRequested = false;
    const stop = (): void => {
      if (!isRequested) setTimeout(endUnlessServing, startMsMax);
      isRequested = true;
      resolve();
    };
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, stop);
    // SIGHUP to the group is for the primary.
    process.on('SIGHUP', () => {});
    // Node would otherwise end the process at once when the primary has ended, with the requests in flight.
    if (cluster.worker !== undefined) cluster.worker.exitedAfterDisconnect = true;
    process.once('disconnect', () => {
      // A second signal to the primary has ended it before its workers: the operator does not want to wait.
      if (isRequested) process.exit(1);
      stop();
    });
  });
}

function endUnlessServing(): void {
  if (!isServing) process.exit(1);
}

/** A worker that is killed loses what it has counted since. */
const ratesEveryMs = 1_000;

/** Returns a function that sends the rest, and ends it. */
function answerTraffic(recorder: TrafficRecorder): () => void {
  const onMessage = (message: unknown): void => {
    if (!isFromPrimary(message, 'traffic?')) return;
    const { id, ask } = message;
    switch (ask.kind) {
      case 'lines':
        send({ triglyph: 'traffic', id, page: recorder.after(ask.cursor, ask.limit) });
        break;
      case 'request':
        send({ triglyph: 'traffic', id, found: recorder.find(ask.request) });
        break;
      case 'watch':
        recorder.watch();
        break;
      default:
        ask satisfies never;
    }
  };
  const sendRates = (): void => {
    const rows = takeRates(recorder.rates);
    if (rows !== undefined) send({ triglyph: 'rates', rows });
  };
  process.on('message', onMessage);
  const timer = setInterval(sendRates, ratesEveryMs);
  timer.unref();
  return () => {
    process.off('message', onMessage);
    clearInterval(timer);
    sendRates();
  };
}
