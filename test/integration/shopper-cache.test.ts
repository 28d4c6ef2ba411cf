/** Shoppers that were listed are remembered, and still no listing is ever older than the last commit. */

import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { ListedDetail, Shopper, ShopperKey } from '../../src/payments/recurring/details.ts';
import { DetailReader, DetailRepository } from '../../src/payments/recurring/store/repository.ts';
import { createShopperCache, ShopperCache } from '../../src/payments/recurring/store/shopper-cache.ts';
import { CommitUnknown } from '../../src/stores/errors.ts';
import type { Engine, Session } from '../../src/stores/sql/engine.ts';
import { openSqlite } from '../../src/stores/sqlite/open.ts';
import type { Store } from '../../src/stores/store.ts';
import { createStore } from '../../src/stores/store.ts';
import { createTempFolder } from '../support/temp-folder.ts';
import { anna, furnish, sampleDetail } from './samples.ts';

const bob: ShopperKey = { ...anna, shopperReference: 'bob' };
/** A store that caches shoppers. */
const cachingStore = (engine: Engine): Store => {
  const cache = createShopperCache(engine, 1_000_000);
  return createStore(engine, { shared: cache === undefined ? [] : [cache] });
};

/** The engine, and how often it was asked for a shopper outside of units. */
const counting = (engine: Engine, changed: Partial<Engine> = {}) => {
  const counted = { reads: 0 };
  const watched = (session: Session): Session => ({
    query: (statement, parameters) => {
      if (statement.name === 'list-shopper') counted.reads += 1;
      return session.query(statement, parameters);
    },
    execute: (statement, parameters) => session.execute(statement, parameters),
  });
  const counter: Engine = {
    dialect: engine.dialect,
    read: (work) => engine.read((session) => work(watched(session))),
    write: (work) => engine.write(work),
    foreignCommits: () => engine.foreignCommits!(),
    close: () => engine.close(),
    ...changed,
  };
  return { counter, counted };
};

