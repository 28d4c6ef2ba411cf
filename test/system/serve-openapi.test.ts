/** One command in an empty folder serves what an OpenAPI document describes in SOAP, FORM and JSON. */
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { createHarbour } from '../openapi/servers/harbour.mjs';
import { spawnTriglyph } from '../support/commands.ts';
import { ownDocument } from '../support/corpus.ts';
import { listenLocally } from '../support/listen-locally.ts';
import { post, printedCalls, type ServingProgram, serve } from '../support/serving-program.ts';
import { type TempFolder, tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';

const run = promisify(execFile);
const document = ownDocument('harbour.yaml');
const service = 'Harbour';
const boat = { id: 7, name: 'Rex', pictures: ['a', 'b'], flags: [{ id: 1, name: 'big' }], state: 'moored' };

const { server, received } = createHarbour();
let upstream = '';
beforeAll(async () => {
  upstream = `http://127.0.0.1:${await listenLocally(server)}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

let empty: TempFolder;
let gateway: ServingProgram | undefined;
beforeEach(() => {
  empty = tempFolder();
});
afterEach(async () => {
  await gateway?.stop();
  gateway = undefined;
  empty.discard();
});

const start = async (...more: readonly string[]): Promise<ServingProgram> => {
  gateway = await serve(['--openapi', document, '--upstream', upstream, ...more], empty.path);
  return gateway;
};

const envelopes = {
  'text/xml': 'http://schemas.xmlsoap.org/soap/envelope/',
  'application/soap+xml': 'http://www.w3.org/2003/05/soap-envelope',
} as const;

const soap = async (callers: string, message: string, type: keyof typeof envelopes = 'text/xml') => {
  const body = `<e:Envelope xmlns:e="${envelopes[type]}"><e:Body>${message.replace(/^<(\w+)/, `<$1 xmlns="urn:openapi:${service.toLowerCase()}"`)}</e:Body></e:Envelope>`;
  return await post(`${callers}/${service}/v1`, type, body);
};

describe('the harbour', () => {
  test('is called in JSON at its own paths, and neither side sees a difference', async () => {
    const { callers } = await start();
    const before = received.length;
    const sent = '{ "id": 7, "name": "", "pictures": [], "home": null, "more": {"of": 1.10}}';
    const added = await post(`${callers}/api/v3/boat?trace=1&trace=2`, 'application/json', sent);
    expect(received[before]).toMatchObject({ method: 'POST', url: '/api/v3/boat?trace=1&trace=2', body: sent });
    const direct = await post(`${upstream}/api/v3/boat`, 'application/json', sent);
    expect(added).toEqual(direct);
    // As `curl -d` declares every body: the server is told what it is.
    const declared = await post(`${callers}/api/v3/boat?trace=3`, 'application/x-www-form-urlencoded', sent);
    const told = { url: '/api/v3/boat?trace=3', body: sent, headers: { 'content-type': 'application/json' } };
    expect(received.at(-1)).toMatchObject(told);
    expect(declared).toEqual(direct);
    for (const path of [
      'boat/7',
      'boat/999',
      'boat/withFlags?flags=a&flags=b',
      'berth/count',
      'crew/login?name=a%20b',
    ]) {
      const [through, without] = await Promise.all([
        fetch(`${callers}/api/v3/${path}`),
        fetch(`${upstream}/api/v3/${path}`),
      ]);
      expect([through.status, through.headers.get('content-type'), await through.text()]).toEqual([
        without.status,
        without.headers.get('content-type'),
        await without.text(),
      ]);
    }
    const { headers } = await fetch(`${callers}/api/v3/boat/999`);
    for (const name of ['x-content-type-options', 'x-request-id']) expect(headers.get(name)).not.toContain(',');
    const other = await fetch(`${callers}/api/v3/boat`, { method: 'PATCH' });
    expect([other.status, other.headers.get('allow')]).toEqual([405, 'PUT, POST']);
    expect((await fetch(`${callers}/api/v3/boat/7/8/9`)).status).toBe(404);
  });

  test.each(['text/xml', 'application/soap+xml'] as const)('is called in %s', async (type) => {
    const { callers } = await start();
    const members =
      '<id>7</id><name>Rex</name><pictures>a</pictures><pictures>b</pictures><flags><id>1</id><name>big</name></flags><state>moored</state>';
    const added = await soap(callers, `<addBoat>${members}</addBoat>`, type);
    expect(added.text).toContain(members.replace('<pictures>', '<home xsi:nil="true"/><pictures>'));
    expect(JSON.parse(received.at(-1)?.body ?? '')).toEqual(boat);
    const found = await soap(
      callers,
      '<findBoatsByFlags><flags>big</flags><flags>a&amp;b</flags></findBoatsByFlags>',
      type,
    );
    expect(found.text).toMatch(/<result><id>7<\/id>.*<\/result><\/ns1:findBoatsByFlagsResponse>/);
    expect(received.at(-1)?.url).toBe('/api/v3/boat/withFlags?flags=big&flags=a%26b');
    const missing = await soap(callers, '<getBoat><boatId>999</boatId></getBoat>', type);
    expect([missing.status, missing.text]).toEqual([
      type === 'text/xml' ? 500 : 400,
      expect.stringContaining('Boat not found'),
    ]);
    await soap(callers, '<addPhoto><boatId>7</boatId><body>AAEC</body></addPhoto>', type);
    expect(received.at(-1)).toMatchObject({ body: '\u0000\u0001\u0002', url: '/api/v3/boat/7/photo' });
    await soap(callers, '<removeBoat><api_key>k</api_key><boatId>7</boatId></removeBoat>', type);
    expect(received.at(-1)).toMatchObject({ method: 'DELETE', headers: { api_key: 'k' } });
    const bad = await soap(callers, '<getBoat><boatId>x</boatId></getBoat>', type);
    expect(bad.text).toContain('boatId');
    expect(received.at(-1)?.method).toBe('DELETE');
  });

  test('is called in FORM at the same paths', async () => {
    const { callers } = await start();
    const form = 'application/x-www-form-urlencoded';
    const pairs = 'id=7&name=Rex&pictures.0=a&pictures.1=b&flags.0.id=1&flags.0.name=big&state=moored';
    expect(await post(`${callers}/api/v3/boat`, form, pairs)).toEqual({ status: 200, text: pairs });
    expect(JSON.parse(received.at(-1)?.body ?? '')).toEqual(boat);
    const read = await fetch(`${callers}/api/v3/boat/7`, { headers: { Accept: form } });
    expect(await read.text()).toBe(pairs);
    const found = await fetch(`${callers}/api/v3/boat/withFlags?flags=big`, { headers: { Accept: form } });
    expect(await found.text()).toContain('result.0.name=Rex');
    const refused = await post(`${callers}/api/v3/boat`, form, 'id=7&nome=Rex');
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('nome')]);
  });

  test('is a WSDL that PHP and zeep read, linked at the root; each printed call works', async () => {
    const { callers, received: printed } = await start();
    await until('the calls', () => printed.stderr.includes('SOAP:'));
    const { stderr } = printed;
    expect(stderr).toContain('19 of 19 operations');
    await post(`${upstream}/api/v3/boat`, 'application/json', JSON.stringify(boat));
    for (const command of printedCalls(stderr)) {
      expect(command).not.toBe('');
      expect((await run('sh', ['-c', command])).stdout).not.toMatch(/errorCode|Fault/);
    }
    const page = await (await fetch(callers, { headers: { Accept: 'text/html' } })).text();
    const [, wsdl = ''] = /href="([^"]*\?wsdl)"/.exec(page) ?? [];
    const php = `$c = new SoapClient($argv[1], ['cache_wsdl' => WSDL_CACHE_NONE, 'features' => SOAP_SINGLE_ELEMENT_ARRAYS]);
      $c->addBoat(['id' => 8, 'name' => 'Php', 'pictures' => ['x', 'y'], 'flags' => [['id' => 2, 'name' => 'small']]]);
      echo json_encode([$c->getBoat(['boatId' => 8]), $c->findBoatsByFlags(['flags' => ['small']])->result[0]->name, count($c->__getFunctions())]);`;
    const fromPhp = JSON.parse((await run('php', ['-r', php, '--', wsdl])).stdout);
    expect(fromPhp).toMatchObject([
      { id: 8, name: 'Php', pictures: ['x', 'y'], flags: [{ id: 2, name: 'small' }] },
      'Php',
      38,
    ]);
    const python = `import sys, zeep
client = zeep.Client(sys.argv[1])
client.service.addBoat(id=9, name='Zeep', pictures=['x'], state='sold')
print(client.service.getBoat(boatId=9).name, len(client.service.findBoatsByState(state='sold')), len(client.service._operations))
try:
  client.service.getBoat(boatId=999)
except zeep.exceptions.Fault as fault:
  print(fault.message)`;
    const fromZeep = (await run('/usr/bin/python3', ['-c', python, wsdl])).stdout;
    expect(fromZeep.trim()).toBe('Zeep 1 19\nvalidation 404 Boat not found');
  });

  test('a write with a key has its effect once, in whichever format it is repeated', async () => {
    const { callers } = await start();
    const headers = { 'Idempotency-Key': 'one' };
    const before = received.length;
    const body = JSON.stringify({ id: 11, name: 'Once' });
    const answers = [];
    for (let count = 0; count < 2; count += 1)
      answers.push(await post(`${callers}/api/v3/boat`, 'application/json', body, headers));
    const form = await post(`${callers}/api/v3/boat`, 'application/x-www-form-urlencoded', 'id=11&name=Once', headers);
    expect([...answers, form]).toEqual([
      { status: 200, text: body },
      { status: 200, text: body },
      { status: 200, text: 'id=11&name=Once' },
    ]);
    expect(received.length).toBe(before + 1);
    const other = await post(`${callers}/api/v3/boat`, 'application/json', '{"id":12,"name":"Once"}', headers);
    expect(other.status).toBe(422);
    expect(received.length).toBe(before + 1);
  });

  test('credentials reach the server where it wants them, and tell callers with one key apart', async () => {
    const { callers } = await start();
    const body = JSON.stringify({ id: 20, name: 'Mine' });
    const add = async (headers: Readonly<Record<string, string>>, query = '') => {
      const before = received.length;
      await post(`${callers}/api/v3/boat${query}`, 'application/json', body, {
        'Idempotency-Key': 'shared',
        ...headers,
      });
      return received[before]?.headers;
    };
    expect(await add({ api_key: 'anna' })).toMatchObject({ api_key: 'anna' });
    expect(await add({ api_key: 'anna' })).toBeUndefined();
    expect(await add({ api_key: 'ben' })).toMatchObject({ api_key: 'ben' });
    expect(await add({})).not.toHaveProperty('api_key');
    expect(await add({}, '?key=cleo')).toBeDefined();
    expect(await add({}, '?key=dora')).toBeDefined();
    expect(await add({}, '?key=dora')).toBeUndefined();
    const basic = `Basic ${Buffer.from('erp:secret').toString('base64')}`;
    const message = `<e:Envelope xmlns:e="${envelopes['text/xml']}"><e:Body><getBoat xmlns="urn:openapi:${service.toLowerCase()}"><boatId>20</boatId></getBoat></e:Body></e:Envelope>`;
    await post(`${callers}/${service}/v1`, 'text/xml', message, { Authorization: basic });
    expect(received.at(-1)?.headers).toMatchObject({ api_key: 'secret', authorization: 'Bearer secret' });
  });

  test('in JSON it is served as in YAML, and --save writes a project that runs', async () => {
    const file = join(empty.path, 'harbour.json');
    writeFileSync(file, JSON.stringify(parse(readFileSync(document, 'utf8'))));
    gateway = await serve(['--openapi', file, '--upstream', upstream, '--save', '.'], empty.path);
    await gateway.stop();
    expect(readdirSync(empty.path).toSorted()).toEqual([
      '.gitignore',
      'contract.ts',
      'data',
      'harbour.json',
      'triglyph.config.ts',
    ]);
    gateway = await serve([], empty.path);
    await post(`${gateway.callers}/api/v3/boat`, 'application/json', JSON.stringify(boat));
    expect((await soap(gateway.callers, '<getBoat><boatId>7</boatId></getBoat>')).text).toContain('<name>Rex</name>');
    expect(await (await fetch(`${gateway.callers}/api/v3/boat/7`)).json()).toEqual(boat);
  });
});

test.each([
  ['no server', 'openapi: 3.0.0\npaths: {/a: {get: {responses: {}}}}', 'has no address'],
  [
    'an address of cloud metadata',
    'openapi: 3.0.0\nservers: [{url: "http://169.254.169.254/x"}]\npaths: {/a: {get: {responses: {}}}}',
    'means another server',
  ],
  ['no operation', 'openapi: 3.1.0\npaths: {}', 'no operation can be imported'],
  ['no document of OpenAPI', 'swagger: "1.2"', 'this is no OpenAPI document'],
  ['no YAML', 'openapi: 3.0.0\npaths: [', ':2:'],
])('%s is refused', async (_, text, reason) => {
  writeFileSync(join(empty.path, 'api.yaml'), text);
  const { code, stderr } = await spawnTriglyph(['serve', '--openapi', 'api.yaml'], empty.path);
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(reason) });
});
