/** JSON with HTTP bindings: method and path name the operation; errors are problem details (RFC 9457). */

import {
  type BoundOperation,
  boundOperations,
  dotted,
  type FieldLocation,
  isBound,
  isJsonType,
  locationOf,
  membersIn,
  type ObjectSchema,
  type Operation,
  type Path,
  type ProblemKind,
  problems,
  type Service,
  serviceAddress,
  splitByLocation,
  type UpstreamBinding,
  withDepth,
} from '../../contract/index.ts';
import { memoizeWeakly } from '../../lib/index.ts';
import { bodyCharsets, decodeText } from '../body-text.ts';
import { type Codec, compileCodecs, dateTimeFormatOf, type Side } from '../codec.ts';
import { compileFaults } from '../faults.ts';
import { createAnswerDecoder } from '../json/decode-answer.ts';
import { decodeError } from '../json/decode-error.ts';
import { mergeExtras, SentAnswer } from '../json/extras.ts';
import { withoutMisfits } from '../json/misfits.ts';
import { jsonPath } from '../json/names.ts';
import { plainValue, treesOf } from '../json/places.ts';
import { compilePrint } from '../json/print.ts';
import { answerLimits, ownLimits } from '../json/scan.ts';
import { jsonText, jsonUpstream } from '../json/tokens.ts';
import { requireTree } from '../malformed-body.ts';
import type { FormatContext, MessageCodec, Refusal, Reply, WireFormat } from '../protocol.ts';
import { defaultMessage, textOf } from '../refusal.ts';
import {
  byJsonName,
  compileAnswerPrints,
  isWholeAnswer,
  type OwnOperation,
  pathAsSent,
  printRefusal,
  readBody,
  readParameters,
  requireOwn,
  treeOfAnswer,
} from './own-path.ts';
import { bareNode, hasBody, mediaType, parseBody, parseHeaders, parseQuery } from './parse.ts';
import { printHeaders, printPath, printProblemDetails, printQuery } from './print.ts';
import { withValue } from './read.ts';
import { compileUpstreamCall } from './upstream-binding.ts';

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
  addressOf: () => undefined,
  requiresHost: true,
  createCodec,
});

