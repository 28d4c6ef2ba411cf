/** Finds the rows that earlier imports of a file have refused, in their order, a page at a time. */
import type { Store } from '../store/store.ts';

const pageRows = 1_000;

export interface RefusedRows {
  /** Whether an earlier import has refused this row. Rows are asked in ascending order. */
  includes(row: number): boolean | Promise<boolean>;
}

export const noRefusedRows: RefusedRows = Object.freeze({ includes: () => false });

export function createRefusedRows(store: Store, source: string): RefusedRows {
  let page: readonly number[] = [];
  let index = 0;
  let isLast = false;
  async function findFrom(row: number): Promise<boolean> {
    page = await store.read((tx) => tx.importProgress.findRefused(source, row - 1, pageRows));
    index = 0;
    isLast = page.length < pageRows;
    return page[0] === row;
  }
  return {
    includes(row) {
      while (index < page.length && page[index]! < row) index += 1;
      return index < page.length || isLast ? page[index] === row : findFrom(row);
    },
  };
}
