/** A problem in one line of text, for the formats that have no fields for it: SOAP faults and the form adapter. */
import type { Path } from '../contract/path.ts';
import type { Problem } from '../contract/problem.ts';

const lengthMax = 600;

/**
 * `validation 101 Invalid card number`: clients compare this text, so with one issue nothing is added.
 * With more, the others follow with their coordinates, up to 600 characters in all.
 */
export const textOf = (problem: Problem, coordinates: (path: Path) => string): string => {
  const text = `${problem.type} ${problem.code} ${problem.message}`;
  const [, ...others] = problem.issues;
  const also = others.map(({ path, message }) => `; also ${coordinates(path)}: ${message}`);
  return [text, ...also].reduce((line, next) => (line.length + next.length > lengthMax ? line : line + next));
};
