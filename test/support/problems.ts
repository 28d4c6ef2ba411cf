/** Every problem: those of the engine and of the built-in services. */
import { problems as engineProblems } from '../../src/core/contract/problem.ts';
import { platformProblems } from '../../src/payments/balance-platform/problems.ts';
import { recurringProblems } from '../../src/payments/recurring/problems.ts';

export const problems = Object.freeze({ ...engineProblems, ...recurringProblems, ...platformProblems });
export type ProblemName = keyof typeof problems;
