/** Copies all tables to another database in the order of their keys; an interrupted copy resumes. */

import { hash } from 'node:crypto';
import { memoize } from '../../core/lib/index.ts';
import type { RowOf, Table } from '../table.ts';
import type { TableOwner } from './create-tables.ts';
import { type Engine, type Session, statement } from './engine.ts';
import { compareSchema, findOwners, migrate } from './migrate.ts';
import { placeholders } from './row-values.ts';
import { createPages, keyOf, pagesOf, type RowKey } from './table-pages.ts';
import type { copyProgress } from './tables.ts';

/** The copy cannot be made, or differs from its source. The operator reads the message. */
class CopyError extends Error {
  override readonly name = 'CopyError';
}

/** The checksum of a table: the same for the same rows on any engine. */
interface Sum {
  readonly rows: number;
  /** 64 hexadecimal digits; does not depend on the order of the rows. */
  readonly checksum: string;
}

export type Sums = readonly (Sum & { readonly name: string })[];

interface CopyWatch {
  /** `total`: rows to copy plus rows to verify. */
  begun(total: number): void;
  /** `done`: rows of the total, including those of an earlier, interrupted copy. */
  moved(done: number, doing: 'copied' | 'verified', table: string): void;
}

/** Rows of one transaction. A statement has at most 32,766 parameters, one for each value. */
const rowsPerTransaction = 500;

type Progress = RowOf<typeof copyProgress>;

const findProgress = statement<Progress>(
  'find-copy-progress',
  'select table_name, source, last_key, rows_done from copy_progress',
);
const beginProgress = statement(
  'begin-copy-progress',
  'insert into copy_progress (table_name, source, last_key, rows_done) values ($1, $2, null, 0)',
);
/** Writes no row when another copy has advanced meanwhile. */
const advance = statement(
  'advance-copy-progress',
  'update copy_progress set last_key = $3, rows_done = $4 where table_name = $1 and rows_done = $2',
);
const endProgress = statement('end-copy-progress', 'delete from copy_progress');
/** The time of the first migration of the first owner identifies a database. */
const findOrigin = statement<{ readonly checksum: string; readonly applied_at: number }>(
  'find-origin',
  'select checksum, applied_at from migration where owner = $1 and number = 1',
);

/** Whether a copy into this database has begun and not ended. */
export async function isHalfCopied(engine: Engine): Promise<boolean> {
  return (await engine.read((session) => session.query(findProgress, []))).length > 0;
}

/**
 * Copies the tables of those owners that the source has, then compares both databases. Creates the tables of an empty target; otherwise both must have the
 * current schema. Throws `StoreUnavailable`, and `CopyError` where the source has tables of another owner, where the target holds other
 * rows, and where the databases differ.
 */
export async function copyStore(
  source: Engine,
  target: Engine,
  given: readonly TableOwner[],
  watch: CopyWatch,
): Promise<Sums> {
  const found = await findOwners(source);
  requireKnown(found, given);
  // The first server on the target creates the tables of a service that is new.
  const owners = given.filter(({ name }) => found.includes(name));
  await compareSchema(source, owners);
  if ((await findOwners(target)).length > 0) await compareSchema(target, owners);
  else await migrate(target, owners);
  const tables = owners.flatMap((owner) => owner.tables).filter(({ isOfDatabase }) => !isOfDatabase);
  const progress = await reserveTarget(target, tables, await originOf(source, owners[0]!));
  let rows = 0;
  let done = 0;
  for (const table of tables) {
    rows += await source.write((session) => countRows(session, table), { noTimeout: true });
    done += progress.get(table.name)!.rows_done;
  }
  watch.begun(2 * rows);
  const moved =
    (doing: 'copied' | 'verified', { name }: Table) =>
    (more: number) => {
      done += more;
      watch.moved(done, doing, name);
    };
  for (const table of tables) await copyTable(source, target, table, progress.get(table.name)!, moved('copied', table));
  const sums: (Sum & { readonly name: string })[] = [];
  for (const table of tables) {
    sums.push({ name: table.name, ...(await verifyTable(source, target, table, moved('verified', table))) });
  }
  await target.write((session) => session.execute(endProgress, []));
  return sums;
}

/** Refuses to leave tables out. */
function requireKnown(found: readonly string[], owners: readonly TableOwner[]): void {
  const unknown = found.filter((name) => !owners.some((owner) => owner.name === name));
  if (unknown.length > 0)
    throw new CopyError(
      `the store holds tables of ${unknown.join(' and ')}: name ${unknown.length === 1 ? 'this service' : 'these services'} in the configuration file`,
    );
}

