/** Computes fingerprints again under the current index key, page by page, while servers run. */
import { setTimeout } from 'node:timers/promises';
import type { SealScope } from '../vault/ports.ts';
import type { AlteredRow } from './row-integrity.ts';
import type { Store } from './store.ts';

/** Computes the fingerprints of one table. */
export interface Reindexer {
  /** Changes one page of rows, after the row with this key. */
  reindexPage(store: Store, after: readonly string[] | undefined): Promise<ReindexedPage>;
  /** Compares the fingerprints of one page of rows with what is sealed. Changes nothing. */
  verifyPage(store: Store, after: readonly string[] | undefined): Promise<VerifiedPage>;
}

export interface VerifiedPage extends Pick<ReindexedPage, 'rows' | 'last'> {
  /** The rows whose fingerprint is none of their number, under no index key, and those that do not open. */
  readonly wrong: readonly AlteredRow[];
}

export interface ReindexedPage {
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

export const rowsPerPage = 100;
const pauseMsMax = 1_000;
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

/** Whether what is sealed has this fingerprint. False where it does not open. */
export function isFingerprintOf(fingerprint: string, fingerprints: () => readonly string[] | undefined): boolean {
  try {
    return fingerprints()?.includes(fingerprint) ?? true;
  } catch {
    return false;
  }
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
      // As long as the page took, so that servers have at least half of the time.
      if (page.changed > 0) await setTimeout(Math.min(performance.now() - startedAt, pauseMsMax));
    }
  }
  return broken;
}
