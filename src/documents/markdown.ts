/** Parts of the reference in Markdown: tables of fields, tables of problems, and example bodies. */
import { type ProblemName, problems } from '../contract/problem.ts';
import { namesOf } from '../contract/problem-details.ts';
import { type Field, type ObjectSchema, type ScalarSchema, type Schema, textLengthMax } from '../contract/schema.ts';
import { walk } from '../contract/walk.ts';
import { byStatus, printMessage } from './refusals.ts';
import { indentDocument } from './xml-document.ts';

export interface Sent {
  readonly contentType: string;
  readonly body: string;
}

const cell = (text: string): string => text.replaceAll('|', '\\|');

export const table = (head: readonly string[], rows: readonly (readonly string[])[]): string => {
  const line = (cells: readonly string[]) => `| ${cells.map(cell).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
};

const scalarName = (shape: ScalarSchema): string => {
  switch (shape.kind) {
    case 'string':
      return 'text';
    case 'integer':
    case 'boolean':
      return shape.kind;
    case 'dateTime':
      return 'date and time';
    case 'enum':
      return shape.name;
    default:
      return shape satisfies never;
  }
};

const typeName = (shape: Schema): string =>
  walk<string>(shape, {
    scalar: scalarName,
    joined: ({ item }) => `${scalarName(item)}, comma-separated`,
    list: (_, item) => `list of ${item}`,
    map: (_, item) => `map of text to ${item ?? 'text'}`,
    object: ({ name }) => name,
  });

export const code = (text: string): string => `\`${text}\``;

const bounds = (shape: Schema): string => {
  switch (shape.kind) {
    case 'string':
      return [
        shape.max === undefined && shape.pattern !== undefined
          ? ''
          : ` Up to ${shape.max ?? textLengthMax} characters.`,
        shape.pattern === undefined ? '' : ` Matches ${code(shape.pattern)}.`,
        shape.sensitive ? ' Never logged.' : '',
      ].join('');
    case 'integer':
      return ` ${shape.min} to ${shape.max}.`;
    case 'enum':
      return ` One of ${shape.values.map(code).join(', ')}.`;
    case 'list':
      return shape.joined ? bounds(shape.item) : ` Up to ${shape.max} items.${bounds(shape.item)}`;
    case 'map':
      return ` Up to ${shape.max} entries.`;
    case 'boolean':
    case 'dateTime':
    case 'object':
      return '';
    default:
      return shape satisfies never;
  }
};

export const row = ([name, { schema: shape, required, doc }]: [string, Field]): readonly string[] => [
  code(name),
  typeName(shape),
  required ? 'mandatory' : 'optional',
  doc + bounds(shape),
];

/** The object schemas in a schema, the outermost first, each once. */
const recordsOf = (shape: ObjectSchema): readonly ObjectSchema[] => {
  const found: ObjectSchema[] = [];
  const visit = (each: Schema): void => {
    if (each.kind === 'list') visit(each.item);
    if (each.kind === 'map' && each.item !== undefined) visit(each.item);
    if (each.kind !== 'object' || found.includes(each)) return;
    found.push(each);
    for (const field of Object.values(each.fields)) visit(field.schema);
  };
  visit(shape);
  return found;
};

const record = (shape: ObjectSchema, side: 'input' | 'output'): string => {
  const { name, fields, choices, ignoredMembers } = shape;
  return [
    `### ${name}`,
    table(['Field', 'Type', 'Required', 'Rule'], Object.entries(fields).map(row)),
    ...choices.map(({ doc }) => doc),
    ...(side === 'input' && ignoredMembers.length > 0 ? [`Ignored: ${ignoredMembers.map(code).join(', ')}.`] : []),
  ].join('\n\n');
};

export const records = (shape: ObjectSchema, side: 'input' | 'output'): readonly string[] =>
  recordsOf(shape).map((each) => record(each, side));

/** Problems as callers of named operations see them. */
export function namedProblemTable(names: readonly ProblemName[]): string {
  return problemTable(['Status', 'Code', 'Type', 'Message'], names, (name) => {
    const { code: number, type } = problems[name];
    return [number, type];
  });
}

/** Problems as problem details name them. */
export function boundProblemTable(names: readonly ProblemName[]): string {
  return problemTable(['Status', 'errorCode', 'title', 'detail'], names, (name) => {
    const { code: number, title } = namesOf(name);
    return [number, title];
  });
}

function problemTable(
  head: readonly string[],
  names: readonly ProblemName[],
  namesIn: (name: ProblemName) => readonly string[],
): string {
  const rows = [...byStatus(names).values()]
    .flat()
    .map((name) => [String(problems[name].status), ...namesIn(name), printMessage(name)]);
  const distinct = [...new Map(rows.map((each) => [each.join('|'), each])).values()];
  return table(head, distinct);
}

/** A body in a code block, with line breaks that the wire does not have. */
export const readable = ({ contentType, body }: Sent): string => {
  if (contentType.includes('xml')) return `\`\`\`xml\n${indentDocument(body)}\n\`\`\``;
  if (contentType.includes('json')) return `\`\`\`json\n${JSON.stringify(JSON.parse(body), null, 2)}\n\`\`\``;
  return `\`\`\`text\n${body.replaceAll('&', '\n&')}\n\`\`\``;
};
