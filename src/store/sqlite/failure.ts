/** Which of SQLite's errors mean that the store cannot answer now. */
import { StoreUnavailable } from '../errors.ts';

/** Primary result codes of SQLite, by their names there. */
const busy = 5;
const unavailable: ReadonlyMap<number, string> = new Map([
  [busy, 'another process is writing'],
  [6, 'a table is locked'],
  [8, 'the data folder is read-only'],
  [10, 'reading or writing the disk failed'],
  [13, 'the disk is full'],
  [14, 'the database file cannot be opened'],
]);

/** The primary code is the low byte; the rest tells where in SQLite it happened. */
const codeOf = (thrown: unknown): number | undefined =>
  typeof thrown === 'object' && thrown !== null && 'errcode' in thrown && typeof thrown.errcode === 'number'
    ? thrown.errcode & 0xff
    : undefined;

export const isBusy = (thrown: unknown): boolean => codeOf(thrown) === busy;

/** The error as the store's callers know it; what is nobody's passing trouble stays as it is. */
export const translated = (thrown: unknown): unknown => {
  const code = codeOf(thrown);
  const reason = code === undefined ? undefined : unavailable.get(code);
  return reason === undefined
    ? thrown
    : new StoreUnavailable(`the store cannot answer now: ${reason}`, { cause: thrown });
};
