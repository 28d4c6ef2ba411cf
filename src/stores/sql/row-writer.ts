/** Writes whole rows, by the declaration of their table. */
import type { RowIntegrity } from '../row-integrity.ts';
import { type Column, type ColumnName, type Columns, type Signed, signRow, sqlName, type Table } from '../table.ts';
import { type Session, statement, type Value } from './engine.ts';

type ValueOf<C> = C extends Column<infer V> ? V : never;

/** A row by the names of its declared columns. What is nullable may be absent. */
type RowFields<C extends Columns> = {
  readonly [K in ColumnName<C> as null extends ValueOf<C[K]> ? never : K]: ValueOf<C[K]>;
} & {
  readonly [K in ColumnName<C> as null extends ValueOf<C[K]> ? K : never]?: ValueOf<C[K]> | undefined;
};

/** `integrity`: for a table whose rows have MACs. */
type WriteRow<C extends Columns, S extends Signed> = (
  session: Pick<Session, 'execute'>,
  fields: RowFields<C>,
  ...integrity: S extends 'none' ? [] : [RowIntegrity | undefined]
) => Promise<void>;

/** Returns a function that adds a row, with its MAC where rows have one. `name`: of the statement. */
export function prepareInsert<C extends Columns, S extends Signed>(name: string, table: Table<C, S>): WriteRow<C, S> {
  return prepareWrite(name, table, '');
}

/** Returns the same for a row that takes the place of one with its key. */
export function prepareUpsert<C extends Columns, S extends Signed>(name: string, table: Table<C, S>): WriteRow<C, S> {
  const { key, columns } = table;
  const others = columns.filter((each) => !key.includes(each.name));
  const replaced = others.map((each) => `${each.name} = excluded.${each.name}`).join(', ');
  return prepareWrite(name, table, ` on conflict (${key.join(', ')}) do update set ${replaced}`);
}

function prepareWrite<C extends Columns, S extends Signed>(
  name: string,
  table: Table<C, S>,
  onConflict: string,
): WriteRow<C, S> {
  const values = table.columns.map((_, at) => `$${at + 1}`).join(', ');
  const write = statement(name, `insert into ${table.name} (${table.columnList}) values (${values})${onConflict}`);
  return async (session, fields, ...[integrity]) => {
    const row: Record<string, Value> = {};
    for (const [field, value] of Object.entries<Value | undefined>(fields)) row[sqlName(field)] = value ?? null;
    if (table.mac !== undefined) row.row_mac = signRow(integrity, table, row);
    await session.execute(
      write,
      table.columns.map((column) => row[column.name] ?? null),
    );
  };
}
