/** Computes fingerprints again under the current index key, page by page, while servers run. */
import { memoize } from '../core/lib/index.ts';
import type { SealScope, Vault } from '../core/vault/index.ts';
import { type AlteredRow, RowAltered, RowIntegrity } from './row-integrity.ts';
import { type Row, statement, type Value } from './sql/engine.ts';
import { assignments, createPages, isRow, pauseAfter } from './sql/table-pages.ts';
import type { Store } from './store.ts';
import { type Reindexing, signRow, type Table, verifyRow } from './table.ts';
import type { Transaction } from './transaction.ts';

/** Computes the fingerprints of one table. */
interface Reindexer {
  /** Changes one page of rows, after the row with this key. */
  reindexPage(store: Store, after: readonly string[] | undefined): Promise<ReindexedPage>;
  /** Compares the fingerprints of one page of rows with what is sealed. Changes nothing. */
  verifyPage(store: Store, after: readonly string[] | undefined): Promise<VerifiedPage>;
}

interface VerifiedPage extends Pick<ReindexedPage, 'rows' | 'last'> {
  /** The rows whose fingerprint is none of their number, under no index key, and those that do not open. */
  readonly wrong: readonly AlteredRow[];
}

interface ReindexedPage {
  /** Rows read. The last page has fewer than `rowsPerPage`. */
  readonly rows: number;
  readonly changed: number;
  /** Records that do not open. They stay unchanged. */
  readonly broken: readonly SealScope[];
  /** The key of the last row. */
  readonly last?: readonly string[] | undefined;
}

export interface Reindexed {
  readonly changed: number;
  readonly broken: { readonly first: readonly SealScope[]; readonly rows: number };
}

const rowsPerPage = 100;
const brokenNamedMax = 10;
/** Servers that still write under the old key leave rows for the next pass. */
const passesMax = 5;

/** Interrupted, it goes on where the rows are not changed yet: each is compared, and those that are right stay. */
export async function reindex(
  store: Store,
  reindexers: readonly Reindexer[],
  changed: (rows: number) => void,
): Promise<Reindexed> {
  let total = 0;
  let broken: readonly SealScope[] = [];
  for (let pass = 0; pass < passesMax; pass += 1) {
    const before = total;
    broken = await reindexOnce(store, reindexers, (rows) => {
      total += rows;
      changed(total);
    });
    if (total === before) break;
  }
  return { changed: total, broken: { first: broken.slice(0, brokenNamedMax), rows: broken.length } };
}

/** Returns at most `max` rows. */
export async function findWrongFingerprints(
  store: Store,
  reindexers: readonly Reindexer[],
  max: number,
): Promise<readonly AlteredRow[]> {
  const wrong: AlteredRow[] = [];
  for (const reindexer of reindexers) {
    for (let after: readonly string[] | undefined; ; ) {
      const page = await reindexer.verifyPage(store, after);
      wrong.push(...page.wrong);
      if (wrong.length >= max) return wrong.slice(0, max);
      after = page.last;
      if (page.rows < rowsPerPage) break;
    }
  }
  return wrong;
}

async function reindexOnce(
  store: Store,
  reindexers: readonly Reindexer[],
  changed: (rows: number) => void,
): Promise<readonly SealScope[]> {
  const broken: SealScope[] = [];
  for (const reindexer of reindexers) {
    for (let after: readonly string[] | undefined; ; ) {
      const startedAt = performance.now();
      const page = await reindexer.reindexPage(store, after);
      broken.push(...page.broken);
      if (page.changed > 0) changed(page.changed);
      after = page.last;
      if (page.rows < rowsPerPage) break;
      if (page.changed > 0) await pauseAfter(startedAt);
    }
  }
  return broken;
}

