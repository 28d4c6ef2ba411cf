/** Every problem: those of the engine and of the built-in services. */
import { problems as engineProblems } from '../../src/contract/problem.ts';
import { platformProblems } from '../../src/services/balance-platform/problems.ts';
import { recurringProblems } from '../../src/services/recurring/problems.ts';

export const problems = Object.freeze({ ...engineProblems, ...recurringProblems, ...platformProblems });
export type ProblemName = keyof typeof problems;
