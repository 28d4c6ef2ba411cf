/** Derives OpenAPI 3.1 documents: every operation with its parameters, bodies and errors. */
import {
  boundOperations,
  type Conventions,
  conventionsOf,
  conventionsOfMessages,
  type Fault,
  type Field,
  faultOf,
  isBound,
  isScalar,
  keyDaysMax,
  keyHeader,
  keyLengthMax,
  keyPattern,
  locationOf,
  namedOperations,
  type ObjectSchema,
  type Operation,
  operationAddress,
  type ProblemKind,
  problems,
  replayedHeader,
  type Service,
  serviceAddress,
  splitByLocation,
  transientHeader,
  versionsOf,
} from '../core/contract/index.ts';
import { runToEnd, type Steps } from '../core/lib/index.ts';
import { deriveJsonSchema, fieldSchema, type JsonSchema, type Side } from './json-schema.ts';
import { Components, refer } from './openapi-components.ts';
import { boundErrors, namedErrors } from './openapi-errors.ts';
import { answerAt, answerHeadersAt, bodyAt, type OwnPath, ownPathsOf, parametersAt } from './openapi-own-paths.ts';
import { byStatus, describeProblem, refusalsOf } from './refusals.ts';
import { UniqueNames } from './unique-names.ts';

/** What a document says of the server. */
export interface ServerOptions {
  /** Whether it refuses callers without a credential. By default it does. */
  readonly needsCredentials?: boolean;
  /** Whether another server answers an operation. By default one with an upstream binding is forwarded. */
  readonly isForwarded?: (operation: Operation) => boolean;
}

/** The document of all operations of an API, of one of them, or the index of these documents. */
export interface OpenApiDocuments {
  whole(): Steps<JsonSchema>;
  /** Returns whether an operation has the `operationId`. */
  has(id: string): boolean;
  ofOperation(id: string): Steps<JsonSchema>;
  /** Names all operations. `address`: returns the address of the document of one. */
  index(address: (id: string) => string): JsonSchema;
}

/** The document of `namedOpenApi`, as one value. */
export function deriveOpenApi(services: readonly Service[], origin: string, server?: ServerOptions): JsonSchema {
  return runToEnd(namedOpenApi(services, origin, server).whole());
}

/**
 * The operations that callers name, in JSON and FORM, and those at their own paths. `services`: one version of each. `origin`: where
 * they are called, like `https://pay.example.com`.
 */
export function namedOpenApi(
  services: readonly Service[],
  origin: string,
  { needsCredentials = true, isForwarded = hasUpstream }: ServerOptions = {},
): OpenApiDocuments {
  const conventions = conventionsOf(services);
  const names = services.flatMap((service) => namedOperations(service).map(({ name }) => name));
  // An identifier belongs to one operation of a document.
  const idOf = ({ name }: Service, operation: Operation): string =>
    names.filter((each) => each === operation.name).length > 1 ? `${name}.${operation.name}` : operation.name;
  const ids = new UniqueNames(names);
  const ownPaths = ownPathsOf(services);
  return documentsOf({
    title: 'Triglyph',
    version: services.map(({ name, version }) => `${name} v${version}`).join(', '),
    description: 'The same operations are available over SOAP; the WSDL is at the path of the service with `?wsdl`.',
    server: origin,
    needsCredentials,
    services,
    errors: { ...namedErrors(conventions, services), ...(ownPaths.length > 0 && boundErrors) },
    headers: responseHeaders(conventions),
    calls: [
      ...services.flatMap((service) =>
        namedOperations(service).map((operation) => ({
          service,
          operation,
          id: idOf(service, operation),
          method: 'post',
          path: operationAddress(service, operation),
          isForwarded: isForwarded(operation),
        })),
      ),
      ...ownPaths.map((own) => ({
        ...own,
        own,
        id: ids.take(`${idOf(own.service, own.operation)}AtPath`),
        isForwarded: isForwarded(own.operation),
      })),
    ],
  });
}

function hasUpstream({ upstream }: Operation): boolean {
  return upstream !== undefined;
}

/** The operations of one service with an HTTP binding. */
export function boundOpenApi(service: Service, origin: string): OpenApiDocuments {
  const { name, version, doc } = service;
  return documentsOf({
    title: `Triglyph: ${name}`,
    version: `v${version}`,
    description: `${doc} Versions with this contract: ${versionsOf(service).join(', ')}.`,
    server: origin + serviceAddress(service),
    needsCredentials: true,
    services: [service],
    errors: boundErrors,
    headers: responseHeaders(conventionsOf([service])),
    calls: boundOperations(service).map((operation) => ({
      service,
      operation,
      id: operation.name,
      method: operation.http.method.toLowerCase(),
      path: operation.http.path,
      isForwarded: false,
    })),
  });
}

