/**
 * Tests that no secret of an imported service is in the database, in recordings, in the console, in the metrics, in what the process prints, or at a
 * shadow without credentials.
 */
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterEach, describe, expect, test } from '@jest/globals';
import { openBackend } from '../../src/backend/backend.ts';
import { createService } from '../../src/backend/define-service.ts';
import { planUpstreams } from '../../src/backend/upstreams/plan.ts';
import { readConfig } from '../../src/config/config.ts';
import { readSources } from '../../src/config/variable-sources.ts';
import { serviceAddress } from '../../src/core/contract/service.ts';
import { freshKeys } from '../../src/core/vault/key-ring.ts';
import { startServer } from '../../src/program/app/server.ts';
import { importOpenApi } from '../../src/readers/openapi/import-openapi.ts';
import type { SecretChoice } from '../../src/readers/secrets.ts';
import { printedKey, serve } from '../support/serving-program.ts';
import { type TempFolder, tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';
import { answerJson, startUpstreamServer } from '../support/upstream-server.ts';

const text = { type: 'string' };
const members = {
  ...{
    pin: text,
    cvv: { type: 'integer' },
    client_secret: text,
    access_token: text,
    userPassword: text,
    answer: { type: 'string', writeOnly: true },
  },
  ...{ cardNumber: text, memo: text, account: { type: 'integer', format: 'int64' }, extra: { type: 'object' } },
  ...{ labels: { type: 'object', additionalProperties: text }, otp: { type: 'array', items: text }, name: text },
};
const header = (name: string) => ({ name, in: 'header', schema: text });
const openApi = (url: string) => ({
  openapi: '3.1.0',
  servers: [{ url }],
  info: { title: 'Wallet', version: '1' },
  components: { securitySchemes: { key: { type: 'apiKey', in: 'query', name: 'k' } } },
  paths: {
    '/wallets': {
      post: {
        operationId: 'addWallet',
        parameters: [
          { name: 'k', in: 'query', schema: text },
          header('X-Session'),
          { name: 'sid', in: 'cookie', schema: text },
        ],
        requestBody: { content: { 'application/json': { schema: { type: 'object', properties: members } } } },
        responses: {
          200: {
            description: 'ok',
            content: { 'application/json': { schema: { type: 'object', properties: members } } },
          },
        },
      },
    },
  },
});

const ns = 'urn:example:wallet';
const element = (name: string, type = 'string', also = '') =>
  `<xs:element name="${name}" type="xs:${type}" minOccurs="0"${also}/>`;
const elements = [
  ...['pin', 'client_secret', 'access_token', 'userPassword', 'cardNumber', 'memo', 'name'].map((name) =>
    element(name),
  ),
  ...[element('cvv', 'int'), element('account', 'long'), element('otp', 'string', ' maxOccurs="9"')],
].join('');
const message = (name: string) =>
  `<xs:element name="${name}"><xs:complexType><xs:sequence>${elements}</xs:sequence></xs:complexType></xs:element>`;
const wsdl = (
  url: string,
) => `<definitions name="Wallet" targetNamespace="${ns}" xmlns="http://schemas.xmlsoap.org/wsdl/"
    xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/" xmlns:t="${ns}" xmlns:xs="http://www.w3.org/2001/XMLSchema">
  <types><xs:schema targetNamespace="${ns}" elementFormDefault="qualified">${message('addWallet')}${message('addWalletResponse')}
    <xs:element name="Session"><xs:complexType><xs:sequence>${element('token')}</xs:sequence></xs:complexType></xs:element>
  </xs:schema></types>
  <message name="In"><part name="parameters" element="t:addWallet"/></message><message name="Out"><part name="parameters" element="t:addWalletResponse"/></message>
  <message name="Head"><part name="session" element="t:Session"/></message>
  <portType name="Port"><operation name="addWallet"><input message="t:In"/><output message="t:Out"/></operation></portType>
  <binding name="Binding" type="t:Port"><soap:binding style="document" transport="http://schemas.xmlsoap.org/soap/http"/>
    <operation name="addWallet"><soap:operation soapAction=""/>
      <input><soap:header message="t:Head" part="session" use="literal"/><soap:body use="literal"/></input><output><soap:body use="literal"/></output></operation></binding>
  <service name="Wallet"><port name="Port" binding="t:Binding"><soap:address location="${url}/wallets"/></port></service>
</definitions>`;

/** Each stands at one place that a reader could forget. */
const sent = {
  ...{ k: 'canary-query', xSession: 'canary-header', sid: 'canary-cookie' },
  ...{
    pin: '739182',
    cvv: 918273,
    client_secret: 'canary-client',
    access_token: 'canary-token',
    userPassword: 'canary-password',
  },
  ...{
    answer: 'canary-write-only',
    cardNumber: '4111111111111111',
    memo: 'paid by 5555 5555 5555 4444, see ?token=canary-url',
  },
  ...{ account: 4242424242424242, extra: { deep: [{ apiKey: 'canary-json' }] }, labels: { secret: 'canary-map' } },
  ...{ otp: ['canary-list'], name: 'Anna' },
};
const canaries = [/canary-[a-z-]+/, /739182/, /918273/, /4111111111111111/, /5555 5555 5555 4444/, /4242424242424242/];

const findCanaries = (found: string): readonly string[] =>
  canaries.flatMap((each) => found.match(new RegExp(each, 'g')) ?? []);

/** As a server of SOAP has the members: those that its document describes. */
const { answer: _, extra: _extra, labels: _labels, k: _k, xSession: _session, sid: _sid, ...inSoap } = sent;
const xmlOf = (values: object): string =>
  Object.entries(values)
    .flatMap(([name, value]) => [value].flat().map((each) => `<${name}>${each}</${name}>`))
    .join('');
const envelope = (header: string, body: string): string =>
  `<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/">${header}<s:Body>${body}</s:Body></s:Envelope>`;
const session = `<s:Header><Session xmlns="${ns}"><token>canary-soap-header</token></Session></s:Header>`;
const answerSoap = (to: ServerResponse): void => {
  to.writeHead(200, { 'Content-Type': 'text/xml' });
  to.end(envelope('', `<addWalletResponse xmlns="${ns}">${xmlOf(inSoap)}</addWalletResponse>`));
};

/** Kinds of document: a server of each, and how its own callers send a request. */
const kinds = {
  openapi: {
    document: (url: string) => JSON.stringify(openApi(url)),
    answer: (to: ServerResponse) => {
      const { k: _, xSession: _session, sid: _sid, ...members } = sent;
      answerJson(to, 200, members);
    },
    request: (key: string) => {
      const { k: _, xSession, sid, ...members } = sent;
      const headers = {
        'X-API-Key': key,
        'Content-Type': 'application/json',
        'X-Session': xSession,
        Cookie: `sid=${sid}`,
      };
      return { path: `/wallets?k=${sent.k}`, headers, body: JSON.stringify(members) };
    },
  },
  wsdl: {
    document: wsdl,
    answer: answerSoap,
    request: (key: string) => ({
      path: '/wallets',
      headers: { 'X-API-Key': key, 'Content-Type': 'text/xml' },
      body: envelope(session, `<addWallet xmlns="${ns}">${xmlOf(inSoap)}</addWallet>`),
    }),
  },
} as const;

let folder: TempFolder | undefined;
afterEach(async () => {
  folder?.discard();
});

function filesBelow(path: string): readonly string[] {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path).flatMap((name) => filesBelow(join(path, name)));
}

