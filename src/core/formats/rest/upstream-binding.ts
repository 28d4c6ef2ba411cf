/** Compiles the requests of operations that have an HTTP binding for an upstream alone. */
import { Buffer } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import {
  bodyFieldsOf,
  type Field,
  isFormType,
  isJsonType,
  namesInPath,
  type Operation,
  object,
  Problem,
  partsIn,
  type Schema,
  sendsQuery,
  type UpstreamBinding,
  type UpstreamBody,
} from '../../contract/index.ts';
import { parseExactly } from '../../lib/index.ts';
import { bytesOrToken } from '../../spool/index.ts';
import type { FormatDateTime } from '../date-time.ts';
import type { Pair } from '../form/pairs.ts';
import { compilePrint } from '../json/print.ts';
import type { Call } from '../protocol.ts';
import { omitEmpty, printInHeader, printInPath, printPairs, styleOf, textOf } from './parameters.ts';
import { mediaType } from './parse.ts';
import { checkPath, percentEncode, printPath } from './print.ts';

type Values = Readonly<Record<string, unknown>>;
type Print = (value: Values) => string;
type UpstreamCall = (value: Values) => Call;

export function compileUpstreamCall(
  operation: Operation,
  binding: UpstreamBinding,
  formatDateTime: FormatDateTime,
): UpstreamCall {
  const { input } = operation;
  const { method, path, parameters } = binding;
  if (parameters !== undefined) return compileDetailedCall(operation, binding, formatDateTime);
  const inPath = namesInPath(path);
  const toPath = compilePath(path, inPath, input.fields, formatDateTime);
  if (sendsQuery(binding)) {
    const others = Object.entries<Field>(input.fields).filter(([name]) => !inPath.includes(name));
    const toQuery = compileQuery(others, formatDateTime);
    return (value) => ({ method, path: toPath(value) + toQuery(value), contentType: mediaType, body: '' });
  }
  const print = compileBody(operation, binding, formatDateTime);
  return (value) => ({ method, path: toPath(value), ...print(value) });
}

/** Fields stand where the parameters of the binding say. */
function compileDetailedCall(
  operation: Operation,
  binding: UpstreamBinding,
  formatDateTime: FormatDateTime,
): UpstreamCall {
  const { fields } = operation.input;
  const { method, path, parameters = {} } = binding;
  const outside = [...new Set([...namesInPath(path), ...Object.keys(parameters)])].map((field) => {
    const { in: location = 'path', name = field, ...style } = parameters[field] ?? {};
    const print = compilePrint(fields[field]!.schema, formatDateTime);
    return { field, location, name, style: styleOf({ in: location, ...style }), print };
  });
  const print = compileBody(operation, binding, formatDateTime);
  const names = namesInPath(path);
  return (value) => {
    const inPath = new Map<string, string>();
    const query: Pair[] = [];
    const cookies: Pair[] = [];
    const headers: Record<string, string> = {};
    for (const each of outside) {
      const { field, location, name, style } = each;
      if (value[field] === undefined) continue;
      const tree = omitEmpty(parseExactly(each.print(value[field])), style);
      if (tree === undefined && location === 'path') throw Problem.at([field], 'missingField', field);
      if (tree === undefined) continue;
      if (location === 'path') inPath.set(field, printInPath(name, tree, style));
      else if (location === 'header') headers[name.toLowerCase()] = headerText(printInHeader(tree, style));
      else (location === 'query' ? query : cookies).push(...printPairs(name, tree, style));
    }
    const printed = path.replace(/\{(\w+)\}/g, (_, name: string) => inPath.get(name) ?? '');
    checkPath(printed, names, value);
    if (cookies.length > 0) headers.cookie = cookies.map(([name, text]) => `${name}=${percentEncode(text)}`).join('; ');
    const { headers: more, ...body } = print(value);
    return { method, path: withQuery(printed, query), headers: { ...headers, ...more }, ...body };
  };
}

/** No character in it ends a header. */
function headerText(text: string): string {
  return /^[\t\x20-\x7e]*$/.test(text) ? text : percentEncode(text);
}

/** A path may have a query of its own. */
function withQuery(path: string, pairs: readonly Pair[]): string {
  return pairs.length === 0 ? path : `${path}${path.includes('?') ? '&' : '?'}${printForm(pairs)}`;
}

function printForm(pairs: readonly Pair[]): string {
  return pairs.map(([name, value]) => `${percentEncode(name)}=${percentEncode(value)}`).join('&');
}

type PrintBody = (value: Values) => Pick<Call, 'contentType' | 'body' | 'bytes' | 'headers'>;

