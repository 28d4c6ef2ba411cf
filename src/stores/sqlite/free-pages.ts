/** Gives pages that deleted rows have left back to the file system, in steps beside traffic. */

import { setTimeout } from 'node:timers/promises';
import { memoize } from '../../core/lib/index.ts';
import { deletionStep, type Engine, type ShrinkOptions, type Statement, statement } from '../sql/engine.ts';
import { StepPace } from '../sql/step-pace.ts';

/** A move of a page changes two others. */
const pagesMax = 500;
/**
 * New rows take free pages again, and without them the file would grow: a thirty-second part stays, as much as the idempotency
 * records of a day are of all, and 1 MiB at least.
 */
const sparePart = 1 / 32;
const sparePagesMin = 256;

const countPages = statement<{ readonly pages: number; readonly free: number }>(
  'count-pages',
  `select (select page_count from pragma_page_count) as pages, (select freelist_count from pragma_freelist_count) as free`,
);

const releasePages = memoize(
  (count: number): Statement => statement(`release-${count}-pages`, `pragma incremental_vacuum(${count})`),
);

/** Returns whether there were any. The file becomes shorter when the write-ahead log is moved into it. */
export async function releaseFreePages(
  engine: Engine,
  { keepsSpare = true, pause = setTimeout, isStopped = () => false }: ShrinkOptions,
): Promise<boolean> {
  const pace = new StepPace(pagesMax);
  let isAny = false;
  for (let before = Number.POSITIVE_INFINITY; !isStopped(); isAny = true) {
    const surplus = await countSurplus(engine, keepsSpare);
    const isLess = surplus < (keepsSpare ? pace.rows : 1);
    // Transactions of others may free as many as a step releases: the next run goes on.
    if (isLess || surplus >= before) break;
    before = surplus;
    const startedAt = performance.now();
    await engine.write((session) => session.query(releasePages(pace.rows), []), deletionStep);
    await pause(pace.after(performance.now() - startedAt));
  }
  return isAny;
}

async function countSurplus(engine: Engine, keepsSpare: boolean): Promise<number> {
  const [row] = await engine.read((session) => session.query(countPages, []));
  if (row === undefined) return 0;
  return keepsSpare ? row.free - Math.max(Math.ceil(row.pages * sparePart), sparePagesMin) : row.free;
}
