/** FORM's printing of each kind: `details.0.card.number=1111`, spaces as `+`. */
import type { ScalarSchema, Schema } from '../../contract/schema.ts';
import { walk } from '../../contract/walk.ts';
import { formatDateTime } from '../date-time.ts';

/** Prints a value under a key (already encoded), as pairs that each begin with `&`. */
type PrintAt = (key: string, value: unknown) => string;

const plain = /^[A-Za-z0-9._*-]*$/;
const others: Readonly<Record<string, string>> = {
  '%20': '+',
  '!': '%21',
  "'": '%27',
  '(': '%28',
  ')': '%29',
  '~': '%7E',
};

/** As the form encoders of browsers and Java do it. */
export const encode = (text: string): string =>
  plain.test(text) ? text : encodeURIComponent(text).replace(/%20|[!'()~]/g, (sign) => others[sign]!);

const text = (shape: ScalarSchema): ((value: unknown) => string) => {
  switch (shape.kind) {
    case 'string':
    case 'enum':
      return (value) => encode(value as string);
    case 'integer':
    case 'boolean':
      return String;
    case 'dateTime':
      return (value) => encode(formatDateTime(value as number, 's'));
    default:
      return shape satisfies never;
  }
};

const compile = (shape: Schema): PrintAt =>
  walk<PrintAt>(shape, {
    scalar(scalar) {
      const print = text(scalar);
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

/** `prefix`: what stands before every key, or empty. */
export const compilePrint = (shape: Schema, prefix = ''): ((value: unknown) => string) => {
  const print = compile(shape);
  return (value) => print(prefix, value).slice(1);
};
