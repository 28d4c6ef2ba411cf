/** A gateway with `builtIn: false` speaks of no payments: a crawl of what it serves, logs and prints finds none of their words. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { boundOperations, namedOperations, operationAddress, serviceAddress } from '../../src/core/contract/service.ts';
import { services } from '../../src/payments/index.ts';
import { builtIn, createGateway, type RunningGateway } from '../../src/program/api/index.ts';
import { importWsdl } from '../../src/readers/wsdl/import-wsdl.ts';
import { type Started, startTriglyph, triglyph } from '../support/commands.ts';
import { consoleV1 } from '../support/console-contract.ts';
import { type TempFolder, tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';

const words =
  /psp.?reference|merchant|shopper|amsterdam|payment|adyen|recurring|balance.?(?:platform|account)|account.?holder|account.?updater|iban|\bcompan(?:y|ies)\b|\bcards?\b|pay\.example/gi;

const foundIn = (text: string): readonly string[] => [...new Set(text.match(words))];

let folder: TempFolder;
let started: Started;
let callers: string;
let admin: string;
let callerKey: string;
let operatorKey: string;
const variables = { CONSOLE: 'on', LOG_LEVEL: 'debug' };

const stock = (path: string) => `${callers}/stock/service${path}`;

beforeAll(async () => {
  folder = tempFolder();
  const { text } = await importWsdl(join(import.meta.dirname, '../wsdl/stock.wsdl'), { allowNetwork: false });
  writeFileSync(join(folder.path, 'contract.ts'), text());
  writeFileSync(
    join(folder.path, 'triglyph.config.ts'),
    `import { defineConfig } from 'triglyph';
import { contract } from './contract.ts';
const stock = contract.with({
  async GetStock() {
    return { Quantity: '5', Price: '1.5', Seen: new Date(0), Place: [] } as never;
  },
  async AddStock() {
    return { Quantity: 5 };
  },
});
export default defineConfig({ builtIn: false, services: [stock] });
`,
  );
  const keys = join(folder.path, 'keys');
  await triglyph(['keys', 'create', keys], folder.path);
  Object.assign(variables, { KEY_FILE: keys });
  await triglyph(['migrate'], folder.path, variables);
  const add = async (role: string): Promise<string> => {
    const { code, stdout, stderr } = await triglyph(
      ['credential', 'add', 'acme', '--kind', 'apiKey', '--role', role, '--json'],
      folder.path,
      variables,
    );
    if (code !== 0) throw new Error(stderr);
    return (JSON.parse(stdout) as { secret: string }).secret;
  };
  callerKey = await add('stock');
  operatorKey = await add('console-admin');
  started = startTriglyph(['serve'], folder.path, variables);
  await until(
    () => started.received,
    () => started.received.stdout.includes('"msg":"ready"'),
  );
  const line = started.received.stdout.split('\n').find((each) => each.includes('"msg":"ready"')) ?? '';
  ({ callers, admin } = JSON.parse(line));
});
afterAll(async () => {
  started.child.kill();
  await started.over;
  folder.discard();
});

/** The whole answer as a text, with its head. */
async function textOf(url: string, init?: RequestInit): Promise<string> {
  const response = await fetch(url, init);
  const head = [...response.headers].map(([name, value]) => `${name}: ${value}`);
  return [response.status, ...head, '', await response.text()].join('\n');
}

const soap = (uri: string, content: string) => `<e:Envelope xmlns:e="${uri}"><e:Body>${content}</e:Body></e:Envelope>`;
const soap11 = 'http://schemas.xmlsoap.org/soap/envelope/';
const get = '<GetStock xmlns="urn:example:stock"><Sku>A</Sku></GetStock>';

test('its pages, documents and answers', async () => {
  const found: Record<string, readonly string[]> = {};
  const seen = new Set<string>();
  const visit = async (url: string, init?: RequestInit): Promise<void> => {
    const name = JSON.stringify([url, init]);
    if (seen.has(name)) return;
    seen.add(name);
    const text = await textOf(url, init);
    if (foundIn(text).length > 0) found[name] = foundIn(text);
    const links = [...text.matchAll(/(?:href|src|location|schemaLocation)="([^"]+)"/g)].map(([, link = '']) => link);
    for (const link of links) {
      const next = URL.canParse(link, url) ? new URL(link, url) : undefined;
      if (next !== undefined && [callers, admin].includes(next.origin) && init === undefined) await visit(next.href);
    }
  };
  for (const path of ['/', '/openapi.json', '/nothing']) await visit(callers + path);
  await visit(stock('/v1?wsdl'));
  const bodies = [
    ['application/json', '{"Sku":"A"}'],
    ['application/json', '{"Sku":["A"],"Other":1}'],
    ['application/json', '{'],
    ['application/x-www-form-urlencoded', 'Sku=A&Other=1'],
    ['text/xml', soap(soap11, get)],
    ['text/xml', soap(soap11, '<Nothing xmlns="urn:example:stock"/>')],
    ['application/soap+xml', soap('http://www.w3.org/2003/05/soap-envelope', get)],
    ['text/xml', '<'],
    ['image/png', 'x'],
  ] as const;
  for (const path of ['', '/v1', '/v1/GetStock', '/GetStock', '/v2/GetStock', '/v1/Nothing'])
    for (const [contentType, body] of bodies)
      for (const key of [callerKey, 'wrong', undefined])
        await visit(stock(path), {
          method: 'POST',
          headers: { 'Content-Type': contentType, ...(key !== undefined && { 'X-API-Key': key }) },
          body,
        });
  await visit(stock('/v1/GetStock'), { method: 'DELETE' });
  for (const path of ['/metrics', '/livez', '/readyz', '/']) await visit(admin + path);
  expect(seen.size).toBeGreaterThan(150);
  expect(found).toEqual({});
});

