/** FORM: dotted pairs at the path of the operation; errors are pairs with `status` last. */
import {
  compileRead,
  formPath,
  isBound,
  manyMembersMax,
  mayHaveLongLists,
  namedOperations,
  type Operation,
  operationAddress,
  type Service,
} from '../../contract/index.ts';
import { compileAnswers, decodedAnswer } from '../answers.ts';
import { bodyCharsets } from '../body-text.ts';
import { compileCodecs } from '../codec.ts';
import { errorMap, issueText } from '../errors.ts';
import { compileFaults, type PrintedFault } from '../faults.ts';
import type { Leniency } from '../leniencies.ts';
import { malformedBody, requireTree } from '../malformed-body.ts';
import { operationInPath } from '../named-operation.ts';
import type { FormatContext, Head, MessageCodec, Target, WireFormat } from '../protocol.ts';
import { readParameters, requireOwn } from '../rest/own-path.ts';
import { textOf } from '../rest/parameters.ts';
import { okMessage } from '../wire.ts';
import { decodeError } from './decode-error.ts';
import { pairsOf, withExtras } from './extras.ts';
import { formText, formUpstream, type Pair } from './pairs.ts';
import { limits, type Node, parse, parseReply, parseText, prefixOf, takeKey, under } from './parse.ts';
import { compilePrint, contentType, encode, mediaType, withKey } from './print.ts';
import { reader } from './read.ts';

export const form: WireFormat = Object.freeze<WireFormat>({
  title: 'FORM',
  mediaType,
  charsets: bodyCharsets,
  text: formText,
  upstream: formUpstream,
  carries: (operation) => !isBound(operation),
  callHead,
  begins: (start) => /^(?:\xef\xbb\xbf)?[\t\n\r ]*[\w%&]/.test(start),
  createCodec,
});

function callHead(operation: Operation, service: Service): ReturnType<WireFormat['callHead']> {
  return { path: operationAddress(service, operation), contentType: mediaType };
}

function createCodec(context: FormatContext): MessageCodec {
  const { places, conventions } = context;
  const codecOf = compileCodecs(context, { carried: namedOperations, reader, compilePrint });
  const faults = compileFaults(context, { carried: namedOperations, reader, compilePrint });
  const withPlaces = context.compileRead !== compileRead;
  const readAnswer = compileAnswers(reader, context, pairsOf);
  return {
    decode(body, { charset }, target, head) {
      const operation = operationInPath(target);
      const more = target.parameters === undefined ? [] : pairsOutside(operation, target, head);
      const pairsMax = mayHaveLongLists(operation.input) ? manyMembersMax : limits.pairsMax;
      const tree = requireTree(parse(body, { charset, withPlaces, more, pairsMax }));
      const key = takeKey(tree, places.formField);
      const named = context.leniencies.has('adapter-names') ? underPrefix(tree, target, operation) : undefined;
      const { value, issues, leniencies = [] } = codecOf(operation).input.read({ body: named ?? tree });
      const used = [...leniencies, ...(named === undefined ? [] : adapterNames)];
      return { operation, input: value, issues, key, ...(used.length > 0 && { leniencies: used }) };
    },

    coordinates: formPath,

    encode: (operation, output, extras) =>
      okMessage(contentType, withExtras(codecOf(operation).output.print(output), extras)),

    encodeError(problem, { requestReference, service, operation }) {
      const { status, code, type, message, issues, headers } = problem;
      const maps = Object.entries(errorMap(issues, service));
      const pairs: [string, string][] = [
        ['errorType', type],
        ['errorCode', code],
        ['message', message],
        ...maps.flatMap(([name, map]) =>
          Object.entries(map).map(([field, text]): [string, string] => [`${name}.${encode(field)}`, text]),
        ),
        ...issues.flatMap((each, index): [string, string][] => [
          [`invalidFields.${index}.name`, each.where ?? formPath(each.path)],
          [`invalidFields.${index}.message`, issueText(each)],
        ]),
        [conventions.requestReference, requestReference],
        // Old clients look for the ampersand after each of the other pairs, so `status` is the last pair.
        ['status', String(status)],
      ];
      const printed = pairs.map(([key, value]) => `${key}=${encode(value)}`);
      const body = [
        ...printed.slice(0, -2),
        ...faultPairs(faults.print(operation, problem)),
        ...(problem.detail ?? []).map((each, index) => `fault.any.${index}=${encode(each)}`),
        ...printed.slice(-2),
      ].join('&');
      return { status, contentType, headers, body };
    },

    encodeRequest: (service, operation, input, key) => ({
      ...callHead(operation, service),
      body: withKey(codecOf(operation).input.print(input), places.formField, key),
    }),

    decodeResponse: (operation, body) =>
      codecOf(operation).output.read({
        body: requireTree(parseText(body, { pairsMax: Number.POSITIVE_INFINITY, withPlaces })),
      }),

    decodeAnswer: (operation, reply) =>
      decodedAnswer(readAnswer(operation, { body: requireTree(parseReply(reply, withPlaces)) })),

    decodeError: (reply, operation) =>
      decodeError(reply, operation, { referenceName: conventions.requestReference, faults }),
  };
}

/** What stands in the path, in parameters and in the query of a request to the path that the operation has at its upstream. */
function pairsOutside(operation: Operation, target: Target, head: Head): readonly Pair[] {
  const { found, others } = readParameters(requireOwn(operation), target, head);
  const credentials = new Set(
    (target.service.credentials?.places ?? []).flatMap((each) => ('name' in each ? each.name : [])),
  );
  const fields = others.filter(([name]) => !credentials.has(name));
  return [...Object.entries(found).flatMap(([name, tree]) => pairsOfTree(name, tree)), ...fields];
}

function pairsOfTree(name: string, tree: unknown): readonly Pair[] {
  if (typeof tree !== 'object' || tree === null) return [[name, textOf(tree)]];
  return Object.entries(tree).flatMap(([key, each]) => pairsOfTree(`${name}.${key}`, each));
}

const adapterNames: readonly Leniency[] = ['adapter-names'];

/**
 * The fields of a tree whose names are those of the form adapter. Undefined where one is not: a request with both names could mean two
 * things, so its fields are unknown. Throws a Problem for the action of another operation than the path names.
 */
function underPrefix(tree: Node, { service }: Target, { name, input }: Operation): Node | undefined {
  const prefix = prefixOf(input);
  const known = [prefix, 'action'];
  if (!tree.below.has(prefix) || known.some((each) => Object.hasOwn(input.fields, each))) return undefined;
  if (![...tree.below.keys()].every((each) => known.includes(each))) return undefined;
  const action = tree.below.get('action');
  if (action !== undefined && action.value !== `${service.name}.${name}`) throw malformedBody('path and body disagree');
  return under(tree, prefix);
}

/** `fault.OrderNotFound.orderId=7` */
function faultPairs(fault: PrintedFault | undefined): readonly string[] {
  if (fault === undefined || fault.text === '') return [];
  return fault.text.split('&').map((pair) => `fault.${fault.element}.${pair}`);
}