describe('shoppers remembered over SQLite', () => {
  let dataDir: string;
  let engine: Engine;
  beforeEach(async () => {
    dataDir = createTempFolder();
    engine = openSqlite({ dataDir, exclusive: true });
    await furnish(engine);
  });
  afterEach(async () => {
    await engine.close();
    rmSync(dataDir, { recursive: true });
  });
  const save = (store: Store, reference: string, key = anna) =>
    store.write(async (tx) => {
      await tx.repository(DetailRepository).saveShopper(key, { createdAt: 1 });
      await tx.repository(DetailRepository).saveDetail(key, sampleDetail(reference));
    });
  const find = (store: Store, key = anna) => store.read((tx) => tx.repository(DetailReader).findShopper(key));
  const referencesOf = async (store: Store, key = anna) =>
    (await find(store, key))?.details.map(({ recurringDetailReference }) => recurringDetailReference);

  test('the database is asked once for a shopper, and every time for a stranger', async () => {
    const { counter, counted } = counting(engine);
    const store = cachingStore(counter);
    await save(store, 'D1');
    const first = await find(store);
    await nextTurn();
    expect(await find(store)).toBe(first);
    expect(counted.reads).toBe(1);
    expect(await find(store, bob)).toBeUndefined();
    expect(await find(store, bob)).toBeUndefined();
    expect(counted.reads).toBe(3);
  });
  test('nothing is remembered where it is not asked for, or where the engine cannot tell what others write', async () => {
    const { counter, counted } = counting(engine);
    const { foreignCommits: _without, ...shared } = counter;
    for (const store of [createStore(counter), cachingStore(shared)]) {
      await save(store, 'D1');
      counted.reads = 0;
      await find(store);
      await find(store);
      expect(counted.reads).toBe(2);
    }
  });
  test('whatever a tx of the store writes is seen as soon as it is committed', async () => {
    const store = cachingStore(engine);
    expect(await referencesOf(store)).toBeUndefined();
    await save(store, 'D1');
    expect(await referencesOf(store)).toEqual(['D1']);
    await save(store, 'D2');
    expect(await referencesOf(store)).toEqual(['D1', 'D2']);
    await store.write((tx) =>
      tx.repository(DetailRepository).saveShopper(anna, { createdAt: 2, email: 'anna@example.com' }),
    );
    expect((await find(store))?.email).toBe('anna@example.com');
    await store.write((tx) => tx.repository(DetailRepository).disableDetail(anna, 'D1', 2));
    expect(await referencesOf(store)).toEqual(['D2']);
  });
  test('a listing in the midst of a tx is not taken for what the tx left', async () => {
    const store = cachingStore(engine);
    await save(store, 'D1');
    await store.write(async (tx) => {
      await tx.repository(DetailRepository).saveDetail(anna, sampleDetail('D2'));
      expect(await referencesOf(store)).toEqual(['D1']);
    });
    expect(await referencesOf(store)).toEqual(['D1', 'D2']);
  });
  test('a tx that is given up changes nothing', async () => {
    const store = cachingStore(engine);
    await save(store, 'D1');
    expect(await referencesOf(store)).toEqual(['D1']);
    const givenUp = store.write(async (tx) => {
      await tx.repository(DetailRepository).saveDetail(anna, sampleDetail('D2'));
      throw new Error('given up');
    });
    await expect(givenUp).rejects.toThrow('given up');
    expect(await referencesOf(store)).toEqual(['D1']);
  });
  test('a commit with an unknown result is read again', async () => {
    const { counter } = counting(engine, {
      write: async (work) => {
        await engine.write(work);
        throw new CommitUnknown('the connection broke');
      },
    });
    await save(createStore(engine), 'D1');
    const store = cachingStore(counter);
    expect(await referencesOf(store)).toEqual(['D1']);
    await expect(save(store, 'D2')).rejects.toThrow(CommitUnknown);
    expect(await referencesOf(store)).toEqual(['D1', 'D2']);
  });
  test('what another process writes is seen in the next turn of the event loop', async () => {
    const { counter, counted } = counting(engine);
    const store = cachingStore(counter);
    await save(store, 'D1');
    await find(store);
    const command = openSqlite({ dataDir, exclusive: false });
    try {
      await save(createStore(command), 'D2');
      await nextTurn();
      expect(await referencesOf(store)).toEqual(['D1', 'D2']);
    } finally {
      await command.close();
    }
    // The command's commits are noticed once, and what was read after them is remembered again.
    await nextTurn();
    counted.reads = 0;
    await find(store);
    await nextTurn();
    await find(store);
    expect(counted.reads).toBeLessThanOrEqual(1);
  });
  test('so is what a process of its own writes, and commits of the server itself do not pass for others', async () => {
    const { counter, counted } = counting(engine);
    const store = cachingStore(counter);
    await save(store, 'D1');
    await find(store);
    const source = (path: string) => JSON.stringify(new URL(`../../src/${path}`, import.meta.url).href);
    execFileSync(process.execPath, [
      '--disable-warning=ExperimentalWarning',
      '--input-type=module',
      '--eval',
      `import { openSqlite } from ${source('stores/sqlite/open.ts')};
       import { createStore } from ${source('stores/store.ts')};
       import { DetailRepository } from ${source('payments/recurring/store/repository.ts')};
       const engine = openSqlite({ dataDir: ${JSON.stringify(dataDir)}, exclusive: false });
       await createStore(engine).write((tx) => tx.repository(DetailRepository).disableDetail(${JSON.stringify(anna)}, 'D1', 2));
       await engine.close();`,
    ]);
    await nextTurn();
    expect(await referencesOf(store)).toEqual([]);
    await save(store, 'B1', bob);
    counted.reads = 0;
    await nextTurn();
    await find(store);
    expect(counted.reads).toBe(0);
  });
});

