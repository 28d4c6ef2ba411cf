/** Declares a table once. Its creation, row type, MACs, copies, key rotations, retention and erasure follow from it. */
import type { Vault } from '../core/vault/index.ts';
import type { MacFields, RowIntegrity } from './row-integrity.ts';
import type { Dialect, Row, Value } from './sql/engine.ts';

/** A column. `V`: its values in rows. */
export interface Column<V extends Value = Value> {
  readonly type: 'text' | 'bigint';
  readonly isNullable: boolean;
  readonly isTenant: boolean;
  readonly default?: number | undefined;
  /** The migration of its owner that adds it. */
  readonly since: number;
  /** Never set: it gives the compiler the type. */
  readonly value?: V;
}

/** The column of the owner of a row: a tenant, or a part of one. What is sealed in a row is bound to it. */
export type TenantColumn = Column<string> & { readonly isTenant: true };

/** Columns by their names in camel case. In SQL they have underscores. */
export type Columns = Readonly<Record<string, Column>>;

const text: Column<string> = { type: 'text', isNullable: false, isTenant: false, since: 1 };
const integer: Column<number> = { type: 'bigint', isNullable: false, isTenant: false, since: 1 };
const tenant: TenantColumn = { ...text, isTenant: true };

function nullable<V extends Value>(of: Column<V>): Column<V | null> {
  return { ...of, isNullable: true };
}

/** The types of columns. */
export const column = Object.freeze({
  /** The owner of the row; the first column of the key. */
  tenant,
  text,
  integer,
  /** Milliseconds since the epoch. */
  moment: integer,
  /** 1 or 0; 0 by default. */
  flag: { ...integer, default: 0 } as Column<0 | 1>,
  /** JSON as a text. */
  json: text,
  /** What rows with something sealed have: the id of the wrapping key, and the wrapped data key. */
  dataKey: { keyId: text, dataKey: text },
  /** The same where only some rows have it. */
  optionalDataKey: { keyId: nullable(text), dataKey: nullable(text) },
  nullable<V extends Value>(of: Column<V>): Column<V | null> {
    return nullable(of);
  },
  withDefault(of: Column<number>, value: number): Column<number> {
    return { ...of, default: value };
  },
  /** A column that a later migration adds. */
  since<V extends Value>(migration: number, of: Column<V>): Column<V> {
    if (!of.isNullable && of.default === undefined)
      throw new TypeError('a column that is added later is nullable, or has a default');
    return { ...of, since: migration };
  },
});

/** `shopperReference` is `shopper_reference` in SQL. */
export type SqlName<S extends string> = S extends `${infer First}${infer Rest}`
  ? `${Lowercase<First>}${Rest extends Uncapitalize<Rest> ? '' : '_'}${SqlName<Rest>}`
  : S;

/** The names of columns. */
export type ColumnName<C extends Columns> = keyof C & string;
/** The names of columns with a tenant. */
export type TenantName<C extends Columns> = {
  [K in ColumnName<C>]: C[K] extends TenantColumn ? K : never;
}[ColumnName<C>];
/** The names of columns with numbers. */
export type NumberName<C extends Columns> = {
  [K in ColumnName<C>]: C[K] extends Column<number | null> ? K : never;
}[ColumnName<C>];
/** A row with these columns, by their names in SQL. */
export type ColumnsRow<C extends Columns> = {
  readonly [K in ColumnName<C> as SqlName<K>]: C[K] extends Column<infer V> ? V : never;
};

/** A row of a table, by the names of its columns in SQL. */
export type RowOf<T extends Table> =
  T extends Table<infer C, infer S>
    ? ColumnsRow<C> & (S extends 'none' ? unknown : { readonly row_mac: string | null })
    : never;

/** What the MAC of a row covers. */
export type Signed<N extends string = string> =
  | 'none'
  /** All columns, except the data key: a rotation of keys changes it. */
  | 'allColumns'
  | { readonly columns: readonly N[] /** The rows that have a MAC, in SQL. */; readonly where?: string };

