/** Appends lines to a file. Each batch opens the file, so that log rotation needs no signal. */
import { open } from 'node:fs/promises';
import type { LineTarget } from './target.ts';

export function openFile({ path, sync }: { readonly path: string; readonly sync: boolean }): LineTarget {
  return Object.freeze<LineTarget>({
    async write(lines) {
      const file = await open(path, 'a', 0o600);
      try {
        // One write: lines of several processes do not mix.
        await file.appendFile(`${lines.join('\n')}\n`);
        if (sync) await file.datasync();
      } finally {
        await file.close();
      }
    },
    close: () => {},
  });
}