/** Those of the tables that have fingerprints. */
export function createReindexers(tables: readonly Table[], vault: Vault): readonly Reindexer[] {
  return tables.flatMap((table) => {
    const { reindexing } = table;
    if (reindexing === undefined) return [];
    const moved = tables.filter(({ parent }) => parent?.table === table && parent.by.includes(reindexing.fingerprint));
    return [createReindexer(table, reindexing, moved, vault)];
  });
}

interface ReindexedRow {
  readonly row: Row;
  readonly changed: Row;
  /** Whether the stored fingerprint is that of the same data, under the other index key. Otherwise it was moved here. */
  readonly isKnown: boolean;
}

/** `moved`: tables whose rows are found by the same fingerprint. */
function createReindexer(table: Table, reindexing: Reindexing<Row>, moved: readonly Table[], vault: Vault): Reindexer {
  const { fingerprint, other, isFound = () => true } = reindexing;
  const { name, key } = table;
  const pages = createPages(table, { purpose: 'reindex', rowsPerPage, columns: table.columnList });
  const written = [fingerprint, ...(other === undefined ? [] : [other.column, 'row_mac'])];
  /** Writes no row where it was changed meanwhile. */
  const compared = [...key, ...written.filter((column) => column !== 'row_mac')];
  const save = statement(
    `save-fingerprint-of-${name}`,
    `update ${name} set ${assignments(written, 0, ', ')} where ${assignments(compared, written.length, ' and ')}`,
  );
  const keyOf = (row: Row) => key.map((column) => String(row[column]));
  const altered = (row: Row) => ({ table: name, tenant: keyOf(row)[0]!, id: keyOf(row)[1]! });

  /** Returns undefined where all is that of the current key. Throws where the row does not open, or was altered: it would be signed. */
  const reindexRow = (row: Row, integrity: RowIntegrity | undefined): ReindexedRow | undefined => {
    if (other !== undefined && isFound(row)) verifyRow(integrity, table, row as MacRow);
    const fingerprints = reindexing.fingerprints(row, vault);
    if (fingerprints === undefined) return undefined;
    const unsigned = {
      ...row,
      [fingerprint]: fingerprints[0]!,
      ...(other && { [other.column]: other.value(row, vault) }),
    };
    if (compared.every((column) => unsigned[column] === row[column])) return undefined;
    const row_mac = isFound(row) ? signRow(integrity, table, unsigned) : null;
    return { row, changed: { ...unsigned, row_mac }, isKnown: fingerprints.includes(String(row[fingerprint])) };
  };

  const saveRow = async (tx: Transaction, { row, changed, isKnown }: ReindexedRow): Promise<number> => {
    const values = [...valuesOf(written, changed), ...valuesOf(compared, row)];
    if ((await tx.execute(save, values)) === 0) return 0;
    const [from, to] = [String(row[fingerprint]), String(changed[fingerprint])];
    if (isKnown && from !== to)
      for (const each of moved) await moveRow(tx, vault, each, { tenant: keyOf(row)[0]!, from, to });
    return 1;
  };

  const isRight = (row: Row): boolean => {
    try {
      return reindexing.fingerprints(row, vault)?.includes(String(row[fingerprint])) ?? true;
    } catch {
      return false;
    }
  };

  return Object.freeze<Reindexer>({
    async verifyPage(store, after) {
      const rows = await store.read((tx) => pages.read(tx, after));
      const wrong = rows.filter((row) => isFound(row) && !isRight(row)).map(altered);
      return { rows: rows.length, wrong, last: rows.at(-1) && keyOf(rows.at(-1)!) };
    },
    async reindexPage(store, after) {
      const { rows, integrity } = await store.read(async (tx) => ({
        rows: await pages.read(tx, after),
        integrity: tx.shared(RowIntegrity),
      }));
      const broken: SealScope[] = [];
      const changes: ReindexedRow[] = [];
      for (const row of rows)
        try {
          const change = reindexRow(row, integrity);
          if (change !== undefined) changes.push(change);
        } catch {
          // The operator is shown the record; the other records are changed.
          const { tenant, id } = altered(row);
          broken.push({ tenant, record: table.sealedRecord?.(id) ?? id });
        }
      // A row that was changed meanwhile is left for the next pass.
      const changed =
        changes.length === 0
          ? 0
          : await store.write(async (tx) => {
              let saved = 0;
              for (const change of changes) saved += await saveRow(tx, change);
              return saved;
            });
      return { rows: rows.length, changed, broken, last: rows.at(-1) && keyOf(rows.at(-1)!) };
    },
  });
}

