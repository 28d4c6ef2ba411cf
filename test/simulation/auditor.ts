/** The auditor: hears of every commit and every answer, keeps a model of its own, and says what must never be. */
import { type Done, judge, say } from './answers.ts';
import type { Attempt } from './attempt.ts';
import type { Use } from './body.ts';
import { addedText, movedText } from './instrument-model.ts';
import { changedText, disabledText, jobText, type Made, Model, type Step, savedText, toldText } from './model.ts';
import type { Entry, SimDatabase, SimUnit } from './sim-database.ts';
import type { Question } from './sim-updater.ts';

/** Milliseconds for which a key is known. */
const knownMs = 31 * 24 * 60 * 60 * 1000;

const toldOf = (payload: string): string => {
  const { kind, shopperReference, recurringDetailReference, record, operation, pspReference } = JSON.parse(payload);
  return record === undefined
    ? toldText(kind, shopperReference, recurringDetailReference, pspReference)
    : toldText(kind, record.id, operation, pspReference);
};

/** Those of one request are in the order of its details, which is not the model's to know. */
const byRequest = (told: readonly string[]): string =>
  [...Map.groupBy(told, (text) => text.split(' ').at(-1)!).values()].map((texts) => texts.toSorted().join()).join();

const effectOf = ({ statement, parameters }: Entry): readonly string[] => {
  // Each notice is six values, after the company; the third is what is kept of it.
  if (statement.name.startsWith('tell-'))
    return parameters.flatMap((parameter, index) => (index % 6 === 3 ? [toldOf(String(parameter))] : []));
  const [, , shopper, reference, , uses] = parameters.map(String);
  switch (statement.name) {
    case 'save-detail':
      return [savedText(shopper!, reference!, uses!.split(',') as Use[])];
    case 'disable-detail':
      return [disabledText(shopper!, reference!)];
    case 'save-change':
      return [changedText(String(parameters[1]), String(parameters[5]))];
    case 'save-job':
      return [jobText(String(parameters[2]))];
    case 'add-payment_instrument':
      return [addedText(String(parameters[1]), String(parameters[3]))];
    case 'change-payment_instrument':
      return [movedText(String(parameters[1]), String(parameters[3]), String(parameters[4]))];
    default:
      return [];
  }
};

/** What the gateway chose. */
const madeIn = (entries: readonly Entry[]): Made => {
  const find = (name: string) => entries.find(({ statement }) => statement.name === name)?.parameters.map(String);
  const added = find('add-payment_instrument');
  if (added === undefined) return { reference: find('save-detail')?.[3] };
  const { id, card } = JSON.parse(added[5]!);
  return { instrument: { id, lastFour: card.lastFour, expiration: card.expiration, fingerprint: added[6]! } };
};

export class Auditor {
  /** The first is what went wrong; later ones may follow from it. */
  readonly failures: string[] = [];
  readonly #now: () => number;
  readonly #model = new Model();
  readonly #done = new Map<string, Done[]>();
  /** As what each card was asked about, for each key. */
  readonly #names = new Map<string, string>();
  /** What events of shoppers and of instruments are to be, in the order of the commits. */
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
    const effects = kept.flatMap(effectOf).toSorted().join();
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
    const kept = database
      .rows('select id, status, revision from payment_instrument')
      .map(({ id, status, revision }) => [id, status, revision].join(' '))
      .toSorted()
      .join();
    const instruments = this.#model.instrumentLines().join();
    if (kept !== instruments) this.fail(`the platform holds ${kept} instead of ${instruments}`);
    this.#finishNotices(database);
  }

  /** Everything that was done is to be told, once, in its order, and nothing else; and the first of each shopper is due. */
  #finishNotices(database: SimDatabase): void {
    const lanes = new Map<string, string[]>();
    for (const { payload, due_at } of database.rows(
      `select payload, due_at from job where kind = 'webhook' order by lane, place`,
    )) {
      const text = toldOf(String(payload));
      const shopper = text.split(' ')[2]!;
      const lane = lanes.get(shopper) ?? [];
      if ((due_at !== null) !== (lane.length === 0)) this.fail(`"${text}" is ${due_at === null ? 'not ' : ''}due`);
      lanes.set(shopper, [...lane, text]);
    }
    for (const shopper of new Set([...lanes.keys(), ...this.#told.keys()])) {
      const [kept, expected] = [lanes, this.#told].map((told) => byRequest(told.get(shopper) ?? []));
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
    for (const text of step.effects.filter((each) => each.startsWith('tell '))) {
      const shopper = text.split(' ')[2]!;
      this.#told.set(shopper, [...(this.#told.get(shopper) ?? []), text]);
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
