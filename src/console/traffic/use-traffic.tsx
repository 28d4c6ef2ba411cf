/** The last requests that match a filter, and new ones as they come. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { type Answer, type ApiError, addressOf, read, toApiError } from '../page/api.ts';
import type { listTraffic } from './contract.ts';

export type TrafficLine = Answer<typeof listTraffic>['requests'][number];

type TrafficFilter = Partial<Record<'format' | 'operation' | 'version' | 'caller' | 'outcome' | 'reference', string>>;

/** Rows of the list: more cannot be read, and each one costs time to draw. */
export const rowsMax = 200;
/** New requests are drawn together, so often at most. */
const drawEveryMs = 200;
/** More new requests than this at once are too many to read. The list is then drawn less often. */
const readableMax = 20;
const drawFastEveryMs = 1_000;
/** Until the next attempt after a refusal. */
const restartMs = 3_000;

export interface LiveTraffic {
  /** The newest first. */
  readonly requests: readonly TrafficLine[];
  readonly state: 'loading' | 'live' | 'reconnecting' | 'failed';
  readonly error: ApiError | undefined;
  /** Whether more requests come than can be read. */
  readonly isFast: boolean;
  /** New requests that are not drawn, since the list is paused. */
  readonly waiting: number;
  /** Requests that came too fast to be sent to this browser. */
  readonly missed: number;
}

const nothing: LiveTraffic = {
  requests: [],
  state: 'loading',
  error: undefined,
  isFast: false,
  waiting: 0,
  missed: 0,
};

export function useTraffic(filter: TrafficFilter, isPaused: boolean): LiveTraffic {
  const [traffic, setTraffic] = useState(nothing);
  const paused = useRef(isPaused);
  paused.current = isPaused;
  const draw = useRef(() => {});
  const key = JSON.stringify(filter);
  useEffect(() => {
    const left = new AbortController();
    const query = { ...(JSON.parse(key) as TrafficFilter) };
    let stream: EventSource | undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let restart: ReturnType<typeof setTimeout> | undefined;
    let fresh: TrafficLine[] = [];
    let missed = 0;

    draw.current = () => {
      clearTimeout(timer);
      const drawn = paused.current ? [] : fresh.toReversed();
      if (!paused.current) fresh = [];
      const waiting = fresh.length;
      const isFast = drawn.length > readableMax;
      timer = isFast ? setTimeout(draw.current, drawFastEveryMs) : undefined;
      const missedNow = missed;
      missed = 0;
      setTraffic((before) => ({
        ...before,
        requests: drawn.length === 0 ? before.requests : [...drawn, ...before.requests].slice(0, rowsMax),
        isFast,
        waiting,
        missed: before.missed + missedNow,
      }));
    };
    const receive = ({ data }: MessageEvent<string>): void => {
      const event = JSON.parse(data) as { readonly requests: readonly TrafficLine[]; readonly missed: number };
      fresh.push(...event.requests);
      missed += event.missed;
      if (fresh.length > rowsMax) {
        if (paused.current) missed += fresh.length - rowsMax;
        fresh = fresh.slice(-rowsMax);
      }
      timer ??= setTimeout(draw.current, drawEveryMs);
    };
    const follow = (after: string): void => {
      stream = new EventSource(addressOf('/traffic/events', { ...query, after }));
      stream.onmessage = receive;
      stream.onopen = () => setTraffic((before) => ({ ...before, state: 'live' }));
      stream.onerror = () => {
        setTraffic((before) => ({ ...before, state: 'reconnecting' }));
        // After a refusal the browser does not try again.
        if (stream?.readyState === EventSource.CLOSED) restart = setTimeout(start, restartMs);
      };
    };
    const start = (): void => {
      read<typeof listTraffic>('/traffic/requests', { ...query, limit: rowsMax }, left.signal).then(
        ({ requests, cursor }) => {
          if (left.signal.aborted) return;
          fresh = [];
          setTraffic({ ...nothing, requests: requests.toReversed(), state: 'live' });
          follow(cursor);
        },
        (thrown: unknown) => {
          if (left.signal.aborted) return;
          const error = toApiError(thrown);
          setTraffic((before) => ({ ...before, error, state: 'failed' }));
          // Another attempt does not help where the filter is refused.
          if (error.status === 0 || error.status >= 500) restart = setTimeout(start, restartMs);
        },
      );
    };

    setTraffic(nothing);
    start();
    return () => {
      left.abort();
      stream?.close();
      clearTimeout(timer);
      clearTimeout(restart);
    };
  }, [key]);
  useEffect(() => {
    if (!isPaused) draw.current();
  }, [isPaused]);
  return traffic;
}
