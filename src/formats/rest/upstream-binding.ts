/** Compiles the requests of operations that have an HTTP binding for an upstream alone. */
import { namesInPath, type Operation, sendsQuery, type UpstreamBinding } from '../../contract/operation.ts';
import { type Field, object, type Schema } from '../../contract/schema.ts';
import type { FormatDateTime } from '../date-time.ts';
import type { Call } from '../protocol.ts';
import { mediaType } from './parse.ts';
import { compilePrint, percentEncode, printPath } from './print.ts';

type Values = Readonly<Record<string, unknown>>;
type Print = (value: Values) => string;
export type UpstreamCall = (value: Values) => Call;

export function compileUpstreamCall(
  { input }: Operation,
  binding: UpstreamBinding,
  formatDateTime: FormatDateTime,
): UpstreamCall {
  const { method, path } = binding;
  const inPath = namesInPath(path);
  const others = Object.entries<Field>(input.fields).filter(([name]) => !inPath.includes(name));
  const toPath = compilePath(path, inPath, input.fields, formatDateTime);
  if (sendsQuery(binding)) {
    const toQuery = compileQuery(others, formatDateTime);
    return (value) => ({ method, path: toPath(value) + toQuery(value), contentType: mediaType, body: '' });
  }
  const print = compilePrint(object(input.name, Object.fromEntries(others)), formatDateTime);
  const hasBody = others.length > 0;
  return (value) => ({ method, path: toPath(value), contentType: mediaType, body: hasBody ? print(value) : '' });
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
