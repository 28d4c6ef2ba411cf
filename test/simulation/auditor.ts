/** The auditor: observes every commit and every answer, runs the reference model, and records what must never happen. */
import { resources } from '../resources/index.ts';
import { type Attempt, describeAttempt } from './attempt.ts';
import { checkAnswer, type Executed } from './check-answer.ts';
import { isEvent, pspReferenceOf, subjectOf } from './effect-text.ts';
import { effectsOf, eventTextOf } from './effects.ts';
import type { Step } from './expected.ts';
import { Model } from './model.ts';
import type { Entry, SimDatabase, SimTransaction } from './sim-database.ts';
import type { UpdaterQuestion } from './sim-updater.ts';

/** Milliseconds for which a key is known. */
const knownMs = 31 * 24 * 60 * 60 * 1000;

/** Events of one request may come in any order of its details. */
const sortedByRequest = (events: readonly string[]): string =>
  [...Map.groupBy(events, pspReferenceOf).values()].map((texts) => texts.toSorted().join()).join();

export class Auditor {
  /** The first is what went wrong; later ones may follow from it. */
  readonly failures: string[] = [];
  readonly #now: () => number;
  readonly #model = new Model();
  readonly #executed = new Map<string, Executed[]>();
  /** The id of the question to the updater, by key and card. */
  readonly #questionIds = new Map<string, string>();
  /** The events of shoppers and resources, in the order of the commits. */
  readonly #events = new Map<string, string[]>();

  constructor(now: () => number) {
    this.#now = now;
    for (const resource of resources) resource.seedModel(this.#model);
  }

  fail(text: string): void {
    this.failures.push(text);
  }

  /** A transaction was committed: it holds the effects of one request, once for its key, or nothing. */
  committed(transaction: SimTransaction): void {
    const entries = transaction.entries.filter(({ rolledBack }) => !rolledBack);
    const effects = entries.flatMap(effectsOf).toSorted().join();
    if (effects === '' && !entries.some(({ statement }) => statement.name === 'complete-record')) return;
    const { attempt } = transaction;
    if (attempt?.pspReference === undefined) this.fail(`written without a request: ${effects}`);
    else this.#record(attempt, attempt.pspReference, entries, effects);
  }

  /** An external updater was asked. One key and card have one question id, and no other has the same. */
  questioned({ attempt, id, fingerprint }: UpdaterQuestion): void {
    const about = `${attempt?.key} ${fingerprint}`;
    const known = this.#questionIds.get(about) ?? id;
    const isTaken = [...this.#questionIds].some(([each, other]) => each !== about && other === id);
    if (known !== id || isTaken) this.fail(`${attempt && describeAttempt(attempt)} asks under another id`);
    this.#questionIds.set(about, id);
  }

  /** A client has received an answer. Returns true where it is final. */
  answered(attempt: Attempt): boolean {
    const { isFinal, faults } = checkAnswer(attempt, this.#executions(attempt), this.#now());
    for (const fault of faults) this.fail(`${describeAttempt(attempt)} ${fault}`);
    return isFinal;
  }

  /** The run is over: the store must hold what the model holds. */
  finish(database: SimDatabase): void {
    for (const resource of resources) {
      const stored = resource.storedLines(database).join();
      const expected = resource.modelLines(this.#model).join();
      if (stored !== expected) this.fail(`${resource.tables.join()} hold ${stored} instead of ${expected}`);
    }
    this.#checkEvents(database);
  }

  /** Every event is in the queue once and in order, and only the first of each subject is due. */
  #checkEvents(database: SimDatabase): void {
    const queued = new Map<string, string[]>();
    for (const { payload, due_at } of database.rows(
      `select payload, due_at from job where kind = 'webhook' order by ordering_key, position`,
    )) {
      const text = eventTextOf(String(payload));
      const events = queued.get(subjectOf(text)) ?? [];
      if ((due_at !== null) !== (events.length === 0)) this.fail(`"${text}" is ${due_at === null ? 'not ' : ''}due`);
      queued.set(subjectOf(text), [...events, text]);
    }
    for (const subject of new Set([...queued.keys(), ...this.#events.keys()])) {
      const [actual, expected] = [queued, this.#events].map((events) => sortedByRequest(events.get(subject) ?? []));
      if (actual !== expected) this.fail(`the queue of ${subject} holds ${actual} instead of ${expected}`);
    }
  }

  /** How often a request was executed under the key, stored refusals included. */
  executionCount(key: string): number {
    return this.#executed.get(key)?.length ?? 0;
  }

  #executions({ key }: Attempt): readonly Executed[] {
    return this.#executed.get(key) ?? [];
  }

  #record(attempt: Attempt, pspReference: string, entries: readonly Entry[], effects: string): void {
    const executions = this.#executions(attempt);
    const last = executions.at(-1);
    // A gateway that writes the record in a transaction of its own has not yet executed anything twice.
    if (effects === '' && last?.pspReference === pspReference) return;
    if (last !== undefined && this.#now() < last.until) {
      this.fail(`${describeAttempt(attempt)} is executed, after ${describeAttempt(last.attempt)} under the same key`);
      return;
    }
    const step = this.#apply(attempt, pspReference, entries);
    const expected = step?.effects.toSorted().join();
    if (step === undefined || effects !== expected) {
      this.fail(`${describeAttempt(attempt)} wrote ${effects || 'nothing'} instead of ${expected}`);
      return;
    }
    for (const event of step.effects.filter(isEvent)) {
      const subject = subjectOf(event);
      this.#events.set(subject, [...(this.#events.get(subject) ?? []), event]);
    }
    const until = this.#now() + knownMs;
    const executed = { attempt, pspReference, expected: step.expected, until, texts: new Map() };
    this.#executed.set(attempt.key, [...executions, executed]);
  }

  #apply(attempt: Attempt, pspReference: string, entries: readonly Entry[]): Step | undefined {
    try {
      const { updaterFailed = false } = attempt;
      return attempt.request.apply(this.#model, { pspReference, entries, updaterFailed });
    } catch (thrown) {
      this.fail(`${describeAttempt(attempt)}: ${thrown}`);
      return undefined;
    }
  }
}
