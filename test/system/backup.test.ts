/** Tests `triglyph backup` and `triglyph restore` under keyed load: every retry has one effect, and refusals change nothing. */
import { chmodSync, copyFileSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Ended, triglyph, type Variables } from '../support/commands.ts';
import {
  countEffects,
  detailRow,
  type KeyedLoad,
  notify,
  startKeyedLoad,
  type Target,
} from '../support/keyed-notifications.ts';
import { basic, type Production, prepareProduction, type Server, startServer } from '../support/server.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';

const folder = tempFolder();
let production: Production;
let server: Server | undefined;
beforeAll(async () => {
  production = await prepareProduction(folder.path);
  writeFileSync(join(folder.path, 'details.jsonl'), JSON.stringify(detailRow));
  expect(await run(['import', 'details.jsonl'])).toMatchObject({ code: 0 });
});
afterAll(async () => {
  await server?.kill();
  folder.discard();
});

const run = (parameters: readonly string[], also: Variables = {}): Promise<Ended> =>
  triglyph(parameters, folder.path, { ...production.variables, ...also });
const pathOf = (name: string) => join(folder.path, name);

async function serve(variables: Variables = production.variables): Promise<Target> {
  server = await startServer('serve', folder.path, variables);
  const { username, secret } = production.credential;
  const { recurringDetailReference } = detailRow;
  return { callers: server.callers, authorization: basic(username, secret), recurringDetailReference };
}

/** Counts independently of the program's code. */
function effects(dataDir = production.variables.DATA_DIR!): ReadonlyMap<string, number> {
  const database = new DatabaseSync(join(dataDir, 'triglyph.db'), { readOnly: true });
  const rows = database.prepare('select content from shopper_notification').all();
  database.close();
  return countEffects(rows.map(({ content }) => String(content)));
}

const moreThan = (load: KeyedLoad, count: number) => until('more answers', async () => load.notified.length > count);

test('a backup under load restores: what it holds is replayed, what it lost is executed anew, once', async () => {
  const load = startKeyedLoad(await serve());
  await moreThan(load, 50);
  const startedAt = Date.now();
  expect(await run(['backup', 'copy.db'])).toMatchObject({ code: 0, stderr: '' });
  const endedAt = Date.now();
  await moreThan(load, load.notified.length + 50);
  await load.stop();
  expect(await run(['restore', 'copy.db'])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('serves from'),
  });
  await server!.kill();

  const copy = pathOf('copy.db');
  expect(statSync(copy).mode & 0o777).toBe(0o600);
  expect(readdirSync(folder.path).filter((name) => name.startsWith('copy.db'))).toEqual(['copy.db']);
  const restored = await run(['restore', 'copy.db']);
  expect(restored).toMatchObject({ code: 0, stderr: '' });
  expect(restored.stdout).toMatch(/Its last request with an Idempotency-Key was at \d{4}-\d\d-\d\d /);

  const before = load.notified.filter(({ answeredAt }) => answeredAt < startedAt);
  const after = load.notified.filter(({ answeredAt }) => answeredAt > endedAt + 1_000);
  const held = effects();
  expect(before.length).toBeGreaterThan(40);
  for (const { key } of before) expect(held.get(key)).toBe(1);

  const target = await serve();
  for (const { key, answer } of load.notified) {
    const again = await notify(target, key);
    expect(again).toEqual(
      held.has(key)
        ? { ...answer, isReplayed: true }
        : { status: 200, pspReference: expect.anything(), isReplayed: false },
    );
    if (!held.has(key)) expect(again.pspReference).not.toBe(answer.pspReference);
  }
  for (const { key } of after) expect(held.has(key)).toBe(false);
  await server!.stop();
  const counted = effects();
  for (const { key } of load.notified) expect(counted.get(key)).toBe(1);
});

test('control: without its idempotency records, a restored store executes every retry again', async () => {
  const dataDir = pathOf('forgetful');
  const variables = { ...production.variables, DATA_DIR: dataDir };
  expect(await run(['restore', 'copy.db'], variables)).toMatchObject({ code: 0 });
  const database = new DatabaseSync(join(dataDir, 'triglyph.db'));
  database.exec('delete from idempotency_record');
  database.close();
  const keys = [...effects(dataDir).keys()];
  const target = await serve(variables);
  for (const key of keys) await notify(target, key);
  await server!.stop();
  expect([...effects(dataDir).values()]).toEqual(keys.map(() => 2));
});

