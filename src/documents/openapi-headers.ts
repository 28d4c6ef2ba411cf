/** The headers of requests and answers, as OpenAPI has them. */
import { keyDaysMax, keyHeader, keyLengthMax, keyPattern, replayedHeader, transientHeader } from '../contract/retry.ts';
import type { JsonSchema } from './json-schema.ts';

const header = (description: string, schema: JsonSchema): JsonSchema => ({ description, schema });
const anyText: JsonSchema = { type: 'string' };

export const headers: JsonSchema = { pspReference: header('The reference of the request.', anyText) };

const key: JsonSchema = { type: 'string', minLength: 1, maxLength: keyLengthMax, pattern: `^${keyPattern}$` };

export const keyParameter: JsonSchema = {
  name: keyHeader,
  in: 'header',
  required: false,
  description: `Names the request: sent again with the same key within ${keyDaysMax} days, in any format, it has no second effect and gets the same answer. A random UUID is best.`,
  schema: key,
  example: '6f1c1f0e-3b7a-4d67-9f8e-2f6a3c1d9b10',
};

/** Of an answer to a writing operation. */
export const retryHeaders: JsonSchema = {
  [keyHeader]: header('The key of the request, where it had one.', key),
  [replayedHeader]: header('`true` where the answer was given before.', anyText),
};

export const transience: JsonSchema = {
  [transientHeader]: header(
    '`true` where the same request may be sent again with the same key, `false` where not.',
    anyText,
  ),
};
