/** The schemas of error messages in OpenAPI documents. */
import { problems } from '../contract/problem.ts';
import type { JsonSchema } from './json-schema.ts';

const text = (description: string): JsonSchema => ({ type: 'string', description });

const pspReference = text('16 characters, globally unique; also in the header of every answer.');
const status: JsonSchema = { type: 'integer', description: 'The HTTP status.' };
const errorFields: JsonSchema = {
  errorCode: text('Three digits or more, zero-padded; compare it as text.'),
  message: text('What is wrong, in words.'),
  errorType: { type: 'string', enum: [...new Set(Object.values(problems).map(({ type }) => type))] },
};
const required = ['status', 'errorCode', 'message', 'errorType'];

/** Of operations that callers name. */
export const namedErrors: Readonly<Record<string, JsonSchema>> = Object.freeze({
  ServiceError: {
    type: 'object',
    properties: {
      status,
      ...errorFields,
      invalidFields: {
        type: 'array',
        description: 'All that is wrong with the fields of the request; a name is a JSON pointer.',
        items: {
          type: 'object',
          properties: { name: text('Where the field stands.'), message: text('What is wrong with it.') },
          required: ['name', 'message'],
        },
      },
      pspReference,
    },
    required,
  },
  FormServiceError: {
    type: 'object',
    properties: {
      ...errorFields,
      pspReference,
      status: { type: 'string', pattern: '^[0-9]{3}$', description: 'The HTTP status; always the last pair.' },
    },
    patternProperties: { '^invalidFields[.][0-9]+[.](name|message)$': { type: 'string' } },
    required,
  },
});

/** Of operations with an HTTP binding: problem details (RFC 9457). */
export const boundErrors: Readonly<Record<string, JsonSchema>> = Object.freeze({
  RestServiceError: {
    type: 'object',
    properties: {
      type: { type: 'string', format: 'uri', description: 'Names the kind of problem.' },
      title: text('The kind of problem, in words.'),
      status,
      detail: text('What is wrong, in words.'),
      requestId: text('The reference of the request: 16 characters.'),
      errorCode: text('The kind of problem; compare it as text.'),
      invalidFields: {
        type: 'array',
        description: 'All that is wrong with the fields of the request.',
        items: {
          type: 'object',
          properties: {
            name: text('Where the field stands, its steps joined by dots.'),
            message: text('What is wrong with it.'),
            value: text('What stands there, where it may be shown.'),
          },
          required: ['name', 'message', 'value'],
        },
      },
    },
    required: ['type', 'title', 'status', 'detail', 'requestId', 'errorCode'],
  },
});
