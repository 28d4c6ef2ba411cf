/** The statements that create the tables of an owner, or add to them, as its declarations say. */
import type { NamedColumn, NamedIndex, Table } from '../table.ts';
import type { Dialect } from './engine.ts';

/** Who brings tables: the engine, or a service. Tables come after those that they reference. */
export interface TableOwner {
  readonly name: string;
  readonly tables: readonly Table[];
  /**
   * By the number of a migration: statements that no declaration expresses, such as one that fills a new column. They run after the
   * tables and columns of that migration are there, and before its indexes. Never edited once they were applied.
   */
  readonly upgrades?: Readonly<Record<number, readonly string[]>>;
}

/** The number of the last migration of the owner: the highest `since`. */
export function lastMigration({ tables, upgrades = {} }: TableOwner): number {
  const parts = tables.flatMap(({ since, columns, indexes }) => [{ since }, ...columns, ...indexes]);
  return Math.max(0, ...parts.map(({ since }) => since), ...Object.keys(upgrades).map(Number));
}

/** The statements of one migration. */
export function migrationStatements(
  { tables, upgrades = {} }: TableOwner,
  number: number,
  dialect: Dialect,
): readonly string[] {
  const created = tables.filter(({ since }) => since === number);
  return [
    ...tables.flatMap((table) => (table.since === number ? [createText(table, number)] : addedTexts(table, number))),
    ...created.flatMap(rowTexts),
    ...(upgrades[number] ?? []),
    ...tables.flatMap((table) =>
      table.indexes.filter(({ since }) => since === number).map((index) => indexText(table, index)),
    ),
    ...created.flatMap(({ perEngine }) => perEngine[dialect]),
  ];
}

/** The statement that creates a table with the columns that it had at first. */
function createText({ name, columns, key, unique, references }: Table, number: number): string {
  const parts = [
    ...columns.filter(({ since }) => since === number).map(columnText),
    `primary key (${key.join(', ')})`,
    ...unique.map((each) => `unique (${each.join(', ')})`),
    ...references.map(
      ({ columns: own, table, onDelete }) =>
        `foreign key (${own.join(', ')}) references ${table.name} (${table.key.join(', ')})${
          onDelete === undefined ? '' : ` on delete ${onDelete}`
        }`,
    ),
  ];
  return `create table ${name} (\n  ${parts.join(',\n  ')}\n)`;
}

function addedTexts({ name, columns, since }: Table, number: number): readonly string[] {
  if (since > number) return [];
  return columns
    .filter((column) => column.since === number)
    .map((column) => `alter table ${name} add column ${columnText(column)}`);
}

function columnText({ name, type, isNullable, default: value }: NamedColumn): string {
  return `${name} ${type}${isNullable ? '' : ' not null'}${value === undefined ? '' : ` default ${value}`}`;
}

function rowTexts({ name, columnList, rows }: Table): readonly string[] {
  return rows.map((row) => `insert into ${name} (${columnList}) values (${row.map(literal).join(', ')})`);
}

function literal(value: string | number | null): string {
  if (value === null) return 'null';
  return typeof value === 'number' ? String(value) : `'${value.replaceAll("'", "''")}'`;
}

function indexText({ name: table }: Table, { name, on, where, isUnique }: NamedIndex): string {
  const condition = where === undefined ? '' : ` where ${where}`;
  return `create ${isUnique ? 'unique ' : ''}index ${name} on ${table} (${on.join(', ')})${condition}`;
}
