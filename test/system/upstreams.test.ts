/** Tests servers in front of an upstream: whose a request is, mapped credentials, readiness, metrics, log and workers. */
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, type Server as HttpServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { triglyph } from '../support/commands.ts';
import { startPostgres } from '../support/postgres.ts';
import { ask, basic, prepareProduction, type Server, startServer } from '../support/server.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';

/** A JSON server of this test: it accepts two keys, and keeps the headers of each request. */
class Upstream {
  readonly received: { readonly url: string; readonly headers: IncomingHttpHeaders }[] = [];
  #server: HttpServer | undefined;
  #port = 0;
  url = '';

  async start(): Promise<void> {
    const server = createServer(async (request, response) => {
      for await (const _ of request);
      this.received.push({ url: request.url ?? '', headers: request.headers });
      const { 'x-api-key': key, authorization } = request.headers;
      const isKnown = ['key-1', 'key-2'].includes(String(key)) || authorization === basic('ws', 'erp');
      const body = isKnown
        ? { response: `[detail-successfully-disabled]`, traceId: 't-1' }
        : { status: 401, errorCode: '000', message: 'Who are you?', errorType: 'security' };
      response.writeHead(isKnown ? 200 : 401, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
    });
    server.listen(this.#port, '127.0.0.1');
    await once(server, 'listening');
    this.#port = (server.address() as AddressInfo).port;
    this.url = `http://127.0.0.1:${this.#port}`;
    this.#server = server;
  }

  async stop(): Promise<void> {
    this.#server?.close();
    this.#server?.closeAllConnections();
    this.#server = undefined;
  }
}

const folder = tempFolder();
const upstream = new Upstream();
beforeAll(() => upstream.start());
afterAll(async () => {
  await upstream.stop();
  folder.discard();
});

let server: Server | undefined;
afterEach(async () => {
  await server?.stop();
  server = undefined;
  upstream.received.length = 0;
});

const disable = { merchantAccount: 'AnyMerchant', shopperReference: 'shopper-1' };

const call = async (headers: Readonly<Record<string, string>>, operation = 'disable') => {
  const response = await fetch(`${server!.callers}/pal/servlet/Recurring/v25/${operation}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(disable),
  });
  return {
    status: response.status,
    replayed: response.headers.get('idempotent-replayed'),
    answer: (await response.json()) as Readonly<Record<string, unknown>>,
  };
};

const serve = async (...parameters: readonly string[]): Promise<Server> => {
  server = await startServer(
    'serve',
    folder.path,
    { LOG_LEVEL: 'info' },
    {
      parameters: ['--upstream', upstream.url, ...parameters],
    },
  );
  return server;
};

test('with --upstream the upstream decides, and a key belongs to the credential that came with it', async () => {
  const { callers, admin, output } = await serve();
  expect(await call({ 'X-API-Key': 'key-1' })).toEqual({
    status: 200,
    replayed: null,
    answer: { response: '[detail-successfully-disabled]', traceId: 't-1' },
  });
  const key = { 'Idempotency-Key': 'a-key-of-at-least-16-characters' };
  const keyed = async (apiKey: string) => (await call({ 'X-API-Key': apiKey, ...key })).replayed;
  expect([await keyed('key-1'), await keyed('key-1'), await keyed('key-2')]).toEqual([null, 'true', null]);
  expect(upstream.received).toHaveLength(3);
  expect(upstream.received[0]).toMatchObject({
    url: '/pal/servlet/Recurring/v68/disable',
    headers: { 'x-api-key': 'key-1', 'x-request-id': expect.stringMatching(/^[A-Z0-9]{16}$/) },
  });

  const refused = { status: 401, answer: { errorCode: '000', message: 'Who are you?' } };
  expect(await call({ 'X-API-Key': 'key-3' })).toMatchObject(refused);
  expect(await call({})).toMatchObject(refused);
  expect(upstream.received.at(-1)!.headers).not.toHaveProperty('x-api-key');
  expect((await fetch(`${callers}/pal/servlet/Recurring/v25`)).status).toBe(401);

  const metrics = await (await fetch(`${admin}/metrics`)).text();
  const lineOf = (name: string) => metrics.split('\n').filter((line) => line.startsWith(`triglyph_upstream_${name}{`));
  expect(lineOf('requests_total')).toEqual([
    'triglyph_upstream_requests_total{upstream="upstream",outcome="ok",reason=""} 3',
    'triglyph_upstream_requests_total{upstream="upstream",outcome="refused",reason=""} 2',
  ]);
  expect(lineOf('unknown_members_total')).toEqual([
    'triglyph_upstream_unknown_members_total{upstream="upstream",service="Recurring",operation="disable"} 3',
  ]);
  expect(lineOf('down')).toEqual(['triglyph_upstream_down{upstream="upstream"} 0']);
  await server!.stop();
  const listed = output()
    .split('\n')
    .filter((line) => line.includes('"members":["traceId"]'));
  expect(listed).toHaveLength(1);
  expect(output()).not.toMatch(/key-[123]"|Who are you/);
});

test('a server whose every operation depends on an upstream is ready while requests to it are tried', async () => {
  const { admin, output } = await serve('--upstream-idempotency', 'header');
  const readiness = async () => {
    const response = await fetch(`${admin}/readyz`);
    const { probes } = (await response.json()) as { probes: Readonly<Record<string, string>> };
    return `${response.status} ${probes['upstream upstream']}`;
  };
  expect(await readiness()).toBe('200 ok');
  await upstream.stop();
  await until('the circuit opens', async () => {
    const { status, answer } = await call({ 'X-API-Key': 'key-1' });
    expect([status, answer.errorCode]).toEqual([503, '703']);
    return (await readiness()) === '503 CircuitOpen';
  });
  expect(await (await fetch(`${admin}/metrics`)).text()).toContain('triglyph_upstream_down{upstream="upstream"} 1');
  await upstream.start();
  await until('a request is tried again', async () => (await readiness()) === '200 ok');
  await until('the upstream is up', async () => (await call({ 'X-API-Key': 'key-1' })).status === 200);
  await server!.stop();
  expect(output()).toContain('"reason":"refused","detail":"ECONNREFUSED","isSent":false');
  expect(output()).toContain('"msg":"an upstream is down');
  expect(output()).toContain('"msg":"an upstream is up again"');
});

test('mapped credentials: the upstream receives that of the caller, and a caller without one is refused', async () => {
  const project = tempFolder();
  const production = await prepareProduction(project.path);
  const { id, username, secret } = production.credential;
  writeFileSync(
    join(project.path, 'triglyph.config.json'),
    JSON.stringify({
      upstreams: { erp: { url: upstream.url, credentials: 'mapped' } },
      answeredBy: { 'Recurring.disable': 'erp' },
    }),
  );
  server = await startServer('serve', project.path, production.variables);
  const authorization = basic(username, secret);
  const input = { ...disable, merchantAccount: 'AcmeWeb' };
  const refused = await ask(server.callers, 'disable', input, authorization);
  expect(refused).toMatchObject({
    status: 403,
    answer: { message: expect.stringContaining('this credential has none') },
  });
  expect(upstream.received).toEqual([]);

  writeFileSync(join(project.path, 'secret'), 'erp');
  const set = [
    'upstream',
    'credential',
    'set',
    'erp',
    id,
    '--kind',
    'basic',
    '--username',
    'ws',
    '--secret-file',
    'secret',
  ];
  expect((await triglyph(set, project.path, production.variables)).code).toBe(0);
  const { callers } = server;
  const isAllowed = async () => (await ask(callers, 'disable', input, authorization)).status === 200;
  await until('the credential to be noticed', isAllowed);
  expect(upstream.received.map(({ headers }) => headers.authorization)).toEqual([basic('ws', 'erp')]);
  // Roles and grants of the gateway hold.
  const foreign = await ask(server.callers, 'disable', disable, authorization);
  expect(foreign).toMatchObject({ status: 403, answer: { errorCode: '901' } });
  // The built-in handlers answer the other operations.
  const listed = await ask(server.callers, 'listRecurringDetails', { ...input }, authorization);
  expect(listed).toMatchObject({ status: 200, answer: {} });
  expect(upstream.received).toHaveLength(1);
  project.discard();
});

test('the console shows what the upstream was asked, and no credential', async () => {
  const project = tempFolder();
  const { variables } = await prepareProduction(project.path);
  const names = ['credential', 'add', 'Acme', '--username', 'anna@Company.Acme', '--role', 'console', '--json'];
  const { secret } = JSON.parse((await triglyph(names, project.path, variables)).stdout);
  const parameters = ['--upstream', upstream.url, '--upstream-idempotency', 'header'];
  server = await startServer('serve', project.path, variables, { parameters });
  const { admin } = server;
  const read = async (path: string) => {
    const headers = { authorization: basic('anna@Company.Acme', secret) };
    return (await fetch(`${admin}/console/api/v1/traffic/requests${path}`, { headers })).text();
  };
  // From here on details are recorded.
  await read('');
  expect((await call({ 'X-API-Key': 'key-1', 'Idempotency-Key': 'a-third-key-of-16-characters' })).status).toBe(200);
  expect((await call({ 'X-API-Key': 'key-3' })).status).toBe(401);
  await upstream.stop();
  expect((await call({ 'X-API-Key': 'key-1' })).status).toBe(503);
  await upstream.start();
  const { requests } = JSON.parse(await read('')) as { readonly requests: readonly { readonly id: string }[] };
  const opened = await Promise.all(requests.map(({ id }) => read(`/${id}`)));
  const asked = opened.map((text) => {
    const { steps, upstreamCalls } = JSON.parse(text).details;
    const [each, ...others] = upstreamCalls;
    const { isFailed } = steps.find(({ name }: { readonly name: string }) => name === 'upstream');
    return [each.upstream, each.operation, each.hasKey, each.outcome, isFailed, others.length];
  });
  // Each write has a key, so that it may be sent again after a crash.
  expect(asked.toSorted()).toEqual([
    ['upstream', 'disable', true, 'NotSent', true, 0],
    ['upstream', 'disable', true, 'ok', false, 0],
    ['upstream', 'disable', true, 'upstreamRefusal', true, 0],
  ]);
  expect(opened.join()).not.toMatch(/key-[13]"|a-third-key/);
  project.discard();
});

test('workers on one database share the keys', async () => {
  const postgres = await startPostgres();
  const project = tempFolder();
  try {
    const production = await prepareProduction(project.path, { DATABASE_URL: await postgres.createMigratedDatabase() });
    const variables = { ...production.variables, WORKERS: '2' };
    server = await startServer('serve', project.path, variables, { parameters: ['--upstream', upstream.url] });
    const headers = { 'X-API-Key': 'key-1', 'Idempotency-Key': 'another-key-of-16-characters' };
    const answers = [];
    // Each request is a connection of its own, and the next worker gets it.
    for (let n = 0; n < 6; n += 1) answers.push(await call({ ...headers, Connection: 'close' }));
    expect(answers.map(({ status, replayed }) => [status, replayed])).toEqual([
      [200, null],
      ...Array.from({ length: 5 }, () => [200, 'true']),
    ]);
    expect(upstream.received).toHaveLength(1);
    const metrics = await (await fetch(`${server.admin}/metrics`)).text();
    expect(metrics).toContain('triglyph_upstream_requests_total{upstream="upstream",outcome="ok",reason=""} 1');
    const { admin } = server;
    const readiness = async () => {
      const response = await fetch(`${admin}/readyz`);
      return { status: response.status, ...((await response.json()) as object) };
    };
    expect(await readiness()).toMatchObject({ status: 200, probes: { workers: 'ok', 'upstream upstream': 'ok' } });
    await upstream.stop();
    await until('the circuit opens in each worker', async () => {
      await call({ 'X-API-Key': 'key-1', Connection: 'close' });
      const { probes } = (await readiness()) as unknown as { probes: Readonly<Record<string, string>> };
      return probes['upstream upstream'] === 'CircuitOpen';
    });
    await upstream.start();
    await server.stop();
    server = undefined;
  } finally {
    await postgres.discard();
    project.discard();
  }
});

test.each<[string, readonly string[], string]>([
  [
    'no address',
    ['--upstream', 'erp'],
    '--upstream is no address: give http:// or https:// with a host, like https://erp.example.com/api.',
  ],
  [
    'a format without an upstream',
    ['--upstream-format', 'form'],
    '--upstream-format, --upstream-idempotency, --upstream-server-errors, --upstream-lookups and --require-credentials belong to --upstream or --wsdl: give it, too.',
  ],
  [
    'a name of reads that no operation has',
    ['--wsdl', join(import.meta.dirname, '../wsdl/desk.wsdl'), '--reads', 'Foo*'],
    '--reads Foo*: no operation has this name; ',
  ],
  ...['--sensitive', '--not-sensitive'].map((option): [string, readonly string[], string] => [
    `a name of ${option} that no field has`,
    ['--wsdl', join(import.meta.dirname, '../wsdl/desk.wsdl'), option, 'Nonesuch'],
    '--sensitive or --not-sensitive: no field has the name nonesuch',
  ]),
])('serve refuses %s', async (_, parameters, message) => {
  const { code, stderr } = await triglyph(['serve', ...parameters], folder.path);
  expect([code, stderr.trimEnd().slice(0, message.length + 10)]).toEqual([1, `triglyph: ${message}`]);
});

test('ENVIRONMENT=live refuses a plain upstream on another machine, and makes no keys', async () => {
  const live = tempFolder();
  const variables = { ENVIRONMENT: 'live', DATA_DIR: join(live.path, 'data') };
  const { code, stderr } = await triglyph(['serve', '--upstream', 'http://erp.example.com'], live.path, variables);
  expect(code).toBe(1);
  expect(stderr).toContain('There are no keys');
  expect(stderr).toContain('upstreams.upstream.url is plain http while ENVIRONMENT is live');
  live.discard();
});
