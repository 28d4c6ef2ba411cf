import { mkdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { deletionStep, statement, type TransactionOptions } from '../../src/stores/sql/engine.ts';
import { deleteExpiredRecords } from '../../src/stores/sql/expired-records.ts';
import { backUpSqlite } from '../../src/stores/sqlite/backup.ts';
import type { SqliteEngine } from '../../src/stores/sqlite/engine.ts';
import { databaseName, openSqlite } from '../../src/stores/sqlite/open.ts';
import { migrate } from '../support/migrated.ts';
import { type TempFolder, tempFolder } from '../support/temp-folder.ts';

const rows = 20_000;
const outcomeBytes = 1_000;
/** Three of four are expired, in no order of the pages. */
const fill = statement(
  'test-fill',
  `with recursive series(n) as (select $1 union all select n + 1 from series where n + 1 < $2)
   insert into idempotency_record (record_key, request_hash, operation, request_reference, outcome, created_at, expires_at)
   select 'key ' || n, 'f', 'disable', 'PSP' || n, 'outcome ' || n || ' ' || hex(zeroblob(${outcomeBytes / 2})), 0,
     case when n % 4 = 0 then 9000000000000 else n end from series`,
);
const addOne = statement(
  'test-add-one',
  `insert into idempotency_record (record_key, request_hash, operation, request_reference, outcome, created_at, expires_at)
   values ($1, 'f', 'disable', $1, 'new', 0, 9000000000000)`,
);

let folder: TempFolder;
let dataDir: string;
let engine: SqliteEngine | undefined;
beforeEach(() => {
  folder = tempFolder();
  dataDir = folder.path;
});
afterEach(async () => {
  await engine?.close();
  engine = undefined;
  folder.discard();
});

const path = () => join(dataDir, databaseName);
const open = async (): Promise<SqliteEngine> => {
  engine = openSqlite({ dataDir, exclusive: true });
  await migrate(engine);
  return engine;
};
const close = async (): Promise<void> => {
  await engine?.close();
  engine = undefined;
};
const pause = async (): Promise<void> => {};

const fillAndDelete = async (store: SqliteEngine, from = 0): Promise<number> => {
  await store.write((session) => session.execute(fill, [from, from + rows]));
  await store.scrub();
  const bytes = statSync(path()).size;
  await deleteExpiredRecords(store, { owner: 'test', pause });
  return bytes;
};
/** Read independently of the program's code. */
const contents = () => {
  const database = new DatabaseSync(path(), { readOnly: true });
  try {
    expect(database.prepare('pragma integrity_check').all()).toEqual([{ integrity_check: 'ok' }]);
    return database.prepare('select * from idempotency_record order by record_key').all();
  } finally {
    database.close();
  }
};

test('after a deletion the file of a new store shrinks in steps, beside writes', async () => {
  const store = await open();
  const before = await fillAndDelete(store);
  let steps = 0;
  await store.shrink({
    async pause() {
      steps += 1;
      await store.write((session) => session.execute(addOne, [`new ${steps}`]));
    },
  });
  expect(steps).toBeGreaterThan(3);
  expect(statSync(path()).size).toBeLessThan(before / 2);
  expect(contents()).toHaveLength(rows / 4 + steps);
});

test('a step of a deletion leaves nothing in the log for the commit of a request to move', async () => {
  const store = await open();
  const add = (key: string, options?: TransactionOptions) =>
    store.write((session) => session.execute(addOne, [key]), options);
  const isInFile = (text: string) => readFileSync(path(), 'latin1').includes(text);
  await store.scrub();
  await add('first row');
  // Control.
  expect(isInFile('first row')).toBe(false);
  await add('second row', deletionStep);
  expect([isInFile('first row'), isInFile('second row')]).toEqual([true, true]);
});

test('some free pages stay for new rows, unless all are asked for', async () => {
  const store = await open();
  await fillAndDelete(store);
  await store.shrink({ pause });
  const withSpare = statSync(path()).size;
  await store.shrink({ pause, keepsSpare: false });
  expect(withSpare - statSync(path()).size).toBeGreaterThan(2 ** 20 / 2);
});

test('a process that stops ends after its step', async () => {
  const store = await open();
  const before = await fillAndDelete(store);
  let isStopped = false;
  const stop = async () => {
    isStopped = true;
  };
  await store.shrink({ pause: stop, isStopped: () => isStopped });
  expect(statSync(path()).size).toBeLessThan(before);
  expect(statSync(path()).size).toBeGreaterThan(before / 2);
});

test('a backup shrinks as its store does', async () => {
  await fillAndDelete(await open());
  const copyDir = join(folder.path, 'copy');
  mkdirSync(copyDir);
  await backUpSqlite(dataDir, join(copyDir, databaseName));
  dataDir = copyDir;
  await close();
  const before = statSync(path()).size;
  await (await open()).shrink({ pause });
  expect(statSync(path()).size).toBeLessThan(before / 2);
});
