/** The auditor: observes every commit and every answer, runs the reference model, and records what must never happen. */

import type { StoredEvent } from '../resources/resource.ts';
import { resources } from '../resources/services.ts';
import { type Attempt, describeAttempt } from './attempt.ts';
import { checkAnswer, type Executed, type Reachable } from './check-answer.ts';
import { isEvent, jobText, pspReferenceOf, subjectOf } from './effect-text.ts';
import type { Step } from './expected.ts';
import { Model } from './model.ts';
import type { Entry, SimDatabase, SimTransaction } from './sim-database.ts';
import type { UpdaterQuestion } from './sim-updater.ts';

/** A statement that enqueues events has five parameters for each after the company; the fourth one is the payload. */
const eventColumns = 5;
const payloadColumn = 4;

function effectsOf(entry: Entry): readonly string[] {
  const { statement, parameters } = entry;
  if (statement.name.startsWith('enqueue-events-'))
    return parameters.flatMap((parameter, index) =>
      index % eventColumns === payloadColumn ? [eventTextOf(String(parameter))] : [],
    );
  if (statement.name === 'save-job') return [jobText(String(parameters[2]))];
  return resources.flatMap((resource) => resource.effectsOf(entry));
}

const eventTexts = new Map<string, string>();

/** The text of a stored event. Each payload is parsed once: the runs store the same ones again and again. */
function eventTextOf(payload: string): string {
  const text = eventTexts.get(payload) ?? parseEvent(payload);
  eventTexts.set(payload, text);
  return text;
}

function parseEvent(payload: string): string {
  const event: StoredEvent = JSON.parse(payload);
  for (const { eventTextOf } of resources) {
    const text = eventTextOf(event);
    if (text !== undefined) return text;
  }
  throw new Error(`no resource has the event ${payload}`);
}

/** Milliseconds for which a key is known. */
const knownMs = 31 * 24 * 60 * 60 * 1000;

/** An execution that is committed. */
interface LogEntry {
  readonly executed: Executed;
  readonly entries: readonly Entry[];
  readonly events: readonly string[];
}

/** An execution that a failover has lost. */
interface LostExecution {
  readonly executed: Executed;
  /** Virtual milliseconds. */
  readonly lostAt: number;
}

/** Events of one request may come in any order of its details. */
const sortedByRequest = (events: readonly string[]): string =>
  [...Map.groupBy(events, pspReferenceOf).values()].map((texts) => texts.toSorted().join()).join();

export class Auditor {
  /** The first is what went wrong; later ones may follow from it. */
  readonly failures: string[] = [];
  readonly #now: () => number;
  #model = seededModel();
  /** Every execution in the present history of the database. */
  #log: readonly LogEntry[] = [];
  #lost: readonly LostExecution[] = [];
  /** The id of the question to the updater, by key and card. */
  readonly #questionIds = new Map<string, string>();

  constructor(now: () => number) {
    this.#now = now;
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
    const { isFinal, faults } = checkAnswer(attempt, this.#reachable(attempt));
    for (const fault of faults) this.fail(`${describeAttempt(attempt)} ${fault}`);
    return isFinal;
  }

  /** Returns a function that is called when the database has lost everything since now. */
  replicate(): () => void {
    const log = this.#log;
    return () => {
      const lostAt = this.#now();
      const lost = this.#log.slice(log.length).map(({ executed }) => ({ executed, lostAt }));
      this.#lost = [...this.#lost, ...lost];
      this.#log = log;
      // The model has no undo: it runs the history again.
      this.#model = seededModel();
      for (const { executed, entries } of log) this.#apply(executed.attempt, executed.pspReference, entries);
    };
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
    const written = Map.groupBy(
      this.#log.flatMap(({ events }) => events),
      subjectOf,
    );
    for (const subject of new Set([...queued.keys(), ...written.keys()])) {
      const [actual, expected] = [queued, written].map((events) => sortedByRequest(events.get(subject) ?? []));
      if (actual !== expected) this.fail(`the queue of ${subject} holds ${actual} instead of ${expected}`);
    }
  }

  /** How often a request was executed under the key, stored refusals included. */
  executionCount(key: string): number {
    return this.#executionsUnder(key).length;
  }

  #executionsUnder(key: string): readonly Executed[] {
    return this.#log.flatMap(({ executed }) => (executed.attempt.key === key ? [executed] : []));
  }

  /** What the attempt may be answered with, and why each other execution under its key is out of reach. */
  #reachable({ key, sentAt }: Attempt): Reachable {
    const lost = this.#lost.filter(({ executed }) => executed.attempt.key === key);
    // A failover while the attempt was under way may have come after its answer.
    const seen = lost.filter(({ lostAt }) => sentAt <= lostAt).map(({ executed }) => executed);
    const all = [...this.#executionsUnder(key), ...seen];
    return {
      executions: all.filter(({ until }) => sentAt <= until),
      reasonOf(pspReference) {
        if (all.some((each) => each.pspReference === pspReference)) return 'has expired';
        const isLost = lost.some(({ executed }) => executed.pspReference === pspReference);
        return isLost ? 'the database has lost' : 'was never executed';
      },
    };
  }

  #record(attempt: Attempt, pspReference: string, entries: readonly Entry[], effects: string): void {
    const last = this.#executionsUnder(attempt.key).at(-1);
    // A gateway that writes the record in a transaction of its own has not yet executed anything twice.
    if (effects === '' && last?.pspReference === pspReference) return;
    // The record of the last one is younger than its request.
    if (last !== undefined && this.#now() < last.attempt.sentAt + knownMs) {
      this.fail(`${describeAttempt(attempt)} is executed, after ${describeAttempt(last.attempt)} under the same key`);
      return;
    }
    const step = this.#apply(attempt, pspReference, entries);
    const expected = step?.effects.toSorted().join();
    if (step === undefined || effects !== expected) {
      this.fail(`${describeAttempt(attempt)} wrote ${effects || 'nothing'} instead of ${expected}`);
      return;
    }
    const until = this.#now() + knownMs;
    const executed = { attempt, pspReference, expected: step.expected, until, texts: new Map() };
    this.#log = [...this.#log, { executed, entries, events: step.effects.filter(isEvent) }];
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

function seededModel(): Model {
  const model = new Model();
  for (const resource of resources) resource.seedModel(model);
  return model;
}
