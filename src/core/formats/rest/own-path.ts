/** Messages of operations at their own methods and paths: as the upstream that answers them has them. */

import { Buffer, isUtf8 } from 'node:buffer';
import {
  bodyFieldsOf,
  type Extras,
  type Field,
  isFormType,
  isJsonType,
  isPassedToCallers,
  manyMembersMax,
  mayHaveLongLists,
  membersIn,
  namesInPath,
  type Operation,
  object,
  type Path,
  Problem,
  type Schema,
  type Service,
  type UpstreamAnswer,
  type UpstreamBinding,
  withDepth,
} from '../../contract/index.ts';
import { decodeComponent, isMembers, memoize, memoizeWeakly, parseExactly } from '../../lib/index.ts';
import { bytesOrToken, tokenOrBase64 } from '../../spool/index.ts';
import { decodeText } from '../body-text.ts';
import { dateTimeFormatOf, ownersOf } from '../codec.ts';
import type { Pair } from '../form/pairs.ts';
import { mergeExtras, SentAnswer } from '../json/extras.ts';
import { type JsonTrees, plainValue } from '../json/places.ts';
import { compilePrint } from '../json/print.ts';
import { answerLimits, limits } from '../json/scan.ts';
import { malformedBody, requireTree } from '../malformed-body.ts';
import { fieldsOfParts } from '../multipart.ts';
import type { Head, Media, Reply, Target } from '../protocol.ts';
import { unsupportedMedia } from '../unsupported-media.ts';
import type { Message } from '../wire.ts';
import { readText, styleOf, takePairs } from './parameters.ts';
import { bareNode } from './parse.ts';
import { holdsBinary } from './upstream-binding.ts';

/** An operation with the binding by which it is served. */
export interface OwnOperation extends Operation {
  readonly upstream: UpstreamBinding;
}

/** Values by the names of their fields. */
type Found = Record<string, unknown>;

/** What an operation has outside of its body. */
const parametersOf = memoizeWeakly(({ input, upstream: { path, parameters = {} } }: OwnOperation) =>
  [...new Set([...namesInPath(path), ...Object.keys(parameters)])].map((field) => {
    const { in: location = 'path', name = field, ...rest } = parameters[field] ?? {};
    return { field, location, name, style: styleOf({ in: location, ...rest }), own: input.fields[field]! };
  }),
);

/** What stands outside of the body, and the pairs of the query that are no parameters. */
export function readParameters(
  operation: OwnOperation,
  { parameters: inPath = {} }: Target,
  { query, headers }: Head,
): { readonly found: Found; readonly others: readonly Pair[] } {
  const found: Found = {};
  const pairs = pairsOf(query);
  const cookies = pairsOfCookies(headers.cookie);
  // Browsers send cookies of several paths with one name, and servers read the first of them.
  const firstCookies = [...new Map(cookies.toReversed().map(([name, value]) => [name, value]))];
  for (const { field, location, name, style, own } of parametersOf(operation)) {
    const text = location === 'path' ? inPath[field] : location === 'header' ? headers[name.toLowerCase()] : undefined;
    const tree =
      location === 'query' || location === 'cookie'
        ? takePairs(
            name,
            own,
            style,
            location === 'query' ? pairs : own.schema.kind === 'list' ? cookies : firstCookies,
          )
        : text === undefined
          ? undefined
          : readText(name, text, own.schema, style);
    if (tree !== undefined) found[field] = tree;
  }
  return { found, others: pairs };
}

function pairsOfCookies(header: string | undefined): Pair[] {
  if (header === undefined) return [];
  return header.split(';').flatMap((each): readonly Pair[] => {
    const at = each.indexOf('=');
    return at === -1 ? [] : [[each.slice(0, at).trim(), decodeComponent(each.slice(at + 1).trim())]];
  });
}

function pairsOf(query: string): Pair[] {
  if (query === '') return [];
  const texts = query.split('&').filter((each) => each !== '');
  return [...new URLSearchParams(query)].map(([name, value], at): Pair => [name, value, !texts[at]?.includes('=')]);
}

/** As many pairs as a body in JSON has members. */
function pairsOfForm(text: string, countMax: number): Pair[] {
  if (text.split('&', countMax + 1).length > countMax) throw malformedBody('too many pairs', `pair ${countMax + 1}`);
  return pairsOf(text);
}

