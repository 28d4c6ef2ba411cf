/** Parts of the reference in Markdown: tables of fields, tables of problems, and example bodies. */
import {
  type Conventions,
  type DecimalSchema,
  type Field,
  type IgnoredMembers,
  namesOf,
  type ObjectSchema,
  type ProblemKind,
  partsIn,
  type ScalarSchema,
  type Schema,
  textLengthMax,
  walk,
} from '../core/contract/index.ts';
import { documentLimits, indentXml } from '../core/xml/index.ts';
import { byStatus, printMessage } from './refusals.ts';

export interface Sent {
  readonly contentType: string;
  readonly body: string;
}

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map(cell).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

export function code(text: string): string {
  return `\`${text}\``;
}

export function row([name, { schema, required, doc, xml, json }]: [string, Field]): readonly string[] {
  const placed =
    xml === 'attribute' ? ' An attribute in SOAP.' : xml === 'text' ? ' The text of its element in SOAP.' : '';
  const named = json === undefined ? '' : ` ${code(json)} in JSON.`;
  return [code(name), typeName(schema), required ? 'mandatory' : 'optional', doc + bounds(schema) + placed + named];
}

export function records(schema: ObjectSchema, side: 'input' | 'output'): readonly string[] {
  return recordsOf(schema).map((each) => record(each, side));
}

/** Problems as callers of named operations see them. */
export function namedProblemTable(kinds: readonly ProblemKind[]): string {
  return problemTable(['Status', 'Code', 'Type', 'Message'], kinds, ({ code: number, type }) => [number, type]);
}

/** Problems as problem details name them. */
export function boundProblemTable(kinds: readonly ProblemKind[], conventions: Conventions): string {
  return problemTable(['Status', 'errorCode', 'title', 'detail'], kinds, (kind) => {
    const { code: number, title } = namesOf(kind, conventions);
    return [number, title];
  });
}

/** A body in a code block, with line breaks that the wire does not have. */
export function readable({ contentType, body }: Sent): string {
  if (contentType.includes('xml')) return `\`\`\`xml\n${indentXml(body, documentLimits)}\n\`\`\``;
  if (contentType.includes('json')) return `\`\`\`json\n${JSON.stringify(JSON.parse(body), null, 2)}\n\`\`\``;
  return `\`\`\`text\n${body.replaceAll('&', '\n&')}\n\`\`\``;
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}

function scalarName(schema: ScalarSchema): string {
  switch (schema.kind) {
    case 'string':
      return 'text';
    case 'dateTime':
      return 'date and time';
    case 'integer':
    case 'boolean':
    case 'decimal':
    case 'double':
    case 'date':
      return schema.kind;
    case 'binary':
      return 'base64';
    case 'enum':
      return schema.name;
    default:
      return schema satisfies never;
  }
}

function typeName(schema: Schema): string {
  return walk<string>(schema, {
    scalar: scalarName,
    joined: ({ item }) => `${scalarName(item)}, comma-separated`,
    list: (_, item) => `list of ${item}`,
    map: (_, item) => `map of text to ${item ?? 'text'}`,
    object: ({ name }) => name,
    variants: (_, own, others) => [own, ...others].join(' or '),
    self: ({ name }) => name,
  });
}

function bounds(schema: Schema): string {
  switch (schema.kind) {
    case 'string':
      return [
        schema.max === undefined && schema.pattern !== undefined
          ? ''
          : ` Up to ${schema.max ?? textLengthMax} characters.`,
        schema.pattern === undefined ? '' : ` Matches ${code(schema.pattern)}.`,
        schema.sensitive ? ' Never logged.' : '',
      ].join('');
    case 'integer':
      return ` ${schema.min} to ${schema.max}.`;
    case 'decimal':
      return decimalBounds(schema);
    case 'binary':
      return ` Up to ${schema.max} bytes.`;
    case 'enum':
      return ` One of ${schema.values.map(code).join(', ')}.`;
    case 'list':
      return schema.joined ? bounds(schema.item) : ` Up to ${schema.max} items.${bounds(schema.item)}`;
    case 'map':
      return ` Up to ${schema.max} entries.`;
    case 'dateTime':
      return schema.timeZone === undefined ? '' : ` Without a time zone, it is of ${schema.timeZone}.`;
    case 'boolean':
    case 'double':
    case 'date':
    case 'object':
      return '';
    default:
      return schema satisfies never;
  }
}

function decimalBounds({ digits, fraction, min, max }: DecimalSchema): string {
  const least = min === undefined ? '' : ` ${min} or more.`;
  const most = max === undefined ? '' : ` ${max} or less.`;
  return ` Up to ${digits} digits, ${fraction} of them after the point.${least}${most}`;
}

/** The object schemas in a schema, the outermost first, each once. */
function recordsOf(schema: ObjectSchema): readonly ObjectSchema[] {
  return [...new Set(partsIn(schema).flatMap(({ schema: each }) => (each.kind === 'object' ? [each] : [])))];
}

function record(schema: ObjectSchema, side: 'input' | 'output'): string {
  const { name, fields, choices, ignoredMembers } = schema;
  return [
    `### ${name}`,
    table(['Field', 'Type', 'Required', 'Rule'], Object.entries(fields).map(row)),
    ...choices.map(({ doc }) => doc),
    ...(side === 'input' ? ignoredNote(ignoredMembers) : []),
  ].join('\n\n');
}

function ignoredNote(members: IgnoredMembers): readonly string[] {
  const listed = Object.entries(members).map(([name, origin]) => `${code(name)} (${origin})`);
  return listed.length > 0 ? [`Ignored: ${listed.join(', ')}.`] : [];
}

function problemTable(
  head: readonly string[],
  kinds: readonly ProblemKind[],
  namesIn: (kind: ProblemKind) => readonly string[],
): string {
  const rows = [...byStatus(kinds).values()]
    .flat()
    .map((kind) => [String(kind.status), ...namesIn(kind), printMessage(kind)]);
  const distinct = [...new Map(rows.map((each) => [each.join('|'), each])).values()];
  return table(head, distinct);
}
