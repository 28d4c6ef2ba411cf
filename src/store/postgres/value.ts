/** Parses the texts that PostgreSQL sends into the values of every engine: numbers and texts. */
import type { CustomTypesConfig } from 'pg';

/** Readers of values by the OID of their type (pg_type). */
const readers: ReadonlyMap<number, (text: string) => number> = new Map([
  [16, booleanNumber],
  [20, wholeNumber],
  [21, wholeNumber],
  [23, wholeNumber],
  [700, Number],
  [701, Number],
  [1700, Number],
]);

/** Returns the parser of a type, as the client requires it. */
export const readValue = ((type: number) => readers.get(type) ?? unchanged) as CustomTypesConfig['getTypeParser'];

/** 1 or 0, as in SQLite. */
function booleanNumber(text: string): number {
  return text === 't' ? 1 : 0;
}

/** Counts are far below 2^53; a number beyond it would not be exact. */
function wholeNumber(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError('the database returned a number beyond 2^53');
  return value;
}

function unchanged(text: string): string {
  return text;
}
