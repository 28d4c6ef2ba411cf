/** The auditor: hears of every commit and every answer, keeps a model of its own, and says what must never be. */
import { type Done, judge, say } from './answers.ts';
import type { Attempt } from './attempt.ts';
import { isTold, toldAbout, toldByPsp } from './effect-text.ts';
import type { Made, Step } from './expected.ts';
import { Model } from './model.ts';
import type { Entry, SimDatabase, SimUnit } from './sim-database.ts';
import type { Question } from './sim-updater.ts';
import { detailLinesIn, effectsOf, madeIn, resourceLinesIn, toldOf } from './written.ts';

/** Milliseconds for which a key is known. */
const knownMs = 31 * 24 * 60 * 60 * 1000;

/** Those of one request are in the order of its details, which is not the model's to know. */
const byRequest = (told: readonly string[]): string =>
  [...Map.groupBy(told, toldByPsp).values()].map((texts) => texts.toSorted().join()).join();

export class Auditor {
  /** The first is what went wrong; later ones may follow from it. */
  readonly failures: string[] = [];
  readonly #now: () => number;
  readonly #model = new Model();
  readonly #done = new Map<string, Done[]>();
  /** As what each card was asked about, for each key. */
  readonly #names = new Map<string, string>();
  /** What events of shoppers and of resources are to be, in the order of the commits. */
  readonly #told = new Map<string, string[]>();

  constructor(now: () => number) {
    this.#now = now;
  }

  fail(text: string): void {
    this.failures.push(text);
  }

  /** A unit has been committed: it holds what a request does, once for its key, or nothing at all. */
  committed(unit: SimUnit): void {
    const kept = unit.entries.filter(({ undone }) => !undone);
    const effects = kept.flatMap(effectsOf).toSorted().join();
    if (effects === '' && !kept.some(({ statement }) => statement.name === 'settle-scope')) return;
    if (unit.attempt?.psp === undefined) this.fail(`for nobody: ${effects}`);
    else this.#keep(unit.attempt, unit.attempt.psp, kept, effects);
  }

  /** An updater outside was asked: about one card, for one key, by one name; about no two by the same. */
  questioned({ attempt, id, fingerprint }: Question): void {
    const about = `${attempt?.key} ${fingerprint}`;
    const known = this.#names.get(about) ?? id;
    const isTaken = [...this.#names].some(([each, name]) => each !== about && name === id);
    if (known !== id || isTaken) this.fail(`${attempt && say(attempt)} asks by another name`);
    this.#names.set(about, id);
  }

  /** A client has got an answer. True where it is final: nothing is left to be retried. */
  answered(attempt: Attempt): boolean {
    const { isFinal, faults } = judge(attempt, this.#known(attempt), this.#now());
    for (const fault of faults) this.fail(`${say(attempt)} ${fault}`);
    return isFinal;
  }

  /** Everything has come to rest: what is in the store is what was done. */
  finish(database: SimDatabase): void {
    const stored = detailLinesIn(database).join();
    const expected = this.#model.detailLines().join();
    if (stored !== expected) this.fail(`the store holds ${stored} instead of ${expected}`);
    const kept = resourceLinesIn(database).join();
    const resources = this.#model.resourceLines().join();
    if (kept !== resources) this.fail(`the platform holds ${kept} instead of ${resources}`);
    this.#finishNotices(database);
  }

  /** Everything that was done is to be told, once, in its order, and nothing else; and the first of each shopper or resource is due. */
  #finishNotices(database: SimDatabase): void {
    const lanes = new Map<string, string[]>();
    for (const { payload, due_at } of database.rows(
      `select payload, due_at from job where kind = 'webhook' order by lane, place`,
    )) {
      const text = toldOf(String(payload));
      const about = toldAbout(text);
      const lane = lanes.get(about) ?? [];
      if ((due_at !== null) !== (lane.length === 0)) this.fail(`"${text}" is ${due_at === null ? 'not ' : ''}due`);
      lanes.set(about, [...lane, text]);
    }
    for (const about of new Set([...lanes.keys(), ...this.#told.keys()])) {
      const [kept, expected] = [lanes, this.#told].map((told) => byRequest(told.get(about) ?? []));
      if (kept !== expected) this.fail(`what is to be told is ${kept} instead of ${expected}`);
    }
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
    const step = this.#apply(attempt, psp, madeIn(entries));
    const expected = step?.effects.toSorted().join();
    if (step === undefined || effects !== expected) {
      this.fail(`${say(attempt)} wrote ${effects || 'nothing'} instead of ${expected}`);
      return;
    }
    for (const text of step.effects.filter(isTold)) {
      const about = toldAbout(text);
      this.#told.set(about, [...(this.#told.get(about) ?? []), text]);
    }
    const done = { attempt, psp, expected: step.expected, until: this.#now() + knownMs, texts: new Map() };
    this.#done.set(attempt.key, [...known, done]);
  }

  #apply(attempt: Attempt, psp: string, made: Made): Step | undefined {
    try {
      return this.#model.apply(attempt.body, psp, made, attempt.untold);
    } catch (thrown) {
      this.fail(`${say(attempt)}: ${thrown}`);
      return undefined;
    }
  }
}
