/** Compares and signs the rows of tables with MACs, page by page, while servers run. */
import { memoize } from '../../core/lib/index.ts';
import type { AlteredRow, RowIntegrity } from '../row-integrity.ts';
import { macFields, type Table } from '../table.ts';
import { type Engine, type Row, type Session, statement } from './engine.ts';
import { createPages, isRow, keyOf, pagesOf, pauseAfter } from './table-pages.ts';

export interface WrongRow extends AlteredRow {
  /** Whether it has no MAC. Otherwise its MAC is that of other values. */
  readonly isUnsigned: boolean;
}

interface SignedRowsParts {
  readonly engine: Engine;
  readonly integrity: RowIntegrity;
  /** Those without MACs are left out. */
  readonly tables: readonly Table[];
}

export interface WrongRows {
  /** How many rows were read. */
  readonly rows: number;
  readonly wrong: readonly WrongRow[];
}

const rowsPerPage = 100;

/** Compares all MACs. Returns at most `max` rows. */
export async function findWrongRows(parts: SignedRowsParts, max = Number.POSITIVE_INFINITY): Promise<WrongRows> {
  const wrong: WrongRow[] = [];
  let count = 0;
  for await (const page of wrongPagesOf(parts)) {
    count += page.rows;
    wrong.push(...page.wrong);
    if (wrong.length >= max) return { rows: count, wrong: wrong.slice(0, max) };
  }
  return { rows: count, wrong };
}

/** The rows whose MAC is missing or wrong, page by page: there may be as many as rows. */
export async function* wrongPagesOf(parts: SignedRowsParts): AsyncGenerator<WrongRows> {
  for (const table of signedTables(parts))
    for await (const rows of pagesOf(parts.engine, table, statementsOf(table).pages))
      yield {
        rows: rows.length,
        wrong: rows.filter((row) => !isRight(parts, table, row)).map((row) => describe(table, row)),
      };
}

/**
 * Signs the rows whose MAC is missing or wrong and that `accepts` returns true for, in transactions of 100 rows at most. Returns their
 * number. Interrupted, it goes on where MACs are missing.
 */
export async function signWrongRows(parts: SignedRowsParts, accepts: (row: WrongRow) => boolean): Promise<number> {
  let signed = 0;
  for (const table of signedTables(parts)) {
    const { pages, findRow, saveMac } = statementsOf(table);
    const isChosen = (row: Row) => !isRight(parts, table, row) && accepts(describe(table, row));
    const sign = async (session: Session, chosen: readonly Row[]) => {
      let written = 0;
      // Others may have changed the row meanwhile.
      for (const { key } of chosen.map((row) => ({ key: keyOf(table, row) })))
        for (const row of (await session.query(findRow, key)).filter(isChosen))
          written += await session.execute(saveMac, [...key, parts.integrity.sign(table.name, macFields(table, row))]);
      return written;
    };
    for await (const rows of pagesOf(parts.engine, table, pages)) {
      const chosen = rows.filter(isChosen);
      if (chosen.length === 0) continue;
      const startedAt = performance.now();
      signed += await parts.engine.write((session) => sign(session, chosen));
      await pauseAfter(startedAt);
    }
  }
  return signed;
}

function signedTables({ tables }: SignedRowsParts): readonly Table[] {
  return tables.filter(({ mac }) => mac !== undefined);
}

function isRight({ integrity }: SignedRowsParts, table: Table, row: Row): boolean {
  return integrity.isRight(table.name, macFields(table, row), row.row_mac as string | null);
}

function describe(table: Table, row: Row): WrongRow {
  const [tenant, id] = keyOf(table, row).map(String);
  return { table: table.name, tenant: tenant!, id: id ?? tenant!, isUnsigned: row.row_mac === null };
}

const statementsOf = memoize((table: Table) => {
  const { name, key, mac } = table;
  const read = new Set([...key, ...(mac?.columns ?? []).map((column) => column.name), 'row_mac']);
  const selected = [...read].join(', ');
  const where = mac?.where ?? '1 = 1';
  return {
    pages: createPages(table, { purpose: 'sign', rowsPerPage, columns: selected, where }),
    findRow: statement(
      `find-row-of-${name}-to-sign`,
      `select ${selected} from ${name} where ${where} and ${isRow(table)}`,
    ),
    saveMac: statement(`sign-row-of-${name}`, `update ${name} set row_mac = $${key.length + 1} where ${isRow(table)}`),
  };
});
