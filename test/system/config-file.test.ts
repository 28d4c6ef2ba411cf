/** Tests the configuration file: its settings and other sources, its services in every command, and its faults. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { triglyph } from '../support/commands.ts';
import { type Production, prepareProduction, type Server, startServer } from '../support/server.ts';
import { tempFolder } from '../support/temp-folder.ts';

const folder = tempFolder();
const empty = tempFolder();
let production: Production;
beforeAll(async () => {
  production = await prepareProduction(folder.path);
  writeFileSync(join(folder.path, 'package.json'), '{"type":"module"}');
  writeFileSync(join(folder.path, 'triglyph.config.ts'), config);
  writeFileSync(join(folder.path, '.env'), 'KEEP_ALIVE_MS=7000\nHEADERS_MAX=70\nLOG_LEVEL=warn\n');
});
afterAll(() => {
  folder.discard();
  empty.discard();
});

const orders = pathToFileURL(join(import.meta.dirname, '../../examples/orders/orders.ts')).href;
const config = `import { defineConfig } from 'triglyph';
import { orders } from ${JSON.stringify(orders)};

export default defineConfig({
  services: [orders],
  settings: { BODY_BYTES_MAX: 70_000, HEADERS_MAX: 50, KEEP_ALIVE_MS: 6000, IDEMPOTENCY_MESSAGE_ID: false },
});
`;

const run = (...parameters: readonly string[]) => triglyph(parameters, folder.path, production.variables);

const write = (name: string, content: string): string => {
  writeFileSync(join(empty.path, name), content);
  return name;
};

test('check tells the file, .env and the environment, of which each overrides the one before', async () => {
  const variables = { ...production.variables, HEADERS_MAX: '80', TRUSTED_PROXIES: '' };
  const { code, stdout } = await triglyph(['check'], folder.path, variables);
  expect(code).toBe(0);
  const lineOf = (name: string) => stdout.split('\n').find((line) => line.startsWith(`${name} `));
  expect(lineOf('BODY_BYTES_MAX')).toMatch(/ 70000 {2}\(bytes; from triglyph\.config\.ts\)$/);
  expect(lineOf('IDEMPOTENCY_MESSAGE_ID')).toMatch(/ off {2}\(on or off; from triglyph\.config\.ts\)$/);
  expect(lineOf('KEEP_ALIVE_MS')).toMatch(/ 7000 {2}\(ms; from \.env\)$/);
  expect(lineOf('HEADERS_MAX')).toMatch(/ 80 {2}\(headers; from environment\)$/);
  expect(lineOf('WORKERS')).toMatch(/ 1 {2}\(processes; from default\)$/);
  expect(lineOf('TRIGLYPH_KEYS')).toContain(
    `(hidden)  (key ring text; from KEY_FILE ${production.variables.KEY_FILE},`,
  );
  expect(lineOf('Orders')).toBe('Orders version 1 at /orders (from triglyph.config.ts)');
});

describe('a service of the file', () => {
  let server: Server;
  beforeAll(async () => {
    server = await startServer('serve', folder.path, production.variables);
  });
  afterAll(() => server.stop());

  const place = async (secret: string, shop = 'amsterdam') => {
    const response = await fetch(`${server.callers}/orders/v1/placeOrder`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'X-API-Key': secret },
      body: JSON.stringify({ shop, number: `A-${shop.length}`, item: 'Bicycle', quantity: 1 }),
    });
    return { status: response.status, answer: await response.json() };
  };

  const addCredential = async (...options: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await run('credential', 'add', 'Acme', '--kind', 'apiKey', '--json', ...options);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    return (JSON.parse(stdout) as { secret: string }).secret;
  };

  test('is served next to the built-in services, to credentials with its role and grants', async () => {
    const secret = await addCredential('--shop', 'amsterdam');
    expect(await place(secret)).toEqual({ status: 200, answer: { status: 'placed' } });
    expect(await place(secret, 'berlin')).toMatchObject({ status: 403, answer: { errorCode: '1001' } });
    expect((await place(await addCredential('--role', 'orders'))).status).toBe(403);
    expect((await place(await addCredential('--account', 'AcmeWeb'))).answer).toMatchObject({ errorCode: '010' });
    expect((await fetch(`${server.callers}/pal/servlet/Recurring/v25?wsdl`)).status).toBe(200);
  });

  test('a problem that its handler throws is refused as declared', async () => {
    const secret = await addCredential('--shop', 'utrecht');
    expect((await place(secret, 'utrecht')).status).toBe(200);
    expect(await place(secret, 'utrecht')).toMatchObject({ status: 422, answer: { errorCode: '1003' } });
  });

  test('has its documents in wsdl and openapi, as served', async () => {
    const served = async (path: string) => (await fetch(server.callers + path)).text();
    const wsdl = await run('wsdl', '--service', 'Orders', '--origin', server.callers);
    expect(wsdl).toEqual({ code: 0, stdout: await served('/orders/v1?wsdl'), stderr: '' });
    const openapi = await run('openapi', '--service', 'Orders', '--origin', server.callers);
    expect(openapi).toEqual({ code: 0, stdout: await served('/orders/v1/openapi.json'), stderr: '' });
  });

  test('an unknown role is a usage error', async () => {
    const { code, stderr } = await run('credential', 'add', 'Acme', '--role', 'order');
    expect(code).toBe(2);
    expect(stderr).toContain('Allowed choices are recurring, balancePlatform, orders.');
  });
});

test('migrate creates its tables, and the demo serves it', async () => {
  const data = tempFolder();
  try {
    const { code } = await triglyph(['migrate'], folder.path, { DATA_DIR: data.path });
    expect(code).toBe(0);
    const database = new DatabaseSync(join(data.path, 'triglyph.db'), { readOnly: true });
    expect(database.prepare('select count(*) as orders from example_order').get()).toEqual({ orders: 0 });
    database.close();
    const server = await startServer('demo', folder.path, { DATA_DIR: join(data.path, 'demo') });
    expect(server.output()).toContain(`${server.callers}/orders/v1?wsdl\n`);
    expect((await fetch(`${server.callers}/orders/v1?wsdl`)).status).toBe(200);
    expect(await server.stop()).toBe(0);
  } finally {
    data.discard();
  }
});

test('production checks hold for settings of the file', async () => {
  const file = write('live.json', JSON.stringify({ settings: { ENVIRONMENT: 'live', HOST: '0.0.0.0' } }));
  const variables = { ...production.variables, HOST: '' };
  const { code, stderr } = await triglyph(['serve', '--config', file], empty.path, variables);
  // The empty variable of the environment hides that of the file.
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr:
      'triglyph: ENVIRONMENT is live and no proxy terminates TLS: name the proxy in TRUSTED_PROXIES, or bind HOST to 127.0.0.1.\n',
  });
});

describe('faults', () => {
  const check = (file: string) => triglyph(['check', '--config', file], empty.path, production.variables);

  test.each<[string, string, readonly string[]]>([
    [
      'members.json',
      '{ "setings": {}, "services": [3], "settings": { "PROT": 1, "LOG_LEVEL": [], "COLOUR": 1 } }',
      [
        'setings is not a member of a configuration: did you mean settings?',
        'services[0] is not a service: give what `with` of a contract returns.',
        'PROT is not a setting: did you mean PORT?',
        'LOG_LEVEL is neither a text nor a number, true or false.',
        'COLOUR is not a setting: see docs/configuration.md for the names.',
      ],
    ],
    ['list.json', '[]', ['the default export is not a configuration: write export default defineConfig({ ... }).']],
    [
      'named.mjs',
      'export const config = {};',
      ['the default export is not a configuration: write export default defineConfig({ ... }).'],
    ],
    [
      'deprecations.json',
      '{ "deprecations": [{ "format": "sopa11", "deprecatedSince": "2026-12-01" }, 3], "settings": [] }',
      [
        'settings is not an object.',
        'deprecations[0].format: "sopa11" is not a format: did you mean soap11?',
        'deprecations[1] is not an object.',
      ],
    ],
    ['types.json', '{ "services": {}, "settings": [] }', ['services is not a list.', 'settings is not an object.']],
    [
      'bundle.mjs',
      "import { builtIn } from 'triglyph';\nexport default builtIn();",
      ['services[0] is builtIn(): leave it out; the built-in services are always served.'],
    ],
  ])('%s', async (name, content, faults) => {
    const { code, stdout } = await check(write(name, content));
    expect(code).toBe(1);
    const printed = stdout.split('\n').filter((line) => line.startsWith('- '));
    expect(printed).toEqual(faults.map((fault) => `- ${name}: ${fault}`));
  });

  test('a file that throws, and one that does not exist', async () => {
    const thrown = await check(write('throws.mjs', "throw new Error('no database');"));
    expect(thrown.stdout).toContain('- throws.mjs cannot be loaded: no database\n');
    expect((await check('none.mjs')).stdout).toContain('- none.mjs: there is no such file.\n');
  });

  test('a value that a setting does not accept names the setting', async () => {
    const file = write('value.json', '{ "settings": { "KEEP_ALIVE_MS": -1 } }');
    expect((await check(file)).stdout).toContain('KEEP_ALIVE_MS is "-1": give a whole number');
  });

  test('other commands refuse to start, and two files are one too many', async () => {
    const both = tempFolder();
    for (const name of ['triglyph.config.mjs', 'triglyph.config.json'])
      writeFileSync(join(both.path, name), name.endsWith('json') ? '{}' : 'export default {};');
    const stderr =
      'triglyph: triglyph.config.mjs and triglyph.config.json are both in this folder: keep one of them, or name one by --config.\n';
    for (const command of [['credential', 'list'], ['wsdl'], ['openapi']])
      expect(await triglyph(command, both.path, production.variables)).toEqual({ code: 1, stdout: '', stderr });
    const named = await triglyph(['--config', 'triglyph.config.json', 'wsdl'], both.path, production.variables);
    expect(named.code).toBe(0);
    both.discard();
  });
});
