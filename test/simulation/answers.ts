/** What is wrong with an answer, judged by what was really done under its key. */
import { problems } from '../../src/contract/problem.ts';
import { namesOf } from '../../src/contract/problem-details.ts';
import type { Attempt } from './attempt.ts';
import { printed } from './effect-text.ts';
import type { Expected, Refusal } from './expected.ts';
import { heardOf, textOf } from './request-body.ts';

/** For how long after a key has expired an answer may still come out of a cache, in milliseconds. */
const cachedMs = 2 * 60 * 60 * 1000;

/** What was done under a key, for the time that the key is known. */
export interface Done {
  readonly attempt: Attempt;
  readonly psp: string;
  readonly expected: Expected;
  /** Virtual milliseconds. */
  readonly until: number;
  /** The first answer in each protocol. */
  readonly texts: Map<string, string>;
}

/** Sentences without a subject, which is the attempt. */
type Faults = readonly string[];
type ProblemSeen = Refusal | 'keyReused' | 'inProgress' | 'unavailable' | 'internal';

const headerOf = ({ answer }: Attempt, name: string): string | undefined => answer?.message.headers[name];

export const say = ({ number, client, key, body, protocol }: Attempt): string =>
  `#${number} of ${client} (${key}: ${textOf(body)}, ${protocol})`;

/** Its code and its words are in the body, whatever the protocol makes of them. */
const inProblem = (
  attempt: Attempt,
  name: ProblemSeen,
  transient: 'true' | 'false' | undefined,
  words = problems[name].message,
): Faults => {
  const { code } = attempt.protocol === 'rest' ? namesOf(name) : problems[name];
  const { body } = attempt.answer!.message;
  const plain = /form|adapter/.test(attempt.protocol) ? decodeURIComponent(body.replaceAll('+', ' ')) : body;
  return [
    ...(plain.includes(code) && plain.includes(words) ? [] : [`is answered ${name} in the words ${body}`]),
    ...(headerOf(attempt, 'transient-error') === transient ? [] : [`is told the wrong thing about ${name}`]),
  ];
};

/** The time that a key is known is not to the minute: an answer may still be cached when it is over. */
const stillKnown = (known: readonly Done[], now: number): readonly Done[] =>
  known.filter((done) => done === known.at(-1) || now <= done.until + cachedMs);

const inShown = ({ body, protocol, answer }: Attempt, output: object, { texts }: Done): Faults => {
  const text = answer!.message.body;
  // The same bytes have been looked at before.
  if (texts.get(protocol) === text) return [];
  const [shown, wanted] = [heardOf(body, protocol, text), output].map(printed);
  return shown === wanted ? [] : [`is answered ${shown} instead of ${wanted}`];
};

const inOutput = (attempt: Attempt, { output, eTag }: Extract<Expected, { outcome: 'ok' }>, done: Done): Faults => [
  ...inShown(attempt, output, done),
  ...(headerOf(attempt, 'ETag') === eTag ? [] : [`has the tag ${headerOf(attempt, 'ETag')} instead of ${eTag}`]),
  ...(headerOf(attempt, 'transient-error') === undefined ? [] : ['went well, and may be sent again']),
];

/** The same bytes each time, beside what the headers may say. */
const inText = ({ protocol, answer }: Attempt, { texts }: Done): Faults => {
  const { body } = answer!.message;
  const before = texts.get(protocol) ?? body;
  texts.set(protocol, before);
  return before === body ? [] : [`differs from the first answer: ${body}`];
};

const inOutcome = (attempt: Attempt, outcome: Expected['outcome'], known: readonly Done[]): Faults => {
  const done = known.find(({ psp }) => psp === headerOf(attempt, 'pspReference'));
  if (done === undefined) return [`is answered ${outcome} for what was never done`];
  if (textOf(done.attempt.body) !== textOf(attempt.body)) return [`has the answer of ${say(done.attempt)}`];
  const { expected } = done;
  if (expected.outcome !== outcome) return [`is answered ${outcome}, and it was ${expected.outcome}`];
  const isReplay = headerOf(attempt, 'Idempotent-Replayed') === 'true';
  return [
    ...(isReplay === (done.attempt !== attempt) ? [] : ['is wrong about being a replay']),
    ...(expected.outcome === 'ok'
      ? inOutput(attempt, expected, done)
      : inProblem(attempt, expected.outcome, undefined, expected.words)),
    ...inText(attempt, done),
  ];
};

const inReuse = (attempt: Attempt, known: readonly Done[]): Faults => {
  if (known.some((done) => textOf(done.attempt.body) !== textOf(attempt.body))) return [];
  const whose = known.length > 0 ? 'this one' : 'none';
  return [`is told that its key was used for another request; it was for ${whose}`];
};

/** `known`: what was done under its key. `isFinal`: there is nothing to be sent again. */
export const judge = (
  attempt: Attempt,
  known: readonly Done[],
  now: number,
): { readonly isFinal: boolean; readonly faults: Faults } => {
  const { outcome, problem } = attempt.answer!.entry;
  switch (outcome) {
    case 'ok':
    case 'contractNotFound':
    case 'finallyClosed':
    case 'illegalMove':
    case 'holderInUse':
    case 'holderNotActive':
    case 'accountHolderClosed':
    case 'accountInUse':
    case 'accountNotActive':
    case 'accountClosed':
      return { isFinal: true, faults: inOutcome(attempt, outcome, stillKnown(known, now)) };
    case 'keyReused': {
      const faults = [...inProblem(attempt, outcome, 'false'), ...inReuse(attempt, stillKnown(known, now))];
      return { isFinal: true, faults };
    }
    case 'inProgress':
      return { isFinal: false, faults: inProblem(attempt, outcome, 'true') };
    case 'unavailable': {
      const faults = attempt.hurt ? [] : ['is answered unavailable, and nothing was'];
      return { isFinal: false, faults: [...faults, ...inProblem(attempt, outcome, 'true')] };
    }
    case 'internal': {
      const faults = attempt.unknown ? [] : [`is answered internal: ${problem?.cause}`];
      return { isFinal: false, faults: [...faults, ...inProblem(attempt, outcome, 'true')] };
    }
    default:
      return { isFinal: true, faults: [`is answered ${outcome}`] };
  }
};
