/** Headers of requests and responses in OpenAPI documents. */
import type { Conventions } from '../contract/conventions.ts';
import { keyDaysMax, keyHeader, keyLengthMax, keyPattern, replayedHeader, transientHeader } from '../contract/retry.ts';
import type { JsonSchema } from './json-schema.ts';

function header(description: string, schema: JsonSchema): JsonSchema {
  return { description, schema };
}
const anyText: JsonSchema = { type: 'string' };

/** Returns the headers of every response. */
export function responseHeaders({ requestReference }: Conventions): JsonSchema {
  return { [requestReference]: header('The reference of the request.', anyText) };
}

const key: JsonSchema = { type: 'string', minLength: 1, maxLength: keyLengthMax, pattern: `^${keyPattern}$` };

export const keyParameter: JsonSchema = {
  name: keyHeader,
  in: 'header',
  required: false,
  description: `Identifies the request. A request sent again with the same key within ${keyDaysMax} days, in any format, has no second effect and returns the same response. Use a random UUID.`,
  schema: key,
  example: '6f1c1f0e-3b7a-4d67-9f8e-2f6a3c1d9b10',
};

/** Headers of a response to a writing operation. */
export const retryHeaders: JsonSchema = {
  [keyHeader]: header('The key of the request, if it had one.', key),
  [replayedHeader]: header('`true` if the response repeats the one to an earlier request.', anyText),
};

export const transience: JsonSchema = {
  [transientHeader]: header('`true` if the same request may be sent again with the same key, `false` if not.', anyText),
};
