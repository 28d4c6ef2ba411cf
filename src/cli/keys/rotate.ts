/** `triglyph keys rotate` and `status`: the rows under each wrapping key, and their move to the current one. */
import type { Backend } from '../../backend/backend.ts';
import { type KeyCounts, type Rotated, rowsLeft } from '../../store/sql/key-rotation.ts';
import type { Wrapping } from '../../vault/ports.ts';
import { systemUser } from '../audited-command.ts';
import { type Progress, showProgress } from '../import/progress.ts';
import { print, printAll } from '../output.ts';
import { withBackend } from '../with-backend.ts';
import { pepperLines } from './pepper-lines.ts';
import { indexLines, rotateIndex } from './rotate-index.ts';

/** Sets exit code 1 if rows are left under another key than the current one. */
export function rotateKeys(): Promise<void> {
  return withBackend(async (backend) => {
    const { current } = backend.rotation.wrapping;
    const detail = { state: 'begun' };
    await backend.audit.append([{ kind: 'keyRotated', actor: systemUser(), subject: current, detail }]);
    const startedAt = performance.now();
    const rotated = await rotate(backend);
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
    const { wrapping } = backend.rotation;
    print(
      ...problemLines(rotated, wrapping),
      `${rotated.moved} rows were moved to ${wrapping.current} (${seconds} s).`,
      ...countLines(rotated.counts, wrapping.ids),
    );
    await rotateIndex(backend);
    printAll(await pepperLines(backend.pepperRotation));
    if (rowsLeft(rotated.counts, wrapping.current) > 0) process.exitCode = 1;
  });
}

/** Sets exit code 1 if rows need a key that the key file does not have. The audit log may be one of them. */
export function printKeyStatus(): Promise<void> {
  return withBackend(
    async ({ rotation, indexRotation, pepperRotation }) => {
      const { ids } = rotation.wrapping;
      const counts = await rotation.count();
      print(...countLines(counts, ids), ...(await indexLines(indexRotation)), ...(await pepperLines(pepperRotation)));
      if ([...counts.keys()].some((id) => !ids.includes(id))) process.exitCode = 1;
    },
    { runsUnrecorded: true },
  );
}

async function rotate({ rotation }: Backend): Promise<Rotated> {
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
}

/** Says why rows are left under a known key. `countLines` reports unknown keys. */
function problemLines({ broken, counts }: Rotated, { current, ids }: Wrapping): readonly string[] {
  const lines = broken.first.map(
    ({ tenant: company, record }) =>
      `${company} ${record}: its data key does not open; it was changed, or moved from elsewhere`,
  );
  if (broken.rows > lines.length) lines.push(`and ${broken.rows - lines.length} more of the same kind`);
  const known = new Map([...counts].filter(([id]) => ids.includes(id)));
  if (rowsLeft(known, current) > broken.rows)
    lines.push(`A server still encrypts with an old key: make all of them use ${current}, then rotate again.`);
  return lines;
}

/** Returns a line for each key of the key file, the current one first, and for each key that only the store names. */
function countLines(counts: KeyCounts, ids: readonly string[]): readonly string[] {
  const all = [...new Set([...ids, ...[...counts.keys()].sort()])];
  const nameWidth = Math.max(...all.map((id) => id.length));
  const rowsOf = (id: string) => counts.get(id) ?? 0;
  const rowsWidth = Math.max(...all.map((id) => String(rowsOf(id)).length));
  const state = (id: string): string => {
    if (id === ids[0]) return 'current';
    if (!ids.includes(id)) return 'not in the key file: add its line again';
    if (rowsOf(id) > 0) return 'old: triglyph keys rotate moves its rows';
    return 'unused: only older backups need it, so its line may be removed';
  };
  return all.map((id) => `${id.padEnd(nameWidth)}  ${String(rowsOf(id)).padStart(rowsWidth)} rows  ${state(id)}`);
}
