/** The legacy form adapter: one address for all operations, `action=Recurring.disable`, keys under `disableRequest.`, errors as text. */

import {
  compileRead,
  dotted,
  type Issue,
  isBound,
  isSecret,
  issue,
  label,
  namedOperations,
  type ObjectSchema,
  type Operation,
  type Path,
  type Schema,
  type Service,
} from '../../contract/index.ts';
import { compileAnswers, decodedAnswer } from '../answers.ts';
import { bodyCharsets } from '../body-text.ts';
import { compileCodecs } from '../codec.ts';
import { errorStatus, errorText, furtherIssues, issueText } from '../errors.ts';
import type { Leniency } from '../leniencies.ts';
import { malformedBody, requireTree } from '../malformed-body.ts';
import { formDataType } from '../multipart.ts';
import { unknownOperation } from '../named-operation.ts';
import type { FormatContext, MessageCodec, WireFormat } from '../protocol.ts';
import { pathTo } from '../refusal.ts';
import { okMessage } from '../wire.ts';
import { decodeErrorText } from './decode-error.ts';
import { pairsOf, withExtras } from './extras.ts';
import { invalidFieldsHeader, printInvalidFields } from './invalid-fields.ts';
import { adapterText, formUpstream, type Pair, parsePairs } from './pairs.ts';
import { limits, parse, parseReply, parseText, prefixOf, takeKey, under } from './parse.ts';
import { compilePrintUnder, contentType, mediaType, withKey } from './print.ts';
import { reader } from './read.ts';

export const adapter: WireFormat = Object.freeze<WireFormat>({
  title: 'The form adapter',
  mediaType,
  lenientMediaTypes: { [formDataType]: 'multipart-forms' },
  charsets: bodyCharsets,
  text: adapterText,
  upstream: formUpstream,
  carries: (operation, service) => !isBound(operation) && service.legacy?.adapter !== undefined,
  callHead,
  addressOf: ({ legacy }) => legacy?.adapter,
  createCodec,
});

function callHead(_: Operation, service: Service): ReturnType<WireFormat['callHead']> {
  const path = service.legacy?.adapter;
  if (path === undefined) throw new TypeError(`${service.name} has no form adapter`);
  return { path, contentType: mediaType };
}

function createCodec(context: FormatContext): MessageCodec {
  const codecOf = compileCodecs(context, {
    carried: namedOperations,
    reader,
    compilePrint: (schema, formatDateTime) => compilePrintUnder(prefixOf(schema), schema, formatDateTime),
  });
  const withPlaces = context.compileRead !== compileRead;
  const readAnswer = compileAnswers(reader, context, pairsOf);
  const { formField } = context.places;
  return {
    decode(body, { charset }, { service }, { query }) {
      const more = query === '' ? [] : fieldsInQuery(query, service, formField);
      if (more.length > 0 && !context.leniencies.has('query-fields')) throw malformedBody('fields in the query');
      const tree = requireTree(parse(body, { charset, withPlaces, more }));
      const key = takeKey(tree, formField);
      const operation = operationOf(tree.below.get('action')?.value, service);
      const prefix = prefixOf(operation.input);
      const { value, issues, leniencies = [] } = codecOf(operation).input.read({ body: under(tree, prefix) });
      const all = [...secretsIn(more, prefix, operation.input), ...issues];
      const used = [...(more.length === 0 ? [] : queryFields), ...leniencies];
      return { operation, input: value, issues: all, key, ...(used.length > 0 && { leniencies: used }) };
    },

    coordinates: (path, operation, side) => coordinates(prefixOf(operation[side]), dotted(path)),

    encode: (operation, output, extras) =>
      okMessage(contentType, withExtras(codecOf(operation).output.print(output), extras)),

    encodeError(problem, { operation }) {
      // Clients of this address recognize 401 by its status, and every other error by status 500 and its text.
      const status = errorStatus(problem, 500);
      const prefix = operation === undefined ? '' : prefixOf(operation.input);
      const fields = printInvalidFields(
        furtherIssues(problem).map((each) => [each.where ?? coordinates(prefix, dotted(each.path)), issueText(each)]),
      );
      const headers = fields === '' ? problem.headers : { ...problem.headers, [invalidFieldsHeader]: fields };
      return { status, contentType: 'text/plain;charset=utf-8', headers, body: errorText(problem) };
    },

    encodeRequest: (service, operation, input, key) => ({
      ...callHead(operation, service),
      body: withKey(
        `action=${service.name}.${operation.name}&${codecOf(operation).input.print(input)}`,
        formField,
        key,
      ),
    }),

    decodeResponse(operation, body) {
      const tree = requireTree(parseText(body, { pairsMax: Number.POSITIVE_INFINITY, withPlaces }));
      return codecOf(operation).output.read({ body: under(tree, prefixOf(operation.output)) });
    },

    decodeAnswer(operation, reply) {
      const tree = requireTree(parseReply(reply, withPlaces));
      return decodedAnswer(readAnswer(operation, { body: under(tree, prefixOf(operation.output)) }));
    },

    decodeError: (reply, { input }) => decodeErrorText(reply, input, prefixOf(input)),
  };
}

/** A key in the spelling of the caller: one with a leading dot has no prefix. */
function coordinates(prefix: string, key: string): string {
  return key.startsWith('.') ? key.slice(1) : `${prefix}.${key}`.replace(/^\.|\.$/g, '');
}

const queryFields: readonly Leniency[] = ['query-fields'];

function operationOf(action: string | undefined, service: Service): Operation {
  const [prefix, name = '', ...rest] = (action ?? '').split('.');
  const operation = prefix === service.name && rest.length === 0 ? service.operations.get(name) : undefined;
  if (operation !== undefined && !isBound(operation)) return operation;
  throw unknownOperation(service, 'action', `send action=${service.name}.OPERATION with one of the operations`);
}

/** The pairs that name an operation, its fields or the key. Other names mean nothing here, credentials among them, and are ignored. */
function fieldsInQuery(query: string, service: Service, formField: string): readonly Pair[] {
  const parsed = parsePairs(query, limits.pairsMax);
  if ('fault' in parsed) throw malformedBody(parsed.fault, parsed.where && `${parsed.where} of the query`);
  const names = new Set(['action', formField, ...namedOperations(service).map(({ input }) => prefixOf(input))]);
  const fields = parsed.pairs.filter(([name]) => names.has(name.split('.', 1)[0]!));
  // A name without a value may be the end of a value before it.
  return fields.length === 0 ? fields : parsed.pairs.filter((each) => each[2] === true || fields.includes(each));
}

/** An issue for each pair that may hold a secret: a sensitive field, or an entry of a map, which may be anything. */
function secretsIn(pairs: readonly Pair[], prefix: string, input: ObjectSchema): readonly Issue[] {
  return pairs.flatMap(([name]) => {
    const [first, ...steps] = name.split('.');
    if (first !== prefix) return [];
    const path = pathTo(steps, input);
    return maySecret(input, path) ? [issue(path, 'structure', `${label(path)} may not stand in the query`)] : [];
  });
}

function maySecret(schema: Schema, [step, ...rest]: Path): boolean {
  switch (schema.kind) {
    case 'map':
      return true;
    case 'object': {
      const field = typeof step === 'string' && Object.hasOwn(schema.fields, step) ? schema.fields[step] : undefined;
      return field !== undefined && maySecret(field.schema, rest);
    }
    case 'list':
      return maySecret(schema.item, rest);
    default:
      return isSecret(schema);
  }
}
