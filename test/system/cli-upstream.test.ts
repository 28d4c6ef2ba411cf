/** Tests `triglyph upstream credential`: sealed credentials, from standard input or a file, copied and moved to new keys. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createMappedCredentials } from '../../src/backend/upstreams/mapped-credentials.ts';
import { spawnTriglyph, triglyph, type Variables } from '../support/commands.ts';
import { type Production, prepareProduction } from '../support/server.ts';
import { openBuiltIn, readConfig } from '../support/services.ts';
import { tempFolder } from '../support/temp-folder.ts';

const folder = tempFolder();
let production: Production;
let id: string;
beforeAll(async () => {
  production = await prepareProduction(folder.path);
  id = production.credential.id;
  const upstreams = {
    erp: { url: 'https://erp.example.com', credentials: 'mapped' },
    crm: { url: 'https://crm.example.com', credentials: 'forward' },
  };
  const answeredBy = { Recurring: 'erp', BalancePlatform: 'crm' };
  writeFileSync(join(folder.path, 'triglyph.config.json'), JSON.stringify({ upstreams, answeredBy }));
  writeFileSync(join(folder.path, 'secret'), 'from-the-file\n');
});
afterAll(() => folder.discard());

const run = (...parameters: readonly string[]) =>
  triglyph(['upstream', 'credential', ...parameters], folder.path, production.variables);

/** What a server would send to the upstream. */
const headersFor = async (credentialId: string, variables: Variables = production.variables) => {
  const backend = await openBuiltIn(readConfig('production', variables), { exclusive: false });
  try {
    const { upstreamCredentials: store, context } = backend;
    return await createMappedCredentials({ store, ...context }, 'erp')(credentialId);
  } finally {
    await backend.close();
  }
};

test('is set from a file, listed without its secret, replaced from standard input, and removed', async () => {
  const set = await run('set', 'erp', id, '--kind', 'basic', '--username', 'ws', '--secret-file', 'secret');
  expect(set).toEqual({ code: 0, stdout: `erp receives this credential for ${id}.\n`, stderr: '' });
  const pair = Buffer.from('ws:from-the-file').toString('base64');
  expect(await headersFor(id)).toEqual({ authorization: `Basic ${pair}` });

  const listed = await run('list', '--json');
  expect(JSON.parse(listed.stdout)).toEqual([
    { upstream: 'erp', credentialId: id, kind: 'basic', createdAt: expect.any(Number) },
  ]);
  expect((await run('list')).stdout).toMatch(new RegExp(`^erp  ${id}  basic  \\d{4}-`));

  const command = ['upstream', 'credential', 'set', 'erp', id, '--kind', 'apiKey', '--header', 'X-Erp-Key'];
  const replaced = await spawnTriglyph(command, folder.path, production.variables, 'from-standard-input\n');
  expect(replaced.code).toBe(0);
  expect(await headersFor(id)).toEqual({ 'x-erp-key': 'from-standard-input' });

  const database = new DatabaseSync(join(production.variables.DATA_DIR!, 'triglyph.db'), { readOnly: true });
  const rows = JSON.stringify(database.prepare('select * from upstream_credential').all());
  database.close();
  expect(rows).toContain(id);
  expect(rows).not.toMatch(/from-|x-erp-key/i);

  expect((await run('remove', 'erp', id)).stdout).toBe(`erp receives no credential for ${id} any more.\n`);
  expect(await headersFor(id)).toBeUndefined();
  expect(await run('remove', 'erp', id)).toMatchObject({
    code: 1,
    stderr: `triglyph: erp has no credential for ${id}\n`,
  });
  expect((await run('list')).stdout).toBe('There is no credential for an upstream yet.\n');
});

test('is moved to a new key, and copied', async () => {
  expect((await run('set', 'erp', id, '--kind', 'bearer', '--secret-file', 'secret')).code).toBe(0);
  const done = async (...command: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await triglyph(command, folder.path, production.variables);
    expect({ command, code, stderr }).toEqual({ command, code: 0, stderr: '' });
    return stdout;
  };
  const keyFile = production.variables.KEY_FILE!;
  const [keyId = ''] = /k-[0-9a-f]{8}/.exec(await done('keys', 'add', keyFile)) ?? [];
  await done('keys', 'use', keyFile, keyId);
  expect(await done('keys', 'rotate')).toContain(`were moved to ${keyId}`);
  expect(await headersFor(id)).toEqual({ authorization: 'Bearer from-the-file' });
  const copy = join(folder.path, 'copy');
  const parameters = ['copy', '--from', `sqlite:${production.variables.DATA_DIR}`, '--to', `sqlite:${copy}`];
  expect((await triglyph(parameters, folder.path, production.variables)).code).toBe(0);
  expect(await headersFor(id, { ...production.variables, DATA_DIR: copy })).toEqual({
    authorization: 'Bearer from-the-file',
  });
});

describe('refusals', () => {
  test.each<[string, readonly string[], string]>([
    [
      'another upstream',
      ['set', 'crm', 'cr_1', '--kind', 'bearer', '--secret-file', 'secret'],
      "no upstream with credentials: 'mapped' has the name crm; did you mean erp?",
    ],
    [
      'no such credential',
      ['set', 'erp', 'cr_1', '--kind', 'bearer', '--secret-file', 'secret'],
      'no live credential has the id cr_1: `triglyph credential list` prints them',
    ],
    [
      'no username',
      ['set', 'erp', 'cr_1', '--kind', 'basic', '--secret-file', 'secret'],
      '--username belongs to --kind basic, which requires it',
    ],
    [
      'a header of another kind',
      ['set', 'erp', 'cr_1', '--kind', 'bearer', '--header', 'X-Key', '--secret-file', 'secret'],
      '--header is the name of a header, and belongs to --kind apiKey',
    ],
    [
      'no such file',
      ['set', 'erp', 'cr_1', '--kind', 'bearer', '--secret-file', 'none'],
      'none: there is no such file or folder',
    ],
  ])('%s', async (_, parameters, message) => {
    expect(await run(...parameters)).toEqual({ code: 1, stdout: '', stderr: `triglyph: ${message}\n` });
  });

  test('an empty secret', async () => {
    const command = ['upstream', 'credential', 'set', 'erp', id, '--kind', 'bearer'];
    const { code, stderr } = await spawnTriglyph(command, folder.path, production.variables, '\n');
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr:
        'error: secret: Required field secret not specified. The secret that the upstream receives.\n(add --help for the usage)\n',
    });
  });
});