test('the addresses of the payments services are 404', async () => {
  const paths = services.flatMap((service) => [
    serviceAddress(service),
    `${serviceAddress(service)}/openapi.json`,
    `${serviceAddress(service)}?wsdl`,
    ...[...namedOperations(service), ...boundOperations(service)].map((each) => operationAddress(service, each)),
    ...Object.values(service.legacy ?? {}),
  ]);
  expect(paths.length).toBeGreaterThan(100);
  const others = [];
  for (const path of new Set(paths))
    for (const method of ['GET', 'POST']) {
      const headers = { 'X-API-Key': callerKey, 'Content-Type': 'application/json' };
      const { status } = await fetch(callers + path, { method, headers, ...(method === 'POST' && { body: '{}' }) });
      if (status !== 404) others.push(`${method} ${path}: ${status}`);
    }
  expect(others).toEqual([]);
});

describe('the console', () => {
  const headers = () => ({ 'X-API-Key': operatorKey });

  test('its page with all parts, and the description of its service', async () => {
    const document = await (await fetch(`${admin}/console`)).text();
    const parts = new Map([['document', document]]);
    const load = async (path: string): Promise<void> => {
      if (parts.has(path)) return;
      const text = await (await fetch(`${admin}/console/${path}`)).text();
      parts.set(path, text);
      for (const [, next = ''] of text.matchAll(/["'`](?:\.\/|\/console\/)?((?:assets\/)?[\w-]+\.(?:js|css))["'`]/g))
        await load(next.startsWith('assets/') ? next : `assets/${next}`);
    };
    for (const [, path = ''] of document.matchAll(/(?:href|src)="\/console\/([^"]+)"/g)) await load(path);
    expect(parts.size).toBeGreaterThan(5);
    parts.set('openapi', await (await fetch(`${admin}/console/api/openapi.json`)).text());
    const found = [...parts].flatMap(([name, text]) =>
      // Classes of its style sheet.
      foundIn(name === 'openapi' ? text : text.replace(/\b(?:log-in-)?cards?\b/g, '')).map(
        (word) => `${name}: ${word}`,
      ),
    );
    expect(found).toEqual([]);
  });

  test('its views', async () => {
    const found: Record<string, readonly string[]> = {};
    const statuses = new Map<number, number>();
    for (const operation of consoleV1.operations.values()) {
      const { http, name } = operation;
      if (http === undefined || http.method !== 'GET' || http.path.includes('{')) continue;
      const response = await fetch(`${admin}/console/api/v1${http.path}`, { headers: headers() });
      const text = await response.text();
      statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
      if (foundIn(text).length > 0) found[name] = foundIn(text);
    }
    expect(found).toEqual({});
    expect(Object.fromEntries(statuses)).toMatchObject({ 200: expect.any(Number) });
    expect(statuses.get(200)).toBeGreaterThan(15);
  });
});

test('its log, its settings and the faults of its configuration', async () => {
  const { stdout } = await triglyph(['check', '--settings'], folder.path, variables);
  expect(foundIn(stdout)).toEqual([]);
  const wrong = Object.fromEntries(
    stdout.split('\n').flatMap((line) => (/^([A-Z_]+) /.test(line) ? [[line.split(' ')[0] ?? '', '\\ wrong']] : [])),
  );
  expect(Object.keys(wrong).length).toBeGreaterThan(40);
  const faults = await triglyph(['check'], folder.path, { ...wrong, DATA_DIR: folder.path });
  expect(foundIn(faults.stdout + faults.stderr)).toEqual([]);
  const empty = await triglyph(['check'], folder.path, { ...variables, DATA_DIR: join(folder.path, 'none') });
  expect(foundIn(empty.stdout + empty.stderr)).toEqual([]);
  const { received } = started;
  expect(received.stdout.split('\n').length).toBeGreaterThan(100);
  // The paths of the test above are those of callers.
  const lines = received.stdout
    .split('\n')
    .filter((line) => !line.includes('"path":"/pal') && !line.includes('"path":"*'));
  expect(foundIn(lines.join('\n') + received.stderr)).toEqual([]);
});

test('its commands: their help, their documents and what they refuse', async () => {
  const found: Record<string, readonly string[]> = {};
  const walk = async (command: readonly string[]): Promise<void> => {
    const { stdout, stderr } = await triglyph([...command, '--help'], folder.path, variables);
    const text = foundIn(stdout + stderr);
    if (text.length > 0) found[command.join(' ')] = text;
    const [, list = ''] = /\nCommands:\n((?: {2}.*\n)+)/.exec(stdout) ?? [];
    for (const [, name = ''] of list.matchAll(/^ {2}(\S+)/gm)) if (name !== 'help') await walk([...command, name]);
  };
  await walk([]);
  for (const command of ['wsdl', 'openapi']) {
    const { code, stdout } = await triglyph([command], folder.path, variables);
    expect([command, code, foundIn(stdout)]).toEqual([command, 0, []]);
    expect(stdout).toContain('GetStock');
  }
  expect(found).toEqual({});
  const refusals = [
    [['shopper', 'show', 'a', 'b'], "unknown command 'shopper'"],
    [['demo'], 'serves none (builtIn: false)'],
  ] as const;
  for (const [command, text] of refusals) {
    const refused = await triglyph(command, folder.path, variables);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining(text)]);
  }
});

test('the crawl finds the words of a gateway that serves payments', async () => {
  const gateway: RunningGateway = await createGateway(builtIn());
  const page = await (await gateway.fetch(new Request('http://gateway/', { headers: { Accept: 'text/html' } }))).text();
  expect(foundIn(page).length).toBeGreaterThan(3);
  await gateway.close();
});
