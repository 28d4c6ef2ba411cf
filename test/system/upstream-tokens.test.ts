/** Tokens that the gateway gets by its client credentials (OAuth 2), from a token server that can refuse, hang, redirect and answer too much. */
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { ClientCredentials } from '../../src/backend/upstreams/options.ts';
import { service as declare } from '../../src/program/api/contract.ts';
import { createGateway } from '../../src/program/api/index.ts';
import { importOpenApi } from '../../src/readers/openapi/import-openapi.ts';
import { spawnTriglyph } from '../support/commands.ts';
import { listenLocally } from '../support/listen-locally.ts';
import { printedKey, serve } from '../support/serving-program.ts';
import { type TempFolder, tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';

const secret = 's3cret:&%+ä';
const clientId = 'the gateway';

/** What the token server does with a request for a token. */
type Mode =
  | 'grants'
  | 'hangs'
  | 'redirects'
  | 'answers too much'
  | 'grants no bearer token'
  | 'answers no JSON'
  | 'fails';

let folder: TempFolder;
let server: Server;
let origin: string;
let mode: Mode;
let expiresIn: number | undefined;
/** The bodies of requests for tokens. */
let requests: string[];
let authorizations: string[];
/** Tokens that the API accepts. */
let valid: Set<string>;
/** Requests to the API, by their token. */
let calls: string[];

beforeEach(async () => {
  folder = tempFolder();
  [mode, expiresIn, requests, authorizations, valid, calls] = ['grants', 3_600, [], [], new Set(), []];
  server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    if (request.url === '/token') return answerToken(request, response, body);
    const token = request.headers.authorization?.replace('Bearer ', '') ?? '';
    calls.push(`${request.method} ${token}`);
    response.setHeader('content-type', 'application/json');
    if (!valid.has(token)) return response.writeHead(401).end(JSON.stringify({ message: `no ${token}` }));
    response.end(request.method === 'GET' ? '{"id":7}' : '{"id":8}');
  });
  origin = `http://127.0.0.1:${await listenLocally(server)}`;
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
  folder.discard();
});

function answerToken({ headers }: IncomingMessage, response: ServerResponse, body: string): void {
  requests.push(body);
  authorizations.push(headers.authorization ?? '');
  const send = (status: number, value: unknown) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
  const encode = (text: string) => encodeURIComponent(text).replaceAll('%20', '+');
  const basic = `Basic ${Buffer.from(`${encode(clientId)}:${encode(secret)}`).toString('base64')}`;
  const isKnown = headers.authorization === basic || new URLSearchParams(body).get('client_secret') === secret;
  if (!isKnown) return void send(401, { error: 'invalid_client', error_description: `not ${secret}` });
  const token = `token-${requests.length}`;
  const granted = { access_token: token, token_type: 'Bearer', expires_in: expiresIn };
  switch (mode) {
    case 'grants':
      valid.add(token);
      return void send(200, granted);
    case 'hangs':
      return;
    case 'redirects':
      return void response.writeHead(307, { location: `${origin}/elsewhere` }).end();
    case 'answers too much':
      return void send(200, { ...granted, more: 'x'.repeat(1 << 20) });
    case 'grants no bearer token':
      return void send(200, { ...granted, token_type: 'mac' });
    case 'answers no JSON':
      return void response.writeHead(200, { 'content-type': 'text/html' }).end('<html>log in</html>');
    case 'fails':
      return void send(500, granted);
    default:
      mode satisfies never;
  }
}

function documentOf(tokenUrl: string): string {
  const file = join(folder.path, 'api.json');
  const answer = {
    200: { description: 'x', content: { 'application/json': { schema: { $ref: '#/components/schemas/Item' } } } },
  };
  writeFileSync(
    file,
    JSON.stringify({
      openapi: '3.1.0',
      info: { title: 'Items' },
      servers: [{ url: origin }],
      paths: {
        '/items': {
          get: { operationId: 'getItem', responses: answer },
          post: { operationId: 'addItem', responses: answer },
        },
      },
      components: {
        schemas: { Item: { type: 'object', properties: { id: { type: 'integer' } } } },
        securitySchemes: { own: { type: 'oauth2', flows: { clientCredentials: { tokenUrl, scopes: {} } } } },
      },
    }),
  );
  return file;
}

