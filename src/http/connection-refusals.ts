/** Logs and counts connections that are refused before there is a request. Callers may cause thousands in a second, so few are logged. */
import type { Log } from './log.ts';
import type { CountEvent } from './metrics/metrics.ts';

/** A refusal in plain text: nothing that the connection has sent is a request. */
export interface ConnectionRefusal {
  readonly status: number;
  /** The code of Node's HTTP parser or of the socket: `HPE_HEADER_OVERFLOW`. */
  readonly reason: string;
  /** Of the connection, so that of a proxy where there is one. */
  readonly address: string;
}

const linesPerSecondMax = 10;

export function createRefusalLog(
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
