/** Observes requests: each one is a log line and a count in the metrics. */
import type { LogEntry } from '../gateway/answer.ts';
import { type ConnectionRefusal, createRefusalLog } from './connection-refusals.ts';
import { type Log, logFailure } from './log.ts';
import { createRequestLog, type MemberNames, type ObservedRequest } from './log-request.ts';
import type { Metrics } from './metrics/metrics.ts';

export interface Observer {
  requestStarted(): void;
  requestAnswered(entry: LogEntry, observed: ObservedRequest): void;
  /** The HTTP layer failed; the caller got a plain 500. */
  requestFailed(thrown: unknown): void;
  /** A connection was refused before there was a request. */
  connectionRefused(refusal: ConnectionRefusal): void;
  /** A connection broke, as a rule because the caller reset it. */
  connectionBroken(thrown: unknown): void;
}

export function createObserver(log: Log, metrics: Metrics, names: MemberNames): Observer {
  const logRequest = createRequestLog(log, names);
  return {
    requestStarted() {
      metrics.inFlight++;
    },
    requestAnswered(entry, observed) {
      metrics.inFlight--;
      metrics.count(entry, observed.ms / 1000);
      logRequest(entry, observed);
    },
    requestFailed(thrown) {
      logFailure(log, thrown, 'handling a request failed');
    },
    connectionRefused: createRefusalLog(log, metrics.connectionRefused),
    connectionBroken(thrown) {
      log.logger.debug({ code: (thrown as NodeJS.ErrnoException).code }, 'connection broken');
    },
  };
}
