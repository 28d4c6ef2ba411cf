/** Tests that only `serve`, `demo` and `migrate` change the schema; other commands refuse a missing or older store with a hint. */
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { openSqlite } from '../../src/stores/sqlite/open.ts';
import { recordedCommands } from '../support/command-parameters.ts';
import { triglyph } from '../support/commands.ts';
import { migrate, owners } from '../support/migrated.ts';
import { tempFolder } from '../support/temp-folder.ts';

const folder = tempFolder();
const older = join(folder.path, 'older');
const variables = { KEY_FILE: join(folder.path, 'keys') };
beforeAll(async () => {
  await triglyph(['keys', 'create', 'keys'], folder.path);
  writeFileSync(join(folder.path, 'secret'), 'key-1');
  const engine = openSqlite({ dataDir: older, exclusive: false });
  await migrate(engine, owners.slice(0, -1));
  await engine.close();
});
afterAll(() => folder.discard());

/** They open no store, need an upstream in the configuration, or may change the schema. */
const others = ['keys add', 'keys use', 'migrate', 'restore', 'upstream credential set'];
const commands = Object.entries({ ...recordedCommands, check: [] }).filter(([name]) => !others.includes(name));

const contents = (path: string) => readdirSync(path).map((name) => [name, readFileSync(join(path, name), 'latin1')]);

test('a store of the first builds is named, and nothing of it changes', async () => {
  const early = join(folder.path, 'early');
  mkdirSync(early);
  const database = new DatabaseSync(join(early, 'triglyph.db'));
  database.exec(
    `create table migration (number bigint not null primary key, name text not null, checksum text not null, applied_at bigint not null);
     insert into migration values (1, 'tables', 'c', 1); create table stored_detail (id text)`,
  );
  database.close();
  for (const command of ['migrate', 'check']) {
    const { code, stdout, stderr } = await triglyph([command], folder.path, { ...variables, DATA_DIR: early });
    expect([command, code, stdout + stderr]).toEqual([command, 1, expect.stringContaining('one of the first builds')]);
  }
  const after = new DatabaseSync(join(early, 'triglyph.db'));
  expect(after.prepare('select name from sqlite_schema where sql is not null order by name').all()).toEqual([
    { name: 'migration' },
    { name: 'stored_detail' },
  ]);
  after.close();
});

describe.each(commands)('%s', (name, given) => {
  const run = async (store: string) => {
    const parameters = given.map((each) => (each === 'sqlite:./data' ? `sqlite:${store}` : each));
    const { code, stdout, stderr } = await triglyph([...name.split(' '), ...parameters], folder.path, {
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
    expect([missing, join(folder.path, 'copied')].filter(existsSync)).toEqual([]);
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
    expect(existsSync(join(folder.path, 'copied'))).toBe(false);
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