async function openGateway(more: Partial<ClientCredentials> = {}) {
  const { service } = await importOpenApi(documentOf('/token'), { allowNetwork: false });
  const contract = declare({ ...service, operations: [...service.operations.values()] });
  const oauth2 = { tokenUrl: `${origin}/token`, clientId, clientSecret: { inClear: secret }, ...more };
  const timeouts = { connectMs: 500, headersMs: 500, bodyMs: 500, totalMs: 1_500 };
  const gateway = await createGateway({
    services: [contract.answeredBy('items')],
    upstreams: { items: { url: origin, credentials: { oauth2 }, timeouts } },
    settings: { LOG_LEVEL: 'silent' },
  });
  const added = await gateway.credentials.addCredential({
    tenant: 'a',
    kind: 'apiKey',
    roles: service.roles,
    grants: {},
  });
  const { origin: callers } = await gateway.listen();
  return { gateway, call: caller(callers, added.secret) };
}

const soap =
  '<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"><e:Body><getItem xmlns="urn:openapi:items"/></e:Body></e:Envelope>';
const requestsOf = {
  JSON: { path: '/items' },
  write: { path: '/items', method: 'POST' },
  FORM: { path: '/items', headers: { accept: 'application/x-www-form-urlencoded' } },
  SOAP: { path: '/Items/v1', method: 'POST', headers: { 'content-type': 'text/xml' }, body: soap },
} as const;

const caller = (callers: string, apiKey: string) => async (kind: keyof typeof requestsOf) => {
  const { path, ...request } = { headers: {}, ...requestsOf[kind] };
  const response = await fetch(callers + path, { ...request, headers: { ...request.headers, 'x-api-key': apiKey } });
  return { status: response.status, text: await response.text() };
};

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

test('requests at the same time share one token, and later ones use it in every format', async () => {
  const { gateway, call } = await openGateway({ scope: 'read write', parameters: { audience: 'items' } });
  const answers = await Promise.all([call('JSON'), call('write'), call('FORM'), call('SOAP'), call('JSON')]);
  answers.push(await call('SOAP'));
  await gateway.close();
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200]);
  expect(answers[3]?.text).toContain('<id>7</id>');
  expect(requests).toEqual(['grant_type=client_credentials&audience=items&scope=read+write']);
  expect(new Set(calls.map((each) => each.split(' ')[1]))).toEqual(new Set(['token-1']));
});

test('the secret is sent in the body where the endpoint wants it there', async () => {
  const { gateway, call } = await openGateway({ sentIn: 'body' });
  expect((await call('JSON')).status).toBe(200);
  await gateway.close();
  expect(Object.fromEntries(new URLSearchParams(requests[0]))).toEqual({
    grant_type: 'client_credentials',
    client_id: clientId,
    client_secret: secret,
  });
  expect(authorizations).toEqual(['']);
});

test('a token is replaced before it expires', async () => {
  expiresIn = 1;
  const { gateway, call } = await openGateway();
  expect((await call('JSON')).status).toBe(200);
  await pause(950);
  expect((await call('JSON')).status).toBe(200);
  await gateway.close();
  expect(requests).toHaveLength(2);
  expect(calls).toEqual(['GET token-1', 'GET token-2']);
});

test('a token that the server refuses is renewed once, for writes, too', async () => {
  expiresIn = undefined;
  const { gateway, call } = await openGateway();
  expect((await call('JSON')).status).toBe(200);
  valid.clear();
  // A token of less than a second is not renewed.
  await pause(1_100);
  const answers = await Promise.all([call('write'), call('JSON')]);
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  expect(requests).toHaveLength(2);
  // The server accepts none: one more try, and then an error.
  await pause(1_100);
  valid.clear();
  valid.add = () => valid;
  const refused = await call('JSON');
  await gateway.close();
  expect(refused).toMatchObject({ status: 502, text: expect.stringContaining('refused the request') });
  expect(refused.text).not.toContain('token-');
  expect(requests).toHaveLength(3);
});