type MacRow = Row & { readonly row_mac: string | null };

/**
 * Moves a row whose key is a tenant and a fingerprint to another fingerprint of the same data, and seals it again. Where there is a
 * row under the other one, it is newer, and stays. An altered row stays where it is.
 */
export async function moveRow(
  tx: Transaction,
  vault: Vault,
  table: Table,
  { tenant, from, to }: { readonly tenant: string; readonly from: string; readonly to: string },
): Promise<void> {
  const { key, sealedRecord = (id: string) => id } = table;
  const { names, find, add, remove } = moveStatements(table);
  const [row] = from === to ? [] : await tx.query(find, [tenant, from]);
  const integrity = tx.shared(RowIntegrity);
  if (row === undefined || !isUnaltered(integrity, table, row)) return;
  const scopeOf = (id: string) => ({ tenant, record: sealedRecord(id) });
  const moved = { ...row, [key[1]!]: to, ...resealed(row, vault, scopeOf(from), scopeOf(to)) };
  await tx.execute(add, valuesOf(names, { ...moved, row_mac: signRow(integrity, table, moved) }));
  await tx.execute(remove, [tenant, from]);
}

const moveStatements = memoize((table: Table) => {
  const { name, columns } = table;
  const names = columns.map((column) => column.name);
  const values = names.map((_, at) => `$${at + 1}`).join(', ');
  return {
    names,
    find: statement<MacRow>(`find-${name}-to-move`, `select ${names.join(', ')} from ${name} where ${isRow(table)}`),
    add: statement(
      `move-${name}`,
      `insert into ${name} (${names.join(', ')}) values (${values}) on conflict do nothing`,
    ),
    remove: statement(`remove-moved-${name}`, `delete from ${name} where ${isRow(table)}`),
  };
});

function isUnaltered(integrity: RowIntegrity | undefined, table: Table, row: MacRow): boolean {
  try {
    verifyRow(integrity, table, row);
    return true;
  } catch (thrown) {
    if (thrown instanceof RowAltered) return false;
    throw thrown;
  }
}

/** The sealed columns of a row, sealed for another record. */
function resealed(row: Row, vault: Vault, from: SealScope, to: SealScope): Row {
  const { key_id: keyId, data_key: dataKey, sealed_number: number, sealed_payload: payload } = row;
  if (typeof keyId !== 'string' || typeof dataKey !== 'string') return {};
  const sealed = { keyId, dataKey, ...textsOf({ number, payload }) };
  const open = (part: 'number' | 'payload') =>
    sealed[part] === undefined ? undefined : vault.open(from, sealed, part);
  const again = vault.seal(to, { number: open('number'), payload: open('payload') });
  return {
    key_id: again.keyId,
    data_key: again.dataKey,
    ...('sealed_number' in row && { sealed_number: again.number ?? null }),
    ...('sealed_payload' in row && { sealed_payload: again.payload ?? null }),
  };
}

/** The members that are texts. */
function textsOf<N extends string>(members: Readonly<Record<N, Value | undefined>>): { readonly [K in N]?: string } {
  const texts = Object.entries<Value | undefined>(members).filter(([, value]) => typeof value === 'string');
  return Object.fromEntries(texts) as { readonly [K in N]?: string };
}

function valuesOf(columns: readonly string[], row: Row): readonly Value[] {
  return columns.map((column) => row[column] ?? null);
}
