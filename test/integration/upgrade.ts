/** For every engine: upgrades of a store with rows: one that adds a column, one that fills it, and one that fails half way. */
import { hash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { RowIntegrity } from '../../src/stores/row-integrity.ts';
import type { TableOwner } from '../../src/stores/sql/create-tables.ts';
import { type Engine, type Row, statement } from '../../src/stores/sql/engine.ts';
import { compareSchema } from '../../src/stores/sql/migrate.ts';
import { findWrongRows } from '../../src/stores/sql/signed-rows.ts';
import { column, signRow, type Table, table, verifyRow } from '../../src/stores/table.ts';
import { firstMigrations, migrate, owners } from '../support/migrated.ts';
import type { EngineFactory } from './store.ts';

const { tenant, text, moment, nullable, withDefault, integer, since } = column;

const stated = { key: ['tenant', 'number'], belongsTo: 'none', keptFor: 'forever', signed: 'allColumns' } as const;
const columns = { tenant, number: text, placedAt: moment };
/** The same table in the first release, and in the next ones. */
const first = table('parcel', { ...stated, columns });
const second = table('parcel', {
  ...stated,
  columns: { ...columns, label: since(2, nullable(text)), weight: since(2, withDefault(integer, 0)) },
  signed: { columns: ['placedAt', 'label'] },
  indexes: { label: { on: ['tenant', 'label'], unique: true } },
});
const fill = `update parcel set label = number || '-' || placed_at`;
const added = table('parcel_note', {
  columns: { tenant, number: text, note: text },
  key: ['tenant', 'number'],
  signed: 'none',
  belongsTo: { table: second },
  keptFor: 'withParent',
  references: [{ columns: ['tenant', 'number'], table: second }],
  since: 3,
});

const ownerOf = (tables: readonly Table[], upgrades: TableOwner['upgrades'] = {}) => [
  ...owners,
  { name: 'parcels', tables, upgrades },
];

export function describeUpgrade({ openEmpty, dispose }: EngineFactory): void {
  describe('an upgrade of a store with rows', () => {
    let engine: Engine;
    const integrity = new RowIntegrity();
    integrity.use({ inner: '44'.repeat(32), outer: '55'.repeat(32) });
    const query = (sql: string) =>
      engine.read((session) => session.query(statement<Row>(`test-${hash('sha256', sql)}`.slice(0, 40), sql), []));
    const select = 'select tenant, number, placed_at, label, weight, row_mac from parcel order by number';

    beforeEach(async () => {
      engine = await openEmpty();
      await migrate(engine, ownerOf([first]));
      const add = statement('test-add-parcel', 'insert into parcel values ($1, $2, $3, $4)');
      for (const number of ['1', '2']) {
        const row = { tenant: 'Demo', number, placed_at: 7 };
        const mac = signRow(integrity, first, row);
        await engine.write((session) => session.execute(add, [...Object.values(row), mac]));
      }
    });
    afterEach(() => dispose(engine));

    test('adds a column, and the MACs of rows stay right', async () => {
      const next = ownerOf([second]);
      await expect(compareSchema(engine, next)).rejects.toThrow(
        'the database is at migration 1 of parcels and this program needs 2',
      );
      expect(await migrate(engine, next)).toEqual(['parcels 2']);
      await compareSchema(engine, next);
      const rows = await query(select);
      expect(rows.map(({ label, weight }) => [label, weight])).toEqual([
        [null, 0],
        [null, 0],
      ]);
      for (const row of rows) verifyRow(integrity, second, { ...row, row_mac: String(row.row_mac) });
      expect(await findWrongRows({ engine, integrity, tables: [second] })).toMatchObject({ rows: 2, wrong: [] });
      // The new column is covered where it has a value.
      const label = statement('test-label', `update parcel set label = 'forged' where number = '1'`);
      await engine.write((session) => session.execute(label, []));
      expect((await findWrongRows({ engine, integrity, tables: [second] })).wrong).toMatchObject([{ id: '1' }]);
      await expect(migrate(engine, ownerOf([first]))).rejects.toThrow(/start the newer program/);
    });

    test('fills a column before the index on it is made', async () => {
      expect(await migrate(engine, ownerOf([second], { 2: [fill] }))).toEqual(['parcels 2']);
      expect((await query(select)).map(({ label }) => label)).toEqual(['1-7', '2-7']);
      // The next release adds a table, and an edited fill is refused.
      const third = ownerOf([second, added], { 2: [fill] });
      expect(await migrate(engine, third)).toEqual(['parcels 3']);
      expect(await query('select * from parcel_note')).toEqual([]);
      await expect(migrate(engine, ownerOf([second, added], { 2: [`${fill} `] }))).rejects.toThrow(
        'migration 2 of parcels differs from that of this program',
      );
    });

    test('that fails half way leaves the store as it was, and runs when it is mended', async () => {
      // All labels are equal, so that the unique index cannot be made after the column was added and filled.
      const half = ownerOf([second, added], { 2: [`update parcel set label = 'same'`] });
      await expect(migrate(engine, half)).rejects.toThrow();
      await expect(query(select)).rejects.toThrow();
      expect(await query('select number, placed_at from parcel order by number')).toEqual([
        { number: '1', placed_at: 7 },
        { number: '2', placed_at: 7 },
      ]);
      await compareSchema(engine, ownerOf([first]));
      expect(await migrate(engine, ownerOf([second, added], { 2: [fill] }))).toEqual(['parcels 2', 'parcels 3']);
    });

    test('makes the same tables as a new store has', async () => {
      const next = ownerOf([second, added], { 2: [fill] });
      await migrate(engine, next);
      const fresh = await openEmpty();
      expect(await migrate(fresh, next)).toEqual([...firstMigrations, 'parcels 1', 'parcels 2', 'parcels 3']);
      for (const each of [second, added]) {
        const all = `select ${each.columnList} from ${each.name} where 1 = 0`;
        expect(await fresh.read((session) => session.query(statement(`test-all-${each.name}`, all), []))).toEqual([]);
      }
      await dispose(fresh);
    });
  });
}