interface Api {
  readonly title: string;
  readonly version: string;
  readonly description: string;
  /** The URL below which the paths are. */
  readonly server: string;
  readonly needsCredentials: boolean;
  /** Each is a tag. */
  readonly services: readonly Service[];
  /** Components for error messages, by name. */
  readonly errors: Readonly<Record<string, JsonSchema>>;
  /** Headers of every response. */
  readonly headers: JsonSchema;
  readonly calls: readonly Call[];
}

/** An operation at its method and path. */
interface Call {
  readonly service: Service;
  readonly operation: Operation;
  readonly id: string;
  readonly method: string;
  readonly path: string;
  /** Another server answers it. */
  readonly isForwarded: boolean;
  /** Where the path is that of an upstream. */
  readonly own?: OwnPath;
}

function documentsOf(api: Api): OpenApiDocuments {
  const { calls } = api;
  return {
    whole: () => describe(api, calls),
    has: (id) => calls.some((call) => call.id === id),
    ofOperation: (id) =>
      describe(
        api,
        calls.filter((call) => call.id === id),
      ),
    index: (address) => ({
      ...head(api),
      paths: byPath(calls, (call) => ({
        operationId: call.id,
        tags: [call.service.name],
        summary: call.operation.doc,
        externalDocs: { description: 'The OpenAPI document of the operation.', url: address(call.id) },
        responses: { default: { description: 'The document of the operation describes it.' } },
      })),
      components: { securitySchemes },
    }),
  };
}

const securitySchemes: JsonSchema = {
  BasicAuth: { type: 'http', scheme: 'basic' },
  ApiKeyAuth: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
};

function head({ title, version, description, server, needsCredentials, services }: Api): JsonSchema {
  return {
    openapi: '3.1.0',
    info: { title, version, description },
    servers: [{ url: server }],
    security: [...(needsCredentials ? [] : [{}]), { BasicAuth: [] }, { ApiKeyAuth: [] }],
    tags: services.map(({ name, doc }) => ({ name, description: doc })),
  };
}

function byPath(calls: readonly Call[], describeCall: (call: Call) => JsonSchema): JsonSchema {
  return Object.fromEntries(
    [...Map.groupBy(calls, ({ path }) => path)].map(([path, there]) => [
      path,
      Object.fromEntries(there.map((call) => [call.method, describeCall(call)])),
    ]),
  );
}

/** Each object of the contracts is described once, and so is each response. */
function* describe(api: Api, calls: readonly Call[]): Steps<JsonSchema> {
  const components = new Components(api.errors);
  // Requests first, so that the schemas that callers write have the plain names.
  for (const call of calls)
    if (call.own === undefined) {
      jsonBody(call, 'input', components);
      yield* components.derive();
    }
  const described = new Map<Call, JsonSchema>();
  for (const call of calls) {
    described.set(call, operationObject(call, components, api.headers));
    yield* components.derive();
  }
  yield* components.name();
  for (const [call, each] of described) {
    described.set(call, components.withNames(each));
    yield;
  }
  const [schemas, responses] = [new Map<string, JsonSchema>(), new Map<string, JsonSchema>()];
  for (const [named, entries] of [
    [schemas, components.schemas()],
    [responses, components.responses()],
  ] as const)
    for (const [name, each] of entries) {
      named.set(name, components.withNames(each));
      yield;
    }
  const hasWrites = calls.some(({ operation }) => operation.effect === 'writes');
  return {
    ...head(api),
    paths: byPath(calls, (call) => described.get(call)!),
    components: {
      schemas: Object.fromEntries(schemas),
      responses: Object.fromEntries(responses),
      headers: { ...api.headers, ...transience, ...(hasWrites && retryHeaders) },
      ...(hasWrites && { parameters: { [keyHeader]: keyParameter } }),
      securitySchemes,
    },
  };
}

function operationObject(call: Call, components: Components, headers: JsonSchema): JsonSchema {
  const { service, operation, id, own } = call;
  const { doc, effect } = operation;
  const parameters = [
    ...(own === undefined ? parametersOf(operation) : parametersAt(own)),
    ...(effect === 'writes' ? [{ $ref: `#/components/parameters/${keyHeader}` }] : []),
  ];
  const requestBody = requestBodyOf(call, components);
  const refusals = Object.fromEntries(
    [...byStatus(refusalsAt(call))].map(([status, kinds]) => [status, refusal(kinds, call, headers, components)]),
  );
  const all = { ...refusals, ...(own !== undefined && declaredErrors(own, refusals, components)) };
  const shared = Object.entries(all).map(([status, each]) => {
    return [status, components.response(responseNames[status] ?? 'Error', each)];
  });
  return {
    operationId: id,
    tags: [service.name],
    summary: doc,
    description: doc + rulesOf(operation),
    ...(parameters.length > 0 && { parameters }),
    ...(requestBody && { requestBody }),
    responses: { ...successOf(call, components, headers), ...Object.fromEntries(shared) },
  };
}

