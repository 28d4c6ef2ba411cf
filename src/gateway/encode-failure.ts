/** Answers where an answer could not be written: with an internal problem, in the format of the caller. */
import { Problem } from '../contract/problem.ts';
import { keyHeader, keyPattern } from '../contract/retry.ts';
import { isReference } from '../idempotency/stored-outcome.ts';
import type { Answer } from './answer.ts';
import type { Gateway } from './handle-request.ts';
import { retryHeaders } from './retry-headers.ts';

const validKey = new RegExp(`^${keyPattern}$`);

/** `thrown`: by the writing of the answer. Returns undefined where the format is not known. */
export function encodeFailure(
  { message, entry, decoded }: Answer,
  thrown: unknown,
  { protocols, ids, requestReferenceHeader }: Pick<Gateway, 'protocols' | 'ids' | 'requestReferenceHeader'>,
): Answer | undefined {
  const protocol = Object.values(protocols).find(({ name }) => name === entry.protocol);
  if (protocol === undefined) return undefined;
  const problem = new Problem('internal', undefined, { cause: thrown });
  // The reference, or the key, may be what cannot be written.
  const requestReference = isReference(entry.requestReference) ? entry.requestReference : ids.requestReference();
  const operation = decoded?.operation;
  const encoded = protocol.encodeError(problem, { requestReference, operation });
  const key = message.headers[keyHeader];
  const headers = {
    ...encoded.headers,
    [requestReferenceHeader]: requestReference,
    ...(key !== undefined && validKey.test(key) && { [keyHeader]: key }),
    ...retryHeaders(problem, key !== undefined || operation?.effect === 'reads'),
  };
  return {
    message: { ...encoded, headers },
    decoded,
    entry: { ...entry, requestReference, replayed: undefined, outcome: problem.problem, problem },
  };
}
