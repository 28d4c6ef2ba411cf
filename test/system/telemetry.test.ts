/** Tests traces and metrics over OTLP: what a real receiver gets, with workers, while it is away, and that nothing is loaded without it. */
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, expect, test } from '@jest/globals';
import { type OtlpReceiver, openOtlpReceiver } from '../support/otlp-receiver.ts';
import { startPostgres } from '../support/postgres.ts';
import { openReceiver } from '../support/receiver.ts';
import { ask, basic, prepareProduction, type Server, startServer } from '../support/server.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';
import { answerByCard, say, startUpdater } from '../support/updater.ts';
import { startWebhookServer, tokenOf } from '../support/webhook-server.ts';

const open: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

const receive = async (options?: { readonly answers: boolean }): Promise<OtlpReceiver> => {
  const receiver = await openOtlpReceiver(options);
  open.push(() => receiver.close());
  return receiver;
};

/** Only the flush of the drain exports anything in time. */
const drainOnly = { OTEL_BSP_SCHEDULE_DELAY: '600000', OTEL_METRIC_EXPORT_INTERVAL: '600000' };

const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
const sampled = `00-${trace}-00f067aa0ba902b7-01`;
const shopper = { merchantAccount: 'AcmeWeb', shopperReference: 'shopper-1' };

test('a request, its steps and its webhook are spans; the drain exports what is left', async () => {
  const receiver = await receive();
  const hooks = await openReceiver();
  open.push(() => hooks.close());
  const serving = await startWebhookServer({
    ...drainOnly,
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.origin,
    OTEL_EXPORTER_OTLP_HEADERS: 'x-token=secret-token',
    OTEL_SERVICE_NAME: 'payments',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
  });
  const shop = await serving.openShop('Traced');
  await shop.listen(`${hooks.origin}/hook`);
  await shop.call('storeToken', tokenOf('anna'), { traceparent: sampled, 'idempotency-key': 'a-key-of-storing-anna' });
  await shop.call('listRecurringDetails', { shopperReference: 'anna' }, { traceparent: sampled.replace(/1$/, '0') });
  await until('the webhook', () => hooks.at('/hook').length > 0);
  expect(receiver.requests).toEqual([]);
  await serving.close();

  const [request, ...others] = receiver.spans.filter(({ kind }) => kind === 2);
  expect(others).toEqual([]);
  expect(request).toMatchObject({
    name: 'POST /pal/servlet/Recurring/v25/storeToken',
    ...{ traceId: trace, parentSpanId: '00f067aa0ba902b7', status: 0 },
    resource: {
      'service.name': 'payments',
      'service.version': expect.stringMatching(/^\d/),
      'deployment.environment.name': 'test',
    },
    attributes: {
      'http.request.method': 'POST',
      'http.route': '/pal/servlet/Recurring/v25/storeToken',
      'http.response.status_code': 200,
      'client.address': '127.0.0.1',
      'triglyph.outcome': 'ok',
      'triglyph.operation': 'storeToken',
    },
  });
  const named = (name: string) => receiver.spans.filter((span) => span.name === name);
  const [execute] = named('execute');
  const [transaction] = named('transaction');
  expect(named('decode')).toMatchObject([{ traceId: trace, parentSpanId: request!.spanId }]);
  expect(execute).toMatchObject({ parentSpanId: request!.spanId, attributes: { 'triglyph.keyed': true } });
  expect(transaction).toMatchObject({
    ...{ kind: 3, parentSpanId: execute!.spanId },
    attributes: { 'db.system.name': 'sqlite' },
  });
  expect(named('webhook')).toMatchObject([
    {
      ...{ kind: 3, parentSpanId: '' },
      attributes: { 'triglyph.outcome': 'accepted', 'triglyph.attempt': 1 },
      links: [{ traceId: trace, spanId: transaction!.spanId }],
    },
  ]);
  // Identifiers of spans are hexadecimal: some have many digits in a row.
  const exported = JSON.stringify(receiver.spans.map(({ name, attributes }) => [name, attributes]));
  expect(exported).not.toMatch(/\d{13}|van Dijk|anna/);

  const counted = receiver.metrics.find(({ name }) => name === 'triglyph_requests_total');
  expect(counted?.points).toContainEqual({
    attributes: { protocol: 'json', operation: 'storeToken', version: '25', outcome: 'ok' },
    value: 1,
  });
  const timed = receiver.metrics.find(({ name }) => name === 'triglyph_request_duration_seconds');
  expect(timed?.points).toContainEqual({ attributes: { protocol: 'json', operation: 'storeToken' }, value: 1 });
  expect(receiver.requests.map(({ path }) => path).toSorted()).toEqual(['/v1/metrics', '/v1/traces']);
  for (const { headers } of receiver.requests)
    expect(headers).toMatchObject({ 'x-token': 'secret-token', 'content-type': 'application/x-protobuf' });
  const lines = serving.server.output();
  expect(lines).toContain(`"traceId":"${trace}"`);
  expect(lines).not.toContain('secret-token');
});

