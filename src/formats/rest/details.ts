/** A refusal as problem details (RFC 9457), with all that is wrong with the fields of the request. */
import { dotted } from '../../contract/path.ts';
import type { Problem } from '../../contract/problem.ts';
import { namesOf } from '../../contract/problem-details.ts';

/** `name` is dotted, as callers write it. */
export const printDetails = (problem: Problem, requestId: string): string => {
  const { type, title, code } = namesOf(problem.problem);
  const invalidFields = problem.issues.map(({ path, message, value = '' }) => ({ name: dotted(path), message, value }));
  return JSON.stringify({
    type,
    title,
    status: problem.status,
    detail: problem.message,
    requestId,
    errorCode: code,
    ...(invalidFields.length > 0 && { invalidFields }),
  });
};
