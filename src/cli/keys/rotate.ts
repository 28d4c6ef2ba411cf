/** `triglyph keys rotate` and `status`: which key everything is sealed under, and moving it to the current one. */

import type { Backend } from '../../app/backend.ts';
import { type KeyCounts, type Rotated, rowsLeft } from '../../store/sql/key-rotation.ts';
import type { Wrapping } from '../../vault/ports.ts';
import { type Progress, showProgress } from '../import/progress.ts';
import { print } from '../output.ts';
import { withBackend } from '../with-backend.ts';

/** One line for each key of the ring, the current one first, and for each that only the store names. */
const countLines = (counts: KeyCounts, ids: readonly string[]): readonly string[] => {
  const all = [...new Set([...ids, ...[...counts.keys()].sort()])];
  const nameWidth = Math.max(...all.map((id) => id.length));
  const rowsOf = (id: string) => counts.get(id) ?? 0;
  const rowsWidth = Math.max(...all.map((id) => String(rowsOf(id)).length));
  const said = (id: string): string => {
    if (id === ids[0]) return 'current';
    if (!ids.includes(id)) return 'not in the key file: add its line again';
    if (rowsOf(id) > 0) return 'old: triglyph keys rotate moves them';
    return 'nothing is under it: its line may be taken out, and is needed for older backups only';
  };
  return all.map((id) => `${id.padEnd(nameWidth)}  ${String(rowsOf(id)).padStart(rowsWidth)} rows  ${said(id)}`);
};

const isAbsent = (counts: KeyCounts, ids: readonly string[]): boolean =>
  [...counts.keys()].some((id) => !ids.includes(id));

/** Ends with 1 where records lie under a key that is not there. */
export const status = (): Promise<void> =>
  withBackend(async ({ rotation }) => {
    const { ids } = rotation.wrapping;
    const counts = await rotation.count();
    print(...countLines(counts, ids));
    if (isAbsent(counts, ids)) process.exitCode = 1;
  });

/** Why records are left under another key than the current one; of absent keys the counts tell. */
const leftLines = ({ broken, counts }: Rotated, { current, ids }: Wrapping): readonly string[] => {
  const lines = broken.first.map(
    ({ company, record }) => `${company} ${record}: its data key does not open; it was changed, or belongs elsewhere`,
  );
  if (broken.rows > lines.length) lines.push(`and ${broken.rows - lines.length} more like these`);
  const known = new Map([...counts].filter(([id]) => ids.includes(id)));
  if (rowsLeft(known, current) > broken.rows)
    lines.push(`A server still seals with an old key: have all of them use ${current} first, then rotate again.`);
  return lines;
};

const rotate = async ({ rotation }: Backend): Promise<Rotated> => {
  let progress: Progress | undefined;
  let total = 0;
  try {
    return await rotation.rotate({
      begun(rows) {
        total = rows;
        progress = showProgress(rows);
      },
      moved: (done) => progress?.update(done, `${done} of ${Math.max(total, done)} rows`),
    });
  } finally {
    progress?.stop();
  }
};

/** Ends with 1 where records are left under another key than the current one. */
export const run = (): Promise<void> =>
  withBackend(async (room) => {
    const startedAt = performance.now();
    const rotated = await rotate(room);
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
    const { wrapping } = room.rotation;
    print(
      ...leftLines(rotated, wrapping),
      `${rotated.moved} rows were moved to ${wrapping.current} (${seconds} s).`,
      ...countLines(rotated.counts, wrapping.ids),
    );
    if (rowsLeft(rotated.counts, wrapping.current) > 0) process.exitCode = 1;
  });
