/** The auditor: hears of every commit and every answer, keeps a model of its own, and says what must never be. */
import { type Done, judge, say } from './answers.ts';
import type { Attempt } from './attempt.ts';
import type { Use } from './body.ts';
import { changedText, disabledText, Model, type Step, savedText } from './model.ts';
import type { Entry, SimDatabase, SimUnit } from './sim-database.ts';

/** Milliseconds for which a key is known. */
const knownMs = 31 * 24 * 60 * 60 * 1000;

const effectOf = ({ statement, parameters }: Entry): readonly string[] => {
  const [, , shopper, reference, , uses] = parameters.map(String);
  switch (statement.name) {
    case 'save-detail':
      return [savedText(shopper!, reference!, uses!.split(',') as Use[])];
    case 'disable-detail':
      return [disabledText(shopper!, reference!)];
    case 'save-change':
      return [changedText(String(parameters[1]), String(parameters[5]))];
    default:
      return [];
  }
};

export class Auditor {
  /** The first is what went wrong; later ones may follow from it. */
  readonly failures: string[] = [];
  readonly #now: () => number;
  readonly #model = new Model();
  readonly #done = new Map<string, Done[]>();

  constructor(now: () => number) {
    this.#now = now;
  }

  fail(text: string): void {
    this.failures.push(text);
  }

  /** A unit has been committed: it holds what a request does, once for its key, or nothing at all. */
  committed(unit: SimUnit): void {
    const kept = unit.entries.filter(({ undone }) => !undone);
    const effects = kept.flatMap(effectOf).toSorted().join();
    if (effects === '' && !kept.some(({ statement }) => statement.name === 'settle-scope')) return;
    if (unit.attempt?.psp === undefined) this.fail(`for nobody: ${effects}`);
    else this.#keep(unit.attempt, unit.attempt.psp, kept, effects);
  }

  /** A client has got an answer. True where it is final: nothing is left to be retried. */
  answered(attempt: Attempt): boolean {
    const { isFinal, faults } = judge(attempt, this.#known(attempt), this.#now());
    for (const fault of faults) this.fail(`${say(attempt)} ${fault}`);
    return isFinal;
  }

  /** Everything has come to rest: what is in the store is what was done. */
  finish(database: SimDatabase): void {
    const stored = database
      .rows(
        `select shopper_reference as shopper, recurring_detail_reference as reference, contracts, disabled_at,
                json_extract(open_part, '$.firstPspReference') as psp from stored_detail`,
      )
      .map(({ shopper, reference, contracts, disabled_at, psp }) => {
        const uses = String(contracts).split(',').toSorted().join('+');
        return [shopper, reference, disabled_at === null ? uses : 'disabled', psp].join(' ');
      })
      .toSorted()
      .join();
    const expected = this.#model.lines().join();
    if (stored !== expected) this.fail(`the store holds ${stored} instead of ${expected}`);
  }

  /** How often something was done under the key, the refusals that were kept among it. */
  times(key: string): number {
    return this.#done.get(key)?.length ?? 0;
  }

  #known({ key }: Attempt): readonly Done[] {
    return this.#done.get(key) ?? [];
  }

  #keep(attempt: Attempt, psp: string, entries: readonly Entry[], effects: string): void {
    const known = this.#known(attempt);
    const last = known.at(-1);
    // A gateway that writes the row in a unit of its own is not yet wrong by that: nothing was done twice.
    if (effects === '' && last?.psp === psp) return;
    if (last !== undefined && this.#now() < last.until) {
      this.fail(`${say(attempt)} is done, after ${say(last.attempt)} under the same key`);
      return;
    }
    const made = entries.find(({ statement }) => statement.name === 'save-detail')?.parameters[3]?.toString();
    const step = this.#apply(attempt, psp, made);
    const expected = step?.effects.toSorted().join();
    if (step === undefined || effects !== expected) {
      this.fail(`${say(attempt)} wrote ${effects || 'nothing'} instead of ${expected}`);
      return;
    }
    const done = { attempt, psp, expected: step.expected, until: this.#now() + knownMs, texts: new Map() };
    this.#done.set(attempt.key, [...known, done]);
  }

  #apply(attempt: Attempt, psp: string, made: string | undefined): Step | undefined {
    try {
      return this.#model.apply(attempt.body, psp, made);
    } catch (thrown) {
      this.fail(`${say(attempt)}: ${thrown}`);
      return undefined;
    }
  }
}
