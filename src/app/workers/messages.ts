/** Messages between the primary process and its workers. The metrics library uses the same channel. */

import type { ProcessReport } from '../process-report.ts';

/** From the primary: asks whether the worker is ready for requests. */
export interface ReadyQuery {
  readonly triglyph: 'ready?';
  readonly id: number;
}

/** From the primary: asks whether the worker handles events at all. It answers at once. */
export interface Ping {
  readonly triglyph: 'ping';
}

/** What a worker that serves says of itself. */
export interface WorkerState {
  readonly ready: boolean;
  /** `ok`, or the name of the error, by part. */
  readonly probes: Readonly<Record<string, string>>;
  /** For the console. */
  readonly process: ProcessReport;
}

export type WorkerMessage =
  | { readonly triglyph: 'alive' }
  | (WorkerState & { readonly triglyph: 'ready'; readonly id: number })
  /** The worker listens on its port. */
  | { readonly triglyph: 'serving'; readonly callers: string };

export function isReadyQuery(message: unknown): message is ReadyQuery {
  return isOurs(message) && message.triglyph === 'ready?';
}

export function isPing(message: unknown): message is Ping {
  return isOurs(message) && message.triglyph === 'ping';
}

const fromWorker: ReadonlySet<unknown> = new Set<WorkerMessage['triglyph']>(['alive', 'ready', 'serving']);

export function isWorkerMessage(message: unknown): message is WorkerMessage {
  return isOurs(message) && fromWorker.has(message.triglyph);
}

function isOurs(message: unknown): message is { readonly triglyph: unknown } {
  return typeof message === 'object' && message !== null && 'triglyph' in message;
}
