/** A data folder that is deleted or replaced under an open store: no write succeeds into nowhere. */

import { cpSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { type Engine, statement } from '../../src/stores/sql/engine.ts';
import { SqliteEngine } from '../../src/stores/sqlite/engine.ts';
import { openParts, openSqlite } from '../../src/stores/sqlite/open.ts';
import { createTempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';

const create = statement('create', 'create table if not exists note (n integer primary key)');
const insert = statement('insert', 'insert into note (n) values ($1)');
const list = statement<{ readonly n: number }>('list', 'select n from note order by n');

const write = (engine: Engine, n: number) => engine.write((session) => session.execute(insert, [n]));
const read = async (engine: Engine) => (await engine.read((session) => session.query(list, []))).map(({ n }) => n);
const unavailable = { name: 'StoreUnavailable', message: expect.stringMatching(/is gone|is another file/) };

let parent: string;
let dataDir: string;
let engine: Engine;

/** What a server that starts now finds. */
async function reopened(): Promise<readonly number[]> {
  const fresh = openSqlite({ dataDir, exclusive: false });
  try {
    await fresh.write((session) => session.execute(create, []));
    return await read(fresh);
  } finally {
    await fresh.close();
  }
}

beforeEach(async () => {
  parent = createTempFolder();
  dataDir = join(parent, 'data');
  engine = openSqlite({ dataDir, exclusive: true });
  await engine.write((session) => session.execute(create, []));
  await write(engine, 1);
});
afterEach(async () => {
  await engine.close();
  rmSync(parent, { recursive: true });
});

const faults: Readonly<Record<string, () => void>> = {
  'the folder is deleted': () => rmSync(dataDir, { recursive: true }),
  'the folder is moved away': () => renameSync(dataDir, join(parent, 'moved')),
  'the database is replaced': () => {
    cpSync(join(dataDir, 'triglyph.db'), join(parent, 'copy'));
    for (const name of ['triglyph.db', 'triglyph.db-wal', 'triglyph.db-shm']) rmSync(join(dataDir, name));
    renameSync(join(parent, 'copy'), join(dataDir, 'triglyph.db'));
  },
};
const deleteLog = () => rmSync(join(dataDir, 'triglyph.db-wal'));

describe.each([...Object.entries(faults), ['the log is deleted', deleteLog]] as const)('%s', (_, apply) => {
  test('every later write is refused, and soon every read', async () => {
    apply();
    await expect(write(engine, 2)).rejects.toMatchObject(unavailable);
    await expect(write(engine, 3)).rejects.toMatchObject(unavailable);
    await until('reads are refused', () =>
      read(engine).then(
        () => false,
        () => true,
      ),
    );
    await expect(read(engine)).rejects.toMatchObject(unavailable);
  });
  test('between the begin and the answer: the outcome is unknown', async () => {
    const writing = engine.write(async (session) => {
      await session.execute(insert, [2]);
      apply();
    });
    await expect(writing).rejects.toMatchObject({ name: 'CommitUnknown' });
    await expect(write(engine, 3)).rejects.toMatchObject({ name: 'StoreUnavailable' });
  });
});

test.each(Object.entries(faults))(
  'control: without the check, %s and a write succeeds and is lost',
  async (_, apply) => {
    await engine.close();
    const unchecked = { check: () => {}, checkSometimes: () => {} };
    engine = new SqliteEngine({ ...openParts({ dataDir, exclusive: true }), files: unchecked });
    await write(engine, 2);
    apply();
    expect(await write(engine, 3)).toBe(1);
    expect(await reopened()).not.toContain(3);
  },
);

test('a folder that comes back is used again', async () => {
  renameSync(dataDir, join(parent, 'moved'));
  await expect(write(engine, 2)).rejects.toMatchObject(unavailable);
  renameSync(join(parent, 'moved'), dataDir);
  expect(await write(engine, 2)).toBe(1);
  expect(await reopened()).toEqual([1, 2]);
});
