/** An error as one line of text, for SOAP faults and the form adapter. */
import type { Path } from '../contract/path.ts';
import type { Problem } from '../contract/problem.ts';

const lengthMax = 600;

/**
 * `validation 101 Invalid card number`. Clients compare this text, so it is unchanged if there is one issue. Further issues
 * follow with their coordinates, up to 600 characters in all.
 */
export function errorText(problem: Problem, coordinates: (path: Path) => string): string {
  const text = `${problem.type} ${problem.code} ${problem.message}`;
  const [, ...others] = problem.issues;
  const also = others.map(({ path, message }) => `; also ${coordinates(path)}: ${message}`);
  return [text, ...also].reduce((line, next) => (line.length + next.length > lengthMax ? line : line + next));
}
