/** The fields of a request that stand in its head: query and headers to records of texts, and back. */
import type { ObjectSchema } from '../../contract/schema.ts';
import { malformedBody } from '../malformed-body.ts';
import type { Head } from '../protocol.ts';

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw malformedBody('percent encoding');
  }
};

/** Each name once; a name without a value has an empty one. */
export const parseQuery = (query: string): Readonly<Record<string, string>> => {
  const pairs = new Map<string, string>();
  for (const pair of query.split('&')) {
    if (pair === '') continue;
    const [name = '', ...value] = pair.split('=');
    const key = decoded(name);
    if (pairs.has(key)) throw malformedBody('name stands twice');
    pairs.set(key, decoded(value.join('=')));
  }
  return Object.fromEntries(pairs);
};

/** With its question mark; empty where nothing is asked. */
export const printQuery = (shape: ObjectSchema, value: Readonly<Record<string, unknown>>): string => {
  const pairs = Object.keys(shape.fields).flatMap((name) =>
    value[name] === undefined ? [] : [`${encodeURIComponent(name)}=${encodeURIComponent(String(value[name]))}`],
  );
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
};

/** The headers of the contract, by the names of their fields. */
export const readHeaders = (shape: ObjectSchema, headers: Head['headers']): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(shape.fields).flatMap(([name, { header = name }]) => {
      const text = headers[header.toLowerCase()];
      return text === undefined ? [] : [[name, text]];
    }),
  );

export const printHeaders = (shape: ObjectSchema, value: Readonly<Record<string, unknown>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(shape.fields).flatMap(([name, { header = name }]) =>
      value[name] === undefined ? [] : [[header, String(value[name])]],
    ),
  );