function createCodec(context: FormatContext): MessageCodec {
  const trees = treesOf(context);
  const { reader, answerReader, parse } = trees;
  const carried = ({ operations }: Service): readonly Operation[] =>
    [...operations.values()].filter((each) => isBound(each) || each.upstream !== undefined);
  const parts = { carried, reader, compilePrint };
  const codecOf = compileCodecs(context, parts);
  const faults = compileFaults(
    context,
    { ...parts, reader: answerReader },
    (value, issues, tree, detail) => withoutMisfits(value, issues, tree, detail).value,
  );
  const schemas = splitSchemas(context.services);
  const callsOf = memoizeWeakly((service: Service) =>
    memoizeWeakly((operation: OwnOperation) =>
      compileUpstreamCall(operation, operation.upstream, dateTimeFormatOf(service)),
    ),
  );
  const printAnswer = compileAnswerPrints(context.services);
  const decodeAnswer = createAnswerDecoder(
    context,
    ({ output }, headers) => parseHeaders(schemas(output).header, headers),
    (operation, reply) => treeOfAnswer(operation, reply, trees),
    isWholeAnswer,
  );
  return {
    decode: compileDecode(codecOf, schemas, trees),
    coordinates: (path, operation, side, kind) => dotted(callerPath(path, operation, side, kind)),

    encode(operation, output, extras) {
      if (operation.upstream !== undefined) return printAnswer(operation, output as Values, extras);
      const body = codecOf(operation).output.print(output);
      const further = membersIn(extras);
      return {
        status: 200,
        contentType,
        headers: printHeaders(schemas(operation.output).header, output as Values),
        body: further === undefined ? body : mergeExtras(body, further),
      };
    },

    encodeError(problem, { requestReference, operation }) {
      if (operation?.upstream !== undefined && isReply(problem.sent))
        return printRefusal(problem.sent, operation.upstream, problem.headers);
      const issues = problem.issues.map((each) => ({
        ...each,
        path: callerPath(each.path, operation, 'input', each.kind),
      }));
      const fault = faults.print(operation, problem);
      const body = fault?.text ?? printProblemDetails(problem, issues, requestReference, context.conventions);
      return { status: problem.status, contentType, headers: problem.headers, body };
    },

    encodeRequest(service, operation, input) {
      if (operation.upstream !== undefined) return callsOf(service)(requireOwn(operation))(input as Values);
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
      codecOf(operation).output.read({
        body: requireTree(parse({ text: body }, withDepth(ownLimits, operation.output))),
      }),

    decodeAnswer(operation, reply) {
      const answer = decodeAnswer(operation, reply);
      return operation.upstream === undefined
        ? answer
        : { ...answer, extras: { members: [], ...answer.extras, sent: new SentAnswer(reply) } };
    },

    decodeError: (reply, operation) => {
      const refusal = decodeError(reply, operation, { referenceName: context.conventions.requestReference });
      if (operation.upstream?.answer === undefined) return refusal;
      // Many servers refuse in plain text, whatever they answer in.
      if (refusal === undefined) return reply.status < 500 ? refusalInText(reply) : undefined;
      const name = errorOf(operation.upstream, reply.status);
      const fault = operation.faults?.find(({ problem }) => problem.name === name);
      if (fault === undefined || !isJsonType(reply.media.type)) return { ...refusal, sent: reply };
      const tree = requireTree(parse(decodeText(reply.body, reply.media.charset), answerLimits));
      return { ...refusal, ...faults.read(operation, fault.element, tree), sent: reply };
    },
  };
}

/** Reads requests: of operations at their own paths, and of those with an HTTP binding. */
function compileDecode(
  codecOf: (operation: Operation) => Codec<unknown>,
  schemas: ReturnType<typeof splitSchemas>,
  trees: ReturnType<typeof treesOf>,
): MessageCodec['decode'] {
  return (body, media, target, head) => {
    const { operation: named } = target;
    if (named !== undefined && !isBound(named)) {
      const own = requireOwn(named);
      const { found, others } = readParameters(own, target, head);
      const bare = others.filter(([, , isBare]) => isBare).map(([name]) => [name, bareNode]);
      const fields = { ...readBody(own, body, media, head, trees), ...byJsonName(own, found) };
      const tree = { ...Object.fromEntries(bare), ...fields };
      const { value, issues } = codecOf(own).input.read({ body: tree });
      // The upstream gets the query and the body as they are, with what the contract does not know.
      return { operation: own, input: value, issues: issues.filter(({ kind }) => kind !== problems.unknownField) };
    }
    const operation = requireBound(named);
    const { query, headers } = head;
    const { query: querySchema, header, body: bodySchema } = schemas(operation.input);
    const parts = {
      path: target.parameters ?? {},
      query: parseQuery(query, querySchema),
      header: parseHeaders(header, headers),
      body: parseBody(body, media, bodySchema, trees.parse),
    };
    const { value, issues, leniencies = [] } = codecOf(operation).input.read(parts);
    const sent = { ...parts, body: plainValue(parts.body) };
    return {
      operation,
      input: value,
      issues: issues.map((issue) => withValue(operation.input, sent, issue)),
      ...(leniencies.length > 0 && { leniencies }),
    };
  };
}

/** A field outside the body keeps its name, or has that of its parameter. */
function callerPath(path: Path, operation: Operation | undefined, side: Side, kind?: ProblemKind): Path {
  const [first] = path;
  const schema = operation?.[side];
  const field = typeof first === 'string' ? schema?.fields[first] : undefined;
  if (field === undefined || locationOf(field) !== 'body') return path;
  const named = jsonPath(path, schema, kind);
  return operation?.upstream === undefined || side === 'output' ? named : pathAsSent(named, path, operation.upstream);
}

function refusalInText(reply: Reply): Refusal {
  const { status, media, body } = reply;
  const text = media.type === 'text/plain' ? textOf(body.toString('utf8', 0, 1_000)) : undefined;
  return { status, message: text ?? defaultMessage(status), issues: [], sent: reply };
}

function isReply(sent: unknown): sent is Reply {
  return typeof sent === 'object' && sent !== null && 'media' in sent;
}

/** The name of the problem that a status stands for. */
function errorOf({ errors = {} }: UpstreamBinding, status: number): string | undefined {
  return errors[String(status)] ?? errors[`${Math.floor(status / 100)}XX`] ?? errors.default;
}

function requireBound(operation: Operation | undefined): BoundOperation {
  if (operation === undefined || !isBound(operation)) throw new TypeError('an operation without an HTTP binding');
  return operation;
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
