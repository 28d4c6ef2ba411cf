/** Tests stores in memory: their image has what the migrations create, and they share nothing. */
import { expect, test } from '@jest/globals';
import { type Engine, statement } from '../../src/store/sql/engine.ts';
import { migrate } from '../../src/store/sql/migrate.ts';
import { migrations } from '../../src/store/sql/migrations/index.ts';
import { openMemory, openMigratedMemory } from '../../src/store/sqlite/memory.ts';

const now = () => 1_700_000_000_000;
const findSchema = statement('find-schema', 'select type, name, tbl_name, sql from sqlite_schema order by type, name');
const findMigrations = statement('find-names', 'select number, name, checksum from migration order by number');
const findAccounts = statement('find-accounts', 'select code from merchant_account');
const addAccount = statement('add-account', `insert into merchant_account values ('Acme', 'Shop', 1)`);
const ask = (engine: Engine, text: typeof findSchema) => engine.read((session) => session.query(text, []));

test('the image has the tables, indices and records of the migrations', async () => {
  const migrated = openMemory(now);
  expect(await migrate(migrated)).toHaveLength(migrations.length);
  const loaded = await openMigratedMemory(now);
  expect(await migrate(loaded)).toEqual([]);
  for (const text of [findSchema, findMigrations]) expect(await ask(loaded, text)).toEqual(await ask(migrated, text));
  expect(await ask(loaded, findSchema)).not.toHaveLength(0);
  await Promise.all([migrated.close(), loaded.close()]);
});

test('two stores with one image do not see the rows of each other', async () => {
  const [one, other] = [await openMigratedMemory(now), await openMigratedMemory(now)];
  await one.write((session) => session.execute(addAccount, []));
  expect(await ask(one, findAccounts)).toEqual([{ code: 'Shop' }]);
  expect(await ask(other, findAccounts)).toEqual([]);
  const later = await openMigratedMemory(now);
  expect(await ask(later, findAccounts)).toEqual([]);
  await Promise.all([one.close(), other.close(), later.close()]);
});
