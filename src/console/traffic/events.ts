/** The stream of new requests as server-sent events. Each reader asks for what is new: nothing is buffered for it. */
import { setTimeout } from 'node:timers/promises';
import type { TrafficFilter, TrafficReader } from '../../insight/traffic/index.ts';
import { boundTenantOf } from '../../operators/index.ts';
import type { ConsoleStream, StreamRequest } from '../stream.ts';
import { lineOf } from './handlers.ts';

/** Between two questions for new requests, and between two questions whether the session has ended. */
interface StreamTimes {
  readonly everyMs: number;
  readonly heartbeatMs: number;
}
const defaultTimes: StreamTimes = Object.freeze({ everyMs: 250, heartbeatMs: 10_000 });
/** Lines of an event: 24,000 in a minute. Others are counted as missed. */
const linesMax = 100;

export function trafficEvents(reader: TrafficReader | undefined, times: StreamTimes = defaultTimes): ConsoleStream {
  return {
    path: 'api/v1/traffic/events',
    open(request) {
      const boundTenant = boundTenantOf(request.caller);
      return eventsOf(boundTenant === undefined ? reader : reader?.ofTenant(boundTenant), request, times);
    },
  };
}

async function* eventsOf(
  reader: TrafficReader | undefined,
  { query, signal, isValid, lastEventId }: StreamRequest,
  { everyMs, heartbeatMs }: StreamTimes,
): AsyncIterable<string> {
  if (reader === undefined) return;
  const filter = filterOf(query);
  let cursor = lastEventId ?? query.get('after') ?? undefined;
  if (cursor === undefined) ({ cursor } = await reader.read(undefined, filter, 0));
  // A browser connects again after so many milliseconds.
  yield 'retry: 2000\n\n';
  let checkedAt = Number.NEGATIVE_INFINITY;
  while (!signal.aborted) {
    const now = performance.now();
    if (now - checkedAt >= heartbeatMs) {
      if (!(await isValid())) return;
      checkedAt = now;
      reader.watch();
      yield ': heartbeat\n\n';
    }
    const { lines, missed, cursor: next } = await reader.read(cursor, filter, linesMax);
    cursor = next;
    if (lines.length > 0 || missed > 0)
      yield `id: ${next}\ndata: ${JSON.stringify({ requests: lines.map(lineOf), missed })}\n\n`;
    await setTimeout(everyMs, undefined, { signal }).catch(() => {});
  }
}

/** Ignores what is no filter. */
function filterOf(query: URLSearchParams): TrafficFilter {
  const text = (name: string): string | undefined => query.get(name) || undefined;
  const version = Number(query.get('version') ?? Number.NaN);
  return {
    format: text('format'),
    operation: text('operation'),
    version: Number.isInteger(version) ? version : undefined,
    caller: text('caller'),
    outcome: text('outcome'),
    reference: text('reference'),
  };
}