/** An index of a table. */
export interface Index<N extends string = string> {
  readonly on: readonly N[];
  /** A condition in SQL. */
  readonly where?: string;
  readonly unique?: true;
  /** The migration of its owner that adds it, where it comes after its columns. */
  readonly since?: number;
}

/** A foreign key. */
export interface Reference<N extends string> {
  /** They hold the key of the other table. */
  readonly columns: readonly N[];
  readonly table: Table;
  readonly onDelete?: 'cascade';
}

/** The rows of another table with which the rows of this one are erased. */
export interface Parent<N extends string = string> {
  readonly table: Table;
  /** The columns that both have; the key of the parent by default. */
  readonly by?: readonly N[];
  /** Rows of several parents may share a row of this table. It is erased with the last one. */
  readonly isShared?: true;
  /** How an erasure counts the rows; the name of the table by default. */
  readonly erasedAs?: string;
}

/** How long rows are stored. `M`: the names of columns with moments. */
export type KeptFor<M extends string = string> =
  | 'forever'
  /** Rows are deleted with those that they belong to, or reference. */
  | 'withParent'
  /** Names what deletes them. */
  | { readonly deletedBy: string }
  /** Retention deletes them, so many days after the moment in a column. Rows whose moment is null stay. */
  | ({
      readonly after: M;
      /** What is destroyed, as the audit log says it: `disabledDetail`. */
      readonly subject: string;
    } & ({ /** The setting with the days. */ readonly setting: string } | { readonly days: number }));

/** What of a row depends on the index key: its fingerprint, and what is computed with it. `R`: its rows. */
export interface Reindexing<R> {
  /** The column of the fingerprint, in SQL. */
  readonly fingerprint: keyof R & string;
  /** Under each index key, the current one first. Undefined where nothing is sealed. Throws where it does not open. */
  fingerprints(row: R, vault: Vault): readonly string[] | undefined;
  /** Whether rows are found by it, and have a MAC; all by default. */
  isFound?(row: R): boolean;
  /** The other column that the index key changes, and its value. The MAC of the row covers it. */
  readonly other?: { readonly column: keyof R & string; value(row: R, vault: Vault): string };
}

/** What a table declares. */
export interface TableParts<C extends Columns, S> {
  readonly columns: C;
  /** What the MACs of rows cover. A signed table has the column `row_mac`. */
  readonly signed: S;
  /** What the rows are erased with. */
  readonly belongsTo: Parent<ColumnName<C>> | 'none';
  readonly keptFor: KeptFor<NumberName<C>>;
  readonly unique?: readonly (readonly ColumnName<C>[])[];
  readonly references?: readonly Reference<ColumnName<C>>[];
  /** Indexes by the last part of their names. */
  readonly indexes?: Readonly<Record<string, Index<ColumnName<C>>>>;
  /** The rows that the migration adds, as values of the columns in their order. A copy replaces those of its target. */
  readonly rows?: readonly (readonly Value[])[];
  /** Statements that follow its creation, where the engines have no text in common. */
  readonly perEngine?: Readonly<Record<Dialect, readonly string[]>>;
  /** @internal */
  readonly reindexing?: Reindexing<ColumnsRow<C>>;
  /** Whether it is about the database itself, so that a copy leaves it out. */
  readonly isOfDatabase?: true;
  /** The migration of its owner that creates it. */
  readonly since?: number;
}

/** Rows of tenants have a key that begins with the tenant. Others name what shares them. */
export type TableKey<C extends Columns> =
  | { readonly key: readonly [TenantName<C>, ...ColumnName<C>[]]; readonly shared?: never }
  | { readonly key: readonly [ColumnName<C>, ...ColumnName<C>[]] /** Who shares the rows. */; readonly shared: string };

/** Rows with a data key name the record of their `SealScope`. Its tenant is the first column of the key, and `id` the second one. */
export type SealedRecord<C extends Columns> = C extends { readonly dataKey: Column }
  ? { readonly sealedRecord: (id: string) => string }
  : { readonly sealedRecord?: never };

