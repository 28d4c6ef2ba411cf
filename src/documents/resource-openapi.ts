/** The OpenAPI 3.1 document of a service of resources: every method of every path, with all that it can answer. */
import { type BoundOperation, locationOf, splitByLocation } from '../contract/operation.ts';
import { type ProblemName, problems } from '../contract/problem.ts';
import { namesOf } from '../contract/problem-details.ts';
import type { ObjectSchema } from '../contract/schema.ts';
import { boundOperations, type Service, serviceAddress, versionsOf } from '../contract/service.ts';
import { Components, refer } from './components.ts';
import { deriveJsonSchema, fieldSchema, type JsonSchema } from './json-schema.ts';
import { headers, keyParameter, retryHeaders, transience } from './openapi-headers.ts';
import { byStatus, printMessage, refusalsOfEndpoint } from './refusals.ts';

const json = 'application/json';

const text = (description: string): JsonSchema => ({ type: 'string', description });

const serviceError: JsonSchema = {
  type: 'object',
  properties: {
    type: { type: 'string', format: 'uri', description: 'Names the kind of problem.' },
    title: text('The kind of problem, in words.'),
    status: { type: 'integer', description: 'The HTTP status.' },
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
};

/** Without a description of its own: that stands with the parameter. */
const bare = ({ description: _, ...schema }: JsonSchema): JsonSchema => schema;

const parametersOf = ({ input, effect }: BoundOperation): readonly JsonSchema[] => [
  ...Object.entries(input.fields)
    .filter(([, field]) => locationOf(field) !== 'body')
    .map(([name, field]) => ({
      name: field.header ?? name,
      in: locationOf(field),
      required: field.required,
      description: field.doc,
      schema: bare(fieldSchema(field, deriveJsonSchema(field.schema, 'input'))),
    })),
  ...(effect === 'writes' ? [keyParameter] : []),
];

/** The headers of an answer that the contract has. */
const ownHeaders = (shape: ObjectSchema): JsonSchema =>
  Object.fromEntries(
    Object.entries(splitByLocation(shape).header.fields).map(([name, field]) => [
      field.header ?? name,
      { description: field.doc, schema: bare(fieldSchema(field, deriveJsonSchema(field.schema, 'output'))) },
    ]),
  );

const refusal = (names: readonly ProblemName[]): JsonSchema => {
  const lines = names.map((name) => {
    const { code, title } = namesOf(name);
    return `${code} ${title}: ${printMessage(name)}`;
  });
  return {
    description: [...new Set(lines)].join('; '),
    headers: names.some((name) => problems[name].transient !== undefined) ? { ...headers, ...transience } : headers,
    content: { [json]: { schema: refer('RestServiceError') } },
  };
};

const hasBody = ({ fields, ignoredMembers: tolerated }: ObjectSchema): boolean =>
  Object.keys(fields).length + tolerated.length > 0;

const needsBody = ({ fields }: ObjectSchema): boolean => Object.values(fields).some(({ required }) => required);

const endpointObject = (
  { name: tag, version }: Service,
  endpoint: BoundOperation,
  components: Components,
): JsonSchema => {
  const { name, doc, input, output, effect } = endpoint;
  const body = splitByLocation(input).body;
  const rules = body.choices.map((choice) => ` ${choice.doc}`).join('');
  const parameters = parametersOf(endpoint);
  const refusals = [...byStatus(refusalsOfEndpoint(endpoint))].map(([status, names]) => [
    String(status),
    refusal(names),
  ]);
  return {
    operationId: name,
    tags: [tag],
    summary: doc,
    description: doc + rules,
    ...(parameters.length > 0 && { parameters }),
    ...(hasBody(body) && {
      requestBody: {
        required: needsBody(body),
        content: { [json]: { schema: components.json(version, endpoint, 'input', body) } },
      },
    }),
    responses: {
      '200': {
        description: 'Done.',
        headers: { ...headers, ...ownHeaders(output), ...(effect === 'writes' && retryHeaders) },
        content: { [json]: { schema: components.json(version, endpoint, 'output', splitByLocation(output).body) } },
      },
      ...Object.fromEntries(refusals),
    },
  };
};

/** `origin`: where it is called, like `https://pay.example.com`. */
export const deriveResourceOpenApi = (service: Service, origin: string): JsonSchema => {
  const components = new Components({ RestServiceError: serviceError });
  const { name, version, doc } = service;
  const endpoints = boundOperations(service);
  // Requests first: what a caller writes has the plain names.
  for (const each of endpoints) components.json(version, each, 'input', splitByLocation(each.input).body);
  const paths = Map.groupBy(endpoints, ({ http }) => http.path);
  return {
    openapi: '3.1.0',
    info: {
      title: `Triglyph: ${name}`,
      version: `v${version}`,
      description: `${doc} Answered alike: ${versionsOf(service).join(', ')}.`,
    },
    servers: [{ url: origin + serviceAddress(service) }],
    security: [{ BasicAuth: [] }, { ApiKeyAuth: [] }],
    tags: [{ name, description: doc }],
    paths: Object.fromEntries(
      [...paths].map(([path, there]) => [
        path,
        Object.fromEntries(
          there.map((each) => [each.http.method.toLowerCase(), endpointObject(service, each, components)]),
        ),
      ]),
    ),
    components: {
      schemas: components.sorted(),
      securitySchemes: {
        BasicAuth: { type: 'http', scheme: 'basic' },
        ApiKeyAuth: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
      },
    },
  };
};
