/** Prints canonical values as pairs: `details.0.card.number=1111`, blanks as `+`. */
import type { Schema } from '../../contract/schema.ts';
import { walk } from '../../contract/walk.ts';
import { type Append, flat, scalarAppend } from '../append.ts';
import type { Print } from '../codec.ts';
import type { FormatDateTime } from '../date-time.ts';

export const mediaType = 'application/x-www-form-urlencoded';
export const contentType = `${mediaType};charset=utf-8`;

export function compilePrint(schema: Schema, formatDateTime: FormatDateTime): Print {
  return compilePrintUnder('', schema, formatDateTime);
}

/** `prefix` comes before every key; empty for none. */
export function compilePrintUnder(prefix: string, schema: Schema, formatDateTime: FormatDateTime): Print {
  const append = compile(schema, formatDateTime)(`&${prefix}`);
  return (value) => append('', '', value).slice(1);
}

/** Encodes as the forms of browsers and Java do. */
export function encode(text: string): string {
  if (plain.test(text)) return text;
  if (plainWithBlanks.test(text)) return text.replaceAll(' ', '+');
  return encodeURIComponent(text).replace(/%20|[!'()~]/g, (sign) => others[sign]!);
}

const plain = /^[A-Za-z0-9._*-]*$/;
const plainWithBlanks = /^[A-Za-z0-9._* -]*$/;

/** Where encodeURIComponent differs from a form. */
const others: Readonly<Record<string, string>> = {
  '%20': '+',
  '!': '%21',
  "'": '%27',
  '(': '%28',
  ')': '%29',
  '~': '%7E',
};

/** Appends a value as pairs. `prefix`: `&` and the key of the item of a list that the value is in; empty outside a list. */
type AppendUnder = (text: string, prefix: string, value: unknown) => string;

/** Compiles the pairs of a value for its key below the prefix. */
type AppendAt = (key: string) => AppendUnder;

function compile(schema: Schema, formatDateTime: FormatDateTime): AppendAt {
  const appendDateTime: Append = (text, value) => text + encodeDateTime(formatDateTime(value as number, 's'));
  return walk<AppendAt>(schema, {
    scalar(scalar) {
      const append = scalarAppend(scalar, appendText, appendDateTime);
      return (key) => {
        const start = `${key}=`;
        return (text, prefix, value) => append(text + prefix + start, value);
      };
    },
    joined: () => (key) => (text, prefix, value) =>
      appendText(`${text}${prefix}${key}=`, (value as string[]).join(',')),
    list: (_, item) => (key) => {
      const append = item('');
      const prefixOf = compilePrefixes(key);
      return (text, prefix, value) => {
        let printed = text;
        for (const [index, each] of (value as readonly unknown[]).entries())
          printed = append(printed, prefixOf(prefix, index), each);
        return printed;
      };
    },
    map: () => (key) => (text, prefix, value) => {
      let printed = text;
      for (const [name, entry] of Object.entries(value as Readonly<Record<string, string>>))
        printed = appendText(`${printed}${prefix}${key}.${encode(name)}=`, entry);
      return printed;
    },
    object: (_, members) => (key) => {
      const parts = members.map(({ name, part }) => ({
        name,
        append: part(key === '&' ? `&${name}` : `${key}.${name}`),
      }));
      return (text, prefix, value) => {
        const object = value as Readonly<Record<string, unknown>>;
        let printed = text;
        for (const { name, append } of parts) {
          const member = object[name];
          if (member !== undefined) printed = append(printed, prefix, member);
        }
        return printed;
      };
    },
  });
}

const knownMax = 1_000;

/** Returns the prefix of an item. Those of lists outside any other list are the same each time. */
function compilePrefixes(key: string): (prefix: string, index: number) => string {
  const known: string[] = [];
  return (prefix, index) => {
    if (prefix !== '' || index >= knownMax) return `${prefix}${key}.${index}`;
    known[index] ??= flat(key, '.', String(index));
    return known[index];
  };
}

function appendText(text: string, value: unknown): string {
  return text + encode(value as string);
}

/** Of what a date and time contains, only these signs are encoded. */
function encodeDateTime(text: string): string {
  return text.replaceAll(':', '%3A').replace('+', '%2B');
}
