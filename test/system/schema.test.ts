/** Tests that only `serve`, `demo` and `migrate` change the schema; other commands refuse a missing or older store with a hint. */
import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Command } from 'commander';
import { openSqlite } from '../../src/store/sqlite/open.ts';
import { triglyph } from '../support/commands.ts';
import { migrate, owners } from '../support/migrated.ts';
import { tempFolder } from '../support/temp-folder.ts';

const folder = tempFolder();
const older = join(folder.path, 'older');
const variables = { KEY_FILE: join(folder.path, 'keys') };
beforeAll(async () => {
  await triglyph(['keys', 'create', 'keys'], folder.path);
  writeFileSync(join(folder.path, 'key'), 'key-1');
  const engine = openSqlite({ dataDir: older, exclusive: false });
  await migrate(engine, owners.slice(0, -1));
  await engine.close();
});
afterAll(() => folder.discard());

const commands: readonly (readonly string[])[] = [
  ['check'],
  ['import', 'details.jsonl'],
  ['updates', 'import', 'changes.jsonl'],
  ['updates', 'gather'],
  ['updates', 'answer', 'answers.jsonl'],
  ['audit', 'show'],
  ['audit', 'verify'],
  ['retention', 'show'],
  ['retention', 'apply'],
  ['backup', 'copy.sqlite'],
  ['compact'],
  ['shopper', 'show', 'AcmeWeb', 'shopper-1'],
  ['shopper', 'erase', 'AcmeWeb', 'shopper-1'],
  ['platform', 'show', 'AcmePlatform'],
  ['copy', '--from', 'sqlite:store', '--to', 'sqlite:target'],
  ['credential', 'add', 'Acme', '--account', 'AcmeWeb'],
  ['credential', 'list'],
  ['credential', 'edit', 'cr_1', '--read-only'],
  ['credential', 'rotate', 'cr_1'],
  ['credential', 'revoke', 'cr_1'],
  ['credential', 'second-factor', 'set', 'cr_1'],
  ['credential', 'second-factor', 'recovery-codes', 'cr_1'],
  ['credential', 'second-factor', 'remove', 'cr_1'],
  ['credential', 'merchant-account', 'add', 'Acme', 'AcmeWeb'],
  ['credential', 'merchant-account', 'list'],
  ['credential', 'balance-platform', 'add', 'Acme', 'AcmePlatform'],
  ['credential', 'balance-platform', 'list'],
  ['webhooks', 'endpoint', 'add', 'Acme', 'https://shop.example.com/'],
  ['webhooks', 'endpoint', 'list'],
  ['webhooks', 'endpoint', 'remove', 'we_1'],
  ['callers'],
  ['callers', 'show', '0f1e2d3c4b5a6978'],
  ['callers', 'readiness'],
  ['callers', 'owner', 'list'],
  ['callers', 'owner', 'set', 'cr_1', '--name', 'Anna', '--address', 'anna@example.com'],
  ['callers', 'owner', 'remove', 'cr_1'],
  ['report'],
  ['deprecations', 'list'],
  ['deprecations', 'add', '--format', 'soap11', '--sunset', '2027-06-30'],
  ['deprecations', 'change', 'dp_1', '--sunset', '2027-06-30'],
  ['deprecations', 'remove', 'dp_1'],
  ['deprecations', 'exempt', 'dp_1', 'cr_1'],
  ['shadow', 'list'],
  ['shadow', 'share', 'erp', '10'],
  ['shadow', 'switch', 'erp', '10'],
  ['shadow', 'back', 'erp'],
  ['shadow', 'differences'],
  ['shadow', 'accept', 'unknown', '--reason', 'x'],
  ['shadow', 'reopen', 'unknown'],
  ['upstream', 'credential', 'list'],
  ['upstream', 'credential', 'remove', 'erp', 'cr_1'],
  ['pending', 'list'],
  ['pending', 'show', 'PENDING000000001'],
  ['pending', 'record', 'Acme', '--key-file', 'key'],
  ['pending', 'settle', 'PENDING000000001', '--not-done'],
  ['webhooks', 'rotate', 'we_1'],
  ['webhooks', 'list'],
  ['webhooks', 'jobs'],
  ['webhooks', 'retry', '--all'],
  ['keys', 'rotate'],
  ['keys', 'status'],
  ['keys', 'verify-rows'],
  ['keys', 'sign-rows', '--unsigned'],
];