describe('the memory of shoppers', () => {
  const shopper = (size: number): Shopper<ListedDetail> => ({
    createdAt: 1,
    details: [{ ...sampleDetail('D1', { publicData: { name: 'x'.repeat(size) } as ListedDetail['publicData'] }) }],
  });
  const numbered = (number: number): ShopperKey => ({ ...anna, shopperReference: `shopper-${number}` });
  /** A find that reports whether it read from the store. */
  const findIn = async (remembered: ShopperCache, key: ShopperKey, size = 10) => {
    let read = false;
    await remembered.find(key, async () => {
      read = true;
      return shopper(size);
    });
    return read ? 'read' : 'remembered';
  };

  test.each<[string, (remembered: ShopperCache, others: { commits: number }) => unknown]>([
    ['its own unit', (remembered) => remembered.forget([anna])],
    [
      'another process',
      async (remembered, others) => {
        others.commits += 1;
        await nextTurn();
        await findIn(remembered, bob);
      },
    ],
  ])('a read that began before a commit of %s is not remembered after it', async (_, commit) => {
    const others = { commits: 0 };
    const remembered = new ShopperCache(1_000_000, () => others.commits);
    const before = shopper(1);
    let answer: (found: typeof before) => void = () => {};
    const reading = remembered.find(anna, () => new Promise((resolve) => (answer = resolve)));
    await commit(remembered, others);
    answer(before);
    expect(await reading).toBe(before);
    expect(await findIn(remembered, anna)).toBe('read');
    // Control: without a commit in between it is.
    expect(await findIn(remembered, anna)).toBe('remembered');
  });
  test('evicts the oldest entries where not all fit', async () => {
    const remembered = new ShopperCache(20_000, () => 0);
    for (let number = 0; number < 50; number += 1) await findIn(remembered, numbered(number), 1_000);
    const known = [];
    for (let number = 49; number >= 0; number -= 1)
      if ((await findIn(remembered, numbered(number), 1_000)) === 'remembered') known.push(number);
      else break;
    expect(known.length).toBeGreaterThan(3);
    expect(known.length).toBeLessThan(20);
    expect(await findIn(remembered, numbered(0), 1_000)).toBe('read');
  });
  test('an entry larger than the whole cache is not stored, and takes no space', async () => {
    const others = { commits: 0 };
    const remembered = new ShopperCache(20_000, () => others.commits);
    expect(await findIn(remembered, anna, 30_000)).toBe('read');
    expect(await findIn(remembered, anna, 30_000)).toBe('read');
    for (let again = 0; again < 10; again += 1) {
      await findIn(remembered, bob, 10_000);
      remembered.forget([bob]);
      await findIn(remembered, bob, 10_000);
      others.commits += 1;
      await nextTurn();
    }
    expect(await findIn(remembered, bob, 10_000)).toBe('read');
    expect(await findIn(remembered, bob, 10_000)).toBe('remembered');
  });
  test('what is handed out cannot be changed, however deep', async () => {
    const remembered = new ShopperCache(1_000_000, () => 0);
    const found = await remembered.find(anna, async () => shopper(1));
    const parts: unknown[] = [found];
    for (const part of parts) {
      if (typeof part !== 'object' || part === null) continue;
      expect(Object.isFrozen(part)).toBe(true);
      parts.push(...Object.values(part));
    }
    expect(parts.length).toBeGreaterThan(10);
  });
  test('names that read alike in one line are two shoppers', async () => {
    const remembered = new ShopperCache(1_000_000, () => 0);
    expect(await findIn(remembered, { company: 'ab', merchantAccount: 'c', shopperReference: 'd' })).toBe('read');
    expect(await findIn(remembered, { company: 'a', merchantAccount: 'bc', shopperReference: 'd' })).toBe('read');
    expect(await findIn(remembered, { company: 'ab', merchantAccount: '', shopperReference: 'cd' })).toBe('read');
  });
});
