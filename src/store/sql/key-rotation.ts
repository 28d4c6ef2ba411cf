/** Moves what is sealed to the current wrapping key, online: what is left to do is what lies under another key, so it goes on anywhere. */
import { setTimeout } from 'node:timers/promises';
import type { SealScope, Wrapping } from '../../vault/ports.ts';
import { type Engine, type Statement, statement } from './engine.ts';
import type { StoredTable } from './tables.ts';

/** How many records lie under which key, disabled details too; by the id of the key. */
export type KeyCounts = ReadonlyMap<string, number>;

export interface RotationWatch {
  /** `total`: records under another key than the current one. */
  begun(total: number): void;
  /** `done`: of the total; beyond it where servers still seal with an old key. */
  moved(done: number): void;
}

export interface Rotated {
  readonly moved: number;
  /** Records whose data key does not open, left as they are: the first ten, and how many. */
  readonly broken: { readonly first: readonly SealScope[]; readonly rows: number };
  /** As it was in the end. */
  readonly counts: KeyCounts;
}

export interface KeyRotation {
  readonly wrapping: Wrapping;
  count(): Promise<KeyCounts>;
  /** Leaves alone what a key would be needed for that is not at hand. Throws `StoreUnavailable`; what was moved stays so. */
  rotate(watch: RotationWatch): Promise<Rotated>;
}

type WrappedRow = {
  readonly company: string;
  readonly record_key: string;
  readonly key_id: string;
  readonly data_key: string;
};

/** Rows read at once. */
const rowsPerPage = 1_000;
/** Rows in one unit of work: few enough that a server beside it hardly waits, enough to spread the cost of an fsync. */
const rowsPerUnit = 100;
const restMsMax = 1_000;
/** Servers that do not know the new key yet go on sealing with the old one; after so many times they are left to the next run. */
const passesMax = 5;
const brokenNamedMax = 10;

/**
 * One statement for a unit, however many rows: a round trip for each would be most of its time. Writes no row where the
 * record was sealed anew or moved meanwhile: no data key is ever wrapped to the same text twice.
 */
const mover = (name: string, tenant: string, key: string): ((rows: number) => Statement) => {
  const made = new Map<number, Statement>();
  return (rows) => {
    const known = made.get(rows);
    if (known !== undefined) return known;
    const values = Array.from(
      { length: rows },
      (_, row) => `(${[2, 3, 4, 5].map((n) => `$${4 * row + n}`).join(', ')})`,
    );
    const fresh = statement(
      `move-${rows}-keys-of-${name}`,
      `update ${name} set key_id = $1, data_key = v.column4 from (values ${values.join(', ')}) as v
        where ${name}.${tenant} = v.column1 and ${name}.${key} = v.column2 and ${name}.data_key = v.column3`,
    );
    made.set(rows, fresh);
    return fresh;
  };
};

/**
 * All records are read, in the order of the primary key, and not only those under old keys: an index for these would cost
 * each storeToken something, for the sake of a few seconds once a year.
 */
const statementsOf = ({ name, key: [tenant = '', id = ''] }: StoredTable) => {
  const page = (condition: string) =>
    `select ${tenant} as company, ${id} as record_key, key_id, data_key from ${name}
      where data_key is not null ${condition} order by ${tenant}, ${id} limit ${rowsPerPage}`;
  return Object.freeze({
    first: statement<WrappedRow>(`first-keys-of-${name}`, page('')),
    next: statement<WrappedRow>(`next-keys-of-${name}`, page(`and (${tenant}, ${id}) > ($1, $2)`)),
    move: mover(name, tenant, id),
  });
};

type Statements = ReturnType<typeof statementsOf>;

/** A table with data keys, and its statements. */
interface SealedTable {
  readonly record: (id: string) => string;
  readonly statements: Statements;
}

const sealedTablesOf = (tables: readonly StoredTable[]): readonly SealedTable[] =>
  tables.flatMap((table) =>
    table.sealedRecord === undefined ? [] : [{ record: table.sealedRecord, statements: statementsOf(table) }],
  );

async function* pagesOf(engine: Engine, { first, next }: Statements): AsyncGenerator<readonly WrappedRow[]> {
  for (let last: WrappedRow | undefined; ; ) {
    const after = last && [last.company, last.record_key];
    const rows = await engine.read((session) =>
      after === undefined ? session.query(first, []) : session.query(next, after),
    );
    if (rows.length > 0) yield rows;
    if (rows.length < rowsPerPage) return;
    last = rows.at(-1);
  }
}

interface Move {
  readonly row: WrappedRow;
  /** Under the current key. */
  readonly dataKey: string;
}

/** One unit of work; gives how many were moved. */
const keep = (engine: Engine, { move }: Statements, moves: readonly Move[], keyId: string): Promise<number> => {
  const values = moves.flatMap(({ row, dataKey }) => [row.company, row.record_key, row.data_key, dataKey]);
  return engine.write((session) => session.execute(move(moves.length), [keyId, ...values]));
};

/** What of a page can be moved, and what does not open. */
const rewrapped = (
  rows: readonly WrappedRow[],
  { record }: SealedTable,
  { current, ids, rewrap }: Wrapping,
): { readonly moves: readonly Move[]; readonly broken: readonly SealScope[] } => {
  const moves: Move[] = [];
  const broken: SealScope[] = [];
  for (const row of rows) {
    const { company, record_key, key_id: keyId, data_key: dataKey } = row;
    if (keyId === current || !ids.includes(keyId)) continue;
    const scope = { company, record: record(record_key) };
    try {
      moves.push({ row, dataKey: rewrap(scope, { keyId, dataKey }).dataKey });
    } catch {
      // Somebody has to look at it; the others are moved all the same.
      broken.push(scope);
    }
  }
  return { moves, broken };
};

const countKeys = async (engine: Engine, tables: readonly SealedTable[]): Promise<KeyCounts> => {
  const counts = new Map<string, number>();
  for (const { statements } of tables)
    for await (const rows of pagesOf(engine, statements))
      for (const { key_id } of rows) counts.set(key_id, (counts.get(key_id) ?? 0) + 1);
  return counts;
};

/** Records that are not under the current key. */
export const rowsLeft = (counts: KeyCounts, current: string): number =>
  [...counts].reduce((sum, [keyId, rows]) => (keyId === current ? sum : sum + rows), 0);

/** Once through all records; `moved` hears of each unit. Gives what does not open. */
const pass = async (
  engine: Engine,
  tables: readonly SealedTable[],
  wrapping: Wrapping,
  moved: (rows: number) => void,
): Promise<readonly SealScope[]> => {
  const broken: SealScope[] = [];
  for (const table of tables) {
    for await (const rows of pagesOf(engine, table.statements)) {
      const found = rewrapped(rows, table, wrapping);
      broken.push(...found.broken);
      for (let at = 0; at < found.moves.length; at += rowsPerUnit) {
        const startedAt = performance.now();
        moved(await keep(engine, table.statements, found.moves.slice(at, at + rowsPerUnit), wrapping.current));
        // As long as the unit took, so that servers beside it have at least half of the time.
        await setTimeout(Math.min(performance.now() - startedAt, restMsMax));
      }
    }
  }
  return broken;
};

export function createKeyRotation(engine: Engine, wrapping: Wrapping, tables: readonly StoredTable[]): KeyRotation {
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
        broken = await pass(engine, sealedTables, wrapping, (rows) => {
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
