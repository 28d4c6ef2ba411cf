/** A clock that is set while a store on SQLite is open: no key expires early. */

import { rmSync } from 'node:fs';
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import type { Engine } from '../../src/stores/sql/engine.ts';
import { deleteExpiredRecords } from '../../src/stores/sql/expired-records.ts';
import { SqliteEngine } from '../../src/stores/sqlite/engine.ts';
import { openParts } from '../../src/stores/sqlite/open.ts';
import { createStore } from '../../src/stores/store.ts';
import { migrate } from '../support/migrated.ts';
import { createTempFolder } from '../support/temp-folder.ts';

const day = 24 * 60 * 60 * 1_000;
const record = { requestHash: 'hash', operation: 'storeToken', requestReference: 'PSP0000000000001' };

let dataDir: string;
let engine: Engine;

beforeEach(() => {
  dataDir = createTempFolder();
});
afterEach(async () => {
  jest.restoreAllMocks();
  await engine.close();
  rmSync(dataDir, { recursive: true });
});

async function storeThenSetClock(): Promise<void> {
  await migrate(engine);
  await createStore(engine).write(async (tx) => {
    await tx.idempotencyRecords.reserve('key', record);
    await tx.idempotencyRecords.complete('key', 'outcome');
  });
  const { now } = Date;
  jest.spyOn(Date, 'now').mockImplementation(() => now() + 40 * day);
}

const find = () => createStore(engine).read((tx) => tx.idempotencyRecords.find('key'));

test('the clock is set 40 days ahead: the key is still known, and is not deleted', async () => {
  engine = new SqliteEngine(openParts({ dataDir, exclusive: true }));
  await storeThenSetClock();
  expect(await deleteExpiredRecords(engine, { owner: 'one' })).toMatchObject({ deleted: 0 });
  expect(await find()).toMatchObject({ outcome: 'outcome' });
});

test('control: by the clock of the machine it has expired', async () => {
  engine = new SqliteEngine(openParts({ dataDir, exclusive: true }, () => Date.now()));
  await storeThenSetClock();
  expect(await find()).toBeUndefined();
  expect(await deleteExpiredRecords(engine, { owner: 'one' })).toMatchObject({ deleted: 1 });
});
