/** Property tests of stored outcomes. */
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Problem } from '../../src/core/contract/problem.ts';
import type { Service } from '../../src/core/contract/service.ts';
import {
  isStorableProblem,
  type Outcome,
  parseOutcome,
  serializeOutcome,
} from '../../src/core/idempotency/stored-outcome.ts';
import { disable } from '../../src/payments/recurring/contract.ts';
import { recurringV25 } from '../../src/payments/recurring/versions.ts';
import { type ProblemName, problems } from '../support/problems.ts';
import { runs, search } from './property.ts';

/** These properties are cheap, so they get more values. `check` throws for a counterexample. */
function expectProperty<T>(values: fc.Arbitrary<T>, check: (value: T) => void): void {
  const counterexample = search(values, { runs: 10 * runs }, (value) => {
    check(value);
    return undefined;
  });
  expect(counterexample).toBeUndefined();
}

const everyProblem: Service = { ...recurringV25, problems };
const requestReference = fc.stringMatching(/^[A-Z0-9]{16}$/);
const names = (Object.keys(problems) as ProblemName[]).filter((name) => isStorableProblem(new Problem(problems[name])));
const outcome: fc.Arbitrary<Outcome> = fc.oneof(
  // Callers send any text, lone surrogates included.
  fc.record({ requestReference, output: fc.dictionary(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' })) }),
  fc.record({
    requestReference,
    problem: fc
      .tuple(fc.constantFrom(...names), fc.string({ unit: 'binary' }))
      .map(([name, message]) => new Problem(problems[name], message)),
  }),
);

test('an outcome survives serialization, and is serialized the same again', () => {
  expectProperty(outcome, (given) => {
    const text = serializeOutcome(given, disable);
    const read = parseOutcome(text, everyProblem);
    expect(read.requestReference).toBe(given.requestReference);
    expect(read.output).toEqual(given.output);
    expect(read.problem?.problem).toBe(given.problem?.problem);
    expect(read.problem?.message).toBe(given.problem?.message);
    expect(serializeOutcome(read, disable)).toBe(text);
  });
});

/** Records of a release before may hold it. */
test('the stored form stays as it is', () => {
  const stored = '{"requestReference":"PSP0000000000001","output":{"response":"ok"}}';
  const outcome = { requestReference: 'PSP0000000000001', output: { response: 'ok' } };
  expect(parseOutcome(stored, everyProblem)).toEqual(outcome);
  expect(serializeOutcome(outcome, disable)).toBe(stored);
});

const notAnOutcome = fc.oneof(
  fc.string(),
  fc.json(),
  fc.record({ pspReference: requestReference }).map((each) => JSON.stringify(each)),
  // Sixteen digits, but a number rather than text.
  fc
    .integer({ min: 0, max: 999 })
    .map((tail) => JSON.stringify({ pspReference: 4_000_000_000_000_000 + tail, output: {} })),
);

test('parsing throws for a text that is not an outcome', () => {
  expectProperty(notAnOutcome, (text) => {
    expect(() => parseOutcome(text, everyProblem)).toThrow();
  });
});
