/** Tests the help of every command and the exit codes: 2 for usage errors, 1 for runtime errors, without a stack trace. */
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { spawnTriglyph, triglyph } from '../support/commands.ts';
import { tempFolder } from '../support/temp-folder.ts';

const folder = tempFolder();
afterAll(() => folder.discard());

const commands = [
  [],
  ['serve'],
  ['demo'],
  ['import'],
  ['updates'],
  ['updates', 'import'],
  ['updates', 'gather'],
  ['updates', 'answer'],
  ['shopper'],
  ['shopper', 'show'],
  ['platform'],
  ['platform', 'show'],
  ['copy'],
  ['backup'],
  ['restore'],
  ['migrate'],
  ['convert'],
  ['credential'],
  ['credential', 'add'],
  ['credential', 'edit'],
  ['credential', 'list'],
  ['credential', 'rotate'],
  ['credential', 'revoke'],
  ['credential', 'merchant-account'],
  ['credential', 'merchant-account', 'add'],
  ['credential', 'merchant-account', 'list'],
  ['upstream'],
  ['upstream', 'credential'],
  ['upstream', 'credential', 'set'],
  ['upstream', 'credential', 'list'],
  ['upstream', 'credential', 'remove'],
  ['callers'],
  ['callers', 'show'],
  ['deprecations'],
  ['deprecations', 'list'],
  ['deprecations', 'add'],
  ['deprecations', 'change'],
  ['deprecations', 'remove'],
  ['deprecations', 'exempt'],
  ['webhooks'],
  ['webhooks', 'endpoint'],
  ['webhooks', 'endpoint', 'add'],
  ['webhooks', 'endpoint', 'list'],
  ['webhooks', 'endpoint', 'remove'],
  ['webhooks', 'rotate'],
  ['webhooks', 'list'],
  ['webhooks', 'retry'],
  ['pending'],
  ['pending', 'list'],
  ['pending', 'show'],
  ['pending', 'settle'],
  ['credential', 'balance-platform'],
  ['credential', 'balance-platform', 'add'],
  ['credential', 'balance-platform', 'list'],
  ['keys'],
  ['keys', 'create'],
  ['keys', 'add'],
  ['keys', 'use'],
  ['keys', 'rotate'],
  ['keys', 'status'],
  ['check'],
  ['wsdl'],
  ['openapi'],
];

describe('help', () => {
  test.each(commands.map((command) => [command.join(' ') || 'triglyph', command] as const))(
    '%s',
    async (_, command) => {
      const { code, stdout, stderr } = await triglyph([...command, '--help'], folder.path);
      expect(stderr).toBe('');
      expect(code).toBe(0);
      expect(stdout).toContain(`Usage: triglyph${command.length > 0 ? ` ${command[0]}` : ''}`);
      expect(stdout).toMatch(/\nExample:\n {2}\S.*triglyph|\nExample:\n {2}triglyph/);
    },
  );
});

test('--version prints the version of the package', async () => {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  const { code, stdout, stderr } = await spawnTriglyph(['--version'], folder.path);
  expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
});

describe('a process of its own prints and ends as one that stays', () => {
  test.each([
    [['--help'], 0],
    [['credential', 'add', '--help'], 0],
    [['unheard-of'], 2],
    [['credential', 'add'], 2],
    [['credential', 'list'], 1],
  ])('%j', async (command, code) => {
    const ended = await spawnTriglyph(command, folder.path);
    expect(ended.code).toBe(code);
    expect(ended).toEqual(await triglyph(command, folder.path));
  });
});

describe('usage errors exit with 2', () => {
  test.each([
    [['unheard-of']],
    [['import']],
    [['updates', 'import']],
    [['shopper', 'show', 'AcmeWeb']],
    [['copy', '--to', 'sqlite:elsewhere']],
    [['credential', 'add']],
    [['credential', 'add', 'Acme', '--kind', 'telepathy']],
    [['credential', 'rotate', 'cr_1', '--grace', 'soon']],
    [['webhooks', 'endpoint', 'add', 'Acme']],
    [['webhooks', 'endpoint', 'add', 'Acme', 'https://shop.example.com/', '--format', 'smoke']],
    [['demo', '--no-such-option']],
  ])('%j', async (command) => {
    const { code, stderr } = await triglyph(command, folder.path);
    expect(code).toBe(2);
    expect(stderr).toMatch(/^error: /);
  });
});

describe('runtime errors exit with 1 and print the reason on one line', () => {
  test('a missing file', async () => {
    await triglyph(['keys', 'create', 'keys'], folder.path);
    await triglyph(['migrate'], folder.path);
    const { code, stdout, stderr } = await triglyph(['import', 'gone.jsonl'], folder.path, { KEY_FILE: 'keys' });
    expect({ code, stdout, stderr }).toEqual({
      code: 1,
      stdout: '',
      stderr: 'triglyph: gone.jsonl: there is no such file or folder\n',
    });
  });

  test('an existing key file is not overwritten', async () => {
    await triglyph(['keys', 'create', 'existing'], folder.path);
    const { code, stderr } = await triglyph(['keys', 'create', 'existing'], folder.path);
    expect({ code, stderr }).toEqual({ code: 1, stderr: 'triglyph: existing: there is such a file already\n' });
  });

  test('no keys', async () => {
    const { code, stderr } = await triglyph(['credential', 'list'], folder.path);
    expect(code).toBe(1);
    expect(stderr).toBe('triglyph: there are no keys: name a key file in KEY_FILE\n');
  });

  test('no setting for the key file that a gateway has created next to its data', async () => {
    mkdirSync(join(folder.path, 'served'));
    await triglyph(['keys', 'create', 'served/keys'], folder.path);
    const { code, stderr } = await triglyph(['pending', 'list'], folder.path, { DATA_DIR: 'served' });
    expect(code).toBe(1);
    expect(stderr).toBe('triglyph: there are no keys: name a key file in KEY_FILE, such as KEY_FILE=served/keys\n');
  });

  test('reports all settings that do not parse', async () => {
    const { code, stderr } = await triglyph(['credential', 'list'], folder.path, { PORT: 'x', BODY_BYTES_MAX: 'y' });
    expect(code).toBe(1);
    expect(stderr.split('\n').filter((line) => line.startsWith('triglyph: '))).toHaveLength(2);
    expect(stderr).not.toMatch(/\n {4}at /);
  });
});

describe('documents on standard output', () => {
  test('the WSDL contains the given origin', async () => {
    const { code, stdout } = await triglyph(['wsdl', '--origin', 'https://pay.example.com'], folder.path);
    expect(code).toBe(0);
    expect(stdout).toContain('location="https://pay.example.com/pal/servlet/Recurring/v25"');
  });

  test('the OpenAPI document contains the given origin', async () => {
    const { code, stdout } = await triglyph(['openapi', '--origin', 'https://pay.example.com'], folder.path);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      openapi: expect.stringMatching(/^3\.1/),
      servers: [{ url: 'https://pay.example.com' }],
    });
  });
});
