/** Property tests of the local replay cache and of stored outcomes. */
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Problem } from '../../src/contract/problem.ts';
import type { Service } from '../../src/contract/service.ts';
import { LocalReplayCache } from '../../src/idempotency/local-replay-cache.ts';
import type { StoredOutcome } from '../../src/idempotency/ports.ts';
import {
  isStorableProblem,
  type Outcome,
  parseOutcome,
  serializeOutcome,
} from '../../src/idempotency/stored-outcome.ts';
import { recurringV25 } from '../../src/services/recurring/v25.ts';
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

const ttlMs = 60_000;
const charactersMax = 4_000_000;

/** The oracle of the replay cache: a list, oldest first. */
class ListCache {
  #entries: { readonly recordKey: string; readonly outcome: StoredOutcome; readonly since: number }[] = [];

  find(recordKey: string, now: number): StoredOutcome | undefined {
    const entry = this.#entries.find((each) => each.recordKey === recordKey);
    if (entry === undefined) return undefined;
    if (now >= entry.since && now - entry.since < ttlMs) return entry.outcome;
    this.#entries = this.#entries.filter((each) => each !== entry);
    return undefined;
  }

  save(recordKey: string, outcome: StoredOutcome, now: number): void {
    const others = this.#entries.filter((each) => each.recordKey !== recordKey);
    this.#entries = [...others, { recordKey, outcome, since: now }];
    const characters = () => this.#entries.reduce((sum, each) => sum + each.outcome.outcome.length, 0);
    while (characters() > charactersMax) this.#entries.shift();
  }
}

/** Only the length counts, so long texts are created once. */
const texts = [0, 1, 300, 1_000_000, 1_500_000, 4_000_000, 4_000_001].map((length) => 'x'.repeat(length));

const recordKey = fc.constantFrom('a', 'b', 'c', 'd');
const step = fc.oneof(
  fc.record({ kind: fc.constant('find' as const), recordKey }),
  fc.record({ kind: fc.constant('save' as const), recordKey, at: fc.nat(texts.length - 1), hash: fc.nat(9) }),
  // A clock may be set back.
  fc.record({ kind: fc.constant('wait' as const), ms: fc.constantFrom(1, 59_999, 60_000, 60_001, -1, -100_000) }),
);

test('the replay cache finds what a plain list finds', () => {
  expectProperty(fc.array(step, { maxLength: 30 }), (steps) => {
    let now = 1_000_000;
    const cache = new LocalReplayCache({ now: () => now });
    const list = new ListCache();
    for (const each of steps) {
      switch (each.kind) {
        case 'find':
          expect(cache.find(each.recordKey)).toBe(list.find(each.recordKey, now));
          break;
        case 'save': {
          const outcome = { requestHash: String(each.hash), outcome: texts[each.at]! };
          cache.save(each.recordKey, outcome);
          list.save(each.recordKey, outcome, now);
          break;
        }
        case 'wait':
          now += each.ms;
          break;
        default:
          each satisfies never;
      }
    }
    for (const each of ['a', 'b', 'c', 'd']) expect(cache.find(each)).toBe(list.find(each, now));
  });
});

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
    const text = serializeOutcome(given);
    const read = parseOutcome(text, everyProblem);
    expect(read.requestReference).toBe(given.requestReference);
    expect(read.output).toEqual(given.output);
    expect(read.problem?.problem).toBe(given.problem?.problem);
    expect(read.problem?.message).toBe(given.problem?.message);
    expect(serializeOutcome(read)).toBe(text);
  });
});

/** Records of a release before may hold it. */
test('the stored form stays as it is', () => {
  const stored = '{"pspReference":"PSP0000000000001","output":{"response":"ok"}}';
  const outcome = { requestReference: 'PSP0000000000001', output: { response: 'ok' } };
  expect(parseOutcome(stored, everyProblem)).toEqual(outcome);
  expect(serializeOutcome(outcome)).toBe(stored);
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
