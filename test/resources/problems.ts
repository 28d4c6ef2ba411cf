/** The problems of the engine and of the services that the simulation serves. */
import { problems as ofVouchers } from '../../examples/vouchers/vouchers.ts';
import { problems as ofBuiltIn } from '../support/problems.ts';

export const problems = Object.freeze({ ...ofBuiltIn, ...ofVouchers });
export type ProblemName = keyof typeof problems;
