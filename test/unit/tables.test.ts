/** Compares the tables of a new store, and every statement of the program, with the declared tables. */
import { once } from 'node:events';
import { DatabaseSync } from 'node:sqlite';
import { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { mockResources } from '../../src/program/testing/mock/stored-resources.ts';
import type { Statement } from '../../src/stores/sql/engine.ts';
import type { Table } from '../../src/stores/table.ts';
import { owners, schemaTexts, tables } from '../support/migrated.ts';

/** They are about the database, or speak the SQL of one engine. */
const ofDatabase =
  /^(?:find-encoding|find-database-bytes|(?:create|add|take)-migration(?:-lock)?|find-migrations|record-migration|find-origin|find-last-migration)$/;

const database = new DatabaseSync(':memory:');
/** A store of the first builds, which had one list of migrations. The statement that recognizes it refers to no declared table. */
const early = new DatabaseSync(':memory:');
early.exec('create table migration (name text not null primary key)');
let created: readonly Pick<Statement, 'name' | 'text'>[];

beforeAll(async () => {
  for (const text of schemaTexts('sqlite', [...owners, { name: 'mock', tables: [mockResources] }])) database.exec(text);
  [created] = await once(new Worker(new URL('../support/list-statements.ts', import.meta.url)), 'message');
});
afterAll(() => {
  database.close();
  early.close();
});

/** What a statement refers to that no table declares; undefined for nothing. */
function faultOf({ name, text }: Pick<Statement, 'name' | 'text'>, store = database): string | undefined {
  try {
    store.prepare(
      text
        .replaceAll(/skip_locked\(\)|collate_bytes\(\)/g, '')
        .replaceAll(/\$(\d+)/g, '?$1')
        .replaceAll('now_ms()', '0'),
    );
    return undefined;
  } catch (thrown) {
    return `${name}: ${(thrown as Error).message}`;
  }
}

test('every statement refers to declared tables and columns only', () => {
  const statements = created.filter(({ name }) => !ofDatabase.test(name));
  expect(statements.length).toBeGreaterThan(200);
  const ofEarly = statements.filter(({ name }) => name === 'find-early-migrations');
  const faults = statements.map((each) => faultOf(each, ofEarly.includes(each) ? early : database));
  expect(faults.filter((fault) => fault !== undefined)).toEqual([]);
  // It fails in a store of this program, which is how the two are told apart.
  expect(ofEarly.map((each) => faultOf(each))).toEqual([expect.stringContaining('no such')]);
  // The control.
  expect(faultOf({ name: 'x', text: 'select forgotten from job where tenant = $1' })).toContain('no such column');
  expect(faultOf({ name: 'x', text: 'delete from forgotten' })).toContain('no such table');
});

test('no two statements have one name: PostgreSQL prepares a statement under it', () => {
  const texts = Map.groupBy(created, ({ name }) => name);
  const shared = [...texts].filter(([, each]) => new Set(each.map(({ text }) => text)).size > 1);
  expect(shared.map(([name]) => name)).toEqual([]);
});

test('a new store has the declared tables and columns, and no others', () => {
  const found = database
    .prepare(`select name from sqlite_schema where type = 'table' and name not like 'sqlite%' order by name`)
    .all();
  const declared = [...tables, mockResources];
  expect(found.map(({ name }) => name)).toEqual(declared.map(({ name }) => name).toSorted());
  for (const { name, columns } of declared) {
    const stored = database.prepare('select name from pragma_table_info(?)').all(name);
    expect(stored.map((column) => column.name)).toEqual(columns.map((column) => column.name));
  }
});

test('tables with data keys are rotated, and rows come after those that they reference', () => {
  const hasDataKey = ({ columns }: Table) => columns.some(({ name }) => name === 'data_key');
  expect(tables.filter(hasDataKey)).toEqual(tables.filter(({ sealedRecord }) => sealedRecord !== undefined));
  for (const [at, { references, parent }] of tables.entries())
    for (const other of [...references.map(({ table }) => table), ...(parent === undefined ? [] : [parent.table])])
      expect(tables.indexOf(other)).toBeLessThan(at);
});
