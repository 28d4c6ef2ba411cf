/** Translates the errors of SQLite that mean that the store cannot answer now. */
import { StoreUnavailable } from '../errors.ts';

/** Primary result codes of SQLite. */
const busy = 5;
const full = 13;
const unavailable: ReadonlyMap<number, string> = new Map([
  [busy, 'another process is writing'],
  [6, 'a table is locked'],
  [8, 'the data folder is read-only'],
  [10, 'reading or writing the disk failed'],
  [full, 'the disk is full'],
  [14, 'the database file cannot be opened'],
]);

export function isBusy(thrown: unknown): boolean {
  return codeOf(thrown) === busy;
}

/**
 * Whether a failed commit has no effect, even after a crash. The frame that ends a transaction is the last one written, so a
 * full disk leaves none. After any other failure it may be in the log already.
 */
export function isRolledBack(thrown: unknown): boolean {
  return codeOf(thrown) === full;
}

/** The error of the store for an error of SQLite. An error that is not temporary stays unchanged. */
export function translated(thrown: unknown): unknown {
  const code = codeOf(thrown);
  const reason = code === undefined ? undefined : unavailable.get(code);
  return reason === undefined
    ? thrown
    : new StoreUnavailable(`the store cannot answer now: ${reason}`, { cause: thrown });
}

/** The low byte of an extended result code is the primary code. */
function codeOf(thrown: unknown): number | undefined {
  return typeof thrown === 'object' && thrown !== null && 'errcode' in thrown && typeof thrown.errcode === 'number'
    ? thrown.errcode & 0xff
    : undefined;
}
