/** Observes the journeys: each answered request is one log line and one count. */
import type { LogEntry } from '../gateway/answer.ts';
import { type Log, logAnswer, logFailure, type ObservedRequest } from './log.ts';
import type { Metrics } from './metrics/metrics.ts';

export interface Observer {
  begun(): void;
  answered(entry: LogEntry, seen: ObservedRequest): void;
  /** The shell itself failed; the caller got a plain 500. */
  failed(thrown: unknown): void;
  /** The connection broke under an answer: the caller's doing as a rule. */
  hungUp(thrown: unknown): void;
}

export const createObserver = (log: Log, metrics: Metrics): Observer => ({
  begun() {
    metrics.inFlight++;
  },
  answered(entry, seen) {
    metrics.inFlight--;
    metrics.count(entry, seen.ms / 1000);
    logAnswer(log, entry, seen);
  },
  failed(thrown) {
    logFailure(log, thrown, 'the shell failed');
  },
  hungUp(thrown) {
    log.logger.debug({ code: (thrown as NodeJS.ErrnoException).code }, 'connection broke');
  },
});
