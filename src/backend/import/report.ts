/** Writes the report of refused rows: one JSON object a line, with the position of the row and every reason, never its content. */
import { closeSync, constants, fsyncSync, ftruncateSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import type { Reason } from './row.ts';

export interface Entry {
  readonly line: number;
  /** From 1; the header and empty lines are not rows. */
  readonly row: number;
  readonly reasons: readonly Reason[];
}

interface Report {
  /** Writes the entries of a batch before it is committed, over what an interrupted or repeated batch has left. */
  write(entries: readonly Entry[]): void;
  /** The batch is committed: the entries of the next one follow. */
  settle(): void;
  /** Removes the file if it is empty. */
  close(): void;
}

/** Opens the report, or continues it where an import was interrupted after `rowsDone` rows. */
export function openReport(path: string, rowsDone: number): Report {
  let committed = rowsDone === 0 ? 0 : bytesUpTo(path, rowsDone);
  let written = committed;
  const file = openSync(path, constants.O_CREAT | constants.O_RDWR, 0o600);
  ftruncateSync(file, committed);
  return {
    write(entries) {
      ftruncateSync(file, committed);
      const text = entries.map((entry) => `${JSON.stringify(entry)}\n`).join('');
      writeSync(file, text, committed);
      if (text !== '') fsyncSync(file);
      written = committed + Buffer.byteLength(text);
    },
    settle() {
      committed = written;
    },
    close() {
      ftruncateSync(file, committed);
      closeSync(file);
      if (committed === 0) rmSync(path);
    },
  };
}

/** Returns how many bytes of an earlier report concern rows up to `rowsDone`; the rows are in the order of the file. */
function bytesUpTo(path: string, rowsDone: number): number {
  let bytes = 0;
  for (const line of readEarlierReport(path).split('\n')) {
    const row = Number(/"row":(\d+)/.exec(line)?.[1] ?? Number.NaN);
    if (!(row <= rowsDone)) break;
    bytes += Buffer.byteLength(line) + 1;
  }
  return bytes;
}

function readEarlierReport(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (thrown) {
    // No row was refused before, and an empty report is removed.
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw new Error(`the report ${path} of the interrupted import cannot be read: make it readable, or remove it`, {
      cause: thrown,
    });
  }
}
