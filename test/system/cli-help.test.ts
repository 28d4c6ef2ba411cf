/** Tests the help of every command and the exit codes: 2 for usage errors, 1 for runtime errors, without a stack trace. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Ended, spawnTriglyph, triglyph } from '../support/commands.ts';
import { tempFolder } from '../support/temp-folder.ts';

const folder = tempFolder();
afterAll(() => folder.discard());

interface Help {
  readonly command: readonly string[];
  readonly ended: Ended;
}

/** The help of a command and of all below it. */
async function walkHelp(command: readonly string[] = []): Promise<readonly Help[]> {
  const ended = await triglyph([...command, '--help'], folder.path);
  const found: Help[] = [{ command, ended }];
  for (const name of subcommands(ended.stdout)) found.push(...(await walkHelp([...command, name])));
  return found;
}

/** Names stand at two blanks in the last list but the examples; their descriptions further to the right. */
function subcommands(help: string): readonly string[] {
  const [, list = ''] = /\nCommands:\n((?: {2}.*\n)+)/.exec(help) ?? [];
  return [...list.matchAll(/^ {2}(\S+)/gm)].map(([, name]) => name!).filter((name) => name !== 'help');
}

function faultsOf({ command, ended: { code, stdout, stderr } }: Help): readonly string[] {
  const usage = ['Usage: triglyph', ...command].join(' ');
  const example = /\nExamples?:\n((?: {2}.*\n)+)/.exec(stdout)?.[1] ?? '';
  return [
    ...(code === 0 ? [] : [`exit code ${code}`]),
    ...(stderr === '' ? [] : [`on standard error: ${stderr}`]),
    ...(stdout.startsWith(`${usage} `) ? [] : ['no usage']),
    ...(example.includes(['triglyph', ...command].join(' ')) ? [] : ['no example of itself']),
  ].map((fault) => `${command.join(' ') || 'triglyph'}: ${fault}`);
}

