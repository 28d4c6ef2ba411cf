/** The outcome of a request, and its text in the idempotency record. */
import type { Operation } from '../contract/operation.ts';
import { Problem } from '../contract/problem.ts';
import { problemsOf, type Service } from '../contract/service.ts';
import { redactOutput } from './redacted-output.ts';

/** Canonical, so that it can be encoded in any format. */
export interface Outcome {
  /** Of the request that had the effect. */
  readonly requestReference: string;
  /** Absent where the request was refused. */
  readonly output?: unknown;
  readonly problem?: Problem;
}

/** Stored rows have the reference of the request under this name. */
type Written = {
  readonly pspReference: string;
  readonly output?: unknown;
  readonly problem?: { readonly name: string; readonly message: string };
};

/** Only a refusal by the domain is stored: 422 without field issues. A request with such issues may be corrected. */
export function isStorableProblem(thrown: unknown): thrown is Problem {
  return thrown instanceof Problem && thrown.status === 422 && thrown.issues.length === 0;
}

/** Without what is shown only once: a retry is answered without it. */
export function serializeOutcome({ requestReference, output, problem }: Outcome, operation: Operation): string {
  return JSON.stringify({
    pspReference: requestReference,
    ...(problem === undefined
      ? { output: redactOutput(operation, output) }
      : { problem: { name: problem.problem, message: problem.message } }),
  } satisfies Written);
}

/** Throws a TypeError for a text that `serializeOutcome` did not create. */
export function parseOutcome(text: string, service: Service): Outcome {
  const written = JSON.parse(text) as Written;
  const { pspReference: requestReference, output, problem } = written;
  if (typeof requestReference !== 'string' || !/^[A-Z0-9]{16}$/.test(requestReference))
    throw new TypeError('the outcome has no reference of a request');
  if (problem === undefined) {
    if (typeof output !== 'object' || output === null)
      throw new TypeError('the outcome has neither output nor problem');
    return { requestReference, output };
  }
  const kind = problemsOf(service).get(problem.name);
  if (kind === undefined) throw new TypeError(`${service.name} has no problem ${problem.name}`);
  return { requestReference, problem: new Problem(kind, problem.message) };
}
