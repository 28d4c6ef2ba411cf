/** Tests the credential commands against a running server, which applies each change. */

import { chmodSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { triglyph } from '../support/commands.ts';
import { ask, basic, type Production, prepareProduction, type Server, startServer } from '../support/server.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';

const folder = tempFolder();
let production: Production;
let server: Server;
beforeAll(async () => {
  production = await prepareProduction(folder.path);
  server = await startServer('serve', folder.path, production.variables);
});
afterAll(async () => {
  await server.stop();
  folder.discard();
});

const run = (...parameters: string[]) => triglyph(['credential', ...parameters], folder.path, production.variables);
const issued = async (...parameters: string[]): Promise<{ id: string; username?: string; secret: string }> => {
  const { code, stdout } = await run(...parameters, '--json');
  expect(code).toBe(0);
  return JSON.parse(stdout);
};

const list = { merchantAccount: 'AcmeWeb', shopperReference: 'shopper-1' };
const statusOf = async (authorization: string) =>
  (await ask(server.callers, 'listRecurringDetails', list, authorization)).status;

/** A server caches a credential for one second. */
const untilStatus = (status: number, authorization: string) =>
  until(`status ${status}`, async () => (await statusOf(authorization)) === status);

test('a credential is added, used, listed, rotated with a grace period and revoked while the server runs', async () => {
  const { id, username, secret } = await issued(
    'add',
    'Acme',
    '--username',
    'shop@Company.Acme',
    '--account',
    'AcmeWeb',
  );
  expect(username).toBe('shop@Company.Acme');
  expect(secret).toHaveLength(32);
  expect(await statusOf(basic('shop@Company.Acme', secret))).toBe(200);
  expect(await statusOf(basic('shop@Company.Acme', `${secret}x`))).toBe(401);

  const listed = await run('list', '--json');
  expect(listed.stdout).not.toContain(secret);
  expect(JSON.parse(listed.stdout)).toContainEqual(
    expect.objectContaining({
      id,
      company: 'Acme',
      kind: 'basic',
      merchantAccounts: ['AcmeWeb'],
      roles: ['recurring'],
    }),
  );
  const plain = await run('list');
  expect(plain.stdout).toMatch(new RegExp(`^${id} .*shop@Company\\.Acme.* live$`, 'm'));

  const rotated = await issued('rotate', id, '--grace', '600');
  await untilStatus(200, basic('shop@Company.Acme', rotated.secret));
  expect(await statusOf(basic('shop@Company.Acme', secret))).toBe(200);

  const last = await issued('rotate', id, '--grace', '0');
  await untilStatus(401, basic('shop@Company.Acme', rotated.secret));
  expect(await statusOf(basic('shop@Company.Acme', last.secret))).toBe(200);

  expect((await run('revoke', id)).stdout).toBe(`${id} is revoked.\n`);
  await untilStatus(401, basic('shop@Company.Acme', last.secret));
  expect((await run('list')).stdout).toMatch(new RegExp(`^${id} .* revoked `, 'm'));
});

test('an API key has no username and is sent in its own header', async () => {
  const { id, username, secret } = await issued('add', 'Acme', '--kind', 'apiKey', '--account', 'AcmeWeb');
  expect(username).toBeUndefined();
  const call = () =>
    fetch(`${server.callers}/pal/servlet/Recurring/v25/listRecurringDetails`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'X-API-Key': secret },
      body: JSON.stringify(list),
    });
  expect((await call()).status).toBe(200);
  await run('revoke', id);
  await until('the revocation to be noticed', async () => (await call()).status === 401);
});

test('a key file that others can read is refused, as serve refuses it', async () => {
  const file = production.variables.KEY_FILE!;
  chmodSync(file, 0o644);
  try {
    const { code, stdout, stderr } = await run('list');
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/KEY_FILE .* can be read or changed by others: chmod 600 it/);
  } finally {
    chmodSync(file, 0o600);
  }
  // Control.
  expect((await run('list')).code).toBe(0);
});

