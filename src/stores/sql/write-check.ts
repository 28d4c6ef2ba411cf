/** Proves that the database accepts writes, at a bounded rate. */
import { runAtMostEvery } from '../../core/lib/index.ts';
import { type Engine, statement } from './engine.ts';

const everyMs = 2_000;

/** Changes the row each time: SQLite writes no page for a row that stays the same. */
const write = statement('write-check', 'update write_check set checked_at = now_ms() where id = 1');

/**
 * Returns a function that commits a write. It rejects where the disk is full, the file system is read-only or the server is a
 * standby. Calls within two seconds share one write, and none waits for a slow one.
 */
export function createWriteCheck(engine: Engine): () => Promise<void> {
  return runAtMostEvery(everyMs, async () => {
    const written = await engine.write((session) => session.execute(write, []));
    if (written !== 1) throw new Error('the table write_check lacks its row');
  });
}
