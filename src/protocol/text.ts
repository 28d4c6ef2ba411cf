/** A problem in one line of text, for the formats that have no fields for it: SOAP faults and the form adapter. */
import type { Path } from '../contract/path.ts';
import type { Problem } from '../contract/problem.ts';

const lengthMax = 600;

const keptStatuses: ReadonlySet<number> = new Set([401, 403, 404, 405, 408, 413, 415, 429, 503]);

/** What is wrong with the HTTP message or its bytes keeps its status in the text formats too; the rest is the format's choice. */
export const statusOf = ({ problem, status }: Problem, otherwise: number): number =>
  keptStatuses.has(status) || problem === 'badRequest' || problem === 'unreadable' ? status : otherwise;

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
