/** The schemas of error messages in OpenAPI documents. */
import { type Conventions, faultsOf, problems, type Service } from '../core/contract/index.ts';
import type { JsonSchema } from './json-schema.ts';

function text(description: string): JsonSchema {
  return { type: 'string', description };
}

const reference = text('16 characters, globally unique; also in a header of every response.');
const status: JsonSchema = { type: 'integer', description: 'The HTTP status.' };
const errorCode = text('Three digits or more, zero-padded; compare it as text.');
const errorType: JsonSchema = { type: 'string', enum: [...new Set(Object.values(problems).map(({ type }) => type))] };
const errorFields: JsonSchema = { errorCode, message: text('A description of the error.'), errorType };
const errorMapSchema: JsonSchema = {
  type: 'object',
  description: 'The first error in each field of the request, by the path of the field.',
  additionalProperties: { type: 'string' },
};
const detailFields: JsonSchema = {
  type: { type: 'string', format: 'uri', description: 'Identifies the kind of problem.' },
  title: text('A summary of the kind of problem.'),
  status,
  detail: text('A description of the error.'),
};
const requiredDetails = ['type', 'title', 'status', 'detail', 'errorCode', 'errorType'];
const required = ['status', 'errorCode', 'message', 'errorType'];

/** The body of any message in FORM. A schema with the name of each pair would be far larger than that of JSON. */
const formPairs: JsonSchema = {
  type: 'object',
  description:
    'The values that `application/json` describes, as pairs. The name of a pair is the path to its value: the names of the members as the WSDL has them, which are those of JSON where XML can have these, with a dot between two steps. A step into a list is an index from 0, and a step into a map is a key: `buyer.name=Jo`, `lines.0.code=A1`. A dot in the name of a member is `%2E`. All values are texts; those of a set are separated by commas.',
  additionalProperties: { type: 'string' },
};

/** Returns the schemas of errors of operations that callers name. In JSON they are problem details, unless the conventions have plain errors. */
export function namedErrors(
  { requestReference, errors }: Conventions,
  services: readonly Service[],
): Readonly<Record<string, JsonSchema>> {
  const isPlain = errors === 'plain';
  const hasFaults = services.some((service) => faultsOf(service).length > 0);
  const maps = services.flatMap(({ errorMap }) => (errorMap === undefined ? [] : [errorMap]));
  return {
    ServiceError: {
      type: 'object',
      properties: {
        ...(isPlain ? { status, ...errorFields } : { ...detailFields, errorCode, errorType }),
        ...Object.fromEntries(maps.map((name) => [name, errorMapSchema])),
        invalidFields: {
          type: 'array',
          description: 'All errors in fields of the request; `name` is a JSON pointer.',
          items: {
            type: 'object',
            properties: { name: text('The location of the field.'), message: text('A description of the error.') },
            required: ['name', 'message'],
          },
        },
        [requestReference]: reference,
      },
      required: isPlain ? required : requiredDetails,
    },
    FormPairs: formPairs,
    FormServiceError: {
      type: 'object',
      properties: {
        ...errorFields,
        [requestReference]: reference,
        status: { type: 'string', pattern: '^[0-9]{3}$', description: 'The HTTP status; always the last pair.' },
      },
      patternProperties: Object.fromEntries(
        [
          'invalidFields[.][0-9]+[.](name|message)$',
          ...(hasFaults ? ['fault[.].+$'] : []),
          ...maps.map((name) => `${name}[.].+$`),
        ].map((pattern) => [`^${pattern}`, { type: 'string' }]),
      ),
      required,
    },
  };
}

/** Schemas of errors of operations with an HTTP binding: problem details (RFC 9457). */
export const boundErrors: Readonly<Record<string, JsonSchema>> = Object.freeze({
  RestServiceError: {
    type: 'object',
    properties: {
      ...detailFields,
      requestId: text('The reference of the request: 16 characters.'),
      instance: { type: 'string', format: 'uri', description: 'Identifies this occurrence of the problem.' },
      errorCode: text('The code of the kind of problem; compare it as text.'),
      invalidFields: {
        type: 'array',
        description: 'All errors in fields of the request.',
        items: {
          type: 'object',
          properties: {
            name: text('The path of the field, its steps joined by dots.'),
            message: text('A description of the error.'),
            value: text('The value sent; empty if it is sensitive or long.'),
          },
          required: ['name', 'message', 'value'],
        },
      },
    },
    required: ['type', 'title', 'status', 'detail', 'requestId', 'instance', 'errorCode'],
  },
});