/** A declared table. Names are those of SQL. */
export interface Table<C extends Columns = Columns, S extends Signed = Signed> {
  readonly name: string;
  /** @internal */
  readonly columns: readonly NamedColumn[];
  /** The names of all columns, for a statement that reads rows. */
  readonly columnList: string;
  /**
   * The primary key: the tenant, the id and others.
   * @internal
   */
  readonly key: readonly string[];
  /** @internal */
  readonly since: number;
  /** @internal */
  readonly unique: readonly (readonly string[])[];
  /** @internal */
  readonly references: readonly {
    readonly columns: readonly string[];
    readonly table: Table;
    readonly onDelete?: 'cascade' | undefined;
  }[];
  /** @internal */
  readonly indexes: readonly NamedIndex[];
  /** @internal */
  readonly rows: readonly (readonly Value[])[];
  /** @internal */
  readonly perEngine: Readonly<Record<Dialect, readonly string[]>>;
  /** @internal */
  readonly isOfDatabase: boolean;
  /** @internal */
  readonly sealedRecord: ((id: string) => string) | undefined;
  /** @internal */
  readonly mac: Mac | undefined;
  /** @internal */
  readonly parent: Belonging | undefined;
  /** @internal */
  readonly retention: Retention | undefined;
  /** @internal */
  readonly reindexing: Reindexing<Row> | undefined;
  /** Never set: they give the compiler the types. */
  readonly types?: readonly [C, S];
}

/** A column by its name in SQL. */
export interface NamedColumn extends Column {
  readonly name: string;
}

/** An index by its name in SQL. */
export interface NamedIndex {
  readonly name: string;
  readonly on: readonly string[];
  readonly where: string | undefined;
  readonly isUnique: boolean;
  readonly since: number;
}

/** What the rows of a table are erased with. */
export interface Belonging {
  readonly table: Table;
  readonly by: readonly string[];
  readonly isShared: boolean;
  readonly erasedAs: string | undefined;
}

/** What the MACs of a table cover. */
interface Mac {
  readonly columns: readonly NamedColumn[];
  /** The rows that have one, in SQL. */
  readonly where: string | undefined;
}

/** When the rows of a table are destroyed. */
export interface Retention {
  readonly after: string;
  readonly subject: string;
  /** Present where a setting has the days. */
  readonly setting?: string;
  readonly days?: number;
}

/** Throws TypeError for a declaration that contradicts itself. */
export function table<const C extends Columns, const S extends Signed<ColumnName<NoInfer<C>>>>(
  name: string,
  declared: TableParts<C, S> & NoInfer<TableKey<C>> & NoInfer<SealedRecord<C>>,
): Table<C, S> {
  const { signed, unique = [], references = [], rows = [], isOfDatabase = false, since = 1 } = declared;
  const named = Object.entries<Column>(declared.columns).map(([each, of]) => ({
    ...of,
    name: sqlName(each),
    since: Math.max(of.since, since),
  }));
  if (signed !== 'none') named.push({ ...column.nullable(text), name: 'row_mac', since });
  const key = declared.key.map(sqlName);
  const retention = retentionOf(declared.keptFor);
  const created: Table<C, S> = {
    ...{ name, key, since, rows, isOfDatabase },
    columns: named,
    columnList: named.map((each) => each.name).join(', '),
    unique: unique.map((each) => each.map(sqlName)),
    references: references.map((each) => ({ ...each, columns: each.columns.map(sqlName) })),
    indexes: indexesOf(name, named, declared.indexes ?? {}, retention),
    perEngine: declared.perEngine ?? { sqlite: [], postgres: [] },
    sealedRecord: declared.sealedRecord,
    mac: macOf(key, named, signed),
    parent: declared.belongsTo === 'none' ? undefined : parentOf(declared.belongsTo),
    retention,
    reindexing: declared.reindexing as Table['reindexing'],
  };
  check(created, declared.keptFor);
  return Object.freeze(created);
}

type Values = Readonly<Record<string, Value | undefined>>;

/**
 * The values that the MAC of a row covers. A column that was added later is covered where it has a value, so that rows from before
 * stay right. `found`: the columns by which a statement has found the row, and which it does not return.
 * @internal
 */