test('an upstream gets the span of its call, below that of the request', async () => {
  const receiver = await receive();
  const received: IncomingHttpHeaders[] = [];
  const upstream = createServer((request, response) => {
    received.push(request.headers);
    request.resume().on('end', () => response.setHeader('Content-Type', 'application/json').end('{"details":[]}'));
  }).listen(0, '127.0.0.1');
  await once(upstream, 'listening');
  open.push(async () => upstream.close());
  const folder = tempFolder();
  const url = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
  const variables = { ...drainOnly, OTEL_EXPORTER_OTLP_ENDPOINT: receiver.origin };
  const server = await startServer('serve', folder.path, variables, { parameters: ['--upstream', url] });
  const listed = await ask(server.callers, 'listRecurringDetails', shopper, basic('ws', 'secret'));
  expect(listed.status).toBe(200);
  expect(await server.stop()).toBe(0);
  const [request] = receiver.spans.filter(({ kind }) => kind === 2);
  const [call] = receiver.spans.filter(({ name }) => name === 'upstream listRecurringDetails');
  const [execute] = receiver.spans.filter(({ name }) => name === 'execute');
  expect(call).toMatchObject({ kind: 3, traceId: request!.traceId, parentSpanId: execute!.spanId });
  expect(received[0]?.traceparent).toBe(`00-${call!.traceId}-${call!.spanId}-01`);
  folder.discard();
});

test('an account updater gets the span of its call, below that of the request or of none in a job', async () => {
  const receiver = await receive();
  const updater = await startUpdater();
  open.push(() => updater.close());
  const folder = tempFolder();
  const { variables, credential } = await prepareProduction(folder.path, {
    ...drainOnly,
    ...{ UPDATER: 'http', UPDATER_URL: updater.url, UPDATER_MS_MAX: '10000' },
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.origin,
  });
  const server = await startServer('serve', folder.path, variables);
  const number = '4000009900000012';
  const card = { number, expiryMonth: '3', expiryYear: '2030', holderName: 'Anna van Dijk' };
  const check = { ...shopper, card, reference: 'check' };
  updater.answer = (_, response) => say(response, {}, 400);
  const authorization = basic(credential.username, credential.secret);
  const stored = await ask(
    server.callers,
    'storeToken',
    { ...shopper, card, recurring: { contract: 'RECURRING' } },
    authorization,
  );
  expect(stored.status).toBe(200);
  const asked = await ask(server.callers, 'scheduleAccountUpdater', check, authorization);
  expect(asked).toMatchObject({ status: 200, answer: { result: 'Success' } });
  updater.answer = answerByCard;
  await until('the job', () => updater.asked.length > 1);
  expect(await server.stop()).toBe(0);

  const calls = receiver.spans.filter(({ name }) => name === 'account updater');
  const [execute] = receiver.spans.filter(({ name, traceId }) => name === 'execute' && traceId === calls[0]?.traceId);
  expect(calls).toMatchObject([
    { kind: 3, status: 2, parentSpanId: execute!.spanId, attributes: { 'triglyph.outcome': 'refused' } },
    { kind: 3, status: 0, parentSpanId: '', attributes: { 'triglyph.outcome': 'answered' } },
  ]);
  expect(updater.asked.map(({ traceparent }) => traceparent)).toEqual(
    calls.map(({ traceId, spanId }) => `00-${traceId}-${spanId}-01`),
  );
  const exported = JSON.stringify(receiver.spans);
  for (const secret of [number, 'van Dijk']) expect(exported).not.toContain(secret);
  folder.discard();
});

