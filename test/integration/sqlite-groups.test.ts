/** Groups of transactions on SQLite: one commit for all that wait, and nothing that one of them does harms another. */

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { type Engine, statement, type TransactionSession } from '../../src/stores/sql/engine.ts';
import { type Parts, SqliteEngine } from '../../src/stores/sqlite/engine.ts';
import { openParts } from '../../src/stores/sqlite/open.ts';
import { override } from '../support/override.ts';
import { createTempFolder } from '../support/temp-folder.ts';
import { hangMsMax, until } from '../support/until.ts';

const create = statement('create', 'create table note (n integer primary key check (n >= 0), text text)');
const insert = statement('insert', 'insert into note (n, text) values ($1, $2)');
const list = statement<{ readonly n: number }>('list', 'select n from note order by n');

const writeNote =
  (n: number, text = '') =>
  (session: TransactionSession) =>
    session.execute(insert, [n, text]);
const unavailable = { status: 'rejected', reason: { name: 'StoreUnavailable' } };
const unknown = { status: 'rejected', reason: { name: 'CommitUnknown' } };
const written = { status: 'fulfilled', value: 1 };

let dataDir: string;
let engine: Engine;
/** The commands that the writing connection ran. */
let commands: string[];
/** Replaces what the next command of this text does. */
const failures = new Map<string, () => void>();

/** An error as node:sqlite throws it. */
const sqliteError = (errcode: number) => () => {
  throw Object.assign(new Error('simulated'), { code: 'ERR_SQLITE_ERROR', errcode });
};
const fsyncFailed = sqliteError(1034);
const diskFull = sqliteError(13);

function openEngine(change: Partial<Parts> = {}): Engine {
  const parts = openParts({ dataDir, exclusive: true });
  const { writer } = parts;
  const run = (text: string) => {
    commands.push(text);
    const failure = failures.get(text);
    failures.delete(text);
    if (failure === undefined) writer.run(text);
    else {
      if (text === 'commit' && failure === fsyncFailed) writer.run('rollback');
      failure();
    }
  };
  return new SqliteEngine({ ...parts, writer: override(writer, { run }), ...change });
}

const read = async (from: Engine) => (await from.read((session) => session.query(list, []))).map(({ n }) => n);

/** What another connection sees: the committed rows. */
function committed(): number[] {
  const database = new DatabaseSync(join(dataDir, 'triglyph.db'), { readOnly: true });
  const rows = database.prepare('select n from note order by n').all();
  database.close();
  return rows.map(({ n }) => Number(n));
}

beforeEach(async () => {
  dataDir = createTempFolder();
  commands = [];
  failures.clear();
  engine = openEngine();
  await engine.write((session) => session.execute(create, []));
  commands.length = 0;
});
afterEach(async () => {
  await engine.close();
  rmSync(dataDir, { recursive: true, force: true });
});

const commits = () => commands.filter((text) => text === 'commit').length;

describe('one commit', () => {
  test('for all that wait; one that waits alone has its own', async () => {
    await Promise.all(Array.from({ length: 50 }, (_, n) => engine.write(writeNote(n))));
    expect(commits()).toBe(1);
    await engine.write(writeNote(50));
    expect(commits()).toBe(2);
    expect(committed()).toHaveLength(51);
  });
  test('no member resolves or rejects before it', async () => {
    const settled: string[] = [];
    const end = (name: string) => () => void settled.push(`${name} after ${commits()}`);
    const refused = engine.write(async () => {
      throw new Error('no');
    });
    await Promise.all([engine.write(writeNote(1)).then(end('1')), refused.catch(end('refused'))]);
    expect(settled.toSorted()).toEqual(['1 after 1', 'refused after 1']);
  });
  test('transactions that come while a group runs join it', async () => {
    const first = engine.write(async (session) => {
      await setTimeout(20);
      return writeNote(1)(session);
    });
    await setTimeout(5);
    await Promise.all([first, engine.write(writeNote(2))]);
    expect(commits()).toBe(1);
  });
  test('work without a time limit has a group of its own', async () => {
    const first = engine.write(writeNote(1));
    const alone = engine.write(writeNote(2), { noTimeout: true });
    await Promise.all([first, alone, engine.write(writeNote(3))]);
    expect(commits()).toBe(3);
  });
});

