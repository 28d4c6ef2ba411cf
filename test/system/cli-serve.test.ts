/** Tests `serve` and `check`: refused configurations and shutdown. */
import { once } from 'node:events';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { triglyph } from '../support/commands.ts';
import { holdRequest } from '../support/held-request.ts';
import { ask, basic, type Production, prepareProduction, startServer } from '../support/server.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';

const folder = tempFolder();
let production: Production;
let authorization: string;
beforeAll(async () => {
  production = await prepareProduction(folder.path);
  authorization = basic(production.credential.username, production.credential.secret);
});
afterAll(() => folder.discard());

const card = { number: '4111111111111111', expiryMonth: '3', expiryYear: '2030', holderName: 'Anna van Dijk' };
const token = { card, merchantAccount: 'AcmeWeb', recurring: { contract: 'RECURRING' }, shopperReference: 'shopper-1' };

/** Returns the concatenated files of a folder. */
const bytesUnder = (path: string): Buffer =>
  Buffer.concat(readdirSync(path).map((name) => readFileSync(join(path, name))));

describe('refuses to start', () => {
  test('without keys and without a credential: reports both, each with a hint', async () => {
    const empty = tempFolder();
    await triglyph(['migrate'], empty.path);
    const { code, stdout, stderr } = await triglyph(['serve'], empty.path);
    empty.discard();
    expect(code).toBe(1);
    const logged = stdout.trimEnd().split('\n');
    expect(logged.map((line) => (JSON.parse(line) as { msg: string }).msg)).toEqual(['starting']);
    const lines = stderr.trimEnd().split('\n');
    expect(lines).toHaveLength(2);
    expect(lines[0]).toContain('KEY_FILE');
    expect(lines[1]).toContain('triglyph credential add');
  });

  test('with a missing key file', async () => {
    const { code, stderr } = await triglyph(['serve'], folder.path, { ...production.variables, KEY_FILE: 'gone' });
    expect(code).toBe(1);
    expect(stderr).toContain('KEY_FILE names gone: there is no such file or folder.');
  });

  test('with keys that do not match the data, or with another index key only', async () => {
    const own = tempFolder();
    const { variables, credential } = await prepareProduction(own.path);
    const server = await startServer('serve', own.path, variables);
    await ask(server.callers, 'storeToken', token, basic(credential.username, credential.secret));
    await server.stop();
    await triglyph(['keys', 'create', 'others'], own.path);
    const lines = readFileSync(variables.KEY_FILE!, 'utf8').split('\n');
    const mixed = lines.map((line) => (line.startsWith('index:') ? `index:${'ab'.repeat(32)}` : line)).join('\n');
    writeFileSync(join(own.path, 'mixed'), mixed, { mode: 0o600 });
    for (const file of ['others', 'mixed']) {
      const refused = { ...variables, KEY_FILE: join(own.path, file) };
      for (const command of [['serve'], ['credential', 'list']]) {
        const { code, stderr } = await triglyph(command, own.path, refused);
        expect(code).toBe(1);
        expect(stderr).toMatch(/^triglyph: the keys do not open what is stored in .*\n$/);
      }
    }
    own.discard();
  });

  test('with keys that do not match, where the store has payment instruments only', async () => {
    const own = tempFolder();
    const { variables } = await prepareProduction(own.path);
    const credential = (...parameters: string[]) => triglyph(['credential', ...parameters], own.path, variables);
    await credential('balance-platform', 'add', 'Acme', 'AcmePlatform');
    const added = await credential('add', 'Acme', '--balance-platform', 'AcmePlatform', '--kind', 'apiKey', '--json');
    const server = await startServer('serve', own.path, variables);
    const post = async (path: string, body: object): Promise<string> => {
      const headers = { 'Content-Type': 'application/json', 'X-API-Key': JSON.parse(added.stdout).secret };
      const init = { method: 'POST', headers, body: JSON.stringify(body) };
      const answer = await fetch(`${server.callers}/bcl/v2/${path}`, init);
      return ((await answer.json()) as { readonly id: string }).id;
    };
    const accountHolderId = await post('accountHolders', { legalEntityId: 'LE1' });
    const balanceAccountId = await post('balanceAccounts', { accountHolderId });
    const made = await post('paymentInstruments', { type: 'bankAccount', issuingCountryCode: 'NL', balanceAccountId });
    expect(made).toMatch(/^PI/);
    await server.stop();
    await triglyph(['keys', 'create', 'others'], own.path);
    const others = { ...variables, KEY_FILE: join(own.path, 'others') };
    const { code, stderr } = await triglyph(['credential', 'list'], own.path, others);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/the keys do not open what is stored/)]);
    expect((await credential('list')).code).toBe(0);
    own.discard();
  });

  test('on the data of a demo', async () => {
    const demo = await startServer('demo', folder.path, { DATA_DIR: join(folder.path, 'demo') });
    await demo.stop();
    const keyFile = join(demo.dataDir, 'keys');
    const marked = await triglyph(['serve'], folder.path, { DATA_DIR: demo.dataDir, KEY_FILE: keyFile });
    expect(marked.code).toBe(1);
    expect(marked.stderr).toContain("holds the demo's data");

    // The same store without the mark file: its credentials alone are enough for the refusal.
    const unmarked = join(folder.path, 'unmarked');
    mkdirSync(unmarked);
    copyFileSync(join(demo.dataDir, 'triglyph.db'), join(unmarked, 'triglyph.db'));
    const { code, stderr } = await triglyph(['serve'], folder.path, { DATA_DIR: unmarked, KEY_FILE: keyFile });
    expect(code).toBe(1);
    expect(stderr.match(/credential of the demo, which is public: `triglyph credential revoke cr_/g)).toHaveLength(6);
  });

  test('while another process serves the folder', async () => {
    const server = await startServer('serve', folder.path, production.variables);
    const { code, stderr } = await triglyph(['serve'], folder.path, production.variables);
    // `check` takes no lock.
    expect((await triglyph(['check'], folder.path, production.variables)).code).toBe(0);
    await server.stop();
    expect(code).toBe(1);
    expect(stderr).toContain(`process ${server.pid} `);
  });

  test('the demo, on a folder with other files', async () => {
    const foreign = join(folder.path, 'foreign');
    mkdirSync(foreign);
    writeFileSync(join(foreign, 'notes.txt'), 'mine');
    const { code, stderr } = await triglyph(['demo'], folder.path, { DATA_DIR: foreign });
    expect(code).toBe(1);
    expect(stderr).toContain("holds something that is not the demo's");
  });

  test('the demo, on a non-loopback address', async () => {
    const { code, stderr } = await triglyph(['demo'], folder.path, { HOST: '0.0.0.0', DATA_DIR: 'open' });
    expect(code).toBe(1);
    expect(stderr).toContain('HOST is 0.0.0.0');
  });
});

describe('check', () => {
  test('reports no problem, and prints the settings on demand, without the keys', async () => {
    expect(await triglyph(['check'], folder.path, production.variables)).toMatchObject({
      ...{ code: 0, stdout: 'Nothing is wrong: `triglyph serve` will start.\n' },
    });
    const { code, stdout } = await triglyph(['check', '--settings'], folder.path, production.variables);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Nothing is wrong[\s\S]*^TRIGLYPH_KEYS +\(hidden\)/m);
    for (const [key] of readFileSync(production.variables.KEY_FILE!, 'utf8').matchAll(/[0-9a-f]{64}/g))
      expect(stdout).not.toContain(key);
  });

  test('reports every problem and exits with 1', async () => {
    const { code, stdout } = await triglyph(['check'], folder.path, {
      ...production.variables,
      DEMO_SHOPPERS: '5',
      ENVIRONMENT: 'live',
      HOST: '0.0.0.0',
    });
    expect(code).toBe(1);
    expect(stdout).toMatch(/^These faults prevent a start:\n- /);
    expect(stdout).toContain('- DEMO_SHOPPERS is set');
    expect(stdout).toContain('- ENVIRONMENT is live and nothing terminates TLS');
    expect(stdout).toContain('- ENVIRONMENT is live and PUBLIC_URL is missing');
  });

  const upstream = { url: 'ftp://erp', credentials: 'none' };
  const stateless = { STATELESS: 'on', DATA_DIR: '' };
  // The faults of the file are the cause of everything else: that nothing answers, and that keys, tables or credentials are missing.
  test.each<[string, string, Readonly<Record<string, string>>, readonly string[]]>([
    ['a file of no JSON', '{', { ...stateless, KEY_FILE: '' }, ['cannot be loaded']],
    ['an unknown member', '{"upstreamz":{}}', { DATA_DIR: 'none' }, ['did you mean upstreams']],
    ['an upstream', JSON.stringify({ upstreams: { upstream } }), stateless, ['is no address']],
    ['an upstream', JSON.stringify({ upstreams: { upstream } }), { DATA_DIR: 'new' }, ['is no address']],
    ['an unreachable store', '{}', { DATA_DIR: '', DATABASE_URL: 'postgres://127.0.0.1:1/x' }, ['ECONNREFUSED']],
  ])('prints no fault that follows from the one of %s', async (_, file, given, faults) => {
    const place = tempFolder();
    try {
      const variables = { ...production.variables, ...given };
      if (given.DATA_DIR === 'new') await triglyph(['migrate'], place.path, variables);
      writeFileSync(join(place.path, 'triglyph.config.json'), file);
      const { code, stdout } = await triglyph(['check'], place.path, variables);
      const printed = stdout.split('\n').filter((line) => line.startsWith('- '));
      expect([code, printed]).toEqual([1, faults.map((fault) => expect.stringContaining(fault))]);
    } finally {
      place.discard();
    }
  });

  test('connects to no upstream but with --connect, and sends it nothing', async () => {
    const place = tempFolder();
    const received: string[] = [];
    let connections = 0;
    const server = createTcpServer((socket) => {
      connections += 1;
      socket.on('data', (bytes) => received.push(String(bytes))).on('error', () => {});
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const oauth2 = { clientId: 'c', clientSecret: { inClear: 's' }, tokenUrl: `${url}/token` };
    const shadow = { url, credentials: 'none' };
    const upstreams = { erp: { url, credentials: { oauth2 }, shadow } };
    const answeredBy = { Recurring: 'erp', BalancePlatform: 'erp' };
    writeFileSync(join(place.path, 'triglyph.config.json'), JSON.stringify({ upstreams, answeredBy }));
    try {
      const silent = await triglyph(['check'], place.path, production.variables);
      expect(silent.stdout).toContain('\nupstream erp  ');
      expect(connections).toBe(0);
      const { stdout } = await triglyph(['check', '--connect'], place.path, production.variables);
      expect(stdout).toContain('\nupstream erp can be reached.\n');
      expect({ connections, received }).toEqual({ connections: 2, received: [] });
    } finally {
      server.close();
      place.discard();
    }
  });
});

test('on SIGTERM requests in flight are answered and the exit code is 0', async () => {
  const server = await startServer('serve', folder.path, production.variables);
  const { release, answer } = await holdRequest(server.callers, authorization);
  const over = server.stop();
  await until('the stop', async () => (await fetch(`${server.admin}/readyz`)).status === 503);
  await until('a refusal', () =>
    fetch(server.callers).then(
      () => false,
      () => true,
    ),
  );
  release();
  expect(await answer).toMatchObject({ status: 200, headers: { connection: 'close' }, body: '{}' });
  expect(await over).toBe(0);
});

test('no secret and no card number appears in the data, the output or the metrics', async () => {
  const canary = '4000620000000007';
  const server = await startServer('serve', folder.path, { ...production.variables, LOG_LEVEL: 'trace' });
  const asks = [
    { ...token, card: { ...card, number: canary, cvc: '918' } },
    { ...token, card: { ...card, number: canary, cvc: '91827' } },
    { ...token, shopperReference: canary, [canary]: canary },
  ];
  const key = 'canary-idempotency-key';
  for (const input of asks)
    await ask(server.callers, 'storeToken', input, authorization, {
      'Idempotency-Key': `${key}-${asks.indexOf(input)}`,
    });
  await ask(server.callers, canary, token, authorization);
  await ask(server.callers, 'disable', token, basic(canary, production.credential.secret));
  const metrics = await (await fetch(`${server.admin}/metrics`)).text();
  // While the server runs, the folder also holds the database's write-ahead log.
  const data = bytesUnder(server.dataDir);
  await server.stop();
  const output = server.output();
  expect(metrics).toContain('triglyph_requests_total');
  expect(output).toContain('"operation":"storeToken"');
  expect(data.includes('AcmeWeb')).toBe(true);
  for (const found of [data, bytesUnder(server.dataDir), Buffer.from(output), Buffer.from(metrics)])
    for (const secret of [canary, production.credential.secret, '"cvc"', key])
      expect(found.includes(secret)).toBe(false);
});
