/** Tests the options of the demo: a certificate, other addresses, and a fresh start. */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, expect, test } from '@jest/globals';
import { triglyph } from '../support/commands.ts';
import { ask, type Server, startServer } from '../support/server.ts';
import { tempFolder } from '../support/temp-folder.ts';

const folders: { discard(): void }[] = [];
const newFolder = (): string => {
  const folder = tempFolder();
  folders.push(folder);
  return folder.path;
};
afterAll(() => {
  for (const folder of folders) folder.discard();
});

const running: Server[] = [];
const start = async (folder: string, ...parameters: readonly string[]): Promise<Server> => {
  const server = await startServer('demo', folder, {}, { parameters });
  running.push(server);
  return server;
};
afterEach(async () => {
  for (const server of running.splice(0)) await server.kill();
});

const shopper = { merchantAccount: 'DemoMerchant', shopperReference: 'shopper-1' };

test('--tls: the printed calls verify the certificate, and so do Node, PHP and Python', async () => {
  const folder = newFolder();
  const demo = await start(folder, '--tls');
  const [certificate, key] = ['tls-cert.pem', 'tls-key.pem'].map((name) => join(demo.dataDir, name)) as [
    string,
    string,
  ];
  expect([certificate, key].map((file) => statSync(file).mode & 0o777)).toEqual([0o600, 0o600]);
  const { callers } = demo;
  expect(callers).toMatch(/^https:/);
  const calls = [...demo.output().matchAll(/^# \w+\n(curl [\s\S]*?)\n\n/gm)].map(([, call]) => call!);
  expect(calls).toHaveLength(3);
  for (const call of calls) {
    expect(spawnSync('sh', ['-c', call], { encoding: 'utf8' }).stdout).toContain('recurringDetailReference');
    const untrusting = spawnSync('sh', ['-c', call.replace(/--cacert \S+/, '')], { encoding: 'utf8' });
    expect(untrusting.stderr).toContain('certificate');
  }
  const address = `${callers.replace('127.0.0.1', 'localhost')}/pal/servlet/Recurring/v25?wsdl`;
  const programs: readonly (readonly [string, readonly string[], Record<string, string>])[] = [
    [
      process.execPath,
      ['-e', `fetch('${address}').then((r) => r.text()).then(console.log)`],
      { NODE_EXTRA_CA_CERTS: certificate },
    ],
    [
      'php',
      [
        '-r',
        `echo file_get_contents('${address}', false, stream_context_create(['ssl' => ['cafile' => '${certificate}']]));`,
      ],
      {},
    ],
    [
      'python3',
      ['-c', `import urllib.request as u; print(u.urlopen('${address}').read())`],
      { SSL_CERT_FILE: certificate },
    ],
  ];
  for (const [program, parameters, variables] of programs) {
    const env = { PATH: process.env.PATH, ...variables };
    const document = execFileSync(program, parameters, { encoding: 'utf8', env });
    // The addresses in served documents are those of HTTPS.
    expect(document).toContain(`${callers.replace('127.0.0.1', 'localhost')}/pal/servlet`);
  }
  const verified = execFileSync('openssl', ['verify', '-x509_strict', '-CAfile', certificate, certificate], {
    encoding: 'utf8',
  });
  expect(verified).toContain('OK');
  const before = readFileSync(certificate, 'utf8');
  await demo.stop();

  const again = await start(folder, '--tls');
  expect(readFileSync(certificate, 'utf8')).toBe(before);
  await again.stop();
  writeFileSync(certificate, 'no certificate');
  const repaired = await start(folder, '--tls');
  expect(readFileSync(certificate, 'utf8')).toContain('BEGIN CERTIFICATE');
  await repaired.stop();
});

test('--host: serves other addresses and says what that means', async () => {
  const folder = newFolder();
  const demo = await start(folder, '--host', '0.0.0.0', '--port', '0', '--admin-port', '0', '--tls');
  expect(demo.output()).toContain('everyone who reaches this machine may use it');
  expect(demo.output()).toContain('its credentials are public');
  await demo.stop();
  const certificate = execFileSync(
    'openssl',
    ['x509', '-noout', '-ext', 'subjectAltName', '-in', join(demo.dataDir, 'tls-cert.pem')],
    { encoding: 'utf8' },
  );
  for (const name of ['localhost', '127.0.0.1', '0:0:0:0:0:0:0:1']) expect(certificate).toContain(name);

  const variables = { HOST: '0.0.0.0', DATA_DIR: join(folder, 'never') };
  const refused = await triglyph(['demo'], folder, variables);
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('--host') });
  expect(existsSync(variables.DATA_DIR)).toBe(false);
  const exposed = await triglyph(['demo', '--test-api'], folder, { ADMIN_HOST: '0.0.0.0' });
  expect(exposed).toMatchObject({ code: 1, stderr: expect.stringContaining('--host 0.0.0.0') });
});