function compileBody(operation: Operation, binding: UpstreamBinding, formatDateTime: FormatDateTime): PrintBody {
  const names = bodyFieldsOf(operation, binding);
  const body: UpstreamBody = binding.body ?? { type: mediaType };
  const { type: contentType, field } = body;
  if (names.length === 0) return () => ({ contentType, body: '' });
  const { input } = operation;
  const fields = Object.fromEntries(names.map((name) => [name, input.fields[name]!]));
  if (field !== undefined && !isFormType(contentType)) return compileWholeBody(body, fields[field]!, formatDateTime);
  const isAbsent = (value: Values): boolean => names.every((name) => value[name] === undefined);
  const print = compilePrint(object(input.name, fields), formatDateTime);
  if (isJsonType(contentType))
    return (value) => ({ contentType, body: body.optional && isAbsent(value) ? '' : print(value) });
  const parts = (value: Values) => Object.entries(parseExactly(print(value)) as Values);
  const byJson = new Map(Object.entries(fields).map(([name, { json = name, schema }]) => [json, { name, schema }]));
  if (contentType !== 'multipart/form-data')
    return (value) => {
      const pairs = parts(value).flatMap(([json, tree]) => {
        const style = styleOf({ in: 'query', ...body.parts?.[byJson.get(json)!.name] });
        const pair = omitEmpty(tree, style);
        return pair === undefined ? [] : printPairs(json, pair, style);
      });
      return { contentType, body: printForm(pairs) };
    };
  return (value) =>
    multipart(parts(value).map(([name, tree]) => ({ name, tree, isBinary: holdsBinary(byJson.get(name)!.schema) })));
}

/** The body is the value of one field. */
function compileWholeBody(
  { type, field = '' }: UpstreamBody,
  { schema }: Field,
  formatDateTime: FormatDateTime,
): PrintBody {
  if (isJsonType(type)) {
    const print = compilePrint(schema, formatDateTime);
    return (value) => ({ contentType: type, body: value[field] === undefined ? '' : print(value[field]) });
  }
  const contentType = type.includes('*') ? 'application/octet-stream' : type;
  return (value) => {
    const text = value[field] === undefined ? '' : String(value[field]);
    return schema.kind === 'binary'
      ? { contentType, body: text, bytes: bytesOrToken(text) }
      : { contentType, body: text };
  };
}

/** Whether large values of requests stand where they can be read from a file while they are sent: not in a head, and not in JSON in a part. */
export function canStream({ input, upstream }: Operation): boolean {
  if (upstream === undefined) return false;
  const inBody = new Set(bodyFieldsOf({ input }, upstream));
  const isForm = upstream.body?.type === 'multipart/form-data';
  return Object.entries<Field>(input.fields).every(([name, { schema }]) => {
    const isInPlace = inBody.has(name) && (!isForm || holdsBinary(schema));
    return isInPlace || partsIn(schema).every((each) => each.schema.kind !== 'binary');
  });
}

export function holdsBinary(schema: Schema): boolean {
  return schema.kind === 'binary' || (schema.kind === 'list' && schema.item.kind === 'binary');
}

interface BodyPart {
  readonly name: string;
  readonly tree: unknown;
  readonly isBinary: boolean;
}

/** RFC 7578: a part for each item of a list; what has members is JSON, and bytes are a file. */
function multipart(parts: readonly BodyPart[]): ReturnType<PrintBody> {
  const boundary = `triglyph-${randomBytes(12).toString('hex')}`;
  const pieces = parts.flatMap(({ name, tree, isBinary }) =>
    (Array.isArray(tree) ? tree : [tree]).flatMap((each) => {
      const quoted = name.replace(/[\r\n"]/g, (sign) => percentEncode(sign));
      const isJson = typeof each === 'object' && !isBinary;
      const type = isBinary ? 'application/octet-stream' : isJson ? mediaType : 'text/plain;charset=utf-8';
      const file = isBinary ? `; filename="${quoted}"` : '';
      const head = `--${boundary}\r\nContent-Disposition: form-data; name="${quoted}"${file}\r\nContent-Type: ${type}\r\n\r\n`;
      return [
        Buffer.from(head),
        isBinary ? bytesOrToken(String(each)) : Buffer.from(textOf(each)),
        Buffer.from('\r\n'),
      ];
    }),
  );
  const bytes = Buffer.concat([...pieces, Buffer.from(`--${boundary}--\r\n`)]);
  return { contentType: `multipart/form-data;boundary=${boundary}`, body: `${parts.length} parts`, bytes };
}

/** The texts of moments are those of JSON. */
function compilePath(
  path: string,
  names: readonly string[],
  fields: Readonly<Record<string, Field>>,
  formatDateTime: FormatDateTime,
): Print {
  const moments = names.filter((name) => fields[name]!.schema.kind === 'dateTime');
  if (moments.length === 0) return (value) => printPath(path, value);
  return (value) => {
    const texts = moments.map((name) => [name, formatDateTime(value[name] as number, 's')]);
    return printPath(path, { ...value, ...Object.fromEntries(texts) });
  };
}

/** With its question mark; empty without a value. A list is its name with each item in turn. */
function compileQuery(fields: readonly (readonly [string, Field])[], formatDateTime: FormatDateTime): Print {
  const parts = fields.map(([name, { schema, json = name }]) => ({
    name,
    start: `${percentEncode(json)}=`,
    texts: compileTexts(schema, formatDateTime),
  }));
  return (value) => {
    let query = '';
    for (const { name, start, texts } of parts)
      if (value[name] !== undefined)
        for (const text of texts(value[name])) query += `${query === '' ? '?' : '&'}${start}${percentEncode(text)}`;
    return query;
  };
}

function compileTexts(schema: Schema, formatDateTime: FormatDateTime): (value: unknown) => readonly string[] {
  if (schema.kind === 'list') {
    if (schema.joined) return (value) => [(value as readonly string[]).join(',')];
    const item = compileTexts(schema.item, formatDateTime);
    return (value) => (value as readonly unknown[]).flatMap(item);
  }
  return schema.kind === 'dateTime' ? (value) => [formatDateTime(value as number, 's')] : (value) => [String(value)];
}
