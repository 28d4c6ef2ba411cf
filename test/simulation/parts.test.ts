/** The pure parts of exactly-once over generated values: what a process remembers, and outcomes as text. */
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Problem, type ProblemName, problems } from '../../src/contract/problem.ts';
import { LocalReplayCache } from '../../src/idempotency/local-replay-cache.ts';
import type { StoredOutcome } from '../../src/idempotency/ports.ts';
import {
  isStorableProblem,
  type Outcome,
  parseOutcome,
  serializeOutcome,
} from '../../src/idempotency/stored-outcome.ts';

const numRuns = 10_000;

const keptMsMax = 60_000;
const charactersMax = 4_000_000;

/** `Recent`, said as plainly as it can be: a list, oldest first. */
class PlainRecent {
  #entries: { readonly scope: string; readonly kept: StoredOutcome; readonly since: number }[] = [];

  find(scope: string, now: number): StoredOutcome | undefined {
    const entry = this.#entries.find((each) => each.scope === scope);
    if (entry === undefined) return undefined;
    if (now >= entry.since && now - entry.since < keptMsMax) return entry.kept;
    this.#entries = this.#entries.filter((each) => each !== entry);
    return undefined;
  }

  keep(scope: string, kept: StoredOutcome, now: number): void {
    this.#entries = [...this.#entries.filter((each) => each.scope !== scope), { scope, kept, since: now }];
    const characters = () => this.#entries.reduce((sum, each) => sum + each.kept.outcome.length, 0);
    while (characters() > charactersMax) this.#entries.shift();
  }
}

/** Long texts are made once: it is their length that counts. */
const texts = [0, 1, 300, 1_000_000, 1_500_000, 4_000_000, 4_000_001].map((length) => 'x'.repeat(length));

const scope = fc.constantFrom('a', 'b', 'c', 'd');
const step = fc.oneof(
  fc.record({ kind: fc.constant('find' as const), scope }),
  fc.record({ kind: fc.constant('keep' as const), scope, at: fc.nat(texts.length - 1), fingerprint: fc.nat(9) }),
  // Clocks are set back, too.
  fc.record({ kind: fc.constant('wait' as const), ms: fc.constantFrom(1, 59_999, 60_000, 60_001, -1, -100_000) }),
);

test('what a process remembers is what a plain list would', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      let now = 1_000_000;
      const recent = new LocalReplayCache({ now: () => now });
      const plain = new PlainRecent();
      for (const each of steps) {
        switch (each.kind) {
          case 'find':
            expect(recent.find(each.scope)).toBe(plain.find(each.scope, now));
            break;
          case 'keep': {
            const kept = { requestHash: String(each.fingerprint), outcome: texts[each.at]! };
            recent.save(each.scope, kept);
            plain.keep(each.scope, kept, now);
            break;
          }
          case 'wait':
            now += each.ms;
            break;
          default:
            each satisfies never;
        }
      }
      for (const each of ['a', 'b', 'c', 'd']) expect(recent.find(each)).toBe(plain.find(each, now));
    }),
    { numRuns },
  );
});

const pspReference = fc.stringMatching(/^[A-Z0-9]{16}$/);
const names = (Object.keys(problems) as ProblemName[]).filter((name) => isStorableProblem(new Problem(name)));
const outcome: fc.Arbitrary<Outcome> = fc.oneof(
  // Texts of any kind, lone surrogates too: they come from callers.
  fc.record({ pspReference, output: fc.dictionary(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' })) }),
  fc.record({
    pspReference,
    problem: fc
      .tuple(fc.constantFrom(...names), fc.string({ unit: 'binary' }))
      .map(([name, message]) => new Problem(name, message)),
  }),
);

test('an outcome is read back as it was printed, and is printed the same again', () => {
  fc.assert(
    fc.property(outcome, (given) => {
      const text = serializeOutcome(given);
      const read = parseOutcome(text);
      expect(read.pspReference).toBe(given.pspReference);
      expect(read.output).toEqual(given.output);
      expect(read.problem?.problem).toBe(given.problem?.problem);
      expect(read.problem?.message).toBe(given.problem?.message);
      expect(serializeOutcome(read)).toBe(text);
    }),
    { numRuns },
  );
});

const noOutcome = fc.oneof(
  fc.string(),
  fc.json(),
  fc.record({ pspReference }).map((each) => JSON.stringify(each)),
  // Sixteen digits, and yet no text.
  fc
    .integer({ min: 0, max: 999 })
    .map((tail) => JSON.stringify({ pspReference: 4_000_000_000_000_000 + tail, output: {} })),
);

test('what is no outcome is refused, and nothing else is made of it', () => {
  fc.assert(
    fc.property(noOutcome, (text) => {
      expect(() => parseOutcome(text)).toThrow();
    }),
    { numRuns },
  );
});
