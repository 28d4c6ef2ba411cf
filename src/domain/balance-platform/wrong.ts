/** Fields that the domain refuses: all of them at once, with what stands there. */
import { type Issue, issue, Problem } from '../../contract/problem.ts';

/** There, and not what it may be. */
export const invalid = (path: readonly string[], value?: string): Issue => ({
  ...issue(path, 'invalidField', path.join('.')),
  ...(value !== undefined && { value }),
});

export const missing = (path: readonly string[]): Issue => issue(path, 'missingField', path.join('.'));

/** Throws where there are any. */
export const refuseAll = (issues: readonly Issue[]): void => {
  if (issues.length > 0) throw Problem.of(issues);
};
