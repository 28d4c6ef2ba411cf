/** The operations of the state views. */
import { partOperations } from './parts.ts';
import { recordOperations, stateProblems } from './records.ts';
import { ruleOperations } from './rules.ts';
import { workOperations, workProblems } from './work.ts';

export const stateOperations = [...recordOperations, ...workOperations, ...partOperations, ...ruleOperations] as const;

export const stateViewProblems = Object.freeze({ ...stateProblems, ...workProblems });
