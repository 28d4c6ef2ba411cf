/** Walks the tables that the migrations create: MACs, key rotation and copies know each that they concern. */
import { expect, test } from '@jest/globals';
import { signedServiceTables } from '../../src/backend/services.ts';
import { signedStoreTables } from '../../src/backend/signed-store-tables.ts';
import { type Engine, statement } from '../../src/store/sql/engine.ts';
import { migrate } from '../../src/store/sql/migrate.ts';
import type { SignedTable } from '../../src/store/sql/signed-rows.ts';
import { tablesSignedAfter } from '../../src/store/sql/signed-tables.ts';
import { tables, tablesOfDatabase } from '../../src/store/sql/tables.ts';
import { openMemory } from '../../src/store/sqlite/memory.ts';

const findColumns = statement<{ readonly name: string; readonly column: string; readonly place: number }>(
  'columns-of-tables',
  `select t.name, c.name as "column", c.pk as place from sqlite_schema t join pragma_table_info(t.name) c
    where t.type = 'table' and t.name not like 'sqlite%' order by t.name, c.cid`,
);

const signed: readonly SignedTable[] = [...signedStoreTables, ...signedServiceTables];

interface FoundTable {
  readonly name: string;
  readonly columns: readonly string[];
  /** Of the primary key, in its order. */
  readonly key: readonly string[];
}

async function findTables(engine: Engine): Promise<readonly FoundTable[]> {
  const rows = await engine.read((session) => session.query(findColumns, []));
  return [...Map.groupBy(rows, ({ name }) => name)].map(([name, columns]) => ({
    name,
    columns: columns.map(({ column }) => column),
    key: columns
      .filter(({ place }) => place > 0)
      .toSorted((one, other) => one.place - other.place)
      .map(({ column }) => column),
  }));
}

/** What is missing in the declarations of a table, and what they name that it lacks. */
function faultsOf({ name, columns, key }: FoundTable): readonly string[] {
  const stored = tables.find((each) => each.name === name);
  const signedTable = signed.find((each) => each.name === name);
  const missing = (hasColumn: boolean, isDeclared: boolean, place: string) =>
    hasColumn === isDeclared ? [] : [`${name}: ${isDeclared ? 'wrongly' : 'not'} in ${place}`];
  const hasMac = columns.includes('row_mac');
  const needed = [...(signedTable?.key ?? []), ...(signedTable?.columns ?? [])];
  return [
    ...missing(!tablesOfDatabase.includes(name), stored !== undefined, '`tables` of a migration, so it is not copied'),
    ...missing(columns.includes('data_key'), stored?.sealedRecord !== undefined, '`sealedRecord`, for key rotation'),
    ...missing(hasMac, tablesSignedAfter(0).has(name), '`signed` of a migration'),
    ...missing(hasMac, signedTable !== undefined, 'the tables that verify-rows compares'),
    ...(stored === undefined || String(stored.key) === String(key) ? [] : [`${name}: its key is ${key}`]),
    ...needed.filter((column) => !columns.includes(column)).map((column) => `${name}: there is no ${column}`),
  ];
}

test('every table is declared where its columns need it', async () => {
  const engine = openMemory(Date.now);
  await migrate(engine);
  const found = await findTables(engine);
  expect(found.flatMap(faultsOf)).toEqual([]);
  const names = found.map(({ name }) => name);
  expect(signed.filter(({ name }) => !names.includes(name))).toEqual([]);
  // The control: what a migration would create that declares nothing.
  const create = statement(
    'forgotten',
    'create table forgotten (tenant text primary key, data_key text, row_mac text)',
  );
  await engine.write((session) => session.execute(create, []));
  expect((await findTables(engine)).flatMap(faultsOf)).toEqual([
    'forgotten: not in `tables` of a migration, so it is not copied',
    'forgotten: not in `sealedRecord`, for key rotation',
    'forgotten: not in `signed` of a migration',
    'forgotten: not in the tables that verify-rows compares',
  ]);
  await engine.close();
});