test('--fresh: starts over in the folder of a demo', async () => {
  const folder = newFolder();
  const first = await start(folder, '--fresh');
  expect((await ask(first.callers, 'disable', shopper)).status).toBe(200);
  const busy = await triglyph(['demo', '--fresh'], folder, { DATA_DIR: first.dataDir });
  expect(busy).toMatchObject({ code: 1, stderr: expect.stringContaining('serves from') });
  await first.stop();
  writeFileSync(join(first.dataDir, 'notes.txt'), 'mine');
  const keys = readFileSync(join(first.dataDir, 'keys'), 'utf8');

  const second = await start(folder, '--fresh');
  expect((await ask(second.callers, 'listRecurringDetails', shopper)).answer.details).toHaveLength(3);
  await second.stop();
  expect(readFileSync(join(first.dataDir, 'notes.txt'), 'utf8')).toBe('mine');
  expect(readFileSync(join(first.dataDir, 'keys'), 'utf8')).not.toBe(keys);
});

test('--fresh: deletes nothing without the mark, no database, and no keys that are named', async () => {
  const folder = newFolder();
  const other = join(folder, 'other');
  mkdirSync(other);
  writeFileSync(join(other, 'triglyph.db'), 'data of another');
  const refused = await triglyph(['demo', '--fresh'], folder, { DATA_DIR: other });
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('no mark') });
  expect(readFileSync(join(other, 'triglyph.db'), 'utf8')).toBe('data of another');
  const database = await triglyph(['demo', '--fresh'], folder, { DATABASE_URL: 'postgres://u@127.0.0.1:1/none' });
  expect(database).toMatchObject({ code: 1, stderr: expect.stringContaining('unset DATABASE_URL') });

  const first = await start(folder);
  await first.stop();
  const file = join(first.dataDir, 'keys');
  const keys = readFileSync(file, 'utf8');
  const again = await startServer('demo', folder, { KEY_FILE: file }, { parameters: ['--fresh'] });
  await again.stop();
  expect(readFileSync(file, 'utf8')).toBe(keys);
});

test.each([
  ['with --test-api, on 0.0.0.0', false, ['--test-api', '--host', '0.0.0.0']],
  ['with --test-api', true, ['--test-api', '--host', '127.0.0.1']],
  ['on 0.0.0.0', false, ['--host', '0.0.0.0']],
  ['as it is', true, []],
])('a demo %s: whether the console controls it for callers is %s', async (_, isControllable, parameters) => {
  const demo = await start(newFolder(), ...parameters, '--port', '0', '--admin-port', '0');
  const state = await openTestView(demo.callers);
  expect(await state.json()).toMatchObject({ isControllable });
});

test('a demo with many shoppers is not controlled: its rows would be copied into memory', async () => {
  const demo = await startServer('demo', newFolder(), { DEMO_SHOPPERS: '1001' });
  running.push(demo);
  const state = await openTestView(demo.callers);
  expect(await state.json()).toMatchObject({ isControllable: false });
});

async function openTestView(callers: string): Promise<Response> {
  const console = `http://127.0.0.1:${new URL(callers).port}/console`;
  const loggedIn = await fetch(`${console}/session`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: '{"oneClick":true}',
  });
  const headers = { Cookie: (loggedIn.headers.get('set-cookie') ?? '').split(';', 1)[0]! };
  return fetch(`${console}/api/v1/testing`, { headers });
}
