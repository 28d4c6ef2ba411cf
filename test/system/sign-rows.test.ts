/** Tests that `triglyph keys sign-rows` signs what the operator chooses, and no other row. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { triglyph } from '../support/commands.ts';
import { type Production, prepareProduction } from '../support/server.ts';
import { tempFolder } from '../support/temp-folder.ts';

const folder = tempFolder();
let production: Production;
let endpoints: readonly string[];
const run = (...parameters: readonly string[]) => triglyph([...parameters], folder.path, production.variables);
const change = (text: string) => {
  const database = new DatabaseSync(join(production.variables.DATA_DIR!, 'triglyph.db'));
  database.exec(text);
  database.close();
};
beforeAll(async () => {
  production = await prepareProduction(folder.path);
  // As after an attack that removes the keys with the MACs.
  change(
    'delete from row_integrity; update credential set row_mac = null; update credential_secret set row_mac = null',
  );
  const { stderr, code } = await run('keys', 'verify-rows');
  expect(stderr).toContain('no row has a MAC yet, so nothing was compared: start a server once');
  expect(code).toBe(1);
  // The credential is from before the new keys.
  expect((await run('keys', 'sign-rows', '--unsigned')).stdout).toContain('2 rows were signed');
  const added: string[] = [];
  for (const name of ['one', 'two']) {
    const { stdout } = await run('webhooks', 'endpoint', 'add', 'Acme', `https://${name}.example.com/`, '--json');
    added.push((JSON.parse(stdout) as { readonly id: string }).id);
  }
  endpoints = added;
});
afterAll(() => folder.discard());

test('in a new store the first credential has its MACs before a server starts', async () => {
  const other = tempFolder();
  const { variables } = await prepareProduction(other.path);
  const { stdout, code } = await triglyph(['keys', 'verify-rows'], other.path, variables);
  other.discard();
  expect(stdout).toContain('The MACs of 2 rows are right.');
  expect(code).toBe(0);
});

test('unsigned rows are signed together, altered ones by name only, each of them audited', async () => {
  const [one, two] = endpoints as [string, string];
  expect((await run('keys', 'verify-rows')).code).toBe(0);
  change(`update webhook_endpoint set row_mac = null where endpoint_id = '${one}'`);
  change(`update webhook_endpoint set url = 'https://moved.example.com/' where endpoint_id = '${two}'`);
  const oneLine = `webhook_endpoint  Acme  ${one}: its MAC is missing`;
  const twoLine = `webhook_endpoint  Acme  ${two}: its MAC is wrong`;

  const dry = await run('keys', 'sign-rows', '--unsigned', '--dry-run');
  expect(dry.stdout).toContain(`${oneLine}\n1 rows would be signed as they are now.`);
  expect(dry.stdout).not.toContain(two);
  const before = await run('keys', 'verify-rows');
  expect(before.stdout).toContain(oneLine);
  expect(before.stdout).toContain(twoLine);

  const unsigned = await run('keys', 'sign-rows', '--unsigned');
  expect(unsigned.stdout).toContain('1 rows were signed as they are now.');
  // The altered row is left.
  expect(unsigned.code).toBe(1);
  const left = await run('keys', 'verify-rows');
  expect(left.stdout).toContain(twoLine);
  expect(left.stdout).not.toContain(one);
  expect((await run('webhooks', 'endpoint', 'list')).stdout).toMatch(/moved\.example\.com\/ {2}altered/);

  const wrongName = await run('keys', 'sign-rows', '--row', `webhook_endpoint/Acme/${one}`);
  expect(wrongName.code).toBe(1);
  expect(wrongName.stderr).toContain('nothing was signed');
  const named = await run('keys', 'sign-rows', '--row', `webhook_endpoint/Acme/${two}`);
  expect(named).toMatchObject({ code: 0, stdout: expect.stringContaining('1 rows were signed as they are now.') });
  expect((await run('keys', 'verify-rows')).code).toBe(0);
  expect((await run('webhooks', 'endpoint', 'list')).stdout).not.toContain('altered');

  const { stdout } = await run('audit', 'show', '--kind', 'rowsSigned');
  expect(stdout).toContain(`webhook_endpoint Acme ${two}`);
  // The first two are the credential and its secret.
  expect(stdout.match(/rowsSigned/g)).toHaveLength(4);
});

test('a detail that was altered is marked where it is shown', async () => {
  const file = join(folder.path, 'shown.csv');
  writeFileSync(
    file,
    'merchantAccount,shopperReference,contracts,card.number,card.expiryMonth,card.expiryYear,card.holderName\nAcmeWeb,shown,RECURRING,4111111111111111,3,2031,Anna van Dijk\n',
  );
  expect((await run('import', file)).code).toBe(0);
  const show = async () => (await run('shopper', 'show', 'AcmeWeb', 'shown')).stdout;
  expect(await show()).toMatch(/2031 .* active$/m);
  change(`update stored_detail set public_data = replace(public_data, '2031', '2039')`);
  expect(await show()).toMatch(/2039 .* ALTERED in the database: refused$/m);
  expect(JSON.parse((await run('shopper', 'show', 'AcmeWeb', 'shown', '--json')).stdout)).toMatchObject({
    details: [{ altered: true }],
  });
  change(`delete from stored_detail where shopper_reference = 'shown'`);
});

test('of many unsigned rows it prints the first and the number of others, records the number, and signs all', async () => {
  change(`insert into balance_platform (balance_platform, company, status, time_zone, created_at)
    with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < 1100)
    select 'P' || n, 'Acme', 'Active', 'UTC', 1 from numbers`);
  const dry = await run('keys', 'sign-rows', '--unsigned', '--dry-run');
  expect(dry.stdout.match(/its MAC is missing/g)).toHaveLength(1_000);
  expect(dry.stdout).toContain('and 100 more\n1100 rows would be signed as they are now.');
  expect((await run('keys', 'sign-rows', '--unsigned')).stdout).toContain('1100 rows were signed as they are now.');
  expect((await run('keys', 'verify-rows')).code).toBe(0);
  expect((await run('audit', 'show', '--kind', 'rowsSigned')).stdout).toMatch(/balance_platform.*1100/);
});

test('more than a thousand rows may be named, and each is recorded', async () => {
  change(`update balance_platform set row_mac = null`);
  const names = Array.from({ length: 1_100 }, (_, at) => `balance_platform/P${at + 1}/P${at + 1}`);
  const named = await run('keys', 'sign-rows', ...names.flatMap((name) => ['--row', name]));
  expect(named).toMatchObject({ code: 0, stdout: expect.stringContaining('1100 rows were signed as they are now.') });
  expect((await run('audit', 'show', '--kind', 'rowsSigned')).stdout).toContain('balance_platform P999 P999');
});

test('refuses neither choice, both, and a name of no row', async () => {
  for (const parameters of [[], ['--unsigned', '--row', 'webhook_endpoint/Acme/we_1'], ['--row', 'we_1']]) {
    const { code, stderr } = await run('keys', 'sign-rows', ...parameters);
    expect(code).not.toBe(0);
    expect(stderr).not.toBe('');
  }
});
