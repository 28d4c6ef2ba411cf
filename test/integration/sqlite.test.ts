/** The store suite on SQLite, and what is SQLite's own: the folder, the lock, other processes, and what lies on the disk. */

import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { DetailReader, DetailRepository } from '../../src/payments/recurring/store/repository.ts';
import { type Engine, statement } from '../../src/stores/sql/engine.ts';
import { openSqlite } from '../../src/stores/sqlite/open.ts';
import { createStore } from '../../src/stores/store.ts';
import { openEmptySqlite, openMigratedSqlite, type TestDatabase } from '../support/databases.ts';
import { createRegistry } from '../support/services.ts';
import { createTempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';
import { anna, cardNumber, furnish, iban, pepper, sampleDetail } from './samples.ts';
import { describeStore } from './store.ts';

const temporary = () => createTempFolder();
const databases = new Map<Engine, TestDatabase>();
const remember = (database: TestDatabase): Engine => {
  databases.set(database.engine, database);
  return database.engine;
};

describeStore('store on SQLite', {
  open: async () => remember(await openMigratedSqlite()),
  openEmpty: async () => remember(openEmptySqlite()),
  dispose: async (engine) => {
    await databases.get(engine)!.close();
    databases.delete(engine);
  },
});

describe('the data folder', () => {
  let parent: string;
  let dataDir: string;
  const open: Engine[] = [];
  beforeEach(() => {
    parent = temporary();
    dataDir = join(parent, 'deep', 'data');
  });
  afterEach(async () => {
    for (const engine of open.splice(0)) await engine.close();
    rmSync(parent, { recursive: true });
  });
  const opened = (exclusive: boolean) => {
    const engine = openSqlite({ dataDir, exclusive });
    open.push(engine);
    return engine;
  };
  const mode = (...path: string[]) => (statSync(join(dataDir, ...path)).mode & 0o777).toString(8);
  const detailsOf = async (engine: Engine) =>
    (await createStore(engine).read((tx) => tx.repository(DetailReader).findShopper(anna)))?.details.length;
  const save = (engine: Engine, reference: string) =>
    createStore(engine).write(async (tx) => {
      await tx.repository(DetailRepository).saveShopper(anna, { createdAt: 1 });
      await tx.repository(DetailRepository).saveDetail(anna, sampleDetail(reference));
    });

  test('is its owner’s alone, and so is every file in it', async () => {
    await furnish(opened(true));
    expect(mode()).toBe('700');
    const files = readdirSync(dataDir).filter((name) => name.startsWith('triglyph.db'));
    expect(files.sort()).toEqual(['triglyph.db', 'triglyph.db-shm', 'triglyph.db-wal']);
    expect(files.map((name) => mode(name))).toEqual(['600', '600', '600']);
  });
  test('a second serving process is refused with the name of the first; a command is not', async () => {
    const first = opened(true);
    await furnish(first);
    expect(() => openSqlite({ dataDir, exclusive: true })).toThrow(new RegExp(`process ${process.pid} .* already`));
    const command = opened(false);
    await save(command, 'D1');
    expect(await detailsOf(first)).toBe(1);
    await first.close();
    expect(await detailsOf(opened(true))).toBe(1);
  });
  test('another process is refused as well, and the lock dies with its holder', async () => {
    const source = new URL('../../src/stores/sqlite/open.ts', import.meta.url).href;
    const script = (then: string) =>
      `const { openSqlite } = await import(${JSON.stringify(source)});
       openSqlite({ dataDir: ${JSON.stringify(dataDir)}, exclusive: true }); ${then}`;
    const serve = (then: string) =>
      execFileSync(process.execPath, ['--input-type=module', '-e', script(then)], { encoding: 'utf8', stdio: 'pipe' });
    expect(() => serve(`process.kill(process.pid, 'SIGKILL')`)).toThrow();
    const survivor = opened(true);
    expect(() => serve('')).toThrow(/serves from .* already/);
    await survivor.close();
    expect(serve(`process.stdout.write('open'); process.exit(0)`)).toBe('open');
  });
  test('two writers wait for each other without blocking the event loop', async () => {
    const first = opened(true);
    await furnish(first);
    const second = opened(false);
    let turns = 0;
    const ticking = setInterval(() => {
      turns += 1;
    }, 5);
    try {
      let waiting: Promise<void> | undefined;
      await first.write(async () => {
        waiting = save(second, 'D1');
        await until('turns of the event loop', () => turns > 10);
        expect(await detailsOf(first)).toBeUndefined();
      });
      await Promise.all([waiting, save(first, 'D2')]);
    } finally {
      clearInterval(ticking);
    }
    expect(await detailsOf(first)).toBe(2);
  });
  test('a full disk is StoreUnavailable, the tx leaves nothing, and the store goes on', async () => {
    const engine = opened(true);
    await furnish(engine);
    const pages = statement<{ readonly page_count: number }>('pages', 'pragma page_count');
    await engine.write(async (session) => {
      const [row] = await session.query(pages, []);
      await session.query(statement('limit', `pragma max_page_count = ${row!.page_count + 4}`), []);
    });
    const store = createStore(engine);
    const filling = store.write(async (tx) => {
      await tx.repository(DetailRepository).saveShopper(anna, { createdAt: 1 });
      for (let index = 0; index < 1_000; index += 1)
        await tx.repository(DetailRepository).saveDetail(anna, sampleDetail(`D${index}`));
    });
    await expect(filling).rejects.toMatchObject({ name: 'StoreUnavailable', message: expect.stringContaining('full') });
    expect(await detailsOf(engine)).toBeUndefined();
    await save(engine, 'D1');
    expect(await detailsOf(engine)).toBe(1);
  });
  test('every commit is flushed: write-ahead log, synchronous full, foreign keys on', async () => {
    const engine = opened(true);
    const read = (name: string) =>
      engine.write(
        async (session) => Object.values((await session.query(statement(name, `pragma ${name}`), []))[0]!)[0],
      );
    expect(await read('journal_mode')).toBe('wal');
    expect(await read('synchronous')).toBe(2);
    expect(await read('foreign_keys')).toBe(1);
  });
  test('the details of a shopper come from one index walk, without sorting', async () => {
    await furnish(opened(true));
    const { findShopper, findSame } = await import('../../src/payments/recurring/store/statements.ts');
    const database = new DatabaseSync(join(dataDir, 'triglyph.db'), { readOnly: true });
    for (const { text } of [findShopper, findSame]) {
      const parameters = Array.from(new Set(text.match(/\$\d/g)), String);
      const plan = database.prepare(`explain query plan ${text.replace(/\$(\d)/g, '?$1')}`).all(...parameters);
      // The count and the detail have one row each.
      const steps = plan.map(({ detail }) => String(detail)).filter((step) => !/^SCAN (n|d LEFT-JOIN)$/.test(step));
      expect(steps.join('\n')).toMatch(/stored_detail_active/);
      expect(steps.join('\n')).not.toMatch(/SCAN|TEMP B-TREE/);
    }
    database.close();
  });
  test('a page of a list of the balance platform comes from one index walk, without sorting', async () => {
    await furnish(opened(true));
    const { resourceKinds } = await import('../../src/payments/balance-platform/resources.ts');
    const database = new DatabaseSync(join(dataDir, 'triglyph.db'), { readOnly: true });
    const steps = resourceKinds.flatMap(({ statements: { list, listWithStatus, find, findOpen } }) =>
      [list, listWithStatus, find, findOpen].flatMap(({ name, text }) => {
        const parameters = [...text.matchAll(/\$\d/g)].map((_, at) => at);
        const plan = database.prepare(`explain query plan ${text.replace(/\$\d/g, '?')}`).all(...parameters);
        // The page itself has a hundred rows at most.
        const steps = plan.filter(({ detail }) => detail !== 'SCAN page');
        return steps.map(({ detail }) => `${name}: ${detail}`);
      }),
    );
    database.close();
    expect(steps.filter((step) => /SCAN|TEMP B-TREE|BLOOM/.test(step))).toEqual([]);
    const readRows = steps.filter((step) => /^list-.* SEARCH \w+ USING INDEX (?!sqlite_autoindex)/.test(step));
    // A status is not in the indexes of those who have no filter by it.
    expect(readRows.filter((step) => !/^list-\w+-with-status/.test(step))).toEqual([]);
    expect(readRows.filter((step) => step.includes('payment_instrument'))).toEqual([]);
    expect(steps.join('\n')).toMatch(/payment_instrument_by_status[\s\S]*payment_instrument_open/);
  });
  test('neither a card number nor an account nor a secret lies in any file, log included', async () => {
    const engine = opened(true);
    await furnish(engine);
    const registry = createRegistry(engine, pepper, { now: () => 1 });
    const wanted = { tenant: 'Demo', roles: ['recurring'], grants: { merchantAccount: ['DemoMerchant'] } } as const;
    const { secret } = await registry.addCredential({ ...wanted, kind: 'basic' });
    const key = await registry.addCredential({ ...wanted, kind: 'apiKey' });
    await save(engine, 'D1');
    // A plain copy, since closing a file of an open database would drop this process's locks on it.
    const copy = join(parent, 'copy');
    execFileSync('cp', ['-r', dataDir, copy]);
    const bytes = Buffer.concat(readdirSync(copy).map((name) => readFileSync(join(copy, name))));
    expect(statSync(join(copy, 'triglyph.db-wal')).size).toBeGreaterThan(0);
    for (const clear of ['anna', 'ws@Company.Demo', 'DemoMerchant']) expect(bytes.includes(clear)).toBe(true);
    for (const text of [cardNumber, iban, secret, key.secret]) {
      for (const shape of [
        text,
        Buffer.from(text).toString('base64').replace(/=+$/, '').slice(0, -1),
        Buffer.from(text).toString('hex'),
      ]) {
        expect(bytes.includes(shape)).toBe(false);
      }
    }
  });
});
