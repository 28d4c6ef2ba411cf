/** A problem in one line of text, for the formats that have no fields for it: SOAP faults and the form adapter. */
import type { Path } from '../contract/path.ts';
import type { Problem } from '../contract/problem.ts';

const lengthMax = 900;

/** Statuses that callers of the text formats see as they are; every other refusal is a 500. */
export const keepsStatus: ReadonlySet<number> = new Set([401, 403, 404, 405, 408, 413, 415, 429, 503]);

/**
 * `validation 101 Invalid card number`: clients compare this text, so with one issue nothing is added.
 * With more, the others follow with their coordinates, up to 900 characters in all.
 */
export const textOf = (problem: Problem, coordinates: (path: Path) => string): string => {
  const text = `${problem.type} ${problem.code} ${problem.message}`;
  const [, ...others] = problem.issues;
  const also = others.map(({ path, message }) => `; also ${coordinates(path)}: ${message}`);
  return [text, ...also].reduce((line, next) => (line.length + next.length > lengthMax ? line : line + next));
};
