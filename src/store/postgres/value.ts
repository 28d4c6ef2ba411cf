/** What PostgreSQL sends as text, as the values that every engine gives: numbers and texts. */
import type { CustomTypesConfig } from 'pg';

/** Counts are far from 2^53; beyond it a number would be another one. */
const wholeNumber = (text: string): number => {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError('the database gave a number beyond 2^53');
  return value;
};

/** As an embedded store has it. */
const truth = (text: string): number => (text === 't' ? 1 : 0);

/** By the number of the type in pg_type. */
const readers: ReadonlyMap<number, (text: string) => number> = new Map([
  [16, truth],
  [20, wholeNumber],
  [21, wholeNumber],
  [23, wholeNumber],
  [700, Number],
  [701, Number],
  [1700, Number],
]);

const asItIs = (text: string): string => text;

/** In the form that the client asks for: the reader of a type. */
export const readValue = ((type: number) => readers.get(type) ?? asItIs) as CustomTypesConfig['getTypeParser'];
