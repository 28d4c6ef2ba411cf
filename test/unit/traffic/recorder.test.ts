/** Tests what the recorder of traffic remembers: lines, details within limits, rates. */
import { Buffer } from 'node:buffer';
import { afterEach, describe, expect, jest, test } from '@jest/globals';
import type { WireRequest } from '../../../src/core/formats/wire.ts';
import type { Answer, LogEntry } from '../../../src/core/gateway/answer.ts';
import { type HttpFacts, Step } from '../../../src/core/gateway/request-observer.ts';
import { describePartsOf } from '../../../src/insight/traffic/describe-request.ts';
import { matches } from '../../../src/insight/traffic/filter.ts';
import { bucketCount, bucketOf, createRates, minuteMs, percentile, Rates } from '../../../src/insight/traffic/rates.ts';
import { type RecorderOptions, TrafficRecorder, watchMs } from '../../../src/insight/traffic/recorder.ts';
import { services } from '../../../src/payments/index.ts';

const parts = describePartsOf(services, (text) => text);
const http: HttpFacts = {
  method: 'POST',
  traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
  requestId: 'f81d4fae-7dec-11d0-a765-00a0c91e6bf6',
  status: 200,
  ms: 2,
  bytesIn: 10,
  bytesOut: 20,
  address: '127.0.0.1',
  aborted: false,
};
const wire: WireRequest = {
  method: 'POST',
  path: '/x',
  query: '',
  headers: { 'content-type': 'application/json' },
  inspect: () => {},
  body: async () => Buffer.from('{}'),
};
const entryOf = (reference: string, also: Partial<LogEntry> = {}): LogEntry => ({
  protocol: 'json',
  operation: 'disable',
  service: 'Recurring',
  credential: 'ws@Company.Demo',
  requestReference: reference,
  outcome: 'ok',
  ...also,
});

const open: TrafficRecorder[] = [];
const recorderOf = (options: Partial<RecorderOptions> = {}, maskText = parts.maskText): TrafficRecorder => {
  const recorder = new TrafficRecorder(
    { requestsMax: 4, bytesMax: 1_000_000, details: 'watched', process: '17', ...options },
    { ...parts, maskText },
  );
  open.push(recorder);
  return recorder;
};
afterEach(() => {
  for (const each of open.splice(0)) each.close();
  jest.useRealTimers();
});

/** As the composition of a server does it. */
async function answer(recorder: TrafficRecorder, entry: LogEntry, body = ''): Promise<void> {
  (await handle(recorder, entry, body))();
}

/** Returns what tells the recorder of the answer. */
async function handle(recorder: TrafficRecorder, entry: LogEntry, body = ''): Promise<() => void> {
  const request = { ...wire };
  const step = new Step({ name: 'request', httpVersion: '1.1', sentTrace: undefined }, request);
  const end = recorder.step(step);
  step.body = await request.body();
  end?.({ isFailed: false });
  const answered: Answer = { entry, message: { status: 200, contentType: 'text/plain', headers: {}, body } };
  return () => recorder.answered(request, answered, http);
}

describe('lines', () => {
  test('the last ones, after a cursor, and how many were missed', async () => {
    const recorder = recorderOf();
    for (const reference of ['a', 'b', 'c']) await answer(recorder, entryOf(reference));
    const first = recorder.after(undefined, 10);
    expect(first.lines.map(({ reference }) => reference)).toEqual(['a', 'b', 'c']);
    expect(first.missed).toBe(0);
    for (const reference of ['d', 'e', 'f', 'g', 'h', 'i']) await answer(recorder, entryOf(reference));
    const next = recorder.after(first.cursor, 10);
    expect(next.lines.map(({ reference }) => reference)).toEqual(['f', 'g', 'h', 'i']);
    expect(next.missed).toBe(2);
    expect(recorder.after(next.cursor, 10)).toEqual({ lines: [], cursor: 9, missed: 0 });
    expect(recorder.after(5, 2)).toMatchObject({ missed: 2, lines: [{ reference: 'h' }, { reference: 'i' }] });
    // A cursor of a process that has ended.
    expect(recorder.after(1_000, 10).lines).toHaveLength(4);
  });

  test('filters', async () => {
    const recorder = recorderOf();
    await answer(recorder, entryOf('a', { replayed: true, weakKey: false, version: 25 }));
    const [line] = recorder.after(undefined, 1).lines;
    expect(line).toMatchObject({ id: '17-1', key: 'replayed', caller: 'ws@Company.Demo' });
    const all = { format: 'json', operation: 'disable', version: 25, caller: 'ws@Company.Demo', outcome: 'replayed' };
    expect(matches(line!, { ...all, reference: 'a' })).toBe(true);
    expect(matches(line!, {})).toBe(true);
    for (const [name, value] of Object.entries({ ...all, reference: 'a' }))
      expect(matches(line!, { [name]: typeof value === 'number' ? 26 : 'other' })).toBe(false);
  });
});