/** The fields of a body as the upstream has it, with the members that are no fields. Throws a Problem for a body that the contract does not have. */
export function readBody(operation: OwnOperation, body: Buffer, media: Media, head: Head, trees: JsonTrees): Found {
  const { input, upstream } = operation;
  const names = bodyFieldsOf(operation, upstream);
  const { type: wanted = 'application/json', field, parts = {} } = upstream.body ?? {};
  if (body.length === 0) return {};
  // The server may leave it unread, and take it for the next request on the connection.
  if (names.length === 0) throw malformedBody('this operation takes no body');
  const { type } = media;
  if (isJsonType(wanted)) {
    if (type !== '' && !isJsonType(type)) throw unsupportedMedia('Content-Type', [wanted]);
    const tree = plainValue(requireTree(trees.parse(decodeText(body, media.charset), withDepth(limits, input))));
    return field === undefined ? membersOf(tree) : { [jsonName(input.fields, field)]: tree };
  }
  if (isFormType(wanted)) {
    const isInParts = type === 'multipart/form-data';
    const pairs: Pair[] = isInParts
      ? [...fieldsOfParts(body, head.headers['content-type'] ?? '')]
      : pairsOfForm(textOf(body, media), mayHaveLongLists(input) ? manyMembersMax : limits.membersMax);
    const found: Found = {};
    for (const name of names) {
      const own: Field = input.fields[name]!;
      const { json = name, schema } = own;
      const style = styleOf({ in: 'query', ...parts[name] });
      const tree = takePairs(json, own, style, pairs);
      if (tree !== undefined) found[json] = isInParts ? valueOfPart(tree, holdsBinary(schema)) : tree;
    }
    for (const [name, value, isBare] of pairs) found[name] ??= isBare ? bareNode : value;
    return found;
  }
  const json = jsonName(input.fields, field ?? '');
  if (field === undefined) return {};
  return { [json]: input.fields[field]?.schema.kind === 'binary' ? tokenOrBase64(body) : textOf(body, media) };
}

/** Parts are bytes; those of fields that are texts are read as such. */
function valueOfPart(tree: unknown, isBinary: boolean): unknown {
  if (Array.isArray(tree)) return tree.map((each) => valueOfPart(each, isBinary));
  if (isBinary) return tokenOrBase64(Buffer.from(String(tree), 'latin1'));
  return typeof tree === 'string' ? Buffer.from(tree, 'latin1').toString() : tree;
}

function membersOf(tree: unknown): Found {
  if (!isMembers(tree)) throw malformedBody('body is no object');
  return { ...tree };
}

function textOf(body: Buffer, { charset }: Media): string {
  const text = decodeText(body, charset);
  if ('fault' in text) throw malformedBody(text.fault);
  return text.text;
}

function jsonName(fields: Readonly<Record<string, Field>>, name: string): string {
  return fields[name]?.json ?? name;
}

/** Fields by their names in JSON. */
export function byJsonName({ input }: Operation, found: Found): Found {
  return Object.fromEntries(Object.entries(found).map(([name, tree]) => [jsonName(input.fields, name), tree]));
}

/** The path with the name of its parameter, or without the name of a field that is the whole body. `named`: the path with names of JSON. */
export function pathAsSent(named: Path, [field]: Path, { parameters = {}, body }: UpstreamBinding): Path {
  const [first, ...below] = named;
  if (typeof field !== 'string' || first === undefined) return named;
  if (field === body?.field && below.length > 0) return below;
  return [parameters[field]?.name ?? first, ...below];
}

/** The tree of an answer that is no object of JSON; undefined where it is one. */
export function treeOfAnswer(
  { output, upstream }: Operation,
  { body, media, headers }: Reply,
  trees: JsonTrees,
): Found | undefined {
  const { answer } = upstream ?? {};
  if (answer === undefined) return undefined;
  const { field, type = 'application/json', headers: inHeaders = {} } = answer;
  const found: Found = {};
  for (const [name, header] of Object.entries(inHeaders)) {
    const text = headers[header.toLowerCase()];
    if (text !== undefined) found[jsonName(output.fields, name)] = text;
  }
  if (body.length === 0) return found;
  if (isJsonType(type) && isJsonType(media.type)) {
    const tree = plainValue(requireTree(trees.parse(decodeText(body, media.charset), answerLimits)));
    if (field !== undefined) return tree === null ? found : { ...found, [jsonName(output.fields, field)]: tree };
    return isMembers(tree) ? { ...tree, ...found } : found;
  }
  if (field === undefined) return found;
  const json = jsonName(output.fields, field);
  if (output.fields[field]?.schema.kind === 'binary') return { ...found, [json]: tokenOrBase64(body) };
  return { ...found, [json]: body.toString(isUtf8(body) ? 'utf8' : 'latin1') };
}

/** Whether all fields that an answer has are in its body, which is JSON. */
export function isWholeAnswer({ upstream }: Operation, { media, headers }: Reply): boolean {
  const { answer } = upstream ?? {};
  if (answer === undefined) return true;
  const { field, type = 'application/json', headers: inHeaders = {} } = answer;
  const hasHeaders = Object.values(inHeaders).some((header) => headers[header.toLowerCase()] !== undefined);
  return field === undefined && isJsonType(type) && isJsonType(media.type) && !hasHeaders;
}

/** Throws a Problem for an operation that has no path of its own. */
export function requireOwn(operation: Operation | undefined): OwnOperation {
  if (operation?.upstream === undefined) throw new Problem('notFound');
  return operation as OwnOperation;
}

