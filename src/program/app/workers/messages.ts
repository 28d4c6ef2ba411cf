/** Messages between the primary process and its workers. The metrics library uses the same channel. */

import type { ProcessReport } from '../../../backend/index.ts';
import type { AllRateRows, FoundRequest, TrafficPage } from '../../../insight/traffic/index.ts';

/** What the primary sends. */
export type PrimaryMessage =
  /** Asks whether the worker is ready for requests. */
  | { readonly triglyph: 'ready?'; readonly id: number }
  /** Asks whether the worker handles events at all. It answers at once. */
  | { readonly triglyph: 'ping' }
  /** Asks for the traffic that the worker has recorded. */
  | { readonly triglyph: 'traffic?'; readonly id: number; readonly ask: TrafficAsk };

export type TrafficAsk =
  /** A page of lines, which is bounded. */
  | { readonly kind: 'lines'; readonly cursor?: number | undefined; readonly limit: number }
  | { readonly kind: 'request'; readonly request: string }
  /** The console shows the traffic now. It has no answer. */
  | { readonly kind: 'watch' };

/** What a worker that serves says of itself. */
export interface WorkerState {
  readonly ready: boolean;
  readonly readyForReads: boolean;
  /** `ok`, or the name of the error, by part. */
  readonly probes: Readonly<Record<string, string>>;
  /** What the console shows of the process. */
  readonly process: ProcessReport;
}

export type WorkerMessage =
  | { readonly triglyph: 'alive' }
  | (WorkerState & { readonly triglyph: 'ready'; readonly id: number })
  /** Answers a query; `found` is absent for a request that is not kept. */
  | {
      readonly triglyph: 'traffic';
      readonly id: number;
      readonly page?: TrafficPage;
      readonly found?: FoundRequest | undefined;
    }
  /** What the worker has counted since the last time. */
  | { readonly triglyph: 'rates'; readonly rows: AllRateRows }
  /** The worker listens on its port. */
  | { readonly triglyph: 'serving'; readonly callers: string }
  /** The worker cannot serve, and ends. */
  | { readonly triglyph: 'failed'; readonly lines: readonly string[] };

/** Whether a message is this one of the primary. */
export function isFromPrimary<N extends PrimaryMessage['triglyph']>(
  message: unknown,
  name: N,
): message is Extract<PrimaryMessage, { readonly triglyph: N }> {
  return isOurs(message) && message.triglyph === name;
}

const fromWorker: ReadonlySet<unknown> = new Set<WorkerMessage['triglyph']>([
  'alive',
  'failed',
  'ready',
  'serving',
  'traffic',
  'rates',
]);

export function isWorkerMessage(message: unknown): message is WorkerMessage {
  return isOurs(message) && fromWorker.has(message.triglyph);
}

function isOurs(message: unknown): message is { readonly triglyph: unknown } {
  return typeof message === 'object' && message !== null && 'triglyph' in message;
}
