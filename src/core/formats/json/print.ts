/** Prints canonical values as JSON, with members in the order of the contract. Absent ones are left out, except lists of answers. */
import {
  conventionsOfMessages,
  holdsAnyElement,
  isEntries,
  type Member,
  type Schema,
  type Service,
  type Visited,
  variantChooser,
  walk,
} from '../../contract/index.ts';
import { isExactInteger, memoizeWeakly } from '../../lib/index.ts';
import { type Append, compileItems, compileMembers, type Part, scalarAppend } from '../append.ts';
import type { Print, Printed } from '../codec.ts';
import type { FormatDateTime } from '../date-time.ts';
import { valueOfText } from './value-text.ts';

export function compilePrint(
  schema: Schema,
  formatDateTime: FormatDateTime,
  service?: Pick<Service, 'conventions'>,
  side: Printed = 'input',
): Print {
  // What a request leaves out, its server keeps as it is: an empty list could remove the items.
  const hasEmptyLists =
    side !== 'input' && service !== undefined && conventionsOfMessages(service).emptyLists === undefined;
  const { before, append, after } = compile(schema, formatDateTime, hasEmptyLists);
  return (value) => append(before, value) + after;
}

const visitedBy = memoizeWeakly((_: FormatDateTime) => {
  return { withLists: new WeakMap(), withoutLists: new WeakMap() } as const satisfies Record<string, Visited<Part>>;
});

function compile(schema: Schema, formatDateTime: FormatDateTime, hasEmptyLists: boolean): Part {
  const { withLists, withoutLists } = visitedBy(formatDateTime);
  const appendDateTime: Append = (text, value) => text + formatDateTime(value as number, 's');
  return walk<Part>(
    schema,
    {
      scalar(scalar) {
        if (scalar.kind === 'decimal' && scalar.json !== 'text')
          return bare(scalar.json === 'number' ? appendNumber : appendDecimal);
        if (scalar.kind === 'string' && scalar.json !== undefined) return bare(appendValue);
        const append = scalarAppend(scalar, appendText, appendDateTime);
        return append === appendText || append === appendDateTime ? quoted(append) : bare(append);
      },
      joined: () => quoted((text, value) => appendText(text, (value as string[]).join(','))),
      list(list, item) {
        if (isEntries(list)) return bare(compileItems(item, { start: '{', separator: ',', end: '}', empty: '{}' }));
        const { wrapped, itemName } = list;
        const label = wrapped ? `{${JSON.stringify(itemName)}:` : '';
        const end = wrapped ? '}' : '';
        const nil = list.nullItems && `${label}null${end}`;
        const part = { ...item, before: label + item.before, after: item.after + end, nil };
        return bare(compileItems(part, { start: '[', separator: ',', end: ']', empty: '[]' }));
      },
      map(_, item) {
        if (item === undefined) return bare((text, value) => text + JSON.stringify(value));
        const { before, append, after } = item;
        return bare((text, value) => {
          let printed = text;
          let label = '{';
          for (const [key, each] of Object.entries(value as Readonly<Record<string, unknown>>)) {
            printed = append(`${printed}${label}${JSON.stringify(key)}:${before}`, each) + after;
            label = ',';
          }
          return label === '{' ? `${text}{}` : `${printed}}`;
        });
      },
      variants(schema, own, others) {
        const partOf = variantChooser(schema, own, others);
        return bare((text, value) => partOf(value).append(text, value));
      },
      self: (_, whole) => bare((text, value) => whole().append(text, value)),
      object({ json: form, choices }, members) {
        if (form === 'value') return bare(compileValue(members));
        if (form === 'entry') return bare(compileEntry(members));
        const parts = members.map(({ name, field: { json = name, schema }, part }) => {
          const label = `${JSON.stringify(json)}:`;
          // Where one excludes others, one without items would be there beside them.
          const isAlternative = choices.some(({ options, exclusive }) => exclusive && options.flat().includes(name));
          const absent = hasEmptyLists && !isAlternative && isPrintedEmpty(schema) ? `${label}[]` : '';
          return { ...part, name, before: label + part.before, absent };
        });
        const empty = parts.flatMap(({ absent }) => (absent === '' ? [] : [absent]));
        return bare(compileMembers(parts, { start: '{', separator: ',', end: '}', empty: `{${empty.join(',')}}` }));
      },
    },
    hasEmptyLists ? withLists : withoutLists,
  );
}

/** The value of the one field that there is. */
function compileValue(members: readonly Member<Part>[]): Append {
  const [first] = members;
  const empty = members.length === 1 && first !== undefined ? emptyOf(first.field.schema) : 'null';
  return (text, value) => {
    const object = value as Readonly<Record<string, unknown>>;
    const member = members.find(({ name }) => object[name] !== undefined);
    if (member === undefined) return text + empty;
    const { before, append, after } = member.part;
    return append(text + before, object[member.name]) + after;
  };
}

/** A member, whose name is the key. */
function compileEntry(members: readonly Member<Part>[]): Append {
  const { field, part } = members.find(({ name }) => name === 'value')!;
  const empty = emptyOf(field.schema);
  return (text, entry) => {
    const { key, value } = entry as { readonly key: string; readonly value?: unknown };
    const named = `${text}${JSON.stringify(key)}:`;
    return value === undefined ? named + empty : part.append(named + part.before, value) + part.after;
  };
}

/** What has no members or items is absent in a canonical value. */
function emptyOf(schema: Schema): string {
  switch (schema.kind) {
    case 'list':
      if (schema.joined) return '""';
      return isEntries(schema) ? '{}' : '[]';
    case 'map':
      return '{}';
    case 'object':
      return schema.json === 'value' ? 'null' : '{}';
    default:
      return 'null';
  }
}

/** Elements of any name are no list that a reader expects, where there are none; and entries are a map in JSON. */
function isPrintedEmpty(schema: Schema): boolean {
  if (schema.kind !== 'list' || schema.joined || schema.json !== undefined) return false;
  return !holdsAnyElement(schema) && !isEntries(schema);
}

function appendValue(text: string, value: unknown): string {
  return text + valueOfText(value as string);
}

function bare(append: Append): Part {
  return { before: '', append, after: '' };
}

function quoted(append: Append): Part {
  return { before: '"', append, after: '"' };
}

// Quotes, backslashes and controls, and surrogates, which may be unpaired.
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what JSON must escape
const special = /["\\\u0000-\u001f\ud800-\udfff]/;

/** Every reader of JSON has the value of a number with so many digits. */
const digitsMax = 15;

/** A number where it is exact. The text is in its normal form, which is one of JSON. */
function appendDecimal(text: string, value: unknown): string {
  const decimal = value as string;
  const digits = decimal.replace(/^-?0?\.?|\./g, '').replace(/^0+/, '');
  return text + (digits.length <= digitsMax || isExactInteger(decimal) ? decimal : `"${decimal}"`);
}

/** The text is in its normal form, which is one of JSON. */
function appendNumber(text: string, value: unknown): string {
  return text + (value as string);
}

/** Without the quotes. Almost no text has a special character, and this test costs half as much as `JSON.stringify`. */
function appendText(text: string, value: unknown): string {
  return text + (special.test(value as string) ? JSON.stringify(value).slice(1, -1) : (value as string));
}
