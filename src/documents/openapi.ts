/** The OpenAPI 3.1 document: every operation in JSON and FORM, with all that it can answer. */
import type { Operation } from '../contract/operation.ts';
import { type ProblemName, problems } from '../contract/problem.ts';
import type { ObjectSchema } from '../contract/schema.ts';
import { contractOf, namedOperations, operationAddress, type Service } from '../contract/service.ts';
import { Components, refer } from './components.ts';
import { deriveFormSchema } from './form-schema.ts';
import type { JsonSchema, Side } from './json-schema.ts';
import { headers, keyParameter, retryHeaders, transience } from './openapi-headers.ts';
import { byStatus, printMessage, refusalsOf } from './refusals.ts';

const json = 'application/json';
const form = 'application/x-www-form-urlencoded';

const text = (description: string): JsonSchema => ({ type: 'string', description });
const pspReference = text('16 characters, globally unique; also in the header of every answer.');
const errorFields: JsonSchema = {
  errorCode: text('Three digits or more, zero-padded; compare it as text.'),
  message: text('What is wrong, in words.'),
  errorType: { type: 'string', enum: [...new Set(Object.values(problems).map(({ type }) => type))] },
};
const fieldInError: JsonSchema = { name: text('Where the field stands.'), message: text('What is wrong with it.') };
const errorRequired = ['status', 'errorCode', 'message', 'errorType'];

const serviceError: JsonSchema = {
  type: 'object',
  properties: {
    status: { type: 'integer', description: 'The HTTP status.' },
    ...errorFields,
    invalidFields: {
      type: 'array',
      description: 'All that is wrong with the fields of the request; a name is a JSON pointer.',
      items: { type: 'object', properties: fieldInError, required: ['name', 'message'] },
    },
    pspReference,
  },
  required: errorRequired,
};

const formServiceError: JsonSchema = {
  type: 'object',
  properties: {
    ...errorFields,
    pspReference,
    status: { type: 'string', pattern: '^[0-9]{3}$', description: 'The HTTP status; always the last pair.' },
  },
  patternProperties: { '^invalidFields[.][0-9]+[.](name|message)$': { type: 'string' } },
  required: errorRequired,
};

const formOf = (components: Components, { version }: Service, shape: ObjectSchema, side: Side): JsonSchema => {
  const name = `Form${shape.name}`;
  return components.add([name, `${name}V${version}`], deriveFormSchema(shape, side));
};

const bodies = (asJson: JsonSchema, asForm: JsonSchema): JsonSchema => ({
  [json]: { schema: asJson },
  [form]: { schema: asForm },
});

const refusal = (names: readonly ProblemName[]): JsonSchema => ({
  description: [...new Set(names.map((name) => `${problems[name].code} ${printMessage(name)}`))].join('; '),
  headers: names.some((name) => problems[name].transient !== undefined) ? { ...headers, ...transience } : headers,
  content: bodies(refer('ServiceError'), refer('FormServiceError')),
});

/** What the flat schema of FORM cannot say. */
const rulesOf = ({ input }: Operation): string =>
  [...Object.values(input.fields).map(({ schema: shape }) => shape), input]
    .flatMap((shape) => (shape.kind === 'object' ? shape.choices.map(({ doc }) => ` ${doc}`) : []))
    .join('');

const operationObject = (
  service: Service,
  operation: Operation,
  isNewest: boolean,
  components: Components,
): JsonSchema => {
  const { name, doc, input, output, effect } = operation;
  const writes = effect === 'writes';
  const refusals = [...byStatus(refusalsOf(operation))].map(([status, names]) => [String(status), refusal(names)]);
  return {
    operationId: isNewest ? name : `${name}V${service.version}`,
    tags: [service.name],
    summary: doc,
    description: `${doc}${rulesOf(operation)}`,
    ...(writes && { parameters: [keyParameter] }),
    requestBody: {
      required: true,
      content: bodies(
        components.json(service.version, operation, 'input'),
        formOf(components, service, input, 'input'),
      ),
    },
    responses: {
      '200': {
        description: 'Done.',
        headers: writes ? { ...headers, ...retryHeaders } : headers,
        content: bodies(
          components.json(service.version, operation, 'output'),
          formOf(components, service, output, 'output'),
        ),
      },
      ...Object.fromEntries(refusals),
    },
  };
};

/**
 * `services`: newest last. `origin`: where they are called, like `https://pay.example.com`. Operations and components of
 * a service's newest version have the plain names; those of older ones that differ tell their version.
 */
export const deriveOpenApi = (services: readonly Service[], origin: string): JsonSchema => {
  const components = new Components({ ServiceError: serviceError, FormServiceError: formServiceError });
  const newestFirst = services.toReversed();
  const isNewest = (service: Service) => contractOf(services, service.name) === service;
  // Requests first: what a caller writes has the plain names.
  for (const service of newestFirst)
    for (const each of namedOperations(service)) components.json(service.version, each, 'input');
  const paths = newestFirst.flatMap((service) =>
    namedOperations(service).map((operation) => [
      operationAddress(service, operation),
      { post: operationObject(service, operation, isNewest(service), components) },
    ]),
  );
  return {
    openapi: '3.1.0',
    info: {
      title: 'Triglyph',
      version: services.map(({ name, version }) => `${name} v${version}`).join(', '),
      description: 'The same operations are served over SOAP; their WSDL is at the path of the service, with `?wsdl`.',
    },
    servers: [{ url: origin }],
    security: [{ BasicAuth: [] }, { ApiKeyAuth: [] }],
    tags: services.filter(isNewest).map(({ name, doc }) => ({ name, description: doc })),
    paths: Object.fromEntries(paths),
    components: {
      schemas: components.sorted(),
      securitySchemes: {
        BasicAuth: { type: 'http', scheme: 'basic' },
        ApiKeyAuth: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
      },
    },
  };
};
