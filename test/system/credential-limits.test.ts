/** Tests what binds a credential beside its secret, by commands and calls: roles, networks, certificates of a proxy, expiry. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { triglyph } from '../support/commands.ts';
import { type Production, prepareProduction, type Server, startServer } from '../support/server.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';

const folder = tempFolder();
let production: Production;
let server: Server;
beforeAll(async () => {
  production = await prepareProduction(folder.path);
  server = await startServer('serve', folder.path, {
    ...production.variables,
    TRUSTED_PROXIES: '127.0.0.1',
    CLIENT_CERTIFICATE_HEADER: 'X-SSL-Client-SHA256',
  });
});
afterAll(async () => {
  await server.stop();
  folder.discard();
});

const run = async (...parameters: string[]): Promise<string> => {
  const { stdout, stderr } = await triglyph(['credential', ...parameters], folder.path, production.variables);
  expect(stderr).toBe('');
  return stdout;
};
const add = async (...parameters: string[]): Promise<{ readonly id: string; readonly secret: string }> =>
  JSON.parse(await run('add', 'Acme', '--account', 'AcmeWeb', '--kind', 'apiKey', '--json', ...parameters));

const check = () => triglyph(['check'], folder.path, production.variables);

const shopper = { merchantAccount: 'AcmeWeb', shopperReference: 'shopper-1' };
const card = { number: '4111111111111111', expiryMonth: '03', expiryYear: '2030', holderName: 'Anna' };
const inputs = {
  listRecurringDetails: shopper,
  disable: shopper,
  storeToken: { ...shopper, card, recurring: { contract: 'RECURRING' } },
  tokenLookup: { merchantAccount: 'AcmeWeb', card },
};

const call = async (secret: string, operation: keyof typeof inputs, headers: Readonly<Record<string, string>> = {}) => {
  const response = await fetch(`${server.callers}/pal/servlet/Recurring/v68/${operation}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...(secret !== '' && { 'X-API-Key': secret }), ...headers },
    body: JSON.stringify(inputs[operation]),
  });
  const { pspReference: _, ...body } = (await response.json()) as Record<string, unknown>;
  return { status: response.status, body };
};
const statuses = async (secret: string) => {
  const found = [];
  for (const operation of ['listRecurringDetails', 'storeToken', 'tokenLookup'] as const)
    found.push((await call(secret, operation)).status);
  return found;
};

test('a new credential stores and lists; looking up tokens it must ask for, and less it may', async () => {
  const whole = await add();
  expect(await statuses(whole.secret)).toEqual([200, 200, 403]);
  expect(await statuses((await add('--role', 'recurring', '--role', 'recurring:lookup')).secret)).toEqual([
    200, 200, 200,
  ]);
  expect(await statuses((await add('--role', 'recurring:list')).secret)).toEqual([200, 403, 403]);
  expect(await statuses((await add('--read-only')).secret)).toEqual([200, 403, 403]);
  await run('edit', whole.id, '--role', 'recurring:store');
  await until('the edit is noticed', async () => (await call(whole.secret, 'listRecurringDetails')).status === 403);
  expect(await statuses(whole.secret)).toEqual([403, 200, 403]);
});

describe('a credential that is bound to a network', () => {
  test('is refused from another as if its secret were wrong, also behind a proxy', async () => {
    const { id, secret } = await add('--from', '192.0.2.0/24', '--from', '2001:db8::7');
    const from = (address: string) => call(secret, 'listRecurringDetails', { 'X-Forwarded-For': address });
    const wrong = await call(`${secret}x`, 'listRecurringDetails');
    expect((await from('192.0.2.9')).status).toBe(200);
    expect((await from('2001:db8::7')).status).toBe(200);
    // The nearest address that is no proxy counts, whatever callers write before it.
    expect(await from('192.0.2.9, 198.51.100.1')).toEqual(wrong);
    expect(await from('198.51.100.1')).toEqual(wrong);
    expect(await call(secret, 'listRecurringDetails')).toEqual(wrong);
    expect(wrong.status).toBe(401);
    await run('edit', id, '--from', 'any');
    await until('the edit is noticed', async () => (await from('198.51.100.1')).status === 200);
  });
});

describe('a credential that requires a certificate', () => {
  const [right, other] = ['ab'.repeat(32), 'cd'.repeat(32)] as const;
  test('believes the header of the proxy', async () => {
    const { id, secret } = await add('--certificate', right);
    const shows = (certificate: string, apiKey = secret) =>
      call(apiKey, 'listRecurringDetails', { 'X-SSL-Client-SHA256': certificate });
    const wrong = await call(`${secret}x`, 'listRecurringDetails');
    expect((await shows(right.toUpperCase())).status).toBe(200);
    expect(await shows(other)).toEqual(wrong);
    expect(await shows(`${other}, ${right}`)).toEqual(wrong);
    expect(await call(secret, 'listRecurringDetails')).toEqual(wrong);
    // The certificate alone is no secret.
    expect((await shows(right, '')).status).toBe(401);
    await run('edit', id, '--certificate', right, '--certificate', other);
    await until('the edit is noticed', async () => (await shows(other)).status === 200);
    expect((await shows(right)).status).toBe(200);
  });
  test('may have no secret at all', async () => {
    const third = 'ef'.repeat(32);
    const printed = await run('add', 'Acme', '--account', 'AcmeWeb', '--kind', 'certificate', '--certificate', third);
    expect(printed).toMatch(/^credential {2}cr_\S+\n$/);
    const shows = (certificate: string) => call('', 'listRecurringDetails', { 'X-SSL-Client-SHA256': certificate });
    expect((await shows(third)).status).toBe(200);
    expect((await shows('01'.repeat(32))).status).toBe(401);
  });
  test('control: a caller that is no trusted proxy is not believed', async () => {
    const direct = await startServer('serve', folder.path, {
      ...production.variables,
      // The data folder serves one process.
      DATA_DIR: (await prepareCopy()).dataDir,
      TRUSTED_PROXIES: '192.0.2.1',
      CLIENT_CERTIFICATE_HEADER: 'X-SSL-Client-SHA256',
    });
    try {
      const response = await fetch(`${direct.callers}/pal/servlet/Recurring/v68/listRecurringDetails`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', 'X-SSL-Client-SHA256': right, 'X-API-Key': copied.secret },
        body: JSON.stringify(shopper),
      });
      expect(response.status).toBe(401);
    } finally {
      await direct.stop();
    }
  });
});

let copied: { readonly secret: string };
/** A store of its own, with a credential that requires a certificate. */
const prepareCopy = async (): Promise<{ readonly dataDir: string }> => {
  const { variables } = await prepareProduction(tempFolderOfCopy.path);
  const { stdout } = await triglyph(
    [
      ...['credential', 'add', 'Acme', '--account', 'AcmeWeb', '--kind', 'apiKey', '--json'],
      ...['--certificate', 'ab'.repeat(32)],
    ],
    folder.path,
    { ...production.variables, DATA_DIR: variables.DATA_DIR! },
  );
  copied = JSON.parse(stdout);
  return { dataDir: variables.DATA_DIR! };
};
const tempFolderOfCopy = tempFolder();
afterAll(() => tempFolderOfCopy.discard());

