/** Tests the log lines and metrics of requests, their redaction, and the admin port. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { AggregatorRegistry } from 'prom-client';
import { Problem } from '../../src/core/contract/problem.ts';
import type { WireRequest } from '../../src/core/formats/wire.ts';
import type { LogEntry } from '../../src/core/gateway/answer.ts';
import type { HttpFacts } from '../../src/core/gateway/request-observer.ts';
import { redact } from '../../src/core/lib/redact.ts';
import { inspect, openAdmin, type Probe } from '../../src/http/admin.ts';
import { openLog } from '../../src/http/log.ts';
import { createRequestLog } from '../../src/http/log-request.ts';
import { createMetrics, type ServedMetrics } from '../../src/http/metrics/metrics.ts';
import { createMetricsObserver } from '../../src/http/metrics/requests.ts';
import { recurringProblems } from '../../src/payments/recurring/problems.ts';
import { problems } from '../support/problems.ts';

const folder = mkdtempSync(join(tmpdir(), 'triglyph-log-'));
afterAll(() => rmSync(folder, { recursive: true }));

const names = {
  protocols: ['soap11', 'json'],
  operations: ['disable'],
  versions: [25],
  problems: Object.keys(problems),
};
const entry: LogEntry = {
  protocol: 'json',
  path: '/pal/servlet/Recurring/v40/disable',
  service: 'Recurring',
  version: 25,
  requestedVersion: 40,
  operation: 'disable',
  credential: 'ws@Company.Demo',
  tenant: 'Demo',
  account: { field: 'merchantAccount', value: 'DemoMerchant' },
  client: 'PHP-SOAP/8.2.7 (Linux; "x")',
  requestReference: '8515208516304269',
  outcome: 'ok',
};
const seen: HttpFacts = {
  method: 'POST',
  traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
  requestId: 'f81d4fae-7dec-11d0-a765-00a0c91e6bf6',
  status: 200,
  ms: 1.23456,
  bytesIn: 10,
  bytesOut: 20,
  address: '127.0.0.1',
  aborted: false,
};

const failIfCalled = (thrown: unknown) => {
  throw thrown;
};

const refused = (problem: Problem): LogEntry => ({ ...entry, outcome: problem.problem, problem });

const wire = {} as WireRequest;
const message = { status: 200, contentType: 'application/json', headers: {}, body: '' };

describe('the log', () => {
  let files = 0;
  const linesOf = async (work: (write: (entry: LogEntry, http: HttpFacts) => void) => void, level = 'info') => {
    const file = join(folder, String(files++));
    const log = openLog(level, { file });
    const { answered } = createRequestLog(log, { requestReference: 'pspReference', tenant: 'company' });
    work((each, http) => answered(wire, { message, entry: each }, http));
    await log.close();
    const text = readFileSync(file, 'utf8').trim();
    return text.split('\n').map((line) => JSON.parse(line) as Record<string, unknown>);
  };
  const lines = (...entries: readonly LogEntry[]) =>
    linesOf((write) => {
      for (const each of entries) write(each, { ...seen, status: each.problem?.status ?? 200 });
    });
  test('one line a request, names and numbers only', async () => {
    const [line] = await lines(entry);
    expect(line).toEqual({
      level: 'info',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      method: 'POST',
      path: '/pal/servlet/Recurring/v40/disable',
      protocol: 'json',
      service: 'Recurring',
      version: 25,
      requestedVersion: 40,
      operation: 'disable',
      credential: 'ws@Company.Demo',
      company: 'Demo',
      merchantAccount: 'DemoMerchant',
      client: 'PHP-SOAP/8.2.7 (Linux; "x")',
      requestId: 'f81d4fae-7dec-11d0-a765-00a0c91e6bf6',
      traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
      pspReference: '8515208516304269',
      outcome: 'ok',
      status: 200,
      ms: 1.235,
      bytesIn: 10,
      bytesOut: 20,
      address: '127.0.0.1',
    });
  });
  test('a refusal is logged with its reason, an internal problem its origin, and neither a card number', async () => {
    const cause = new Error('no row for 4111111111111111', { cause: new TypeError('4111 1111 1111 1111') });
    const [refusal, internal] = await lines(
      refused(new Problem('undecodable', undefined, { reason: 'xmlDepth' })),
      refused(new Problem('internal', undefined, { cause })),
    );
    expect(refusal).toMatchObject({ level: 'info', outcome: 'undecodable', reason: 'xmlDepth', status: 400 });
    expect(internal).toMatchObject({
      level: 'error',
      outcome: 'internal',
      cause: { name: 'Error', message: 'no row for [digits]', cause: { name: 'TypeError', message: '[digits]' } },
    });
    expect(JSON.stringify(internal)).not.toMatch(/1111/);
  });
  test('card numbers in an account or an identifier of the caller are masked; the digits of a UUID are not', async () => {
    const account = { field: 'merchantAccount', value: '4111 1111 1111 1111' };
    const uuid = '12345678-1234-1234-1234-123456789012';
    const ids = ['order-4111111111111111', uuid, uuid.replaceAll('-', '')];
    const read = await linesOf((write) => {
      for (const requestId of ids) write({ ...entry, account }, { ...seen, requestId });
    });
    expect(read.map(({ requestId }) => requestId)).toEqual(['order-[digits]', uuid, uuid.replaceAll('-', '')]);
    expect(read[0]).toMatchObject({ merchantAccount: '[digits]' });
  });
  test('lines of requests are not built where the level excludes them; those of failures are', async () => {
    const unexpected = refused(new Problem('internal'));
    const read = await linesOf((write) => {
      for (const each of [entry, unexpected]) write(each, seen);
    }, 'error');
    expect(read).toMatchObject([{ level: 'error', outcome: 'internal' }]);
  });
  test.each([
    ['card 4111-1111-1111-1111 x', 'card [digits] x'],
    ['6011000990139424,', '[digits],'],
    ['4111.1111.1111.1111', '[digits]'],
    ['12345678901', '12345678901'],
    ['123456789012', '[digits]'],
  ])('%s', (text, expected) => expect(redact(text)).toBe(expected));
});

describe('the metrics', () => {
  test('count by format, operation, version and outcome; unknown names are one', async () => {
    const metrics = createMetrics(names, failIfCalled);
    metrics.connections = () => 7;
    const observer = createMetricsObserver(metrics);
    for (let at = 0; at < 4; at++) observer.started();
    observer.answered(wire, { message, entry }, { ...seen, ms: 2 });
    metrics.count(entry, 0.004);
    for (let at = 0; at < 500; at++) {
      metrics.count({ ...entry, protocol: `p${at}`, operation: `o${at}`, version: 1000 + at, outcome: `x${at}` }, 1);
      metrics.count(refused(new Problem('undecodable', undefined, { reason: `r${at}` })), 1);
    }
    const text = await metrics.registry.metrics();
    expect(text).toContain('triglyph_requests_total{protocol="json",operation="disable",version="25",outcome="ok"} 2');
    expect(text).toContain(
      'triglyph_requests_total{protocol="other",operation="other",version="other",outcome="other"} 500',
    );
    expect(text).toContain(
      'triglyph_request_duration_seconds_bucket{le="0.0025",protocol="json",operation="disable"} 1',
    );
    expect(text).toContain('triglyph_decode_errors_total{protocol="json",reason="r1"} 1');
    expect(text).toContain('triglyph_decode_errors_total{protocol="json",reason="other"} 400');
    expect(text).toContain('triglyph_connections 7');
    expect(text).toContain('triglyph_requests_in_flight 3');
    expect(text).toContain('process_cpu_seconds_total');
    expect(text.split('\n').filter((line) => line.startsWith('triglyph_requests_total'))).toHaveLength(3);
  });
  test('what was read and refused is no decode error', async () => {
    const metrics = createMetrics(names, failIfCalled);
    metrics.count(refused(new Problem(recurringProblems.contractNotFound)), 0.001);
    expect(await metrics.registry.metrics()).not.toContain('triglyph_decode_errors_total{');
  });
});

describe('the gauges', () => {
  const gauges = async (metrics: ServedMetrics): Promise<readonly string[]> =>
    (await metrics.registry.metrics())
      .split('\n')
      .filter((line) => /^triglyph_(redis_up|kms_up|webhooks_\w+s) /.test(line));

  test('are absent without Redis and without a store', async () => {
    expect(await gauges(createMetrics(names, failIfCalled))).toEqual([]);
  });

  test('read Redis and the store each time', async () => {
    const metrics = createMetrics(names, failIfCalled);
    let up = true;
    metrics.redisUp = () => up;
    let oldest: number | undefined = 1500;
    metrics.webhooks = { oldestWaitingMs: async () => oldest, countDeadLetters: async () => 3 };
    expect(await gauges(metrics)).toEqual([
      'triglyph_redis_up 1',
      'triglyph_webhooks_oldest_due_seconds 1.5',
      'triglyph_webhooks_dead_letters 3',
    ]);
    up = false;
    oldest = undefined;
    expect(await gauges(metrics)).toEqual([
      'triglyph_redis_up 0',
      'triglyph_webhooks_oldest_due_seconds 0',
      'triglyph_webhooks_dead_letters 3',
    ]);
  });

  test('read whether the key management service answers each time', async () => {
    const metrics = createMetrics(names, failIfCalled);
    let up = true;
    metrics.kmsUp = async () => up;
    expect(await gauges(metrics)).toEqual(['triglyph_kms_up 1']);
    up = false;
    expect(await gauges(metrics)).toEqual(['triglyph_kms_up 0']);
  });

  test('are absent while the store does not answer, and report the cause once', async () => {
    const failures: [string, unknown][] = [];
    const metrics = createMetrics(names, (thrown, gauge) => failures.push([gauge, thrown]));
    const refused = new Error('connection refused');
    let answers = true;
    metrics.webhooks = {
      oldestWaitingMs: async () => 0,
      countDeadLetters: () => (answers ? Promise.resolve(1) : Promise.reject(refused)),
    };
    const oldest = 'triglyph_webhooks_oldest_due_seconds 0';
    const both = [oldest, 'triglyph_webhooks_dead_letters 1'];
    expect(await gauges(metrics)).toEqual(both);
    answers = false;
    for (let scrape = 0; scrape < 3; scrape++) expect(await gauges(metrics)).toEqual([oldest]);
    expect(failures).toEqual([['triglyph_webhooks_dead_letters', refused]]);
    answers = true;
    expect(await gauges(metrics)).toEqual(both);
    answers = false;
    expect(await gauges(metrics)).toEqual([oldest]);
    expect(failures).toHaveLength(2);
  });

  test('of several workers: Redis is down if one of them cannot reach it', async () => {
    const workers = [createMetrics(names, failIfCalled), createMetrics(names, failIfCalled)];
    const combined = async () => {
      const all = await Promise.all(workers.map(({ registry }) => registry.getMetricsAsJSON()));
      return (await AggregatorRegistry.aggregate(all).metrics()).match(/^triglyph_redis_up .*$/m)?.[0];
    };
    expect(await combined()).toBeUndefined();
    for (const [index, worker] of workers.entries()) worker.redisUp = () => index === 0;
    expect(await combined()).toBe('triglyph_redis_up 0');
  });
});

describe('the admin port', () => {
  const ask = async (probes: readonly Probe[], path: string, draining = false, method = 'GET') => {
    const { registry } = createMetrics(names, failIfCalled);
    const readiness = () => inspect({ probes, draining: () => draining });
    const admin = await openAdmin({ host: '127.0.0.1', port: 0, registry, readiness });
    try {
      const response = await fetch(`http://127.0.0.1:${admin.port}${path}`, {
        method,
        headers: { connection: 'close' },
      });
      return { status: response.status, body: await response.text() };
    } finally {
      await admin.close();
    }
  };
  const well: Probe = { name: 'store', check: () => Promise.resolve() };
  const ill: Probe = {
    name: 'vault',
    check: () => {
      throw new RangeError('secret text');
    },
  };
  test('alive whatever the probes say', async () => {
    expect(await ask([ill], '/livez')).toEqual({ status: 200, body: '{"live":true}\n' });
  });
  test('ready when each probe is', async () => {
    expect(await ask([well], '/readyz')).toEqual({
      status: 200,
      body: '{"ready":true,"readyForReads":true,"draining":false,"probes":{"store":"ok"}}\n',
    });
  });
  test('not ready when one is not, by the name of its error only', async () => {
    expect(await ask([well, ill], '/readyz')).toEqual({
      status: 503,
      body: '{"ready":false,"readyForReads":false,"draining":false,"probes":{"store":"ok","vault":"RangeError"}}\n',
    });
  });
  test('not ready while draining', async () =>
    expect(await ask([well], '/readyz', true)).toMatchObject({ status: 503 }));
  test('metrics', async () => expect((await ask([], '/metrics')).body).toContain('triglyph_connections 0'));
  test('nothing else', async () => {
    expect(await ask([], '/')).toMatchObject({ status: 404 });
    expect(await ask([], '/metrics', false, 'POST')).toMatchObject({ status: 405 });
  });
});
