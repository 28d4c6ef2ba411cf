/** Rewraps data keys under the current wrapping key while servers run; an interrupted rotation resumes by itself. */
import { setTimeout } from 'node:timers/promises';
import type { SealScope, Wrapping } from '../../vault/ports.ts';
import type { Table } from '../table.ts';
import { type Engine, type Statement, statement } from './engine.ts';

/** The number of records by the id of their wrapping key; includes disabled details. */
export type KeyCounts = ReadonlyMap<string, number>;

export interface RotationWatch {
  /** `total`: records under another key than the current one. */
  begun(total: number): void;
  /** `done`: rows of the total. It exceeds the total where servers still seal with an old key. */
  moved(done: number): void;
}

export interface Rotated {
  readonly moved: number;
  /** Records whose data key cannot be unwrapped. They stay unchanged; only the first ten are named. */
  readonly broken: { readonly first: readonly SealScope[]; readonly rows: number };
  /** Counted at the end. */
  readonly counts: KeyCounts;
}

export interface KeyRotation {
  readonly wrapping: Wrapping;
  count(): Promise<KeyCounts>;
  /** Skips records whose wrapping key is not in the ring. Throws `StoreUnavailable`; records moved before stay moved. */
  rotate(watch: RotationWatch): Promise<Rotated>;
}

type WrappedRow = {
  readonly tenant: string;
  readonly record_key: string;
  readonly key_id: string;
  readonly data_key: string;
};

/** Rows of one read. */
const rowsPerPage = 1_000;
/** Rows of one transaction: few enough that servers hardly wait, enough to share the cost of an fsync. */
const rowsPerTransaction = 100;
const pauseMsMax = 1_000;
/** Servers without the new key still seal with the old one. After so many passes their records wait for the next run. */
const passesMax = 5;
const brokenNamedMax = 10;

type Statements = ReturnType<typeof statementsOf>;

/** A table with data keys. */
interface SealedTable {
  readonly record: (id: string) => string;
  readonly statements: Statements;
}

interface Move {
  readonly row: WrappedRow;
  /** Under the current key. */
  readonly dataKey: string;
}

/** The number of records under other keys than the current one. */
export function rowsLeft(counts: KeyCounts, current: string): number {
  return [...counts].reduce((sum, [keyId, rows]) => (keyId === current ? sum : sum + rows), 0);
}

export function createKeyRotation(engine: Engine, wrapping: Wrapping, tables: readonly Table[]): KeyRotation {
  const sealedTables = sealedTablesOf(tables);
  return Object.freeze<KeyRotation>({
    wrapping,
    count: () => countKeys(engine, sealedTables),
    async rotate(watch) {
      let counts = await countKeys(engine, sealedTables);
      let moved = 0;
      let broken: readonly SealScope[] = [];
      watch.begun(rowsLeft(counts, wrapping.current));
      for (let passes = 0; passes < passesMax && rowsLeft(counts, wrapping.current) > 0; passes += 1) {
        const before = moved;
        broken = await rotateOnce(engine, sealedTables, wrapping, (rows) => {
          moved += rows;
          watch.moved(moved);
        });
        counts = await countKeys(engine, sealedTables);
        if (moved === before) break;
      }
      return { moved, broken: { first: broken.slice(0, brokenNamedMax), rows: broken.length }, counts };
    },
  });
}

/**
 * Reads all records in the order of the primary key, not only those under old keys. An index for these would slow down each
 * storeToken, and save a few seconds once a year.
 */
function statementsOf({ name, key: [tenant = '', id = ''] }: Table) {
  const page = (condition: string) =>
    `select ${tenant} as tenant, ${id} as record_key, key_id, data_key from ${name}
      where data_key is not null ${condition} order by ${tenant}, ${id} limit ${rowsPerPage}`;
  return Object.freeze({
    first: statement<WrappedRow>(`first-keys-of-${name}`, page('')),
    next: statement<WrappedRow>(`next-keys-of-${name}`, page(`and (${tenant}, ${id}) > ($1, $2)`)),
    move: createMoveStatements(name, tenant, id),
  });
}

