/** The operations of the view of callers. */
import { deprecationOperations } from './deprecations.ts';
import { recordOperations } from './records.ts';

export { callerProblems } from './problems.ts';

export const callerOperations = [...recordOperations, ...deprecationOperations] as const;
