/** The report of refused rows: one JSON object a line, with where the row starts and every reason, never what it held. */
import { closeSync, constants, fsyncSync, ftruncateSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import type { Reason } from './row.ts';

export interface Entry {
  readonly line: number;
  /** From 1; the header and empty lines are no rows. */
  readonly row: number;
  readonly reasons: readonly Reason[];
}

export interface Report {
  /** The entries of a batch, before it is committed: over what an interrupted or repeated batch has left. */
  write(entries: readonly Entry[]): void;
  /** The batch is committed; the next one's entries follow. */
  settle(): void;
  /** Leaves no empty file behind. */
  close(): void;
}

/** How many bytes of an earlier report hold rows up to `rowsDone`; they stand in the order of the file. */
const bytesUpTo = (path: string, rowsDone: number): number => {
  if (rowsDone === 0) return 0;
  let bytes = 0;
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    return 0;
  }
  for (const line of text.split('\n')) {
    const row = Number(/"row":(\d+)/.exec(line)?.[1] ?? Number.NaN);
    if (!(row <= rowsDone)) break;
    bytes += Buffer.byteLength(line) + 1;
  }
  return bytes;
};

/** Opens the report at `path`, or goes on with it where an import of `rowsDone` rows was interrupted. */
export const openReport = (path: string, rowsDone: number): Report => {
  let settled = bytesUpTo(path, rowsDone);
  let written = settled;
  const file = openSync(path, constants.O_CREAT | constants.O_RDWR, 0o600);
  ftruncateSync(file, settled);
  return {
    write(entries) {
      ftruncateSync(file, settled);
      const text = entries.map((entry) => `${JSON.stringify(entry)}\n`).join('');
      writeSync(file, text, settled);
      if (text !== '') fsyncSync(file);
      written = settled + Buffer.byteLength(text);
    },
    settle() {
      settled = written;
    },
    close() {
      ftruncateSync(file, settled);
      closeSync(file);
      if (settled === 0) rmSync(path);
    },
  };
};