export function macFields({ name, mac }: Table, row: Values, found: Values = {}): MacFields {
  if (mac === undefined) throw new TypeError(`rows of ${name} have no MAC`);
  const fields: (Value | string)[] = [];
  for (const { name: column, since } of mac.columns) {
    const value = row[column] ?? found[column] ?? null;
    if (since === 1) fields.push(value);
    else if (value !== null) fields.push(column, value);
  }
  return fields;
}

/** Returns the MAC of a row; null where there are no keys. */
export function signRow(integrity: RowIntegrity | undefined, of: Table, row: Values, found?: Values): string | null {
  return integrity?.sign(of.name, macFields(of, row, found)) ?? null;
}

/**
 * Whether the MAC of a row is right. True where there are no keys.
 * @internal
 */
export function isRowRight(
  integrity: RowIntegrity | undefined,
  of: Table,
  row: Values & { readonly row_mac: string | null },
  found?: Values,
): boolean {
  return integrity?.isRight(of.name, macFields(of, row, found), row.row_mac) ?? true;
}

/** Returns the row. Throws `RowAltered`. */
export function verifyRow<R extends { readonly row_mac: string | null }>(
  integrity: RowIntegrity | undefined,
  of: Table,
  row: R & Values,
  found: Values = {},
): R {
  if (integrity === undefined) return row;
  const id = of.key[1] ?? of.key[0]!;
  integrity.verify(of.name, String(row[id] ?? found[id]), macFields(of, row, found), row.row_mac);
  return row;
}

/** `shopperReference` is `shopper_reference` in SQL. */
export function sqlName(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function retentionOf(keptFor: KeptFor): Retention | undefined {
  if (typeof keptFor === 'string' || 'deletedBy' in keptFor) return undefined;
  return { ...keptFor, after: sqlName(keptFor.after) };
}

function parentOf({ table: of, by, isShared, erasedAs }: Parent): Belonging {
  return { table: of, by: by?.map(sqlName) ?? of.key, isShared: isShared ?? false, erasedAs };
}

/** The key first. */
function macOf(key: readonly string[], columns: readonly NamedColumn[], signed: Signed): Mac | undefined {
  if (signed === 'none') return undefined;
  if (signed === 'allColumns') {
    const uncovered = ['row_mac', 'key_id', 'data_key'];
    return { columns: columns.filter(({ name }) => !uncovered.includes(name)), where: undefined };
  }
  const names = new Set([...key, ...signed.columns.map(sqlName)]);
  return { columns: [...names].map((name) => columns.find((each) => each.name === name)!), where: signed.where };
}

/** Those of the declaration, and one by which retention finds the oldest rows. */
function indexesOf(
  table: string,
  columns: readonly NamedColumn[],
  indexes: Readonly<Record<string, Index>>,
  retention: Retention | undefined,
): readonly NamedIndex[] {
  const sinceOf = (names: readonly string[]) =>
    Math.max(...columns.filter(({ name }) => names.includes(name)).map(({ since }) => since));
  const named = Object.entries<Index>(indexes).map(([name, { on, where, unique, since = 1 }]): NamedIndex => {
    const names = on.map(sqlName);
    return {
      name: `${table}_${sqlName(name)}`,
      on: names,
      where,
      isUnique: unique ?? false,
      since: Math.max(since, sinceOf(names)),
    };
  });
  if (retention === undefined) return named;
  const { after } = retention;
  const isNullable = columns.some(({ name, isNullable }) => name === after && isNullable);
  const where = isNullable ? `${after} is not null` : undefined;
  return [...named, { name: `${table}_by_age`, on: [after], where, isUnique: false, since: sinceOf([after]) }];
}

function check({ name, columns, parent, references }: Table, keptFor: KeptFor): void {
  const has = (column: string) => columns.some((each) => each.name === column);
  for (const column of parent?.by ?? [])
    if (!has(column)) throw new TypeError(`${name} belongs to ${parent?.table.name}, and has no ${column}`);
  for (const { columns: own, table: other } of references)
    if (own.length !== other.key.length) throw new TypeError(`${name} references a part of the key of ${other.name}`);
  if (keptFor === 'withParent' && parent === undefined && references.length === 0)
    throw new TypeError(`${name} belongs to no other table, and is kept with its parent`);
}
