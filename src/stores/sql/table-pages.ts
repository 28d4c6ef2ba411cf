/** Reads the rows of a table page by page in the order of their keys, while servers run. */
import { setTimeout } from 'node:timers/promises';
import type { Table } from '../table.ts';
import { type Engine, type Row, type Session, statement, type Value } from './engine.ts';

export type RowKey = readonly Value[];

interface PageParts {
  /** What the rows are read for, as names of statements say it. */
  readonly purpose: string;
  readonly rowsPerPage: number;
  /** In SQL. All by default. */
  readonly columns?: string;
  /** The rows, in SQL. All by default. */
  readonly where?: string | undefined;
}

interface TablePages {
  readonly rowsPerPage: number;
  /** The rows after a key, or the first ones. A page with fewer than `rowsPerPage` is the last one. */
  read(session: Pick<Session, 'query'>, after: RowKey | undefined): Promise<readonly Row[]>;
}

/** Called once for each table: an engine prepares each statement object once. */
export function createPages(
  { name, key }: Table,
  { purpose, rowsPerPage, columns = '*', where = '1 = 1' }: PageParts,
): TablePages {
  const keyText = key.join(', ');
  const page = (which: string, condition = '') =>
    statement(
      `${which}-of-${name}-to-${purpose}`,
      `select ${columns} from ${name} where ${where}${condition} order by ${keyText} limit ${rowsPerPage}`,
    );
  const first = page('first');
  const next = page('next', ` and (${keyText}) > (${key.map((_, at) => `$${at + 1}`).join(', ')})`);
  return {
    rowsPerPage,
    read: (session, after) => (after === undefined ? session.query(first, []) : session.query(next, after)),
  };
}

/** The pages after a key, or all pages. Engines may order keys differently. */
export async function* pagesOf(
  engine: Engine,
  table: Table,
  pages: TablePages,
  after?: RowKey,
): AsyncGenerator<readonly Row[]> {
  for (let last = after; ; ) {
    const rows = await engine.read((session) => pages.read(session, last));
    if (rows.length > 0) yield rows;
    if (rows.length < pages.rowsPerPage) return;
    last = keyOf(table, rows.at(-1)!);
  }
}

export function keyOf({ key }: Table, row: Row): RowKey {
  return key.map((column) => row[column] ?? null);
}

/** `a = $1 and b = $2` for a key. */
export function isRow({ key }: Table): string {
  return assignments(key, 0, ' and ');
}

/** `a = $1, b = $2`. */
export function assignments(columns: readonly string[], before: number, between: string): string {
  return columns.map((column, at) => `${column} = $${before + at + 1}`).join(between);
}

const pauseMsMax = 1_000;

/** Waits as long as work has taken, so that servers have at least half of the time. */
export async function pauseAfter(startedAt: number): Promise<void> {
  await setTimeout(Math.min(performance.now() - startedAt, pauseMsMax));
}