/**
 * One statement for all rows of a transaction, since a round trip for each row would take most of the time. Writes no row
 * where the record was sealed or moved meanwhile: no two wrappings of a data key have the same text.
 */
function createMoveStatements(name: string, tenant: string, key: string): (rows: number) => Statement {
  const statements = new Map<number, Statement>();
  return (rows) => {
    const known = statements.get(rows);
    if (known !== undefined) return known;
    const values = Array.from(
      { length: rows },
      (_, row) => `(${[2, 3, 4, 5].map((n) => `$${4 * row + n}`).join(', ')})`,
    );
    const created = statement(
      `move-${rows}-keys-of-${name}`,
      `update ${name} set key_id = $1, data_key = v.column4 from (values ${values.join(', ')}) as v
        where ${name}.${tenant} = v.column1 and ${name}.${key} = v.column2 and ${name}.data_key = v.column3`,
    );
    statements.set(rows, created);
    return created;
  };
}

function sealedTablesOf(tables: readonly Table[]): readonly SealedTable[] {
  return tables.flatMap((table) =>
    table.sealedRecord === undefined ? [] : [{ record: table.sealedRecord, statements: statementsOf(table) }],
  );
}

async function countKeys(engine: Engine, tables: readonly SealedTable[]): Promise<KeyCounts> {
  const counts = new Map<string, number>();
  for (const { statements } of tables)
    for await (const rows of pagesOf(engine, statements))
      for (const { key_id } of rows) counts.set(key_id, (counts.get(key_id) ?? 0) + 1);
  return counts;
}

async function* pagesOf(engine: Engine, { first, next }: Statements): AsyncGenerator<readonly WrappedRow[]> {
  for (let last: WrappedRow | undefined; ; ) {
    const after = last && [last.tenant, last.record_key];
    const rows = await engine.read((session) =>
      after === undefined ? session.query(first, []) : session.query(next, after),
    );
    if (rows.length > 0) yield rows;
    if (rows.length < rowsPerPage) return;
    last = rows.at(-1);
  }
}

/** Goes through all records once; calls `moved` after each transaction. Returns the records that cannot be unwrapped. */
async function rotateOnce(
  engine: Engine,
  tables: readonly SealedTable[],
  wrapping: Wrapping,
  moved: (rows: number) => void,
): Promise<readonly SealScope[]> {
  const broken: SealScope[] = [];
  for (const table of tables) {
    for await (const rows of pagesOf(engine, table.statements)) {
      const found = rewrapPage(rows, table, wrapping);
      broken.push(...found.broken);
      for (let at = 0; at < found.moves.length; at += rowsPerTransaction) {
        const startedAt = performance.now();
        moved(await save(engine, table.statements, found.moves.slice(at, at + rowsPerTransaction), wrapping.current));
        // As long as the transaction took, so that servers have at least half of the time.
        await setTimeout(Math.min(performance.now() - startedAt, pauseMsMax));
      }
    }
  }
  return broken;
}

/** Rewraps the data keys of a page; `broken` are those that cannot be unwrapped. */
function rewrapPage(
  rows: readonly WrappedRow[],
  { record }: SealedTable,
  { current, ids, rewrap }: Wrapping,
): { readonly moves: readonly Move[]; readonly broken: readonly SealScope[] } {
  const moves: Move[] = [];
  const broken: SealScope[] = [];
  for (const row of rows) {
    const { tenant, record_key, key_id: keyId, data_key: dataKey } = row;
    if (keyId === current || !ids.includes(keyId)) continue;
    const scope = { tenant, record: record(record_key) };
    try {
      moves.push({ row, dataKey: rewrap(scope, { keyId, dataKey }).dataKey });
    } catch {
      // The operator is shown the record; the other records are moved.
      broken.push(scope);
    }
  }
  return { moves, broken };
}

/** Moves rows in one transaction; returns how many were moved. */
function save(engine: Engine, { move }: Statements, moves: readonly Move[], keyId: string): Promise<number> {
  const values = moves.flatMap(({ row, dataKey }) => [row.tenant, row.record_key, row.data_key, dataKey]);
  return engine.write((session) => session.execute(move(moves.length), [keyId, ...values]));
}