describe('refuses and prints the reason', () => {
  test.each([
    [['add', 'Acme', '--account', 'Elsewhere'], 'merchant account Elsewhere is not one of Acme; add it first'],
    [['revoke', 'cr_nobody'], 'no live credential has the id cr_nobody: `triglyph credential list` prints them'],
    [['rotate', 'cr_nobody'], 'no live credential has the id cr_nobody: `triglyph credential list` prints them'],
    [['merchant-account', 'add', 'Rival', 'AcmeWeb'], 'merchant account AcmeWeb belongs to another company'],
  ])('%j', async (parameters, line) => {
    const { code, stdout, stderr } = await run(...parameters);
    expect({ code, stdout, stderr }).toEqual({ code: 1, stdout: '', stderr: `triglyph: ${line}\n` });
  });
});

test('merchant accounts are listed with their companies', async () => {
  await run('merchant-account', 'add', 'Acme', 'AcmeShop');
  const { stdout } = await run('merchant-account', 'list', '--json');
  expect(JSON.parse(stdout)).toEqual([
    expect.objectContaining({ company: 'Acme', code: 'AcmeShop' }),
    expect.objectContaining({ company: 'Acme', code: 'AcmeWeb' }),
  ]);
  expect((await run('merchant-account', 'list')).stdout).toBe('Acme  AcmeShop\nAcme  AcmeWeb\n');
});

test('a balance platform credential is added with its platform and authorizes that platform only', async () => {
  expect((await run('add', 'Acme', '--balance-platform', 'AcmePlatform')).stderr).toMatch(/add it first/);
  const platform = ['balance-platform', 'add', 'Acme', 'AcmePlatform'];
  expect((await run(...platform, '--description', 'Ours', '--time-zone', 'Nowhere/Land')).stderr).toMatch(/IANA/);
  expect((await run(...platform, '--description', 'Ours', '--time-zone', 'UTC')).code).toBe(0);
  expect((await run('balance-platform', 'list')).stdout).toBe('Acme  AcmePlatform  Active  UTC\n');
  const { username, secret } = await issued('add', 'Acme', '--balance-platform', 'AcmePlatform');
  expect(username).toBe('ws@BalancePlatform.Acme');
  const headers = { Authorization: basic(username!, secret) };
  const address = `${server.callers}/bcl/v2/balancePlatforms/AcmePlatform`;
  const answer = await fetch(address, { headers });
  expect([answer.status, await answer.json()]).toEqual([
    200,
    { description: 'Ours', id: 'AcmePlatform', status: 'Active' },
  ]);
  expect(await statusOf(headers.Authorization)).toBe(403);
  const both = await run('add', 'Acme', '--balance-platform', 'AcmePlatform', '--account', 'AcmeWeb');
  expect(both.code).not.toBe(0);
  expect((await run(...platform, '--status', 'Suspended', '--time-zone', 'UTC')).code).toBe(0);
  expect(await (await fetch(address, { headers })).json()).toEqual({ id: 'AcmePlatform', status: 'Suspended' });
});

test('a second factor is set up, its recovery codes are replaced, and it is removed', async () => {
  const { id } = await issued('add', 'Acme', '--username', 'anna@Company.Acme', '--role', 'console');
  const set = await run('second-factor', 'set', id);
  expect(set.stdout).toMatch(/^key {9}[A-Z2-7]{32}\nuri {9}otpauth:\/\/totp\/Triglyph:anna/);
  expect(set.stdout.match(/^recovery {4}([A-Z2-7]{4}-){3}[A-Z2-7]{4}$/gm)).toHaveLength(10);
  expect((await run('list')).stdout).toMatch(new RegExp(`^.*${id}.*second factor.*$`, 'm'));
  const replaced = JSON.parse((await run('second-factor', 'recovery-codes', id, '--json')).stdout);
  expect(set.stdout).not.toContain(replaced.recoveryCodes[0]);
  expect(await run('second-factor', 'remove', id)).toMatchObject({
    code: 0,
    stdout: `${id} has no second factor any more.\n`,
  });
  expect(await run('second-factor', 'remove', id)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('has no second factor'),
  });
  expect((await run('list')).stdout).not.toMatch(/second factor/);
});
