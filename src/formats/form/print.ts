/** Prints canonical values as pairs: `details.0.card.number=1111`, blanks as `+`. */
import type { ScalarSchema, Schema } from '../../contract/schema.ts';
import { walk } from '../../contract/walk.ts';
import type { Print } from '../codec.ts';
import type { FormatDateTime } from '../date-time.ts';

export const mediaType = 'application/x-www-form-urlencoded';
export const contentType = `${mediaType};charset=utf-8`;

export function compilePrint(schema: Schema, formatDateTime: FormatDateTime): Print {
  return compilePrintUnder('', schema, formatDateTime);
}

/** `prefix` comes before every key; empty for none. */
export function compilePrintUnder(prefix: string, schema: Schema, formatDateTime: FormatDateTime): Print {
  const print = compile(schema, formatDateTime);
  return (value) => print(prefix, value).slice(1);
}

/** Encodes as the forms of browsers and Java do. */
export function encode(text: string): string {
  return plain.test(text) ? text : encodeURIComponent(text).replace(/%20|[!'()~]/g, (sign) => others[sign]!);
}

const plain = /^[A-Za-z0-9._*-]*$/;

/** Where encodeURIComponent differs from a form. */
const others: Readonly<Record<string, string>> = {
  '%20': '+',
  '!': '%21',
  "'": '%27',
  '(': '%28',
  ')': '%29',
  '~': '%7E',
};

/** Prints a value under a key (already encoded), as pairs that each begin with `&`. */
type PrintAt = (key: string, value: unknown) => string;

function compile(schema: Schema, formatDateTime: FormatDateTime): PrintAt {
  return walk<PrintAt>(schema, {
    scalar(scalar) {
      const print = compileScalar(scalar, formatDateTime);
      return (key, value) => `&${key}=${print(value)}`;
    },
    joined: () => (key, value) => `&${key}=${encode((value as string[]).join(','))}`,
    list: (_, item) => (key, value) =>
      (value as unknown[]).map((each, index) => item(`${key}.${index}`, each)).join(''),
    map: () => (key, value) =>
      Object.entries(value as Record<string, string>)
        .map(([name, entry]) => `&${key}.${encode(name)}=${encode(entry)}`)
        .join(''),
    object(_, members) {
      return (key, value) => {
        const object = value as Readonly<Record<string, unknown>>;
        const prefix = key === '' ? '' : `${key}.`;
        let pairs = '';
        for (const { name, part } of members) {
          const member = object[name];
          if (member !== undefined) pairs += part(prefix + name, member);
        }
        return pairs;
      };
    },
  });
}

function compileScalar(schema: ScalarSchema, formatDateTime: FormatDateTime): Print {
  switch (schema.kind) {
    case 'string':
    case 'enum':
      return (value) => encode(value as string);
    case 'integer':
    case 'boolean':
      return String;
    case 'dateTime':
      return (value) => encode(formatDateTime(value as number, 's'));
    default:
      return schema satisfies never;
  }
}
