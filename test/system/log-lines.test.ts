/** Tests the lines of the log of a real server: its start and stop, requests of every kind, and connections without a request. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startPostgres } from '../support/postgres.ts';
import { basic, type Production, prepareProduction, type Server, startServer } from '../support/server.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';

const folder = tempFolder();
afterAll(() => folder.discard());

type Line = Readonly<Record<string, unknown>>;

const linesOf = (server: Server): readonly Line[] =>
  server
    .output()
    .split('\n')
    .flatMap((line) => (line.startsWith('{') ? [JSON.parse(line) as Line] : []));

const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
const traceparent = `00-${trace}-00f067aa0ba902b7-01`;

let production: Production;
let authorization: string;
beforeAll(async () => {
  production = await prepareProduction(folder.path);
  authorization = basic(production.credential.username, production.credential.secret);
});

test('a server tells of its start, its requests and its end', async () => {
  const server = await startServer('serve', folder.path, { ...production.variables, DRAIN_MS_MAX: '9000' });
  const send = (path: string, init: RequestInit = {}) => fetch(server.callers + path, { method: 'POST', ...init });
  const service = '/pal/servlet/Recurring/v20';
  const headers = { authorization, 'content-type': 'application/json', 'user-agent': 'PHP-SOAP/8.2.7' };
  const body = JSON.stringify({ merchantAccount: 'AcmeWeb', shopperReference: 'shopper-1' });
  const call = (more: object, path = `${service}/listRecurringDetails`, content = body) =>
    send(path, { headers: { ...headers, ...more }, body: content });

  const named = await call({ 'X-Request-Id': 'order-7', traceparent });
  expect([named.headers.get('x-request-id'), named.headers.get('traceparent')]).toEqual(['order-7', traceparent]);
  const unnamed = await call({});
  const reference = unnamed.headers.get('pspReference');
  expect([unnamed.headers.get('x-request-id'), unnamed.headers.get('traceparent')]).toEqual([reference, null]);
  const malformed = await call({ 'X-Request-Id': 'two ids', traceparent: `${traceparent}-more` });
  expect(malformed.headers.get('x-request-id')).toBe(malformed.headers.get('pspReference'));
  expect(malformed.headers.get('traceparent')).toMatch(/^00-[\da-f]{32}-[\da-f]{16}-00$/);
  await call({ authorization: basic('ws@Company.Acme', 'wrong') });
  await call({}, '/bcl/v2/accountHolders/4111111111111111/nothing');
  await call({}, `${service}/anna@example.com`);
  await call({}, '/bcl/v2/accountHolders/AH4111111111111111', body);
  await call({}, undefined, JSON.stringify({ merchantAccount: '4111 1111 1111 1111', shopperReference: 's' }));
  const document = await fetch(`${server.callers}${service}?wsdl`);
  expect(document.headers.get('x-request-id')).toMatch(/^[\da-f-]{36}$/);

  for (let sent = 0; sent < 12; sent += 1) {
    const socket = connect(Number(new URL(server.callers).port), '127.0.0.1');
    socket.resume().end(sent === 0 ? `GET / HTTP/1.1\r\nX: ${'x'.repeat(20_000)}` : 'no HTTP\r\n\r\n');
    await once(socket, 'close');
  }
  const metrics = await (await fetch(`${server.admin}/metrics`)).text();
  expect(metrics).toContain('triglyph_connections_refused_total{status="400"} 11');
  expect(await server.stop()).toBe(0);

  const lines = linesOf(server);
  expect(lines.filter(({ msg }) => msg !== undefined && msg !== 'a connection was refused')).toMatchObject([
    {
      ...{ msg: 'starting', version: expect.stringMatching(/^\d/), node: process.versions.node, workers: 1 },
      settings: { DRAIN_MS_MAX: '9000', DATA_DIR: expect.any(String), TRIGLYPH_KEYS: '(hidden)' },
    },
    { msg: 'ready', callers: server.callers, admin: server.admin },
    { msg: 'draining', inFlight: 0, noticeMs: 0, msMax: 9_000 },
    { msg: 'stopped', inFlight: 0 },
  ]);
  const common = { method: 'POST', client: 'PHP-SOAP/8.2.7', protocol: 'json', traceId: expect.any(String) };
  const listed = {
    ...common,
    path: `${service}/listRecurringDetails`,
    ...{ version: 18, requestedVersion: 20, merchantAccount: 'AcmeWeb', company: 'Acme', outcome: 'ok', status: 200 },
  };
  const requests = lines.filter(({ msg }) => msg === undefined);
  expect(requests).toMatchObject([
    { ...listed, requestId: 'order-7', traceId: trace },
    { ...listed, requestId: reference },
    { ...listed, requestId: malformed.headers.get('pspReference') },
    { ...common, status: 401, path: `${service}/listRecurringDetails`, requestedVersion: 20, outcome: 'unauthorized' },
    { ...common, protocol: 'rest', status: 404, path: '/bcl/v2/accountHolders/*/*' },
    { ...common, status: 404, path: `${service}/*` },
    { ...common, protocol: 'rest', status: 405, path: '/bcl/v2/accountHolders/{id}' },
    { ...common, status: 403, merchantAccount: '[digits]' },
    { method: 'GET', protocol: 'document', path: service, client: 'node', status: 200 },
  ]);
  expect(new Set(requests.map(({ traceId }) => traceId)).size).toBe(requests.length);
  const refused = lines.filter(({ msg }) => msg === 'a connection was refused');
  expect(refused[0]).toMatchObject({ status: 431, reason: 'HPE_HEADER_OVERFLOW', address: '127.0.0.1' });
  expect(refused.slice(1)).toContainEqual(expect.objectContaining({ status: 400, address: '127.0.0.1' }));
  expect(JSON.stringify(lines)).not.toMatch(/1111|anna/);
});