test('the earlier store stays in the data folder, and the audit log has both commands', async () => {
  const dataDir = production.variables.DATA_DIR!;
  const [earlier] = readdirSync(dataDir).filter((name) => name.startsWith('before-restore-'));
  expect(effects(join(dataDir, earlier!)).size).toBeGreaterThan(90);
  const { stdout } = await run(['audit', 'show']);
  expect(stdout).toMatch(/import\s+.*backup.*copy\.db/);
  expect((await run(['audit', 'verify'])).code).toBe(0);
  expect(await run(['backup', 'second.db'])).toMatchObject({ code: 0 });
  expect((await run(['audit', 'show'])).stdout).toMatch(/export\s+.*backup.*second\.db/);
});

test('a backup leaves an existing file alone', async () => {
  writeFileSync(pathOf('there.db'), 'something else');
  expect(await run(['backup', 'there.db'])).toEqual({
    code: 1,
    stdout: '',
    stderr: 'triglyph: there.db exists already: name another file\n',
  });
  expect(readFileSync(pathOf('there.db'), 'utf8')).toBe('something else');
});

/** Changes a copy of the backup. */
function changed(name: string, change: (database: DatabaseSync) => void): string {
  copyFileSync(pathOf('copy.db'), pathOf(name));
  const database = new DatabaseSync(pathOf(name));
  change(database);
  database.close();
  return name;
}

type Refusal = readonly [name: string, prepare: () => string, also: Variables, message: RegExp];

test.each<Refusal>([
  [
    'of a newer release',
    () => changed('newer.db', (database) => database.exec(`insert into migration values ('engine', 999, 'x', 0)`)),
    {},
    /start the newer program/,
  ],
  [
    'that the keys do not open',
    () => 'copy.db',
    { KEY_FILE: pathOf('other-keys') },
    /the keys do not open what is stored/,
  ],
  [
    'that is damaged',
    () => {
      const name = changed('damaged.db', () => {});
      const bytes = readFileSync(pathOf(name));
      writeFileSync(pathOf(name), bytes.fill(0x55, 8 * 4_096, 24 * 4_096));
      return name;
    },
    {},
    /damaged\.db is no intact backup/,
  ],
  [
    'that is no database',
    () => {
      writeFileSync(pathOf('text.db'), 'not a database, but some text');
      return 'text.db';
    },
    {},
    /text\.db is no intact backup/,
  ],
  [
    'that is empty, as after a full disk',
    () => {
      writeFileSync(pathOf('empty.db'), '');
      return 'empty.db';
    },
    {},
    /empty\.db is no backup of a store: it has none of its tables/,
  ],
  [
    'of another program',
    () => {
      const database = new DatabaseSync(pathOf('other.db'));
      database.exec('create table other (id text); pragma user_version = 1');
      database.close();
      return 'other.db';
    },
    {},
    /other\.db is no backup of a store/,
  ],
  ['that does not exist', () => 'missing.db', {}, /missing\.db: there is no such file/],
])('a restore refuses a file %s, and changes nothing', async (_, prepare, also, message) => {
  if (!existsSync(pathOf('other-keys'))) expect((await run(['keys', 'create', 'other-keys'])).code).toBe(0);
  chmodSync(pathOf('other-keys'), 0o600);
  const { DATA_DIR: dataDir = '' } = production.variables;
  const list = () => readdirSync(dataDir).filter((name) => !/^serving\.|-wal$|-shm$/.test(name));
  const [names, held] = [list(), effects()];
  const { code, stdout, stderr } = await run(['restore', prepare()], also);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(message);
  expect(list()).toEqual(names);
  expect(effects()).toEqual(held);
});

test('a backup into a folder that is missing names the folder', async () => {
  expect(await run(['backup', 'gone/x.db'])).toEqual({
    code: 1,
    stdout: '',
    stderr: 'triglyph: gone: there is no such folder: create it, or name another file\n',
  });
});

test('both commands name the page for PostgreSQL', async () => {
  const also = { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' };
  for (const command of ['backup', 'restore'])
    expect(await run([command, 'x.db'], also)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('docs/backup.md'),
    });
});
