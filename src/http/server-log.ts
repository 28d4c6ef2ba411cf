/** Logs what happens to the server outside of any request: failures of the HTTP layer, and connections. */
import { type Log, logFailure } from './log.ts';
import type { CountEvent, Metrics } from './metrics/metrics.ts';

export type ServerLog = ReturnType<typeof createServerLog>;

export function createServerLog(log: Log, metrics: Metrics) {
  return {
    /** The HTTP layer failed; the caller got a plain 500. */
    requestFailed: (thrown: unknown): void => logFailure(log, thrown, 'handling a request failed'),
    /** A connection was refused before there was a request. */
    connectionRefused: createRefusalLog(log, metrics.connectionRefused),
    /** A connection broke, as a rule because the caller reset it. */
    connectionBroken: (thrown: unknown): void =>
      log.write('debug', 'connection broken', { code: (thrown as NodeJS.ErrnoException).code }),
  };
}

/** A refusal in plain text: nothing that the connection has sent is a request. */
export interface ConnectionRefusal {
  readonly status: number;
  /** The code of Node's HTTP parser or of the socket: `HPE_HEADER_OVERFLOW`. */
  readonly reason: string;
  /** Of the connection, so that of a proxy where there is one. */
  readonly address: string;
}

const linesPerSecondMax = 10;

/** Callers may cause thousands of refusals in a second, so few are logged. */
function createRefusalLog(
  log: Log,
  count: CountEvent,
  now: () => number = () => performance.now(),
): (refusal: ConnectionRefusal) => void {
  let secondEndsAt = 0;
  let lines = 0;
  let unlogged = 0;
  return ({ status, reason, address }) => {
    count(String(status));
    const at = now();
    if (at >= secondEndsAt) {
      secondEndsAt = at + 1_000;
      lines = 0;
    }
    if (lines === linesPerSecondMax) {
      unlogged += 1;
      return;
    }
    lines += 1;
    log.write('info', 'a connection was refused', { status, reason, address, ...(unlogged > 0 && { unlogged }) });
    unlogged = 0;
  };
}