/** The names of responses by their status. */
const responseNames: Readonly<Record<string, string>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  408: 'RequestTimeout',
  409: 'Conflict',
  410: 'Gone',
  413: 'ContentTooLarge',
  415: 'UnsupportedMediaType',
  422: 'UnprocessableContent',
  429: 'TooManyRequests',
  500: 'InternalServerError',
  502: 'BadGateway',
  503: 'ServiceUnavailable',
};

function requestBodyOf(call: Call, components: Components): JsonSchema | undefined {
  const { service, operation, own } = call;
  if (own !== undefined) return bodyAt(own, service.version, components);
  if (!hasBody(operation.input)) return undefined;
  return { required: needsBody(operation), content: contentOf(call, 'input', components) };
}

function successOf(call: Call, components: Components, common: JsonSchema): JsonSchema {
  const { service, operation, own } = call;
  const { output, oneWay, upstream, effect } = operation;
  const ofContract = own === undefined ? headersOf(output) : answerHeadersAt(own);
  const headers = { ...sharedHeaders({ ...common, ...(effect === 'writes' && retryHeaders) }), ...ofContract };
  if (oneWay) return { 202: { description: 'Accepted. There is no answer.', headers } };
  const content =
    own === undefined ? contentOf(call, 'output', components) : answerAt(own, service.version, components);
  const status = own === undefined ? 200 : (upstream?.answer?.status ?? (content === undefined ? 204 : 200));
  return { [status]: { description: 'Success.', headers, ...(content && { content }) } };
}

function refusalsAt(call: Call): readonly ProblemKind[] {
  return [...refusalsOfGateway(call), ...(call.isForwarded ? refusalsOfForwarded(call.operation) : [])];
}

function refusalsOfGateway({ service, operation, own }: Call): readonly ProblemKind[] {
  const kinds = refusalsOf(service, operation);
  // The binding has the statuses of faults, and unknown members are passed on.
  if (own !== undefined)
    return kinds.filter((kind) => kind !== problems.unknownField && faultOf(operation, kind) === undefined);
  // A server may blame the caller or itself for a fault.
  const ofServer = (operation.faults ?? []).map(({ problem }): ProblemKind => ({ ...problem, status: 500 }));
  return [...kinds, ...ofServer];
}

function refusalsOfForwarded({ effect }: Operation): readonly ProblemKind[] {
  const { badAnswer, answerTooLarge, unknownMembers, outcomeUnknown } = problems;
  return [badAnswer, answerTooLarge, unknownMembers, ...(effect === 'writes' ? [outcomeUnknown] : [])];
}

/** The errors that the upstream answers with, by status. `refusals`: those of the gateway. */
function declaredErrors({ service, operation, upstream }: OwnPath, refusals: Refusals, components: Components) {
  return Object.fromEntries(
    Object.entries(upstream.errors ?? {}).map(([status, name]) => {
      const { detail } = faultOf(operation, { name })!;
      const { description, headers } = refusals[status] ?? {};
      const ofServer = components.json(service.version, operation, 'output', detail);
      const schema = { anyOf: [ofServer, refer('RestServiceError')] };
      const text = 'An error of the server behind the gateway';
      const whole = {
        description: description === undefined ? text : `${text}; ${description}`,
        ...(headers && { headers }),
      };
      return [status, { ...whole, content: { [json]: { schema } } }];
    }),
  );
}

/** By status. */
type Refusals = Readonly<Record<string, ReturnType<typeof refusal>>>;

const json = 'application/json';
const form = 'application/x-www-form-urlencoded';

/** The body by media type: JSON, and FORM for an operation that callers name. Flat messages have the same members in both. */
function contentOf(call: Call, side: Side, components: Components): JsonSchema {
  const { operation } = call;
  const body = jsonBody(call, side, components);
  const asJson = { [json]: { schema: body } };
  if (isBound(operation)) return asJson;
  return { ...asJson, [form]: { schema: isFlat(operation[side]) ? body : refer('FormPairs') } };
}

function isFlat({ fields, variants, ignoredMembers }: ObjectSchema): boolean {
  const isPair = ([name, { schema, json = name }]: [string, Field]): boolean =>
    isScalar(schema) && json === name && !name.includes('.');
  const hasOthers = variants !== undefined || Object.keys(ignoredMembers).length > 0;
  return !hasOthers && Object.entries<Field>(fields).every(isPair);
}

function jsonBody({ service, operation }: Call, side: Side, components: Components): JsonSchema {
  return components.json(service.version, operation, side, bodyOf(operation[side]));
}