describe('help', () => {
  let walked: readonly Help[];
  beforeAll(async () => {
    walked = await walkHelp();
  });

  test('every command has its usage and an example', () => {
    expect(walked.flatMap(faultsOf)).toEqual([]);
  });

  test('every command of the program is walked, and those below them', () => {
    const names = walked.map(({ command }) => command.join(' '));
    const source = readFileSync(new URL('../../src/program/cli/program.ts', import.meta.url), 'utf8');
    const files = [...source.matchAll(/=> import\('\.\/([\w-]+)\.ts'\)/g)].map(([, name]) => name!);
    expect(names).toEqual(expect.arrayContaining(files));
    expect(files.length).toBeGreaterThan(20);
    const below = ['audit verify', 'credential merchant-account add', 'keys wrap', 'retention apply', 'shopper erase'];
    expect(names).toEqual(expect.arrayContaining(below));
  });

  test('a command without an example is found', () => {
    const { ended } = walked.find(({ command }) => command[0] === 'audit')!;
    const stdout = ended.stdout.replace(/\nExample:.*/s, '');
    expect(faultsOf({ command: ['audit'], ended: { ...ended, stdout } })).toEqual(['audit: no example of itself']);
  });
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
    [['wsdl', '--origin', 'pay.example.com']],
    [['openapi', '--origin', 'https://pay.example.com/path']],
    [['convert', '--origin', 'ftp://pay.example.com']],
    [['callers', '--format', 'soap13']],
    [['callers', 'show', 'c1', '--origin', 'nowhere']],
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

  test('the next step for each kind of key', async () => {
    await triglyph(['keys', 'create', 'kinds'], folder.path);
    const lastLine = async (...command: string[]) =>
      (await triglyph(['keys', ...command], folder.path)).stdout.trimEnd().split('\n').at(-1);
    expect(await lastLine('add', '--index', 'kinds')).toBe('2. triglyph keys rotate');
    expect(await lastLine('add', '--pepper', '--standby', 'kinds')).toBe('2. triglyph keys use kinds pepper');
    expect(await lastLine('use', 'kinds', 'pepper')).toMatch(/^2\. triglyph keys status: /);
  });

  test('an existing key file is not overwritten', async () => {
    await triglyph(['keys', 'create', 'existing'], folder.path);
    const { code, stderr } = await triglyph(['keys', 'create', 'existing'], folder.path);
    expect({ code, stderr }).toEqual({ code: 1, stderr: 'triglyph: existing: there is such a file already\n' });
  });

  test.each([
    [['credential', 'edit', 'cr_1'], 'name a change: `triglyph credential edit --help` lists the options'],
    [['credential', 'revoke', 'cr_1'], 'no live credential has the id cr_1: `triglyph credential list` prints them'],
    [['deprecations', 'change', 'd1'], 'name a change: `triglyph deprecations change --help` lists the options'],
    [['pending', 'show', 'p1'], 'no request with the id p1 is pending: `triglyph pending list` prints them'],
    [['webhooks', 'retry', 'e1'], 'no dead letter has the id e1: `triglyph webhooks list` prints them'],
    [['webhooks', 'rotate', 'we_1'], 'no endpoint has the id we_1: `triglyph webhooks endpoint list` prints them'],
    [
      ['shopper', 'show', 'Web', 'x'],
      'Web: there is no such merchant account: `triglyph credential merchant-account list` prints them',
    ],
    [['credential', 'add', 'Acme'], 'name what the credential authorizes: --account, --balance-platform or --role'],
    [
      ['shopper', 'erase', 'Web', 'x'],
      'Web: there is no such merchant account: `triglyph credential merchant-account list` prints them',
    ],
    [
      ['platform', 'show', 'P'],
      'P: there is no such balance platform: `triglyph credential balance-platform list` prints them',
    ],
    [['convert', 'empty.json'], 'empty.json is empty: name a file with one message, or pipe one'],
    [
      ['keys', 'wrap', 'keys'],
      'KMS_URL is not set: set it to the address of the key management service that wraps the keys',
    ],
    [['keys', 'use', 'keys', 'k-0'], /^triglyph: keys: no wrapping key has the id k-0: there are k-\w+\n$/],
    [
      ['copy', '--from', 'sqlite:data', '--to', 'sqlite:./data/'],
      '--from and --to name the same store: name an empty one in --to',
    ],
  ])('%j', async (command, message) => {
    writeFileSync(join(folder.path, 'empty.json'), '\n');
    await triglyph(['keys', 'create', 'keys'], folder.path);
    await triglyph(['migrate'], folder.path);
    const { code, stdout, stderr } = await triglyph(command, folder.path, { KEY_FILE: 'keys' });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    if (typeof message === 'string') expect(stderr).toBe(`triglyph: ${message}\n`);
    else expect(stderr).toMatch(message);
  });

  test('a key file that is a folder, or holds no keys', async () => {
    mkdirSync(join(folder.path, 'folder'));
    writeFileSync(join(folder.path, 'no-keys'), 'text', { mode: 0o600 });
    const list = (KEY_FILE: string) => triglyph(['credential', 'list'], folder.path, { KEY_FILE });
    expect((await list('folder')).stderr).toBe('triglyph: KEY_FILE names folder: that is a folder.\n');
    expect((await list('no-keys')).stderr).toBe(
      'triglyph: KEY_FILE no-keys: line 1 has no colon: write <keyId>:<64 hex digits>\n',
    );
    expect((await triglyph(['keys', 'add', 'no-keys'], folder.path)).stderr).toBe(
      'triglyph: no-keys: line 1 has no colon: write <keyId>:<64 hex digits>\n',
    );
  });

  test('no keys', async () => {
    const { code, stderr } = await triglyph(['credential', 'list'], folder.path);
    expect(code).toBe(1);
    expect(stderr).toBe('triglyph: there are no keys: name a key file in KEY_FILE\n');
  });

  test('no command needs a setting for the key file that a gateway has created next to its data', async () => {
    mkdirSync(join(folder.path, 'served'));
    const list = () => triglyph(['pending', 'list'], folder.path, { DATA_DIR: 'served' });
    expect(await list()).toMatchObject({
      code: 1,
      stderr: 'triglyph: there are no keys: name a key file in KEY_FILE\n',
    });
    await triglyph(['keys', 'create', 'served/keys'], folder.path);
    await triglyph(['migrate'], folder.path, { DATA_DIR: 'served', KEY_FILE: 'served/keys' });
    expect(await list()).toMatchObject({ code: 0, stdout: 'No outcome is unknown.\n' });
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
