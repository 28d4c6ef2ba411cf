/** The parts of errors that several formats have: the map of invalid fields, one line of text, and a status for most errors. */
import { dotted, type Path } from '../contract/path.ts';
import type { Issue, Problem } from '../contract/problem.ts';
import type { Service } from '../contract/service.ts';

/** The map from invalid fields to their first messages, by the name of its member. Empty if the version has none, or no field is invalid. */
export function errorMap(
  issues: readonly Issue[],
  service: Service | undefined,
): Readonly<Record<string, Readonly<Record<string, string>>>> {
  if (service?.errorMap === undefined) return {};
  const messages = new Map<string, string>();
  for (const { path, message } of issues)
    if (path.length > 0 && !messages.has(dotted(path))) messages.set(dotted(path), message);
  return messages.size === 0 ? {} : { [service.errorMap]: Object.fromEntries(messages) };
}

/**
 * Returns the status of the format for every error of a message that was read: SOAP stacks show the text of a fault with that
 * status only. Errors of the HTTP request keep their own.
 */
export function errorStatus({ kind }: Problem, statusOfFormat: number): number {
  return kind.keepsStatus === true ? kind.status : statusOfFormat;
}

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