describe('a member that fails', () => {
  const writeAll = () =>
    Promise.allSettled([engine.write(writeNote(1)), engine.write(writeNote(-1)), engine.write(writeNote(2))]);

  test('is rolled back alone', async () => {
    expect(await writeAll()).toMatchObject([written, { status: 'rejected' }, written]);
    expect(commits()).toBe(1);
    expect(committed()).toEqual([1, 2]);
  });
  test('control: without its savepoint its half stays', async () => {
    failures.set('rollback to member', () => {});
    const half = engine.write(async (session) => {
      await writeNote(7)(session);
      throw new Error('no');
    });
    await Promise.allSettled([half, engine.write(writeNote(1))]);
    expect(committed()).toEqual([1, 7]);
  });
  test('and cannot be rolled back alone: the group is rolled back, and the others run again', async () => {
    failures.set('rollback to member', fsyncFailed);
    expect(await writeAll()).toMatchObject([written, { status: 'rejected' }, written]);
    expect(committed()).toEqual([1, 2]);
    expect(await engine.write(writeNote(3))).toBe(1);
  });
  /** Leaves space for four more pages. */
  const fillDisk = async () => {
    const pages = statement<{ readonly page_count: number }>('pages', 'pragma page_count');
    await engine.write(async (session) => {
      const [row] = await session.query(pages, []);
      await session.query(statement('limit', `pragma max_page_count = ${row!.page_count + 4}`), []);
    });
    commands.length = 0;
  };
  test('and fills the disk, which rolls the group back: the others run again', async () => {
    await fillDisk();
    const results = await Promise.allSettled([
      engine.write(writeNote(1)),
      engine.write(writeNote(2, 'x'.repeat(1 << 20))),
      engine.write(writeNote(3)),
    ]);
    expect(results).toMatchObject([written, unavailable, written]);
    expect(committed()).toEqual([1, 3]);
  });
});

test('work that ignores that its transaction was rolled back writes nothing', async () => {
  const ignoring = engine.write(async (session) => {
    await writeNote(1)(session);
    // What SQLite does by itself when the disk is full.
    await session.query(statement('rollback', 'rollback'), []);
    await writeNote(2)(session);
  });
  await expect(ignoring).rejects.toMatchObject(unavailable.reason);
  expect(committed()).toEqual([]);
  expect(await engine.write(writeNote(3))).toBe(1);
});

describe('a commit that fails', () => {
  const writeTwo = () => Promise.allSettled([engine.write(writeNote(1)), engine.write(writeNote(2))]);

  test('with nothing written: each member runs again alone', async () => {
    failures.set('commit', diskFull);
    expect(await writeTwo()).toMatchObject([written, written]);
    expect(commands.filter((text) => text === 'begin immediate')).toHaveLength(3);
    expect(committed()).toEqual([1, 2]);
  });
  test('a single member is told, with nothing done', async () => {
    failures.set('commit', diskFull);
    await expect(engine.write(writeNote(1))).rejects.toMatchObject(unavailable.reason);
    expect(committed()).toEqual([]);
    expect(await engine.write(writeNote(1))).toBe(1);
  });
  test('at its fsync: the outcome is unknown, and nothing is written until the store is opened again', async () => {
    const refused = engine.write(async () => {
      throw new Error('no');
    });
    const waiting = setImmediate().then(() => engine.write(writeNote(3)));
    failures.set('commit', fsyncFailed);
    expect(await Promise.allSettled([engine.write(writeNote(1)), refused])).toMatchObject([unknown, unavailable]);
    expect(await Promise.allSettled([waiting, engine.write(writeNote(4))])).toMatchObject([unavailable, unavailable]);
    expect(await read(engine)).toEqual([]);
    await engine.close();
    engine = openEngine();
    expect(await engine.write(writeNote(5))).toBe(1);
  });
});

describe('another process that keeps the write lock', () => {
  let other: DatabaseSync;
  beforeEach(async () => {
    await engine.close();
    engine = openEngine({ lockMsMax: 50 });
    other = new DatabaseSync(join(dataDir, 'triglyph.db'));
    other.exec('begin immediate');
  });
  afterEach(() => other.close());

  test('all transactions that wait are refused together', async () => {
    let settled = 0;
    const writes = Array.from({ length: 20 }, (_, n) =>
      engine.write(writeNote(n)).finally(() => {
        settled += 1;
      }),
    );
    const all = Promise.allSettled(writes);
    await Promise.race(writes).catch(() => {});
    await setImmediate();
    expect(settled).toBe(writes.length);
    expect(await all).toEqual(writes.map(() => expect.objectContaining({ status: 'rejected' })));
  });
  test('later ones are refused at once, until it lets go', async () => {
    await expect(engine.write(writeNote(1))).rejects.toMatchObject(unavailable.reason);
    commands.length = 0;
    await expect(engine.write(writeNote(1))).rejects.toMatchObject(unavailable.reason);
    expect(commands).toEqual(['begin immediate']);
    other.exec('commit');
    expect(await engine.write(writeNote(1))).toBe(1);
  });
  test('one that lets go in time harms nothing', async () => {
    await engine.close();
    engine = openEngine({ lockMsMax: hangMsMax });
    const writes = Promise.all([engine.write(writeNote(1)), engine.write(writeNote(2))]);
    await until('a transaction that waits', () => commands.filter((each) => each === 'begin immediate').length > 1);
    other.exec('rollback');
    expect(await writes).toEqual([1, 1]);
  });
});
