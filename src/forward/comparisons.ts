/** What replays of recordings found, for the report of a migration. */

import { comparisons } from '../access/index.ts';
import type { Clock } from '../core/lib/index.ts';
import { type Engine, fieldsOf, prepareUpsert, type RowOf, statement } from '../stores/index.ts';

/** One replay. `result`: as the operation `saveComparison` takes it, without values of requests and answers. */
export interface SavedComparison {
  readonly name: string;
  readonly result: unknown;
  /** Milliseconds since the epoch. */
  readonly savedAt: number;
  /** As in the audit log: `user anna`. */
  readonly savedBy: string;
}

/** Of a store. The one that was saved first gives way. */
export const comparisonsMax = 20;

/** The store of comparisons. */
export interface Comparisons {
  /** The last one first. */
  list(): Promise<readonly SavedComparison[]>;
  /** Replaces the one of the same name. */
  save(comparison: Omit<SavedComparison, 'savedAt'>): Promise<void>;
}

/** Returns the comparisons of a database. */
export function createComparisons({ engine, clock }: { readonly engine: Engine; readonly clock: Clock }): Comparisons {
  return Object.freeze<Comparisons>({
    list: () =>
      engine.read(async (session) =>
        (await session.query(listComparisons, [])).map((row) => ({ ...fieldsOf(row), result: JSON.parse(row.result) })),
      ),
    save: (comparison) =>
      engine.write(async (session) => {
        const result = JSON.stringify(comparison.result);
        await saveComparison(session, { ...comparison, result, savedAt: clock.now() });
        const names = (await session.query(listComparisons, [])).map((row) => row.name);
        for (const old of names.slice(comparisonsMax)) await session.execute(removeComparison, [old]);
      }),
  });
}

const listComparisons = statement<RowOf<typeof comparisons>>(
  'list-comparisons',
  'select name, result, saved_at, saved_by from comparison order by saved_at desc, name',
);
const saveComparison = prepareUpsert('save-comparison', comparisons);
const removeComparison = statement('remove-comparison', 'delete from comparison where name = $1');