function refusal(
  kinds: readonly ProblemKind[],
  { service, operation, own }: Call,
  headers: JsonSchema,
  components: Components,
) {
  const isAtPath = own !== undefined || isBound(operation);
  const faults = kinds.map((kind) => faultOf(operation, kind)).filter((fault) => fault !== undefined);
  const detailOf = ({ detail }: Fault) => components.json(service.version, operation, 'output', detail);
  const asJson = faults.length === 0 ? refer('ServiceError') : withFaults(faults, detailOf);
  const transient = kinds.some(({ transient }) => transient !== undefined);
  return {
    description: [...new Set(kinds.map((kind) => describeProblem(kind, isAtPath, service)))].join('; '),
    headers: sharedHeaders(transient ? { ...headers, ...transience } : headers),
    content: isAtPath
      ? { [json]: { schema: refer('RestServiceError') } }
      : { [jsonErrors(service)]: { schema: asJson }, [form]: { schema: refer('FormServiceError') } },
  };
}

function jsonErrors(service: Service): string {
  return conventionsOfMessages(service).errors === 'plain' ? json : 'application/problem+json';
}

/** An error with the data of a fault, under the name of its element. */
function withFaults(faults: readonly Fault[], detailOf: (fault: Fault) => JsonSchema): JsonSchema {
  const properties = Object.fromEntries(faults.map((each) => [each.element, detailOf(each)]));
  const fault = { type: 'object', description: 'The data of the error, by its name.', properties, maxProperties: 1 };
  return { allOf: [refer('ServiceError'), { type: 'object', properties: { fault } }] };
}

/** Rules between fields. For FORM, those of nested objects are included, whose flat schema cannot express them. */
function rulesOf(operation: Operation): string {
  const body = bodyOf(operation.input);
  const nested = isBound(operation) ? [] : Object.values(body.fields).map(({ schema }) => schema);
  return [...nested, body]
    .flatMap((schema) => (schema.kind === 'object' ? schema.choices.map(({ doc }) => ` ${doc}`) : []))
    .join('');
}

function parametersOf({ input }: Operation): readonly JsonSchema[] {
  const fields = Object.entries(input.fields).filter(([, field]) => locationOf(field) !== 'body');
  return fields.map(([name, field]) => ({
    name: field.header ?? name,
    in: locationOf(field),
    required: field.required,
    description: field.doc,
    schema: undescribed(fieldSchema(field, deriveJsonSchema(field.schema, 'input'))),
  }));
}

/** The headers of a response that are fields of the contract. */
function headersOf(schema: ObjectSchema): JsonSchema {
  return Object.fromEntries(
    Object.entries(splitByLocation(schema).header.fields).map(([name, field]) => [
      field.header ?? name,
      { description: field.doc, schema: undescribed(fieldSchema(field, deriveJsonSchema(field.schema, 'output'))) },
    ]),
  );
}

/** Without the description, which the parameter or header has. */
function undescribed({ description: _, ...schema }: JsonSchema): JsonSchema {
  return schema;
}

function bodyOf(schema: ObjectSchema): ObjectSchema {
  return splitByLocation(schema).body;
}

function hasBody(schema: ObjectSchema): boolean {
  const { fields, ignoredMembers } = bodyOf(schema);
  return Object.keys(fields).length + Object.keys(ignoredMembers).length > 0;
}

/** A named operation always has a body; with a binding, a body without required fields may be left out. */
function needsBody(operation: Operation): boolean {
  return !isBound(operation) || Object.values(bodyOf(operation.input).fields).some(({ required }) => required);
}

/** References to headers that all responses share. */
function sharedHeaders(headers: JsonSchema): JsonSchema {
  return Object.fromEntries(Object.keys(headers).map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

function header(description: string, schema: JsonSchema): JsonSchema {
  return { description, schema };
}
const anyText: JsonSchema = { type: 'string' };

/** Returns the headers of every response. */
function responseHeaders({ requestReference }: Conventions): JsonSchema {
  return { [requestReference]: header('The reference of the request.', anyText) };
}

const key: JsonSchema = { type: 'string', minLength: 1, maxLength: keyLengthMax, pattern: `^${keyPattern}$` };

const keyParameter: JsonSchema = {
  name: keyHeader,
  in: 'header',
  required: false,
  description: `Identifies the request. A request sent again with the same key within ${keyDaysMax} days, in any format, has no second effect and returns the same response. Use a random UUID.`,
  schema: key,
  example: '6f1c1f0e-3b7a-4d67-9f8e-2f6a3c1d9b10',
};

/** Headers of a response to a writing operation. */
const retryHeaders: JsonSchema = {
  [keyHeader]: header('The key of the request, if it had one.', key),
  [replayedHeader]: header('`true` if the response repeats the one to an earlier request.', anyText),
};

const transience: JsonSchema = {
  [transientHeader]: header('`true` if the same request may be sent again with the same key, `false` if not.', anyText),
};