describe('no token is had', () => {
  const modes: readonly (readonly [Mode, number])[] = [
    ['hangs', 503],
    ['redirects', 503],
    ['answers too much', 503],
    ['grants no bearer token', 502],
    ['answers no JSON', 502],
    ['fails', 503],
  ];
  test.each(modes)('the token server %s: %d in each format, and the API is not asked', async (each, status) => {
    mode = each;
    const { gateway, call } = await openGateway();
    const answers = [await call('JSON'), await call('write'), await call('FORM'), await call('SOAP')];
    expect(answers.slice(0, 3).map((answer) => answer.status)).toEqual([status, status, status]);
    expect(answers[3]).toMatchObject({ status: 500, text: expect.stringContaining('Fault>') });
    expect(calls).toEqual([]);
    // It recovers, without a restart.
    mode = 'grants';
    await until('a token', async () => (await call('JSON')).status === 200);
    await gateway.close();
  });

  test('the secret is wrong: the token server is not asked by each request, and callers do not read why', async () => {
    const { gateway, call } = await openGateway({ clientSecret: { inClear: 'wrong' } });
    const answers = await Promise.all([call('JSON'), call('FORM'), call('write')]);
    answers.push(await call('JSON'));
    await gateway.close();
    for (const { status, text } of answers) {
      expect(status).toBe(502);
      expect(text).not.toMatch(/invalid_client|s3cret|wrong/);
    }
    expect(requests).toHaveLength(1);
    expect(calls).toEqual([]);
  });
});

describe('serve --openapi --oauth2-client', () => {
  const options = ['--oauth2-client', clientId];

  test('gets tokens where the document says, asks callers for credentials, and shows the secret nowhere', async () => {
    const started = await serve(['--openapi', documentOf('/token'), ...options, '--save', '.'], folder.path, {
      OAUTH2_CLIENT_SECRET: secret,
      LOG_LEVEL: 'debug',
    });
    const { callers, received } = started;
    expect((await fetch(`${callers}/items`)).status).toBe(401);
    const apiKey = await printedKey(started);
    const call = caller(callers, apiKey);
    expect([(await call('JSON')).status, (await call('SOAP')).status]).toEqual([200, 200]);
    valid.clear();
    await call('JSON');
    await started.stop();
    const saved = readFileSync(join(folder.path, 'triglyph.config.ts'), 'utf8');
    expect(saved).toContain('OAUTH2_CLIENT_SECRET');
    for (const text of [received.stdout, received.stderr, saved]) expect(text).not.toMatch(/s3cret|token-1/);
  });

  test('a wrong secret is logged with the code of the token server, without the secret', async () => {
    const started = await serve(['--openapi', documentOf('/token'), ...options], folder.path, {
      OAUTH2_CLIENT_SECRET: 'wr0ng',
    });
    const apiKey = await printedKey(started);
    expect((await caller(started.callers, apiKey)('JSON')).status).toBe(502);
    await started.stop();
    expect(started.received.stdout).toContain('"detail":"token 401 invalid_client"');
    expect(started.received.stdout).not.toMatch(/wr0ng|s3cret/);
  });

  test.each([
    ['no secret', ['--oauth2-client', 'x'], '/token', 'OAUTH2_CLIENT_SECRET, which is not set'],
    ['no client', ['--oauth2-scope', 'x'], '/token', 'belong to --oauth2-client'],
    ['an endpoint in clear', options, 'http://login.example.com/token', 'would be sent in clear'],
    ['an endpoint of cloud metadata', options, 'https://169.254.169.254/token', 'means another server'],
  ])('%s is refused', async (_, more, tokenUrl, reason) => {
    const { code, stderr } = await spawnTriglyph(['serve', '--openapi', documentOf(tokenUrl), ...more], folder.path);
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(reason) });
  });
});
