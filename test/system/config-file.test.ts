/** Tests the configuration file: its settings and other sources, its services in every command, and its faults. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { newestRecurring } from '../../src/payments/recurring/versions.ts';
import { triglyph } from '../support/commands.ts';
import { startPostgres } from '../support/postgres.ts';
import { type Production, prepareProduction, type Server, startServer } from '../support/server.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';

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
  // The store does not have the tables of its service yet.
  expect((await triglyph(['check'], folder.path, variables)).stdout).toContain('run `triglyph migrate`');
  expect((await triglyph(['migrate'], folder.path, variables)).code).toBe(0);
  const { code, stdout } = await triglyph(['check', '--settings'], folder.path, variables);
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

  test.each([
    ['wsdl', '12', '/pal/servlet/Recurring/v12?wsdl'],
    ['wsdl', '68', '/pal/servlet/Recurring/v68?wsdl'],
    ['wsdl', undefined, '/pal/servlet/Recurring/v25?wsdl'],
    ['openapi', '40', '/pal/servlet/Recurring/v40/openapi.json'],
    ['openapi', undefined, '/openapi.json'],
  ])('%s prints the version %s of a built-in one, as served', async (command, version, path) => {
    const parameters = [command, '--origin', server.callers, ...(version === undefined ? [] : ['--version', version])];
    const served = await (await fetch(server.callers + path)).text();
    expect(await run(...parameters)).toEqual({ code: 0, stdout: served, stderr: '' });
  });

  test.each(['wsdl', 'openapi'])('%s refuses a version that is not served', async (command) => {
    const { code, stderr } = await run(command, '--version', '99');
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: `triglyph: Recurring has no version 99: it has v1 to v${newestRecurring.version}\n`,
    });
  });

  test('an unknown role is a usage error', async () => {
    const { code, stderr } = await run('credential', 'add', 'Acme', '--role', 'order');
    expect(code).toBe(2);
    const [, roles = ''] = /Allowed choices are (.*)\./.exec(stderr) ?? [];
    expect(roles.split(', ')).toEqual(expect.arrayContaining(['recurring', 'balancePlatform', 'orders']));
    expect(roles.split(', ')).not.toContain('order');
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

const tickets = `import { defineConfig } from 'triglyph';
import { column, integer as number, object, operation, required, service, statement, string, table } from 'triglyph/contract';

const take = operation({
  name: 'take', doc: 'Takes a ticket.', effect: 'writes', role: 'tickets', problems: [],
  input: object('TakeRequest', { name: required(string({ max: 20, example: 'Anna' }), 'For whom.') }),
  output: object('TakeResult', { pid: required(number(1, 2 ** 40, 7), 'The process.') }),
});
const contract = service({
  name: 'Tickets', version: 1, doc: 'Tickets.', address: '/tickets', operations: [take],
  namespaces: { own: 't', uris: { t: 'urn:example:tickets' } },
});
const { tenant, text, integer } = column;
const tickets = table('ticket', {
  columns: { tenant, name: text, pid: integer }, key: ['tenant', 'name'],
  signed: 'none', belongsTo: 'none', keptFor: 'forever',
});
const save = statement('insert into ticket values ($1, $2, $3)');
export default defineConfig({
  services: [contract.with({
    async take({ input, caller }, tx) {
      await tx.execute(save, [caller.tenant, input.name, process.pid]);
      return { pid: process.pid };
    },
  }, { tables: [tickets] })],
  settings: { WORKERS: 2 },
});
`;

test('a grant named like an option has an option of its own', async () => {
  const own = tempFolder();
  try {
    const service = `import { defineConfig } from 'triglyph';
import { object, operation, required, service, string } from 'triglyph/contract';
const kind = required(string({ example: 'x', authorizes: { name: 'kind', refusal: 'notAllowed' } }), 'The kind.');
const show = operation({
  name: 'show', doc: 'Shows.', effect: 'reads', role: 'kinds', problems: [],
  input: object('ShowRequest', { kind }), output: object('ShowResult', { kind }),
});
const contract = service({
  name: 'Kinds', version: 1, doc: 'Kinds.', address: '/kinds', operations: [show],
  namespaces: { own: 'k', uris: { k: 'urn:example:kinds' } },
});
export default defineConfig({ services: [contract.with({ show: async ({ input }) => input })] });
`;
    writeFileSync(join(own.path, 'triglyph.config.mjs'), service);
    const { variables } = await prepareProduction(own.path);
    const credential = (...parameters: readonly string[]) =>
      triglyph(['credential', ...parameters], own.path, variables);
    const { code } = await credential(
      'add',
      'Acme',
      '--kind',
      'apiKey',
      '--grant-kind',
      'metal',
      '--grant-kind',
      'wood',
    );
    expect(code).toBe(0);
    const listed = JSON.parse((await credential('list', '--json')).stdout) as readonly object[];
    expect(listed).toContainEqual(
      expect.objectContaining({ kind: 'apiKey', roles: ['kinds'], grants: { kind: ['metal', 'wood'] } }),
    );
    const help = (await credential('add', '--help')).stdout;
    for (const option of ['--kind <kind>', '--grant-kind <value>']) expect(help).toContain(option);
  } finally {
    own.discard();
  }
});

test.each([
  [['ticket', 'seat'], { code: 0, stdout: expect.stringContaining('format    ticket\n') }],
  [[], { code: 1, stderr: expect.stringContaining('no service of this server has events for webhooks') }],
])('an endpoint has the first webhook format of %j by default', async (formats, expected) => {
  const own = tempFolder();
  try {
    const webhookFormats = formats.map(
      (name) => `{ name: '${name}', accepts: () => true, encode: () => ({ body: '' }) }`,
    );
    const config = `import { service } from 'triglyph/contract';
const tickets = service('Tickets', { webhookFormats: [${webhookFormats.join()}] });
tickets.reads('list', { input: {}, output: {} }, async () => ({}));
export default { builtIn: false, services: [tickets] };
`;
    writeFileSync(join(own.path, 'triglyph.config.mjs'), config);
    const { variables } = await prepareProduction(own.path);
    const add = ['webhooks', 'endpoint', 'add', 'Acme', 'https://shop.example.com/hooks'];
    expect(await triglyph(add, own.path, variables)).toMatchObject(expected);
  } finally {
    own.discard();
  }
});

test('two workers on PostgreSQL load it, and one of them creates its tables', async () => {
  const postgres = await startPostgres();
  const own = tempFolder();
  try {
    writeFileSync(join(own.path, 'package.json'), '{"type":"module"}');
    const database = await postgres.createMigratedDatabase();
    const { variables } = await prepareProduction(own.path, { DATABASE_URL: database });
    writeFileSync(join(own.path, 'triglyph.config.ts'), tickets);
    const server = await startServer('serve', own.path, variables);
    const added = await triglyph(
      ['credential', 'add', 'Acme', '--kind', 'apiKey', '--role', 'tickets', '--json'],
      own.path,
      variables,
    );
    const { secret } = JSON.parse(added.stdout) as { secret: string };
    const taken = new Map<string, number>();
    const take = async (name: string): Promise<void> => {
      const response = await fetch(`${server.callers}/tickets/v1/take`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', 'X-API-Key': secret, Connection: 'close' },
        body: JSON.stringify({ name }),
      });
      expect(response.status).toBe(200);
      taken.set(name, ((await response.json()) as { pid: number }).pid);
    };
    await until('both workers to answer', async () => {
      await take(`T-${taken.size}`);
      return new Set(taken.values()).size === 2;
    });
    const rows = await postgres.ask('select name, pid from ticket', [], database);
    expect(new Map(rows.map(({ name, pid }) => [name, Number(pid)]))).toEqual(taken);
    expect([...taken.values()]).not.toContain(server.pid);
    expect(await server.stop()).toBe(0);
  } finally {
    await postgres.discard();
    own.discard();
  }
});

test('production checks hold for settings of the file', async () => {
  const file = write(
    'live.json',
    JSON.stringify({ settings: { ENVIRONMENT: 'live', HOST: '0.0.0.0', PUBLIC_URL: 'https://a.example' } }),
  );
  const variables = { ...production.variables, HOST: '' };
  const { code, stderr } = await triglyph(['serve', '--config', file], empty.path, variables);
  // The empty variable of the environment hides that of the file.
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr:
      'triglyph: ENVIRONMENT is live and nothing terminates TLS: set TLS_CERT_FILE, name the proxy in TRUSTED_PROXIES, or bind HOST to 127.0.0.1.\n',
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
        'services[0] is not a service: give what `defineService` or `with` of a contract returns.',
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
      [0, 1].map(
        (at) => `services[${at}] is built in: leave it out, or say \`builtIn: false\` and name every service.`,
      ),
    ],
    ['built-in.json', '{ "builtIn": "no" }', ['builtIn is neither true nor false.']],
    [
      'without-built-in.json',
      '{ "builtIn": false, "settings": { "ACCOUNT_UPDATER": "local" } }',
      ['ACCOUNT_UPDATER is not a setting: see docs/configuration.md for the names.'],
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