test('workers tell which of them has answered, and the primary which part fails', async () => {
  const postgres = await startPostgres();
  try {
    const own = tempFolder();
    const { variables, credential } = await prepareProduction(own.path, { DATABASE_URL: postgres.url, WORKERS: '2' });
    const server = await startServer('serve', own.path, variables);
    const readiness = async (): Promise<Line> => {
      const response = await fetch(`${server.admin}/readyz`);
      return { status: response.status, ...((await response.json()) as object) };
    };
    const works = { workers: 'ok', store: 'ok', writes: 'ok', vault: 'ok' };
    expect(await readiness()).toEqual({
      status: 200,
      ready: true,
      readyForReads: true,
      draining: false,
      probes: works,
    });
    await fetch(`${server.callers}/nothing`);
    await postgres.stop();
    await until('a failing part', async () => (await readiness()).status === 503);
    await until('the name of the part', async () => {
      const { probes } = (await readiness()) as { readonly probes: Readonly<Record<string, string>> };
      return probes.workers === 'notReady' && probes.store === 'StoreUnavailable' && probes.vault === 'ok';
    });
    expect(await server.stop()).toBe(0);
    const lines = linesOf(server);
    const workers = lines.flatMap(({ msg, worker }) => (msg === 'worker ready' ? [worker] : []));
    expect(workers).toHaveLength(2);
    const [request] = lines.filter(({ path }) => path === '/*');
    expect(workers).toContain(request?.worker);
    expect(lines.find(({ msg }) => msg === 'starting')).toMatchObject({ settings: { DATABASE_URL: '(hidden)' } });
    expect(JSON.stringify(lines)).not.toContain(postgres.password);
    expect(JSON.stringify(lines)).not.toContain(credential.secret);
    const ended = lines.flatMap(({ msg, worker }) => (msg === 'stopped' ? [worker] : []));
    expect(ended.toSorted()).toEqual([...workers, undefined].toSorted());
    own.discard();
  } finally {
    await postgres.discard();
  }
});