describe('details', () => {
  test('only of requests that are answered while somebody watches', async () => {
    jest.useFakeTimers();
    const recorder = recorderOf();
    await answer(recorder, entryOf('a'));
    recorder.watch();
    await answer(recorder, entryOf('b'));
    jest.advanceTimersByTime(watchMs - 1);
    await answer(recorder, entryOf('c'));
    jest.advanceTimersByTime(1);
    await answer(recorder, entryOf('d'));
    const { lines } = recorder.after(undefined, 10);
    expect(lines.map(({ hasDetails }) => hasDetails)).toEqual([false, true, true, false]);
    expect(recorder.find(lines[0]!.id)).toMatchObject({ line: { reference: 'a' }, details: undefined });
    expect(recorder.find(lines[1]!.id)?.details).toMatchObject({
      address: '127.0.0.1',
      received: { body: '{}', isReadable: false },
    });
    expect(recorder.find('18-1')).toBeUndefined();
    expect(recorder.find('17-99')).toBeUndefined();
  });

  test('of all requests, where a setting says so', async () => {
    const recorder = recorderOf({ details: 'always' });
    await answer(recorder, entryOf('a'));
    expect(recorder.after(undefined, 1).lines[0]?.hasDetails).toBe(true);
  });

  test('within so many bytes: the oldest are forgotten', async () => {
    const recorder = recorderOf({ details: 'always', bytesMax: 25_000, requestsMax: 100 });
    for (let count = 0; count < 20; count += 1) await answer(recorder, entryOf(`r${count}`), 'x'.repeat(10_000));
    const { lines } = recorder.after(undefined, 100);
    expect(lines).toHaveLength(20);
    expect(lines.filter(({ hasDetails }) => hasDetails).map(({ reference }) => reference)).toEqual(['r18', 'r19']);
  });

  test('of so many requests in a second; the others are counted', async () => {
    jest.useFakeTimers();
    const recorder = recorderOf({ details: 'always', requestsMax: 5_000, bytesMax: 100_000_000 });
    for (let count = 0; count < 5_000; count += 1) await answer(recorder, entryOf(String(count)));
    const described = recorder.after(undefined, 5_000).lines.filter(({ hasDetails }) => hasDetails).length;
    expect(described).toBeGreaterThan(250);
    expect(described).toBeLessThan(3_500);
    expect(recorder.notRecorded).toBe(5_000 - described);
    jest.advanceTimersByTime(1_000);
    await answer(recorder, entryOf('later'));
    expect(recorder.after(undefined, 1).lines[0]?.hasDetails).toBe(true);
  });

  test('of fewer requests where each takes long to describe, also of those at the same time', async () => {
    jest.useFakeTimers();
    const recorder = recorderOf({ details: 'always', requestsMax: 20 }, (text) => {
      jest.advanceTimersByTime(50);
      return text;
    });
    const observed = await Promise.all(
      Array.from({ length: 20 }, (_, count) => handle(recorder, entryOf(String(count)))),
    );
    for (const tell of observed) tell();
    const described = recorder.after(undefined, 20).lines.filter(({ hasDetails }) => hasDetails).length;
    expect(described).toBeGreaterThan(0);
    expect(described).toBeLessThan(10);
    expect(recorder.notRecorded).toBe(20 - described);
  });
});

describe('rates', () => {
  test('estimates of percentiles are near', () => {
    const buckets = new Uint32Array(bucketCount);
    for (let ms = 1; ms <= 1_000; ms += 1) buckets[bucketOf(ms)]! += 1;
    for (const share of [0.5, 0.95, 0.99]) {
      const estimate = percentile(buckets, share)!;
      expect(Math.abs(estimate / (share * 1_000) - 1)).toBeLessThan(0.1);
    }
    expect(percentile(new Uint32Array(bucketCount), 0.5)).toBeUndefined();
    expect([0, -1, Number.NaN, 1e9].map(bucketOf)).toEqual([0, 0, 0, bucketCount - 1]);
  });

  test('by minute and format, also those of other processes', () => {
    const minute = 30_000_000;
    const [{ formats: here }, { formats: worker }] = [createRates(), createRates()];
    here.count(minute * minuteMs, 'json', 'ok', 1);
    worker.count(minute * minuteMs + 59_999, 'json', 'failed', 1);
    worker.count((minute + 1) * minuteMs, 'soap11', 'refused', 100);
    here.add(worker.take());
    expect(worker.take()).toEqual([]);
    const now = (minute + 1) * minuteMs + 5;
    const read = here.read(now, 60, 1);
    expect(read.map(({ name }) => name)).toEqual(['json', 'soap11']);
    const total = here.total(now, 60);
    expect(total).toMatchObject([
      { name: 'json', requests: 2, failed: 1 },
      { name: 'soap11', requests: 1, refused: 1 },
    ]);
    expect(here.total(now + 59 * minuteMs, 60)).toMatchObject([{ name: 'soap11' }]);
    expect(read[0]!.points).toEqual([
      {
        at: minute * minuteMs,
        requests: 2,
        refused: 0,
        failed: 1,
        p50: expect.any(Number),
        p95: expect.any(Number),
        p99: expect.any(Number),
      },
    ]);
    expect(read[1]!.points[0]).toMatchObject({ requests: 1, refused: 1, failed: 0 });
    expect(here.read(now, 60, 5)[0]!.points[0]!.at % (5 * minuteMs)).toBe(0);
    expect(here.read(now + 60 * minuteMs, 60, 1)).toEqual([]);
    expect(here.read(now + 60 * minuteMs, 1_440, 5)).toHaveLength(2);
  });

  test('up to the limits of minutes and names', () => {
    const rates = new Rates({ minutesMax: 1_440, namesMax: 16 });
    for (let minute = 0; minute < 3_000; minute += 1) rates.count(minute * minuteMs, 'json', 'ok', 1);
    const points = rates.read(2_999 * minuteMs, 10_000, 1)[0]!.points;
    expect(points).toHaveLength(1_440);
    expect(points[0]!.at).toBe(1_560 * minuteMs);
    for (let count = 0; count < 100; count += 1) rates.count(2_999 * minuteMs, `f${count}`, 'ok', 1);
    // Nothing is lost: what has no place is counted together.
    const names = rates.total(2_999 * minuteMs, 1);
    expect(names).toHaveLength(17);
    expect(names.find(({ name }) => name === 'other')).toMatchObject({ requests: 85 });
  });
});
