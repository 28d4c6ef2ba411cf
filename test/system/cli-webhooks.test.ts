/** Tests `triglyph webhooks`: adds, lists and removes endpoints, shows a key once, and reports errors. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { triglyph } from '../support/commands.ts';
import { type Production, prepareProduction } from '../support/server.ts';
import { tempFolder } from '../support/temp-folder.ts';

const folder = tempFolder();
let production: Production;
beforeAll(async () => {
  production = await prepareProduction(folder.path);
});
afterAll(() => folder.discard());

const run = (parameters: readonly string[], also: Readonly<Record<string, string>> = {}) =>
  triglyph(['webhooks', ...parameters], folder.path, { ...production.variables, ...also });

test('an endpoint is added with a key shown once, listed without the key, and removed', async () => {
  const added = await run(['endpoint', 'add', 'Acme', 'https://shop.example.com/hooks']);
  expect(added).toMatchObject({ code: 0, stderr: '' });
  const [, key, id] =
    /^key {7}([0-9a-f]{64})\nendpoint {2}(we_[\w-]{12})\nurl {7}https:\/\/shop\.example\.com\/hooks\nformat {4}tokenization\n/.exec(
      added.stdout,
    ) ?? [];
  expect(id).toBeDefined();
  const second = await run(['endpoint', 'add', 'Acme', 'https://shop.example.com/', '--format', 'classic', '--json']);
  const classic = JSON.parse(second.stdout);
  expect(classic).toEqual({
    id: expect.stringMatching(/^we_/),
    url: 'https://shop.example.com/',
    format: 'classic',
    key: expect.stringMatching(/^[0-9a-f]{64}$/),
  });
  expect(classic.key).not.toBe(key);

  const listed = (await run(['endpoint', 'list'])).stdout;
  expect(listed.trimEnd().split('\n')).toEqual([
    expect.stringMatching(new RegExp(`^${id} {2}Acme {2}tokenization {2}.*https://shop.example.com/hooks$`)),
    expect.stringMatching(new RegExp(`^${classic.id} {2}Acme {2}classic `)),
  ]);
  const asJson = (await run(['endpoint', 'list', '--json'])).stdout;
  expect(JSON.parse(asJson)).toEqual([
    {
      id,
      company: 'Acme',
      url: 'https://shop.example.com/hooks',
      format: 'tokenization',
      createdAt: expect.any(Number),
    },
    expect.objectContaining({ id: classic.id }),
  ]);
  for (const text of [listed, asJson]) for (const secret of [key!, classic.key]) expect(text).not.toContain(secret);

  // The other two are the keys of the audit log and of the MACs of rows.
  expect((await triglyph(['keys', 'status'], folder.path, production.variables)).stdout).toContain(' 4 rows');
  expect((await run(['endpoint', 'remove', id!])).stdout).toBe(`${id} is removed with 0 undelivered webhooks.\n`);
  expect((await run(['endpoint', 'remove', classic.id])).code).toBe(0);
  expect((await run(['endpoint', 'list'])).stdout).toBe('There is no endpoint yet.\n');
});

test('a key is rotated, shown once, and both sign for a time', async () => {
  const { stdout } = await run(['endpoint', 'add', 'Acme', 'https://shop.example.com/hooks', '--json']);
  const { id, key } = JSON.parse(stdout);
  const rotated = await run(['rotate', id, '--grace', '60']);
  const [, next] =
    /^key {7}([0-9a-f]{64})\nendpoint {2}we_\S+\nUntil \S+ \S+ the key before/.exec(rotated.stdout) ?? [];
  expect(next).toBeDefined();
  expect(next).not.toBe(key);
  const listed = (await run(['endpoint', 'list'])).stdout;
  expect(listed).toMatch(new RegExp(`^${id} .* {2}two keys until \\S+ \\S+ {2}https://`, 'm'));
  expect(listed).not.toContain(next!);
  expect((await run(['rotate', id, '--grace', '0'])).stdout).toMatch(/The key before it signs no more/);
  expect((await run(['endpoint', 'list'])).stdout).not.toContain('two keys');
  expect((await run(['rotate', 'we_nobody'])).stderr).toBe(
    'triglyph: no endpoint has the id we_nobody: `triglyph webhooks endpoint list` prints them\n',
  );
  expect((await run(['rotate', id, '--grace', 'long'])).stderr).toMatch(/whole minutes/);
  await run(['endpoint', 'remove', id]);
});

test('a company with only a balance platform can add only configuration endpoints', async () => {
  const { variables } = production;
  const added = await triglyph(
    ['credential', 'balance-platform', 'add', 'Beta', 'BetaPlatform'],
    folder.path,
    variables,
  );
  expect(added.code).toBe(0);
  const url = 'https://shop.example.com/';
  expect((await run(['endpoint', 'add', 'Beta', url])).stderr).toMatch(/Beta has no merchant account/);
  const { code, stdout } = await run(['endpoint', 'add', 'Beta', url, '--format', 'configuration', '--json']);
  expect({ code, format: JSON.parse(stdout).format }).toEqual({ code: 0, format: 'configuration' });
  expect((await run(['endpoint', 'remove', JSON.parse(stdout).id])).code).toBe(0);
});

describe('runtime errors exit with 1 and print the reason', () => {
  test.each([
    [['endpoint', 'add', 'Nobody', 'https://shop.example.com/'], /Nobody has no merchant account/],
    [
      ['endpoint', 'add', 'Acme', 'https://shop.example.com/', '--format', 'configuration'],
      /Acme has no balance platform/,
    ],
    [['endpoint', 'add', 'Acme', 'https://a:b@shop.example.com/'], /user and password/],
    [['endpoint', 'remove', 'we_unheard0of0'], /no endpoint has the id/],
    [['retry'], /name one dead letter, or give --all/],
    [['retry', 'P1/we_1', '--all'], /name one dead letter, or give --all/],
    [['retry', 'P1/we_1'], /no dead letter has the id P1\/we_1/],
  ])('%j', async (parameters, why) => {
    const { code, stdout, stderr } = await run(parameters);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(why);
    expect(stderr).toMatch(/^triglyph: .*\n$/);
  });

  test('an eleventh endpoint', async () => {
    for (let n = 0; n < 10; n += 1)
      expect((await run(['endpoint', 'add', 'Acme', `https://${n}.example.com/`])).code).toBe(0);
    const { code, stderr } = await run(['endpoint', 'add', 'Acme', 'https://10.example.com/']);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: 'triglyph: Acme has 10 endpoints already: remove one first\n',
    });
  });

  test('without dead letters list and retry report none', async () => {
    expect(await run(['list'])).toMatchObject({ code: 0, stdout: 'There is no dead letter.\n' });
    expect(await run(['list', '--json'])).toMatchObject({ code: 0, stdout: '[]\n' });
    expect((await run(['retry', '--all'])).stdout).toMatch(/deliver 0 webhooks again/);
  });
});