const statementsOf = memoize((table: Table) => {
  const { name, columns } = table;
  const names = columns.map((column) => column.name);
  return {
    count: statement<{ readonly rows: number }>(`count-${name}`, `select count(*) as rows from ${name}`),
    clear: statement(`clear-${name}`, `delete from ${name}`),
    pages: createPages(table, { purpose: 'copy', rowsPerPage: rowsPerTransaction }),
    insert: memoize((rows: number) =>
      statement(
        `copy-${rows}-to-${name}`,
        `insert into ${name} (${names.join(', ')}) values ${placeholders(
          rows,
          names.map(() => ''),
        )}`,
      ),
    ),
  };
});

/** Reserves an empty database for a copy of the source, or finds the progress of that copy; in one transaction. */
function reserveTarget(
  target: Engine,
  tables: readonly Table[],
  source: string,
): Promise<ReadonlyMap<string, Progress>> {
  return target.write(
    async (session) => {
      const known = new Map((await session.query(findProgress, [])).map((row) => [row.table_name, row]));
      for (const table of tables) {
        const { name } = table;
        const progress = known.get(name) ?? { table_name: name, source, last_key: null, rows_done: 0 };
        if (table.rows.length > 0 && !known.has(name)) await session.execute(statementsOf(table).clear, []);
        if (progress.source !== source)
          throw new CopyError('the target holds an unfinished copy of another store: name an empty one');
        if ((await countRows(session, table)) !== progress.rows_done)
          throw new CopyError(`the target already holds rows in ${name}: name an empty one`);
        if (!known.has(name)) await session.execute(beginProgress, [name, source]);
        known.set(name, progress);
      }
      return known;
    },
    { noTimeout: true },
  );
}

async function countRows(session: Session, table: Table): Promise<number> {
  return (await session.query(statementsOf(table).count, []))[0]?.rows ?? 0;
}

async function originOf(engine: Engine, owner: TableOwner): Promise<string> {
  const [origin] = await engine.read((session) => session.query(findOrigin, [owner.name]));
  return hash('sha256', JSON.stringify([origin?.checksum, origin?.applied_at]));
}

async function copyTable(
  source: Engine,
  target: Engine,
  table: Table,
  progress: Progress,
  moved: (rows: number) => void,
): Promise<void> {
  const { name, columns } = table;
  const { pages, insert } = statementsOf(table);
  const after = progress.last_key === null ? undefined : (JSON.parse(progress.last_key) as RowKey);
  let done = progress.rows_done;
  for await (const rows of pagesOf(source, table, pages, after)) {
    const values = rows.flatMap((row) => columns.map((column) => row[column.name] ?? null));
    const last = JSON.stringify(keyOf(table, rows.at(-1)!));
    const before = done;
    // The rows and the progress are committed together.
    await target.write(async (session) => {
      if ((await session.execute(advance, [name, before, last, before + rows.length])) !== 1)
        throw new CopyError('another copy into the target is running: let it end');
      await session.execute(insert(rows.length), values);
    });
    done += rows.length;
    moved(rows.length);
  }
}

async function verifyTable(source: Engine, target: Engine, table: Table, moved: (rows: number) => void): Promise<Sum> {
  const [expected, found] = await Promise.all([sumTable(source, table), sumTable(target, table, moved)]);
  if (expected.rows !== found.rows || expected.checksum !== found.checksum)
    throw new CopyError(
      `${table.name} is not the same in both (${expected.rows} and ${found.rows} rows): something wrote to one of them; empty the target and copy again`,
    );
  return found;
}

async function sumTable(engine: Engine, table: Table, moved: (rows: number) => void = () => {}): Promise<Sum> {
  let rows = 0;
  let sum = 0n;
  for await (const page of pagesOf(engine, table, statementsOf(table).pages)) {
    for (const row of page) {
      // Sorted by name: the order of columns depends on the migrations that created them.
      const fields = Object.entries(row).sort(([one], [other]) => (one < other ? -1 : 1));
      sum += BigInt(`0x${hash('sha256', JSON.stringify(fields))}`);
    }
    rows += page.length;
    moved(page.length);
  }
  // A sum does not depend on the order of rows; engines differ in it.
  return { rows, checksum: BigInt.asUintN(256, sum).toString(16).padStart(64, '0') };
}