/** Commands that open no store, none without an upstream in the configuration, or may change the schema. */
const others = [
  ...[
    'serve',
    'demo',
    'migrate',
    'keys create',
    'keys add',
    'keys use',
    'keys wrap',
    'wsdl',
    'openapi',
    'convert',
    'import-wsdl',
    'mock',
    'recording export',
    'recording import',
    'replay',
    'restore',
  ],
  'upstream credential set',
];

/** Every executable command, such as `credential merchant-account add`. */
async function allCommands(): Promise<readonly string[]> {
  const program = new Command();
  const sources = join(import.meta.dirname, '../../src/cli');
  for (const file of readdirSync(sources).filter((name) => name.endsWith('.ts'))) {
    const { add } = (await import(join(sources, file))) as { readonly add?: (program: Command) => void };
    add?.(program);
  }
  const leaves = (command: Command, path: readonly string[]): readonly string[] =>
    command.commands.length === 0
      ? [path.join(' ')]
      : command.commands.flatMap((each) => leaves(each, [...path, each.name()]));
  return leaves(program, []);
}

test('the tables here name every command', async () => {
  const named = (await allCommands()).filter(
    (name) => others.includes(name) || commands.some((command) => command.join(' ').startsWith(name)),
  );
  expect(named).toEqual(await allCommands());
  // A command may have commands of its own, such as `callers`.
  const lines = [...commands.map((command) => command.join(' ')), ...others];
  expect(lines.filter((line) => !named.some((name) => line.startsWith(name) || name.startsWith(`${line} `)))).toEqual(
    [],
  );
});

const contents = (path: string) => readdirSync(path).map((name) => [name, readFileSync(join(path, name), 'latin1')]);

describe.each(commands.map((command) => [command.join(' '), command] as const))('%s', (name, command) => {
  const run = async (store: string) => {
    const parameters = command.map((each) => (each === 'sqlite:store' ? `sqlite:${store}` : each));
    const { code, stdout, stderr } = await triglyph(parameters, folder.path, {
      ...variables,
      DATA_DIR: store,
      ...(name === 'updates gather' && { UPDATER: 'batch', UPDATER_FOLDER: join(folder.path, 'files') }),
    });
    return { code, output: name === 'check' ? stdout : stderr };
  };

  test('creates no store', async () => {
    const missing = join(folder.path, 'missing');
    expect(await run(missing)).toEqual({
      code: 1,
      output: expect.stringContaining(
        `${missing}: there is no store in this folder: name another one, or create one with \`triglyph migrate\``,
      ),
    });
    expect([missing, join(folder.path, 'target')].filter(existsSync)).toEqual([]);
  });

  test('does not migrate an older store', async () => {
    const store = join(folder.path, `older ${name.replaceAll(/\W/g, '-')}`);
    cpSync(older, store, { recursive: true });
    const before = contents(store);
    expect(await run(store)).toEqual({
      code: 1,
      output: expect.stringContaining(
        `the database is at migration 0 of ${owners.at(-1)?.name} and this program needs 1: make a backup with the earlier release, then run \`triglyph migrate\``,
      ),
    });
    expect(existsSync(join(folder.path, 'target'))).toBe(false);
    // `copy` leaves its lock file, which stops servers from opening its source.
    expect(contents(store).filter(([file]) => file !== 'serving.lock')).toEqual(before);
  });
});

test('serve migrates no store for a configuration that it refuses', async () => {
  const store = join(folder.path, 'older serve');
  cpSync(older, store, { recursive: true });
  const before = contents(store);
  const { code, stderr } = await triglyph(['serve'], folder.path, {
    ...variables,
    DATA_DIR: store,
    DEMO_SHOPPERS: '5',
  });
  expect(code).toBe(1);
  expect(stderr).toMatch(/DEMO_SHOPPERS is set.*\n.*then run `triglyph migrate`/);
  expect(contents(store)).toEqual(before);
});

test('migrate migrates an older store, and commands then work', async () => {
  const store = join(folder.path, 'older migrate');
  cpSync(older, store, { recursive: true });
  expect((await triglyph(['migrate'], folder.path, { DATA_DIR: store })).code).toBe(0);
  const { code, stdout } = await triglyph(['credential', 'list'], folder.path, { ...variables, DATA_DIR: store });
  expect([code, stdout]).toEqual([0, 'There is no credential yet.\n']);
});
