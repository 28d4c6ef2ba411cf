/** Runs the commands of docs/backup.md for PostgreSQL under keyed load, and retries every key on what they have restored. */
import { execFile } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { triglyph } from '../support/commands.ts';
import {
  countEffects,
  detailRow,
  type KeyedLoad,
  type Notified,
  notify,
  startKeyedLoad,
  type Target,
} from '../support/keyed-notifications.ts';
import { freePort } from '../support/listen-locally.ts';
import { createInstance, type PostgresInstance, programs, query, runner, urlOf } from '../support/postgres-instance.ts';
import { copyPreparedData, parametersOf } from '../support/postgres-template.ts';
import { basic, type Production, prepareProduction, type Server, startServer } from '../support/server.ts';
import { createTempFolder, tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';

const page = readFileSync(new URL('../../docs/backup.md', import.meta.url), 'utf8');
/** The block of the page that contains a text. */
function blockWith(text: string, language = 'sh'): string {
  const blocks = [...page.matchAll(/```(\w*)\n([\s\S]*?)```/g)].filter(([, found]) => found === language);
  const found = blocks.map(([, , block]) => block!).filter((block) => block.includes(text));
  expect(found).toHaveLength(1);
  return found[0]!;
}

const folder = tempFolder();
const serverFolder = createTempFolder();
const backups = join(serverFolder, 'backups');
let instance: PostgresInstance;
let password: string;
let production: Production;
let url: string;
let server: Server;

beforeAll(async () => {
  const prepared = await copyPreparedData(serverFolder);
  password = prepared.password;
  await shell('mkdir -p $BACKUPS/wal');
  const settings = blockWith('archive_command', 'ini').replaceAll('$BACKUPS', backups);
  writeFileSync(join(prepared.data, 'postgresql.auto.conf'), settings);
  instance = createInstance(
    { folder: serverFolder, password, parameters: parametersOf(serverFolder, false) },
    prepared.data,
    await freePort(),
  );
  await instance.start();
  await instance.ask('create database triglyph template migrated');
  url = urlOf({ password, port: instance.port, database: 'triglyph' });
  production = await prepareProduction(folder.path, { DATABASE_URL: url });
  writeFileSync(join(folder.path, 'details.jsonl'), JSON.stringify(detailRow));
  expect(await triglyph(['import', 'details.jsonl'], folder.path, production.variables)).toMatchObject({ code: 0 });
});
afterAll(async () => {
  await server?.kill();
  await instance?.end('SIGINT');
  rmSync(serverFolder, { recursive: true, force: true });
  folder.discard();
});

/** Runs commands as the user of the database. */
async function shell(text: string, env: Readonly<Record<string, string>> = {}): Promise<void> {
  await promisify(execFile)('bash', ['-euc', text], {
    ...runner(),
    cwd: serverFolder,
    env: {
      PATH: `${programs()}:${process.env.PATH}`,
      BACKUPS: backups,
      PGHOST: '127.0.0.1',
      PGUSER: 'triglyph',
      PGPASSWORD: password,
      ...env,
    },
  });
}

async function serve(database: string): Promise<Target> {
  server = await startServer('serve', folder.path, { ...production.variables, DATABASE_URL: database });
  const { username, secret } = production.credential;
  const { recurringDetailReference } = detailRow;
  return { callers: server.callers, authorization: basic(username, secret), recurringDetailReference };
}

async function effects(database: string): Promise<ReadonlyMap<string, number>> {
  const rows = await query(database, 'select content from shopper_notification');
  return countEffects(rows.map(({ content }) => String(content)));
}

const moreAnswers = (load: KeyedLoad, count: number) => {
  const goal = load.notified.length + count;
  return until('more answers', async () => load.notified.length >= goal);
};

/** Retries every key: what the database held is replayed, the rest is executed, and each has one effect. */
async function retryAll(database: string, notified: readonly Notified[], held: ReadonlyMap<string, number>) {
  const target = await serve(database);
  for (const { key, answer } of notified) {
    const again = await notify(target, key);
    if (held.has(key)) expect(again).toEqual({ ...answer, isReplayed: true });
    else expect(again).toMatchObject({ status: 200, isReplayed: false });
  }
  await server.stop();
  const counted = await effects(database);
  for (const { key } of notified) expect(counted.get(key)).toBe(1);
}

test('a dump under load is restored into another database', async () => {
  const load = startKeyedLoad(await serve(url));
  await moreAnswers(load, 40);
  const before = [...load.notified];
  await shell(blockWith('pg_dump'), { DATABASE_URL: url });
  const later = load.notified.length;
  await moreAnswers(load, 40);
  await load.stop();
  await server.stop();
  await shell(blockWith('pg_restore'), { PGPORT: String(instance.port) });
  const restored = urlOf({ password, port: instance.port, database: 'restored' });
  const held = await effects(restored);
  for (const { key } of before) expect(held.get(key)).toBe(1);
  // Those under way when the dump ended began after it had begun.
  for (const { key } of load.notified.slice(later + 4)) expect(held.has(key)).toBe(false);
  await retryAll(restored, load.notified, held);

  // Control: without the records, a retry is executed again.
  await query(restored, 'delete from idempotency_record');
  const target = await serve(restored);
  const [{ key }] = before as [Notified];
  expect((await notify(target, key)).isReplayed).toBe(false);
  await server.stop();
  expect((await effects(restored)).get(key)).toBe(2);
});

test('a base backup and archived WAL recover to a moment under load', async () => {
  await shell(blockWith('pg_basebackup'), { PGPORT: String(instance.port) });
  const load = startKeyedLoad(await serve(url));
  await moreAnswers(load, 40);
  const before = [...load.notified];
  const [{ moment }] = (await instance.ask('select clock_timestamp()::text as moment')) as [{ moment: string }];
  const earlier = load.notified.length;
  await moreAnswers(load, 40);
  await load.stop();
  await server.stop();
  await instance.ask('select pg_switch_wal()');
  await until('the WAL to be archived', async () => {
    const [row] = await instance.ask(
      'select last_archived_wal >= pg_walfile_name(pg_current_wal_lsn() - 1) as is_done from pg_stat_archiver',
    );
    return row?.is_done === true;
  });
  await instance.end('SIGINT');

  const recovered = join(serverFolder, 'recovered');
  await shell(blockWith('recovery_target_time'), { NEW_DATA: recovered, RECOVER_TO: moment });
  instance = createInstance(
    { folder: serverFolder, password, parameters: parametersOf(serverFolder, false) },
    recovered,
    instance.port,
  );
  await instance.start();
  await until('the end of the recovery', async () => {
    const [row] = await instance.ask('select not pg_is_in_recovery() as is_done');
    return row?.is_done === true;
  });
  const held = await effects(url);
  for (const { key } of before) expect(held.get(key)).toBe(1);
  for (const { key } of load.notified.slice(earlier + 4)) expect(held.has(key)).toBe(false);
  await retryAll(url, load.notified, held);
});
