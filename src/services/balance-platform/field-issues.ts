/** Fields that the domain refuses: all of them at once, with what stands there. */
import { type Issue, issue } from '../../contract/problem.ts';

/** There, and not what it may be. */
export const invalid = (path: readonly string[], value?: string): Issue => ({
  ...issue(path, 'invalidField', path.join('.')),
  ...(value !== undefined && { value }),
});

export const missing = (path: readonly string[]): Issue => issue(path, 'missingField', path.join('.'));
