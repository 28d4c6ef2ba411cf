/** Tests which problems have a stack. */
import { expect, test } from '@jest/globals';
import { Problem } from '../../src/core/contract/problem.ts';

const framesOf = ({ stack = '' }: Error): number => stack.split('\n').filter((line) => /^ +at /.test(line)).length;

test('refusals before an operation have no stack, and other problems do', () => {
  const { stackTraceLimit } = Error;
  for (const name of ['tooManyRequests', 'overloaded', 'unauthorized'] as const)
    expect(framesOf(new Problem(name))).toBe(0);
  for (const name of ['internal', 'invalidField', 'unavailable'] as const)
    expect(framesOf(new Problem(name))).toBeGreaterThan(0);
  expect(Error.stackTraceLimit).toBe(stackTraceLimit);
});
