/** The fields of a request that stand in its head: query and headers to records of texts, and back. */
import type { ObjectSchema } from '../../contract/schema.ts';
import { parsePairs } from '../form/pairs.ts';
import { malformedBody } from '../malformed-body.ts';
import type { Head } from '../protocol.ts';

const nothing = Object.freeze({});

/** Throws a Problem for a name that occurs twice. A name without a value has an empty one. */
export function parseQuery(query: string): Readonly<Record<string, string>> {
  if (query === '') return nothing;
  const parsed = parsePairs(query, Number.POSITIVE_INFINITY);
  if ('fault' in parsed) throw malformedBody(parsed.fault);
  return Object.fromEntries(parsed.pairs);
}

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
