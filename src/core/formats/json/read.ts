/** The reader of JSON trees. */
import {
  entryText,
  type Field,
  isEntries,
  type JsonType,
  jsonTypesOf,
  type ObjectSchema,
  type Reader,
  type ScalarSchema,
  type VisitMember,
} from '../../contract/index.ts';
import { isExactNumber, isMembers, type Members } from '../../lib/index.ts';
import { textOfValue } from './value-text.ts';

export const reader: Reader<unknown> = Object.freeze({
  isAbsent: (node) => node === null || node === undefined,

  text(node, schema) {
    if (schema.kind === 'string' && schema.json !== undefined) return textOfValue(node);
    if (typeof node === 'string') return node;
    if (typeof node === 'boolean') return canBeBoolean(schema) ? String(node) : undefined;
    // Some clients send references and card numbers as numbers. They are read as other formats read the same characters.
    const number = typeof node === 'number' ? String(node) : typeof node === 'symbol' ? node.description : undefined;
    if (number === undefined || schema.kind === 'binary') return undefined;
    // A text has to be what the client meant, so it may not have more digits than a client may have kept.
    return schema.kind !== 'string' || isExactNumber(number) ? number : undefined;
  },

  token: (node) => node,

  memberName: (name, { json = name }) => json,

  // An empty text is absent everywhere, as in the formats that cannot tell it from an empty object.
  eachMember(node, visit, schema) {
    if (node instanceof Entry) return visit('key', node.key) && visit('value', node.value);
    if (schema.json === 'value') return visitAlternative(node, visit, schema);
    if (node === '') return true;
    if (!isMembers(node)) return false;
    for (const name of Object.keys(node)) if (!visit(name, node[name])) break;
    return true;
  },

  items(node, schema) {
    if (node === '') return [];
    if (isEntries(schema))
      return isMembers(node) ? Object.entries(node).map(([key, value]) => new Entry(key, value)) : undefined;
    if (!Array.isArray(node)) return undefined;
    if (!schema.wrapped) return node;
    const { itemName } = schema;
    const wrapped = node.every((item) => isMembers(item) && Object.keys(item).length === 1 && itemName in item);
    return wrapped ? node.map((item) => item[itemName]) : undefined;
  },

  entryKey: (node) => (node instanceof Entry ? node.key : undefined),

  isEmpty,

  eachEntry(node, visit) {
    if (node === '') return true;
    if (!isMembers(node)) return false;
    for (const key of Object.keys(node)) visit(key, node[key]);
    return true;
  },
} satisfies Reader<unknown>);

/** A member of an object that is an item of a list in other formats. */
export class Entry {
  readonly key: string;
  readonly value: unknown;

  constructor(key: string, value: unknown) {
    this.key = key;
    this.value = value;
  }
}

/** Visits the field that has the type of the value; false where none has it. */
function visitAlternative(node: unknown, visit: VisitMember<unknown>, { fields }: ObjectSchema): boolean {
  const type = jsonTypeOf(node);
  const all = Object.entries<Field>(fields);
  // A field alone is read as it is anywhere.
  const found = all.length === 1 ? all[0] : all.find(([, { schema }]) => jsonTypesOf(schema).includes(type));
  if (found === undefined) return false;
  const [name, { json = name }] = found;
  visit(json, node);
  return true;
}

function jsonTypeOf(node: unknown): JsonType {
  if (typeof node === 'string') return 'string';
  if (typeof node === 'boolean') return 'boolean';
  // A number with more digits than a double has is a symbol.
  if (typeof node === 'number' || typeof node === 'symbol') return 'number';
  return Array.isArray(node) ? 'array' : 'object';
}

/** The others are texts, which a boolean is not, save where a program writes whatever it has. */
function canBeBoolean(schema: ScalarSchema): boolean {
  return schema.kind === 'boolean' || schema.kind === 'enum' || schema === entryText;
}

/** The reader of answers of other servers: they write a value in every way that its schema leaves no doubt about. */
export const answerReader: Reader<unknown> = Object.freeze({
  ...reader,

  text(node, schema) {
    if (schema.kind === 'string' && schema.json !== undefined) return textOfValue(node);
    if (typeof node === 'symbol') return numberText(node.description ?? '', schema);
    // Some servers write the values of enumerations and booleans as numbers.
    if (typeof node === 'number') return schema.kind === 'dateTime' ? undefined : String(node);
    return reader.text(node, schema);
  },

  // Converters of XML write a list of one item as the item, and lists below the name of their items.
  items(node, schema) {
    if (isEntries(schema)) return Array.isArray(node) && node.length === 0 ? [] : reader.items(node, schema);
    if (!Array.isArray(node) && isEmpty(node)) return [];
    const items: readonly unknown[] = Array.isArray(node) ? node : [node];
    const { itemName, item } = schema;
    const isOwn = item.kind === 'object' && (item.json !== undefined || hasMember(item, itemName));
    if (!schema.wrapped && isOwn) return items;
    const isWrapper = (each: unknown): each is Members =>
      isMembers(each) && Object.keys(each).length === 1 && Object.hasOwn(each, itemName);
    return items.every(isWrapper) ? items.flatMap((each) => each[itemName]) : items;
  },
} satisfies Reader<unknown>);

function hasMember({ fields }: ObjectSchema, member: string): boolean {
  return Object.entries<Field>(fields).some(([name, { json = name }]) => json === member);
}

/** A number that a double may change, by the text of it. */
function numberText(source: string, { kind }: ScalarSchema): string | undefined {
  switch (kind) {
    case 'decimal':
      return withoutExponent(source);
    case 'integer':
      return withoutExponent(source)?.replace(/\.0*$/, '');
    case 'string':
    case 'double':
    case 'enum':
      return source;
    case 'boolean':
    case 'dateTime':
    case 'date':
    case 'binary':
      return undefined;
    default:
      return kind satisfies never;
  }
}

/** No number of a contract is longer. */
const digitsMax = 100;

function withoutExponent(source: string): string | undefined {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,3}))?$/.exec(source) ?? [];
  const point = whole.length + Number(exponent);
  if (whole === '' || whole.length + fraction.length > digitsMax || Math.abs(point) > digitsMax) return undefined;
  const digits = (whole + fraction)
    .padStart(whole.length + fraction.length - Math.min(point, 0), '0')
    .padEnd(point, '0');
  const at = Math.max(point, 0);
  return `${sign}${digits.slice(0, at) || '0'}.${digits.slice(at)}`;
}

function isEmpty(node: unknown): boolean {
  if (typeof node === 'string') return node.trim() === '';
  if (typeof node !== 'object') return node === undefined;
  return node === null || Object.values(node).every(isEmpty);
}
