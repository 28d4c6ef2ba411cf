/** Derives OpenAPI 3.1 documents: every operation with its parameters, bodies and errors. */
import { type Conventions, conventionsOf, conventionsOfMessages } from '../contract/conventions.ts';
import { type Fault, faultOf, isBound, locationOf, type Operation, splitByLocation } from '../contract/operation.ts';
import { type ProblemKind, problems } from '../contract/problem.ts';
import { keyDaysMax, keyHeader, keyLengthMax, keyPattern, replayedHeader, transientHeader } from '../contract/retry.ts';
import type { ObjectSchema } from '../contract/schema.ts';
import {
  boundOperations,
  namedOperations,
  operationAddress,
  type Service,
  serviceAddress,
  versionsOf,
} from '../contract/service.ts';
import { deriveFormSchema } from './form-schema.ts';
import { deriveJsonSchema, fieldSchema, type JsonSchema, type Side } from './json-schema.ts';
import { Components, refer } from './openapi-components.ts';
import { boundErrors, namedErrors } from './openapi-errors.ts';
import { answerAt, answerHeadersAt, bodyAt, type OwnPath, ownPathsOf, parametersAt } from './openapi-own-paths.ts';
import { byStatus, describeProblem, refusalsOf } from './refusals.ts';
import { UniqueNames } from './wsdl/names.ts';

/** What a document says of the server. */
export interface ServerOptions {
  /** Whether it refuses callers without a credential. By default it does. */
  readonly needsCredentials?: boolean;
  /** Whether another server answers an operation. By default one with an upstream binding is forwarded. */
  readonly isForwarded?: (operation: Operation) => boolean;
}

/**
 * The operations that callers name, in JSON and FORM, and those at their own paths. `services`: one version of each. `origin`: where
 * they are called, like `https://pay.example.com`.
 */
export function deriveOpenApi(
  services: readonly Service[],
  origin: string,
  { needsCredentials = true, isForwarded = hasUpstream }: ServerOptions = {},
): JsonSchema {
  const conventions = conventionsOf(services);
  const names = services.flatMap((service) => namedOperations(service).map(({ name }) => name));
  // An identifier belongs to one operation of a document.
  const idOf = ({ name }: Service, operation: Operation): string =>
    names.filter((each) => each === operation.name).length > 1 ? `${name}.${operation.name}` : operation.name;
  const ids = new UniqueNames(names);
  const ownPaths = ownPathsOf(services);
  return describe({
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
export function deriveBoundOpenApi(service: Service, origin: string): JsonSchema {
  const { name, version, doc } = service;
  return describe({
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

function describe(api: Api): JsonSchema {
  const { title, version, description, server, needsCredentials, services, errors, headers, calls } = api;
  const components = new Components(errors);
  // Requests first, so that the schemas that callers write have the plain names.
  for (const call of calls) if (call.own === undefined) jsonBody(call, 'input', components);
  const paths = [...Map.groupBy(calls, ({ path }) => path)].map(([path, there]) => [
    path,
    Object.fromEntries(there.map((call) => [call.method, operationObject(call, components, headers)])),
  ]);
  return {
    openapi: '3.1.0',
    info: { title, version, description },
    servers: [{ url: server }],
    security: [...(needsCredentials ? [] : [{}]), { BasicAuth: [] }, { ApiKeyAuth: [] }],
    tags: services.map(({ name, doc }) => ({ name, description: doc })),
    paths: Object.fromEntries(paths),
    components: {
      schemas: components.sorted(),
      securitySchemes: {
        BasicAuth: { type: 'http', scheme: 'basic' },
        ApiKeyAuth: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
      },
    },
  };
}

function operationObject(call: Call, components: Components, headers: JsonSchema): JsonSchema {
  const { service, operation, id, own } = call;
  const { doc, effect } = operation;
  const parameters = [
    ...(own === undefined ? parametersOf(operation) : parametersAt(own)),
    ...(effect === 'writes' ? [keyParameter] : []),
  ];
  const requestBody = requestBodyOf(call, components);
  const refusals = Object.fromEntries(
    [...byStatus(refusalsAt(call))].map(([status, kinds]) => [status, refusal(kinds, call, headers)]),
  );
  return {
    operationId: id,
    tags: [service.name],
    summary: doc,
    description: doc + rulesOf(operation),
    ...(parameters.length > 0 && { parameters }),
    ...(requestBody && { requestBody }),
    responses: {
      ...successOf(call, components, headers),
      ...refusals,
      ...(own !== undefined && declaredErrors(own, refusals, components)),
    },
  };
}

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
  const headers = { ...common, ...ofContract, ...(effect === 'writes' && retryHeaders) };
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

/** The body by media type: JSON, and FORM for an operation that callers name. */
function contentOf(call: Call, side: Side, components: Components): JsonSchema {
  const { service, operation } = call;
  const asJson = { [json]: { schema: jsonBody(call, side, components) } };
  if (isBound(operation)) return asJson;
  const schema = operation[side];
  const name = `Form${schema.name}`;
  const asForm = components.add([name, `${name}V${service.version}`], deriveFormSchema(schema, side));
  return { ...asJson, [form]: { schema: asForm } };
}

function jsonBody({ service, operation }: Call, side: Side, components: Components): JsonSchema {
  return components.json(service.version, operation, side, bodyOf(operation[side]));
}

function refusal(kinds: readonly ProblemKind[], { service, operation, own }: Call, headers: JsonSchema) {
  const isAtPath = own !== undefined || isBound(operation);
  const faults = kinds.map((kind) => faultOf(operation, kind)).filter((fault) => fault !== undefined);
  const asJson = faults.length === 0 ? refer('ServiceError') : withFaults(faults);
  const transient = kinds.some(({ transient }) => transient !== undefined);
  return {
    description: [...new Set(kinds.map((kind) => describeProblem(kind, isAtPath, service)))].join('; '),
    headers: transient ? { ...headers, ...transience } : headers,
    content: isAtPath
      ? { [json]: { schema: refer('RestServiceError') } }
      : { [jsonErrors(service)]: { schema: asJson }, [form]: { schema: refer('FormServiceError') } },
  };
}

function jsonErrors(service: Service): string {
  return conventionsOfMessages(service).errors === 'plain' ? json : 'application/problem+json';
}

/** An error with the data of a fault, under the name of its element. */
function withFaults(faults: readonly Fault[]): JsonSchema {
  const properties = Object.fromEntries(
    faults.map(({ element, detail }) => [element, deriveJsonSchema(detail, 'output')]),
  );
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
