/** Problems of operations that another server answers: which are refusals, which are stored, and what a failure becomes. */
import { Problem, problems, upstreamRefusal } from '../contract/index.ts';
import { NotSent, OutcomeUnknown } from './ports.ts';
import { isStorableProblem } from './stored-outcome.ts';

/** The other server has refused the request, which had no effect: with a 4xx, or with an error that it does not call `internal`. */
export function isRefusal(thrown: unknown): thrown is Problem {
  return thrown instanceof Problem && (thrown.status < 500 || thrown.type !== 'internal');
}

/** Returns the problem as one that is not final: it says that the request may be sent again. */
export function mayBeSentAgain(problem: Problem): Problem {
  const { kind, message, issues, headers, cause, reason, retryAfterSeconds, requestReference } = problem;
  const { fault, detail, faultCode } = problem;
  return new Problem({ ...kind, transient: true }, message, {
    ...{ issues, headers, cause, reason, retryAfterSeconds, fault, detail, faultCode },
    ...(requestReference !== undefined && { requestReference }),
  });
}

/** The refusal in what was thrown, also where an earlier attempt may have had the effect. */
export function refusalOf(thrown: unknown): Problem | undefined {
  const found = thrown instanceof OutcomeUnknown ? thrown.refusal : thrown;
  return isRefusal(found) ? found : undefined;
}

/** Refusals as those by handlers, and some of kinds that the contract does not know. */
export function isStorableRefusal(refusal: Problem): boolean {
  // The effect is there, and only its answer is lost.
  if (refusal.kind === problems.answerTooLarge || refusal.kind === problems.unknownMembers) return true;
  if (isOfOtherRequest(refusal) || refusal.kind.transient === true) return false;
  const { problem, status, type, issues } = refusal;
  if (isStorableProblem(refusal)) return true;
  if (issues.length > 0) return false;
  if (problem === upstreamRefusal && status === 402) return true;
  // SOAP has 500 for all refusals; their type distinguishes them. Those of the engine with this status say nothing of the operation.
  return status === 500 && type === 'validation' && !Object.hasOwn(problems, problem);
}

/** The refusal says nothing of this request, but that the other server has one with its key. */
export function isOfOtherRequest(thrown: unknown): boolean {
  if (!(thrown instanceof Problem)) return false;
  return thrown.status === 409 || thrown.kind === problems.keyReused;
}

/** Nothing was sent. */
export function unavailable(cause: unknown): Problem {
  const wait = cause instanceof NotSent ? cause.retryAfterSeconds : undefined;
  return new Problem('unavailable', undefined, { cause, ...(wait !== undefined && { retryAfterSeconds: wait }) });
}

/** Returns the problem of a request that may be sent again: it is a read, or has a key that the other server knows. */
export function badAnswer(cause: unknown): Problem {
  return new Problem('badAnswer', undefined, { cause });
}

export function outcomeUnknown(cause: unknown): Problem {
  return new Problem('outcomeUnknown', undefined, { cause });
}