/** Prints answers at the paths of operations: as the upstream sent it, or, where it is sent again, as it was read. */
export function compileAnswerPrints(
  services: readonly Service[],
): (operation: Operation, output: Readonly<Record<string, unknown>>, extras?: Extras) => Message {
  const owners = ownersOf(services, ({ operations }) => [...operations.values()]);
  const printOf = memoize((operation: Operation) => {
    const inHeaders = Object.keys(operation.upstream?.answer?.headers ?? {});
    const inBody = Object.entries(operation.output.fields).filter(([name]) => !inHeaders.includes(name));
    return compilePrint(
      object(operation.output.name, Object.fromEntries(inBody)),
      dateTimeFormatOf(owners.get(operation) ?? {}),
    );
  });
  return (operation, output, extras) => {
    const { answer = noAnswer } = operation.upstream ?? {};
    if (extras?.sent instanceof SentAnswer) return messageOf(extras.sent.reply, answer);
    const { field, type = 'application/json', status } = answer;
    const own = field === undefined ? undefined : operation.output.fields[field]?.schema;
    const headers = withPolicy(headersOf(answer, output), type);
    const further = membersIn(extras);
    const isEmpty =
      field === undefined
        ? Object.keys(operation.output.fields).length === 0
        : output[field] === undefined && own?.kind !== 'list';
    if (isEmpty && further === undefined) return { status: status ?? 204, contentType: type, headers, body: '' };
    if (!isJsonType(type)) {
      const body = String(output[field ?? '']);
      const bytes = own?.kind === 'binary' ? { bytes: bytesOrToken(body) } : {};
      return { status: status ?? 200, contentType: type, headers, body, ...bytes };
    }
    const printed = printOf(operation)(output);
    const whole = further === undefined ? printed : mergeExtras(printed, further);
    const body = field === undefined ? whole : memberText(whole, jsonName(operation.output.fields, field), own);
    return { status: status ?? 200, contentType: `${type};charset=utf-8`, headers, body };
  };
}

/** One member of an object, as JSON. A list without items is absent in a canonical value. */
function memberText(object: string, name: string, schema: Schema | undefined): string {
  const { [name]: value = schema?.kind === 'list' ? [] : null } = parseExactly(object) as Found;
  return JSON.stringify(value);
}

function headersOf({ headers = {} }: UpstreamAnswer, output: Readonly<Record<string, unknown>>) {
  return passedHeaders(
    Object.entries(headers).map(([name, header]) => [
      header.toLowerCase(),
      output[name] === undefined ? undefined : String(output[name]),
    ]),
    { headers },
  );
}

const noAnswer: UpstreamAnswer = Object.freeze({});

const declaredHeaders = memoizeWeakly(
  ({ headers = {} }: UpstreamAnswer) => new Set(Object.values(headers).map((each) => each.toLowerCase())),
);

function messageOf({ status, media, headers, body }: Reply, answer: UpstreamAnswer): Message {
  const contentType = headers['content-type'] ?? media.type;
  const passed = withPolicy(passedHeaders(Object.entries(headers), answer), media.type);
  const sent = { body: body.toString('latin1'), bytes: body, isPassedOn: true as const };
  return { status, contentType, headers: passed, ...sent };
}

/** `headers`: with names in lower case. */
function passedHeaders(
  headers: readonly (readonly [name: string, value: string | undefined])[],
  answer: UpstreamAnswer,
): Readonly<Record<string, string>> {
  const declared = declaredHeaders(answer);
  const passed: Record<string, string> = {};
  for (const [name, value] of headers)
    if (value !== undefined && isPassedToCallers(name, declared)) passed[name] = value;
  return passed;
}

/** Content that runs nothing in a browser. */
const inertTypes =
  /^(?:application\/(?:(?:[\w.-]+\+)?json|octet-stream|pdf|x-www-form-urlencoded|zip)|text\/(?:csv|json|plain)|(?:audio|font|image|video)\/(?!svg)[\w.+-]+)$/;
const policyName = 'content-security-policy';
const policy = "default-src 'none'; frame-ancestors 'none'; sandbox";

/** A page of a server runs nothing in the origin of the gateway, which all services behind it share. Of two policies both count. */
function withPolicy(headers: Readonly<Record<string, string>>, type: string): Readonly<Record<string, string>> {
  if (inertTypes.test(type)) return headers;
  const own = headers[policyName];
  return { ...headers, [policyName]: own === undefined ? policy : `${own}, ${policy}` };
}

/** A refusal as the upstream sent it. `headers`: those that a refused client needs besides. */
export function printRefusal(
  reply: Reply,
  { answer = noAnswer }: UpstreamBinding,
  headers: Message['headers'],
): Message {
  const message = messageOf(reply, answer);
  return { ...message, headers: { ...message.headers, ...headers } };
}
