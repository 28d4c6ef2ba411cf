/** Logs what happens to the server outside of any request: failures of the HTTP layer, and connections. */
import { type ConnectionRefusal, createRefusalLog } from './connection-refusals.ts';
import { type Log, logFailure } from './log.ts';
import type { Metrics } from './metrics/metrics.ts';

export interface ServerLog {
  /** The HTTP layer failed; the caller got a plain 500. */
  requestFailed(thrown: unknown): void;
  /** A connection was refused before there was a request. */
  connectionRefused(refusal: ConnectionRefusal): void;
  /** A connection broke, as a rule because the caller reset it. */
  connectionBroken(thrown: unknown): void;
}

export function createServerLog(log: Log, metrics: Metrics): ServerLog {
  return {
    requestFailed: (thrown) => logFailure(log, thrown, 'handling a request failed'),
    connectionRefused: createRefusalLog(log, metrics.connectionRefused),
    connectionBroken: (thrown) =>
      log.write('debug', 'connection broken', { code: (thrown as NodeJS.ErrnoException).code }),
  };
}