test('workers export for themselves, in JSON, by a sampler', async () => {
  const receiver = await receive();
  const postgres = await startPostgres();
  open.push(() => postgres.discard());
  const folder = tempFolder();
  const { variables, credential } = await prepareProduction(folder.path, {
    ...drainOnly,
    DATABASE_URL: postgres.url,
    WORKERS: '2',
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.origin,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_TRACES_SAMPLER: 'parentbased_always_off',
  });
  const server = await startServer('serve', folder.path, variables);
  const authorization = basic(credential.username, credential.secret);
  for (let sent = 0; sent < 8; sent += 1) {
    const headers = { connection: 'close', ...(sent % 2 === 0 && { traceparent: sampled }) };
    await ask(server.callers, 'listRecurringDetails', shopper, authorization, headers);
  }
  expect(await server.stop()).toBe(0);
  // Control: those without a sampled parent are no spans.
  expect(receiver.spans.filter(({ kind }) => kind === 2)).toHaveLength(4);
  expect(new Set(receiver.spans.map(({ traceId }) => traceId))).toEqual(new Set([trace]));
  const counted = receiver.metrics.filter(({ name }) => name === 'triglyph_requests_total');
  expect(new Set(counted.map(({ resource }) => resource['service.instance.id'])).size).toBe(2);
  expect(counted.flatMap(({ points }) => points).reduce((sum, { value }) => sum + value, 0)).toBe(8);
  folder.discard();
});

test.each([
  ['refuses connections', { isOpen: false }],
  ['does not answer', { isOpen: true }],
])('requests are answered while the receiver %s, and the drain does not wait for it', async (_, { isOpen }) => {
  const receiver = await openOtlpReceiver({ answers: false });
  if (isOpen) open.push(() => receiver.close());
  else await receiver.close();
  const folder = tempFolder();
  const { variables, credential } = await prepareProduction(folder.path, {
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.origin,
    OTEL_EXPORTER_OTLP_TIMEOUT: '300',
    OTEL_BSP_SCHEDULE_DELAY: '50',
    OTEL_BSP_MAX_QUEUE_SIZE: '20',
    OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '10',
    OTEL_METRIC_EXPORT_INTERVAL: '100',
  });
  const server = await startServer('serve', folder.path, variables);
  const authorization = basic(credential.username, credential.secret);
  const failures = async (): Promise<number> => {
    const text = await (await fetch(`${server.admin}/metrics`)).text();
    return Number(/triglyph_telemetry_exports_total\{kind="failed"\} (\d+)/.exec(text)?.[1] ?? 0);
  };
  for (let sent = 0; sent < 100; sent += 1)
    expect((await ask(server.callers, 'listRecurringDetails', shopper, authorization)).status).toBe(200);
  await until('failed exports', async () => (await failures()) > 2);
  expect(await server.stop()).toBe(0);
  const failed = server.output().match(/"msg":"exporting to OpenTelemetry failed","signal":"\w+"/g) ?? [];
  expect(failed.toSorted()).toEqual(['metrics', 'traces'].map((signal) => expect.stringContaining(signal)));
  folder.discard();
});

test('without a receiver no module of OpenTelemetry is loaded', async () => {
  const receiver = await receive();
  const folder = tempFolder();
  const { variables } = await prepareProduction(folder.path);
  const root = join(import.meta.dirname, '../..');
  const loadedBy = async (also: Readonly<Record<string, string>>): Promise<number> => {
    const preload = `--import ${join(root, 'test/support/loaded-modules.mjs')}`;
    const all = { ...variables, ...also, NODE_OPTIONS: preload };
    const server: Server = await startServer('serve', folder.path, all, { file: join(root, 'src/program/main.ts') });
    await fetch(`${server.callers}/`);
    await wait(10);
    expect(await server.stop()).toBe(0);
    return server.output().match(/^loaded /gm)?.length ?? 0;
  };
  expect(await loadedBy({})).toBe(0);
  const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.origin };
  expect(await loadedBy({ ...endpoint, OTEL_SDK_DISABLED: 'true' })).toBe(0);
  // Control.
  expect(await loadedBy(endpoint)).toBeGreaterThan(5);
  folder.discard();
});
