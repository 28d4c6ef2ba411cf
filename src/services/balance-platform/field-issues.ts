/** Issues with fields that handlers check themselves. */
import { type Issue, issue } from '../../contract/problem.ts';

/** The field is present and its value is not allowed. */
export function invalid(path: readonly string[], value?: string): Issue {
  return { ...issue(path, 'invalidField', path.join('.')), ...(value !== undefined && { value }) };
}

export function missing(path: readonly string[]): Issue {
  return issue(path, 'missingField', path.join('.'));
}