function textOf(file: string): string {
  const bytes = readFileSync(file);
  return (file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('latin1');
}

/** Calls the operation at its own path and by its name, and returns what stands where afterwards. */
async function leaks(choice: SecretChoice) {
  folder = tempFolder();
  const file = join(folder.path, 'wallet.json');
  writeFileSync(file, JSON.stringify(openApi('https://wallet.example')));
  const { service, secrets } = await importOpenApi(file, { allowNetwork: false, ...choice });
  const answered = JSON.stringify({ ...sent, k: undefined, xSession: undefined, sid: undefined });
  const answer = () => startUpstreamServer((to) => answerJson(to, 200, JSON.parse(answered)));
  await using old = await answer();
  await using next = await answer();
  const shadow = { url: next.url, credentials: 'none', writes: 'sandbox', idempotency: 'header' } as const;
  const upstreams = { api: { url: old.url, format: 'json', credentials: 'none', shadow } } as const;
  const services = [createService({ contract: service, answeredBy: 'api' }, new Map())];
  const { plan, faults } = planUpstreams({ upstreams, answeredBy: { Wallet: 'api' } }, services, readSources());
  if (plan === undefined) throw new Error(faults.join(' '));
  const data = join(folder.path, 'data');
  const recordings = join(folder.path, 'recorded');
  const config = readConfig('demo', {
    ...{ DATA_DIR: data, TRIGLYPH_KEYS: freshKeys(), PORT: '0', ADMIN_PORT: '0', LOG_LEVEL: 'silent' },
    ...{ RECORD: recordings, TRAFFIC: 'always', DRAIN_NOTICE_MS: '0' },
  });
  const backend = await openBackend(config, { exclusive: true }, services);
  const add = async (roles: readonly string[]) =>
    (await backend.registry.addCredential({ tenant: 'Demo', kind: 'apiKey', roles, grants: {} })).secret;
  const [key, viewer] = [await add(service.roles), await add(['console'])];
  const running = await startServer(config, backend, { upstreams: plan });
  const stopped = { [Symbol.asyncDispose]: () => running.stop() };
  await using _ = stopped;
  const { k, xSession, sid, ...body } = sent;
  const { parameters = {} } = service.operations.get('addWallet')!.upstream!;
  const values: Record<string, string> = { k, 'X-Session': xSession, sid };
  const byPlace = Object.entries(parameters).map(([field, { name = field }]) => [field, values[name]]);
  const byFields = { ...body, ...Object.fromEntries(byPlace) };
  const own = await fetch(`${running.callers}/wallets?k=${k}`, {
    method: 'POST',
    headers: {
      'X-API-Key': key,
      'Content-Type': 'application/json',
      'X-Session': xSession,
      Cookie: `sid=${sid}`,
      'Idempotency-Key': 'a-key-of-sixteen-1',
    },
    body: JSON.stringify(body),
  });
  // The callers and the server get everything.
  expect([own.status, findCanaries(await own.text()).length > 8]).toEqual([200, true]);
  const named = await fetch(`${running.callers}${serviceAddress(service)}/addWallet`, {
    method: 'POST',
    headers: { 'X-API-Key': key, 'Content-Type': 'application/json' },
    body: JSON.stringify(byFields),
  });
  expect(named.status).toBe(200);
  expect(findCanaries(JSON.stringify(old.received)).length).toBeGreaterThan(20);
  await until('the copies', () => next.received.length === 2);
  const ask = async (path: string) => {
    const response = await fetch(`${running.admin}/console/api/v1${path}`, { headers: { 'X-API-Key': viewer } });
    return await response.text();
  };
  const lines = await ask('/traffic/requests');
  const details = await Promise.all(
    (JSON.parse(lines).requests as { id: string }[]).map(({ id }) => ask(`/traffic/requests/${id}`)),
  );
  await running.stop();
  const read = (path: string) => filesBelow(path).map(textOf);
  const found = {
    database: findCanaries(read(data).join('\n')),
    recording: findCanaries(read(recordings).join('\n')),
    traffic: findCanaries([lines, ...details].join('\n')),
    shadow: findCanaries(JSON.stringify(next.received)),
  };
  expect(details.join('')).toContain('Anna');
  expect(JSON.stringify(next.received)).toContain('Anna');
  return { found, secrets: Object.fromEntries(secrets) };
}

test('no canary is anywhere, and the report says which fields are sensitive and why', async () => {
  const { found, secrets } = await leaks({});
  expect(found).toEqual({ database: [], recording: [], traffic: [], shadow: [] });
  expect(Object.values(secrets).toSorted()).toContain('the document calls it write-only');
});

test('a name that fits no field is refused, beside one that does', async () => {
  const choice = { sensitive: ['memo', 'Order.memo'], notSensitive: ['client_secrets'] };
  await expect(leaks(choice)).rejects.toThrow(/no field has the name order\.memo, client_secrets$/);
});

test('control: a field that the operator calls not sensitive is found in every place', async () => {
  const { found } = await leaks({ notSensitive: ['client_secret'] });
  for (const each of [found.recording, found.traffic, found.shadow]) expect(each).toContain('canary-client');
});

describe.each(Object.entries(kinds))(
  'a process that serves a document of %s',
  (kind, { document, answer, request }) => {
    async function run(parameters: readonly string[]) {
      folder = tempFolder();
      await using server = await startUpstreamServer(answer);
      const file = join(folder.path, kind === 'wsdl' ? 'wallet.wsdl' : 'wallet.json');
      writeFileSync(file, document(server.url));
      const variables = {
        ...{ DATA_DIR: join(folder.path, 'data'), RECORD: join(folder.path, 'recorded') },
        ...{ TRAFFIC: 'always', LOG_LEVEL: 'trace', DRAIN_NOTICE_MS: '0' },
      };
      const gateway = await serve([`--${kind}`, file, ...parameters], folder.path, variables);
      const ended = { [Symbol.asyncDispose]: () => gateway.stop() };
      await using _ = ended;
      const viewer = await printedKey(gateway, 'Its first API key, shown once: ');
      const get = async (path: string) =>
        await (await fetch(`${gateway.admin}${path}`, { headers: { 'X-API-Key': viewer } })).text();
      const { path, headers, body } = request('of-the-caller');
      const send = (text: string) => fetch(gateway.callers + path, { method: 'POST', headers, body: text });
      const answered = await send(body);
      // The caller and the server get everything.
      expect([answered.status, findCanaries(await answered.text()).length > 8]).toEqual([200, true]);
      expect(findCanaries(JSON.stringify(server.received)).length).toBeGreaterThan(8);
      // A refusal may say what was sent: here names and values that are secrets, in the places of others.
      await send(body.replaceAll('918273', 'canary-not-a-number'));
      await send(body.slice(0, -9));
      await until(
        'the lines',
        async () => JSON.parse(await get('/console/api/v1/traffic/requests')).requests.length === 3,
      );
      const lines = await get('/console/api/v1/traffic/requests');
      const ids = (JSON.parse(lines).requests as { id: string }[]).map(({ id }) => id);
      const details = await Promise.all(ids.map((id) => get(`/console/api/v1/traffic/requests/${id}`)));
      const metrics = await get('/metrics');
      const page = await get('/console/traffic');
      await gateway.stop();
      const { stdout, stderr } = gateway.received;
      const read = (below: string) => filesBelow(join(folder!.path, below)).map(textOf).join('\n');
      expect([stdout, metrics, details.join('')]).toEqual([
        expect.stringContaining('addWallet'),
        expect.stringContaining('addWallet'),
        expect.stringContaining('Anna'),
      ]);
      return {
        ...{ log: findCanaries(stdout + stderr), metrics: findCanaries(metrics), page: findCanaries(page) },
        ...{ traffic: findCanaries([lines, ...details].join('\n')), database: findCanaries(read('data')) },
        recording: findCanaries(read('recorded')),
      };
    }

    test('prints, stores and shows no canary', async () => {
      const nowhere = { log: [], metrics: [], page: [], traffic: [], database: [], recording: [] };
      expect(await run([])).toEqual(nowhere);
    });

    test('control: a field that the operator calls not sensitive is found', async () => {
      const { traffic, recording } = await run(['--not-sensitive', 'client_secret']);
      expect([traffic, recording]).toEqual([
        expect.arrayContaining(['canary-client']),
        expect.arrayContaining(['canary-client']),
      ]);
    });
  },
);
