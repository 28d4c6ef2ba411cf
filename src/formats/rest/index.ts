/** JSON with HTTP bindings: method and path name the operation; errors are problem details (RFC 9457). */
import {
  type BoundOperation,
  isBound,
  locationOf,
  type Operation,
  splitByLocation,
  type UpstreamBinding,
} from '../../contract/operation.ts';
import { dotted, type Path } from '../../contract/path.ts';
import type { ProblemKind } from '../../contract/problem.ts';
import type { FieldLocation, ObjectSchema } from '../../contract/schema.ts';
import { boundOperations, type Service, serviceAddress } from '../../contract/service.ts';
import { bodyCharsets } from '../body-text.ts';
import { compileCodecs, dateTimeFormatOf, type Side } from '../codec.ts';
import { createAnswerDecoder } from '../json/decode-answer.ts';
import { decodeError } from '../json/decode-error.ts';
import { mergeExtras } from '../json/extras.ts';
import { jsonPath } from '../json/names.ts';
import { ownLimits } from '../json/parse.ts';
import { plainValue, treesOf } from '../json/places.ts';
import { jsonText, jsonUpstream } from '../json/tokens.ts';
import { requireTree } from '../malformed-body.ts';
import type { FormatContext, MessageCodec, WireFormat } from '../protocol.ts';
import { hasBody, mediaType, parseBody, parseHeaders, parseQuery } from './parse.ts';
import { compilePrint, printHeaders, printPath, printProblemDetails, printQuery } from './print.ts';
import { withValue } from './read.ts';
import { compileUpstreamCall, type UpstreamCall } from './upstream-binding.ts';

const contentType = `${mediaType};charset=utf-8`;

type Values = Readonly<Record<string, unknown>>;

export const rest: WireFormat = Object.freeze<WireFormat>({
  title: 'JSON with HTTP bindings',
  mediaType,
  charsets: bodyCharsets,
  text: { ...jsonText, resembles: () => false },
  upstream: jsonUpstream,
  carries: isBound,
  callHead: (_, service) => ({ path: serviceAddress(service), contentType: mediaType }),
  hasFieldsInHead: true,
  hasOwnAddress: true,
  requiresHost: true,
  createCodec,
});

function createCodec(context: FormatContext): MessageCodec {
  const { reader, parse } = treesOf(context);
  const codecOf = compileCodecs(context, { carried: boundOperations, reader, compilePrint });
  const schemas = splitSchemas(context.services);
  const callOf = cacheCalls();
  return {
    decode(body, media, target, { query, headers }) {
      const operation = requireBound(target.operation);
      const { header, body: bodySchema } = schemas(operation.input);
      const parts = {
        path: target.parameters ?? {},
        query: parseQuery(query),
        header: parseHeaders(header, headers),
        body: parseBody(body, media, bodySchema, parse),
      };
      const { value, issues } = codecOf(operation).input.read(parts);
      const sent = { ...parts, body: plainValue(parts.body) };
      return { operation, input: value, issues: issues.map((issue) => withValue(operation.input, sent, issue)) };
    },

    coordinates: (path, operation, side, kind) => dotted(callerPath(path, operation, side, kind)),

    encode(operation, output, extras) {
      const body = codecOf(operation).output.print(output);
      return {
        status: 200,
        contentType,
        headers: printHeaders(schemas(operation.output).header, output as Values),
        body: extras === undefined ? body : mergeExtras(body, extras),
      };
    },

    encodeError(problem, { requestReference, operation }) {
      const issues = problem.issues.map((each) => ({
        ...each,
        path: callerPath(each.path, operation, 'input', each.kind),
      }));
      const body = printProblemDetails(problem, issues, requestReference, context.conventions);
      return { status: problem.status, contentType, headers: problem.headers, body };
    },

    encodeRequest(service, operation, input) {
      if (operation.upstream !== undefined) return callOf(service, operation, operation.upstream)(input as Values);
      const { method, path } = requireBound(operation).http;
      const { query, header, body } = schemas(operation.input);
      const value = input as Values;
      return {
        method,
        path: serviceAddress(service) + printPath(path, value) + printQuery(query, value),
        headers: printHeaders(header, value),
        contentType: mediaType,
        body: hasBody(body) ? codecOf(operation).input.print(value) : '',
      };
    },

    decodeResponse: (operation, body) =>
      codecOf(operation).output.read({ body: requireTree(parse({ text: body }, ownLimits)) }),

    decodeAnswer: createAnswerDecoder(context, ({ output }, headers) => parseHeaders(schemas(output).header, headers)),

    decodeError: (reply, operation) =>
      decodeError(reply, operation, { referenceName: context.conventions.requestReference }),
  };
}

/** A field outside the body keeps its name. */
function callerPath(path: Path, operation: Operation | undefined, side: Side, kind?: ProblemKind): Path {
  const [first] = path;
  const field = typeof first === 'string' ? operation?.[side].fields[first] : undefined;
  return field === undefined || locationOf(field) !== 'body' ? path : jsonPath(path, operation?.[side], kind);
}

function requireBound(operation: Operation | undefined): BoundOperation {
  if (operation === undefined || !isBound(operation)) throw new TypeError('an operation without an HTTP binding');
  return operation;
}

/** Requests of operations with a binding for an upstream; each is compiled at its first use. */
function cacheCalls(): (service: Service, operation: Operation, binding: UpstreamBinding) => UpstreamCall {
  const compiled = new Map<Operation, UpstreamCall>();
  return (service, operation, binding) => {
    let call = compiled.get(operation);
    if (call === undefined) {
      call = compileUpstreamCall(operation, binding, dateTimeFormatOf(service));
      compiled.set(operation, call);
    }
    return call;
  };
}

/** The inputs and outputs by location of their fields, split once. */
function splitSchemas(
  services: readonly Service[],
): (schema: ObjectSchema) => Readonly<Record<FieldLocation, ObjectSchema>> {
  const operations = services.flatMap(boundOperations);
  const split = new Map(
    operations.flatMap(({ input, output }) => [input, output].map((each) => [each, splitByLocation(each)] as const)),
  );
  return (schema) => split.get(schema) ?? splitByLocation(schema);
}
