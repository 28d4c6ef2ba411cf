/** Rewraps data keys under the current wrapping key while servers run; an interrupted rotation resumes by itself. */
import { memoize } from '../../core/lib/index.ts';
import type { SealScope, Wrapping } from '../../core/vault/index.ts';
import type { Table } from '../table.ts';
import { type Engine, type Row, statement } from './engine.ts';
import { createPages, pagesOf, pauseAfter } from './table-pages.ts';

/** The number of records by the id of their wrapping key; includes disabled details. */
type KeyCounts = ReadonlyMap<string, number>;

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

export type KeyRotation = ReturnType<typeof createKeyRotation>;

/** Rows of one read. */
const rowsPerPage = 1_000;
/** Rows of one transaction: few enough that servers hardly wait, enough to share the cost of an fsync. */
const rowsPerTransaction = 100;
/** Servers without the new key still seal with the old one. After so many passes their records wait for the next run. */
const passesMax = 5;
const brokenNamedMax = 10;

/** A table with data keys. */
type SealedTable = ReturnType<typeof sealedTableOf>;

interface Move {
  readonly row: WrappedRow;
  /** Under the current key. */
  readonly dataKey: string;
}

/** The number of records under other keys than the current one. */
export function rowsLeft(counts: KeyCounts, current: string): number {
  return [...counts].reduce((sum, [keyId, rows]) => (keyId === current ? sum : sum + rows), 0);
}

export function createKeyRotation(engine: Engine, wrapping: Wrapping, tables: readonly Table[]) {
  const sealedTables = tables.flatMap((table) =>
    table.sealedRecord ? [sealedTableOf(table, table.sealedRecord)] : [],
  );
  return Object.freeze({
    wrapping,
    count: (): Promise<KeyCounts> => countKeys(engine, sealedTables),
    /** Skips records whose wrapping key is not in the ring. Throws `StoreUnavailable`; records moved before stay moved. */
    async rotate(watch: RotationWatch): Promise<Rotated> {
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

type WrappedRow = Row & { readonly key_id: string; readonly data_key: string };

/**
 * Reads all records in the order of the primary key, not only those under old keys. An index for these would slow down each
 * storeToken, and save a few seconds once a year.
 */
function sealedTableOf(table: Table, record: (id: string) => string) {
  const { key, name } = table;
  const [tenant = '', id = ''] = key;
  const pages = createPages(table, {
    ...{ purpose: 'rotate', rowsPerPage, columns: [...key, 'key_id', 'data_key'].join(', ') },
    where: 'data_key is not null',
  });
  return {
    pages: (engine: Engine) => pagesOf(engine, table, pages) as AsyncGenerator<readonly WrappedRow[]>,
    identityOf: (row: WrappedRow) => [String(row[tenant]), String(row[id])] as const,
    record,
    /**
     * One statement for all rows of a transaction, since a round trip for each row would take most of the time. Writes no row
     * where the record was sealed or moved meanwhile: no two wrappings of a data key have the same text.
     */
    move: memoize((rows: number) => {
      const values = Array.from(
        { length: rows },
        (_, row) => `(${[2, 3, 4, 5].map((n) => `$${4 * row + n}`).join(', ')})`,
      );
      return statement(
        `move-${rows}-keys-of-${name}`,
        `update ${name} set key_id = $1, data_key = v.column4 from (values ${values.join(', ')}) as v
          where ${name}.${tenant} = v.column1 and ${name}.${id} = v.column2 and ${name}.data_key = v.column3`,
      );
    }),
  };
}

async function countKeys(engine: Engine, tables: readonly SealedTable[]): Promise<KeyCounts> {
  const counts = new Map<string, number>();
  for (const { pages } of tables)
    for await (const rows of pages(engine))
      for (const { key_id } of rows) counts.set(key_id, (counts.get(key_id) ?? 0) + 1);
  return counts;
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
    for await (const rows of table.pages(engine)) {
      const found = rewrapPage(rows, table, wrapping);
      broken.push(...found.broken);
      for (let at = 0; at < found.moves.length; at += rowsPerTransaction) {
        const startedAt = performance.now();
        moved(await save(engine, table, found.moves.slice(at, at + rowsPerTransaction), wrapping.current));
        await pauseAfter(startedAt);
      }
    }
  }
  return broken;
}

/** Rewraps the data keys of a page; `broken` are those that cannot be unwrapped. */
function rewrapPage(
  rows: readonly WrappedRow[],
  { record, identityOf }: SealedTable,
  { current, ids, rewrap }: Wrapping,
): { readonly moves: readonly Move[]; readonly broken: readonly SealScope[] } {
  const moves: Move[] = [];
  const broken: SealScope[] = [];
  for (const row of rows) {
    const { key_id: keyId, data_key: dataKey } = row;
    if (keyId === current || !ids.includes(keyId)) continue;
    const [tenant, id] = identityOf(row);
    const scope = { tenant, record: record(id) };
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
function save(
  engine: Engine,
  { move, identityOf }: SealedTable,
  moves: readonly Move[],
  keyId: string,
): Promise<number> {
  const values = moves.flatMap(({ row, dataKey }) => [...identityOf(row), row.data_key, dataKey]);
  return engine.write((session) => session.execute(move(moves.length), [keyId, ...values]));
}
