/** Checks an answer against what was executed under its key. */

import { namesOf } from '../../src/core/contract/problem-details.ts';
import { conventions } from '../../src/payments/conventions.ts';
import { protocols } from '../resources/operations.ts';
import { type ProblemName, problems } from '../resources/problems.ts';
import { type Attempt, describeAttempt } from './attempt.ts';
import { canonicalJson } from './effect-text.ts';
import type { Expected } from './expected.ts';
import { decodeAnswer } from './request.ts';

/** An execution under a key, for the time that the key is known. */
export interface Executed {
  readonly attempt: Attempt;
  readonly pspReference: string;
  readonly expected: Expected;
  /** Virtual milliseconds. */
  readonly until: number;
  /** The first answer in each format. */
  readonly texts: Map<string, string>;
}

/** What an attempt may be answered with. */
export interface Reachable {
  /** Executions under its key that the database held, unexpired, at some moment since the attempt was sent. */
  readonly executions: readonly Executed[];
  /** Why the execution with this reference is none of them. */
  reasonOf(pspReference: string | undefined): string;
}

/** What is wrong: predicates whose subject is the attempt. */
type Faults = readonly string[];

/** `isFinal`: the client does not send the request again. */
export function checkAnswer(
  attempt: Attempt,
  reachable: Reachable,
): { readonly isFinal: boolean; readonly faults: Faults } {
  const { outcome, problem } = attempt.answer!.entry;
  switch (outcome) {
    case 'keyReused': {
      const faults = [...checkProblem(attempt, outcome, 'false'), ...checkReuse(attempt, reachable)];
      return { isFinal: true, faults };
    }
    case 'inProgress':
      return { isFinal: false, faults: checkProblem(attempt, outcome, 'true') };
    case 'unavailable': {
      // Duplicates share a read, and so its fault.
      const isSimulated = problem?.cause instanceof Error && problem.cause.message.startsWith('simulated: ');
      const faults = attempt.disturbed || isSimulated ? [] : ['is answered unavailable without any fault'];
      return { isFinal: false, faults: [...faults, ...checkProblem(attempt, outcome, 'true')] };
    }
    case 'internal': {
      const faults = attempt.commitUnknown ? [] : [`is answered internal: ${problem?.cause}`];
      return { isFinal: false, faults: [...faults, ...checkProblem(attempt, outcome, 'true')] };
    }
    default:
      return { isFinal: true, faults: checkOutcome(attempt, outcome, reachable) };
  }
}

function checkOutcome(attempt: Attempt, outcome: string, { executions, reasonOf }: Reachable): Faults {
  const reference = headerOf(attempt, 'pspReference');
  const executed = executions.find(({ pspReference }) => pspReference === reference);
  if (executed === undefined) return [`is answered ${outcome} for what ${reasonOf(reference)}`];
  if (executed.attempt.request.text !== attempt.request.text)
    return [`has the answer of ${describeAttempt(executed.attempt)}`];
  const { expected } = executed;
  if (expected.outcome !== outcome) return [`is answered ${outcome} instead of ${expected.outcome}`];
  const isReplay = headerOf(attempt, 'Idempotent-Replayed') === 'true';
  return [
    ...(isReplay === (executed.attempt !== attempt) ? [] : ['has a wrong Idempotent-Replayed']),
    ...('output' in expected
      ? checkOutput(attempt, expected, executed)
      : checkProblem(attempt, expected.outcome, undefined, expected.message)),
    ...checkText(attempt, executed),
  ];
}

function checkOutput(
  attempt: Attempt,
  { output, eTag }: Extract<Expected, { outcome: 'ok' }>,
  executed: Executed,
): Faults {
  return [
    ...checkDecoded(attempt, output, executed),
    ...(headerOf(attempt, 'ETag') === eTag ? [] : [`has the ETag ${headerOf(attempt, 'ETag')} instead of ${eTag}`]),
    ...(headerOf(attempt, 'transient-error') === undefined ? [] : ['succeeded and has a transient-error']),
  ];
}

function checkDecoded({ request, format, answer }: Attempt, output: object, { texts }: Executed): Faults {
  const text = answer!.message.body;
  // The same bytes were checked before.
  if (texts.get(format) === text) return [];
  const [actual, expected] = [decodeAnswer(request, format, text), output].map(canonicalJson);
  return actual === expected ? [] : [`is answered ${actual} instead of ${expected}`];
}

/** The bytes of the body are the same each time; headers may differ. */
function checkText({ format, answer }: Attempt, { texts }: Executed): Faults {
  const { body } = answer!.message;
  const first = texts.get(format) ?? body;
  texts.set(format, first);
  return first === body ? [] : [`differs from the first answer: ${body}`];
}

function checkReuse(attempt: Attempt, { executions }: Reachable): Faults {
  if (executions.some((each) => each.attempt.request.text !== attempt.request.text)) return [];
  const users = executions.length > 0 ? 'only this request' : 'no request';
  return [`is answered keyReused, and the key was used for ${users}`];
}

/** Every format has the code and the message in its body. */
function checkProblem(
  attempt: Attempt,
  name: ProblemName,
  transient: 'true' | 'false' | undefined,
  message = problems[name].message,
): Faults {
  const { code } = attempt.format === 'rest' ? namesOf(problems[name], conventions) : problems[name];
  const { body, contentType } = attempt.answer!.message;
  const text = contentType.startsWith(formMediaType) ? decodeURIComponent(body.replaceAll('+', ' ')) : body;
  return [
    ...(text.includes(code) && text.includes(message) ? [] : [`is answered ${name} as ${body}`]),
    ...(headerOf(attempt, 'transient-error') === transient ? [] : [`has a wrong transient-error for ${name}`]),
  ];
}

const formMediaType = protocols.form.mediaType;

function headerOf({ answer }: Attempt, name: string): string | undefined {
  return answer?.message.headers[name];
}
