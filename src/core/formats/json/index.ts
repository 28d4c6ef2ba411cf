/** JSON: the path names the operation; errors are problem details (RFC 9457), or plain members where the conventions say so. */

import {
  compileRead,
  conventionsOfMessages,
  describeKind,
  isBound,
  mayHaveLongLists,
  membersIn,
  namedOperations,
  type Operation,
  operationAddress,
  type Path,
  type Service,
  withDepth,
} from '../../contract/index.ts';
import { bodyCharsets, decodeText } from '../body-text.ts';
import { compileCodecs } from '../codec.ts';
import { errorMap, issueText } from '../errors.ts';
import { compileFaults } from '../faults.ts';
import { malformedBody, requireTree } from '../malformed-body.ts';
import { operationInPath } from '../named-operation.ts';
import type { FormatContext, MessageCodec, WireFormat } from '../protocol.ts';
import { okMessage } from '../wire.ts';
import { createAnswerDecoder } from './decode-answer.ts';
import { decodeError } from './decode-error.ts';
import { mergeExtras } from './extras.ts';
import { jsonPath } from './names.ts';
import { plainValue, treesOf } from './places.ts';
import { createPlainReader } from './plain.ts';
import { compilePrint } from './print.ts';
import { type Limits, limits, longRequestLimits, ownLimits } from './scan.ts';
import { jsonText, jsonUpstream } from './tokens.ts';

const mediaType = 'application/json';
const none: readonly never[] = Object.freeze([]);
const contentType = `${mediaType};charset=utf-8`;
const problemContentType = 'application/problem+json';

export const json: WireFormat = Object.freeze<WireFormat>({
  title: 'JSON',
  mediaType,
  lenientMediaTypes: { 'text/json': 'text-json', 'application/x-www-form-urlencoded': 'json-as-form' },
  charsets: bodyCharsets,
  text: jsonText,
  upstream: jsonUpstream,
  carries: (operation) => !isBound(operation),
  callHead,
  begins: (start) => /^(?:\xef\xbb\xbf)?[\t\n\r ]*[{[]/.test(start),
  createCodec,
});

function callHead(operation: Operation, service: Service): ReturnType<WireFormat['callHead']> {
  return { path: operationAddress(service, operation), contentType: mediaType };
}

function limitsOf({ input }: Operation): Limits {
  return withDepth(mayHaveLongLists(input) ? longRequestLimits : limits, input);
}

function createCodec(context: FormatContext): MessageCodec {
  const { requestReference: referenceName } = context.conventions;
  const { reader, answerReader, parse } = treesOf(context);
  const codecOf = compileCodecs(context, { carried: namedOperations, reader, compilePrint });
  const faults = compileFaults(context, { carried: namedOperations, reader: answerReader, compilePrint });
  // A walk of another kind sees each value.
  const readPlain = createPlainReader(({ input }) => (context.compileRead === compileRead ? input : undefined), limits);
  return {
    decode(body, { charset }, target) {
      const operation = operationInPath(target);
      const decoded = decodeText(body, charset);
      const plain = 'text' in decoded ? readPlain(operation, decoded.text) : undefined;
      if (plain !== undefined) return { operation, input: plain, issues: none };
      const tree = requireTree(parse(decoded, limitsOf(operation)));
      if (plainValue(tree) === null) throw malformedBody('body is null');
      const { value, ...read } = codecOf(operation).input.read({ body: tree });
      return { operation, input: value, ...read };
    },

    coordinates: (path, operation, side, kind) => pointer(jsonPath(path, operation[side], kind)),

    encode(operation, output, extras) {
      const body = codecOf(operation).output.print(output);
      const further = membersIn(extras);
      return okMessage(contentType, further === undefined ? body : mergeExtras(body, further));
    },

    encodeError(problem, { requestReference, service, operation }) {
      const { kind, status, code: errorCode, message, type: errorType, headers } = problem;
      const issues = problem.issues.map((each) => ({
        ...each,
        path: jsonPath(each.path, operation?.input, each.kind),
      }));
      const invalidFields = issues.map((each) => ({
        name: each.where ?? pointer(each.path),
        message: issueText(each),
      }));
      const fields = invalidFields.length > 0 ? { invalidFields } : {};
      const map = errorMap(issues, service);
      const reference = { [referenceName]: requestReference };
      const conventions = service === undefined ? context.conventions : conventionsOfMessages(service);
      const isPlain = conventions.errors === 'plain';
      const { type, title } = describeKind(kind, conventions);
      const further = { errorType, ...map, ...fields, ...reference };
      const body = JSON.stringify(
        isPlain
          ? { status, errorCode, message, ...further }
          : { type, title, status, detail: message, errorCode, ...further },
      );
      const head = { status, contentType: isPlain ? contentType : problemContentType, headers };
      const fault = faults.print(operation, problem);
      const members = [
        ...(fault === undefined ? [] : [`${JSON.stringify(fault.element)}:${fault.text}`]),
        ...(problem.detail === undefined ? [] : [`"any":${JSON.stringify(problem.detail)}`]),
      ];
      if (members.length === 0) return { ...head, body };
      return { ...head, body: `${body.slice(0, -1)},"fault":{${members.join(',')}}}` };
    },

    encodeRequest: (service, operation, input) => ({
      ...callHead(operation, service),
      body: codecOf(operation).input.print(input),
    }),

    decodeResponse: (operation, body) =>
      codecOf(operation).output.read({
        body: requireTree(parse({ text: body }, withDepth(ownLimits, operation.output))),
      }),

    decodeAnswer: createAnswerDecoder(context),

    decodeError: (reply, operation) => decodeError(reply, operation, { referenceName, faults }),
  };
}

/** RFC 6901: `/details/0/RecurringDetail/card/number`. */
function pointer(path: Path): string {
  return path
    .map((step) => {
      if (typeof step === 'string') return `/${escapeToken(step)}`;
      return step.wrapped ? `/${step.index}/${step.itemName}` : `/${step.index}`;
    })
    .join('');
}

function escapeToken(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}