test('the list shows limits and the last use; an expired credential is refused as any other', async () => {
  const { id, secret } = await add('--expires', '90d', '--from', '127.0.0.0/8', '--read-only');
  expect((await call(secret, 'listRecurringDetails')).status).toBe(200);
  const line = (await run('list')).split('\n').find((each) => each.startsWith(id));
  expect(line).toMatch(
    / {2}read only {2}from 127\.0\.0\.0\/8 {2}not used {2}expires \d{4}-\d\d-\d\d \d\d:\d\d {2}live$/,
  );
  expect((await check()).stdout).not.toContain(id);
  await run('edit', id, '--expires', '29d');
  expect((await check()).stdout).toMatch(new RegExp(`Soon:\n- The credential ${id} of Acme expires at `));
  const soon = new Date(Date.now() + 6_000).toISOString().slice(0, 19);
  await run('edit', id, '--expires', `${soon}Z`);
  const wrong = await call(`${secret}x`, 'listRecurringDetails');
  await until('it is refused', async () => (await call(secret, 'listRecurringDetails')).status === 401);
  expect(await call(secret, 'listRecurringDetails')).toEqual(wrong);
  expect((await check()).stdout).toContain(`- The credential ${id} of Acme has expired at `);
  expect(await run('list')).toMatch(new RegExp(`^${id} .* {2}expired \\S+ \\S+$`, 'm'));
  await run('edit', id, '--expires', 'never', '--no-read-only');
  await until('it is accepted', async () => (await call(secret, 'disable')).status !== 401);
  expect((await call(secret, 'disable')).status).toBe(422);
  // A stopping server stores the last uses.
  await server.stop();
  expect(await run('list')).toMatch(new RegExp(`^${id} .* {2}used \\S+ \\S+ {2}live$`, 'm'));
});

describe('refuses and prints the reason', () => {
  test.each([
    [['add', 'Acme', '--expires', '2020-01-01'], /This is not in the future/],
    [['add', 'Acme', '--expires', 'soon'], /expires soon: give a day like 2026-12-01, /],
    [['add', 'Acme', '--expires', 'never'], /give a day/],
    [['add', 'Acme', '--from', 'example.com'], /Give an IP address or a network/],
    [['add', 'Acme', '--certificate', 'nowhere.pem'], /Give a file with a certificate in PEM/],
    [['add', 'Acme', '--account', 'AcmeWeb', '--kind', 'certificate'], /needs a certificate/],
    [['edit', 'cr_nobody', '--read-only'], /no live credential has the id cr_nobody/],
    [['edit', 'cr_nobody'], /name a change/],
    [['edit', 'cr_nobody', '--role', 'reccuring'], /Allowed choices are recurring, /],
  ])('%j', async (parameters, message) => {
    const { code, stderr } = await triglyph(['credential', ...parameters], folder.path, production.variables);
    expect(code).not.toBe(0);
    expect(stderr).toMatch(message);
  });
});
