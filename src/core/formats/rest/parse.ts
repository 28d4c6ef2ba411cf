/** Parses the parts of a request: its query, its headers and its JSON body. */
import type { Buffer } from 'node:buffer';
import { bareName, type ObjectSchema, Problem, withDepth } from '../../contract/index.ts';
import { decodeText } from '../body-text.ts';
import { parsePairs } from '../form/pairs.ts';
import { limits } from '../form/parse.ts';
import { type JsonTrees, plainValue } from '../json/places.ts';
import { limits as jsonLimits } from '../json/scan.ts';
import { malformedBody, requireTree } from '../malformed-body.ts';
import type { Head, Media } from '../protocol.ts';
import { unsupportedMedia } from '../unsupported-media.ts';

export const mediaType = 'application/json';

const nothing = Object.freeze({});

/** The tree of a name without a value that is no field. */
export const bareNode: object = Object.freeze({ [bareName]: true });

/** Throws a Problem for a name that occurs twice. A field without a value has an empty one. */
export function parseQuery(query: string, { fields }: ObjectSchema): Readonly<Record<string, unknown>> {
  if (query === '') return nothing;
  const parsed = parsePairs(query, limits.pairsMax);
  if ('fault' in parsed) throw malformedBody(parsed.fault, parsed.where && `${parsed.where} of the query`);
  return Object.fromEntries(
    parsed.pairs.map(([name, value, isBare]) => [name, isBare && !Object.hasOwn(fields, name) ? bareNode : value]),
  );
}

/** The headers of the contract, by the names of their fields. */
export function parseHeaders(schema: ObjectSchema, headers: Head['headers']): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(schema.fields).flatMap(([name, { header = name }]) => {
      const text = headers[header.toLowerCase()];
      return text === undefined ? [] : [[name, text]];
    }),
  );
}

/** Without fields in the body of the contract, the body is not read. An absent body is an empty object. */
export function parseBody(
  body: Buffer,
  { type, charset }: Media,
  schema: ObjectSchema,
  parse: JsonTrees['parse'],
): unknown {
  if (!hasBody(schema)) return nothing;
  if (body.length === 0) {
    if (Object.values(schema.fields).some(({ required }) => required)) throw new Problem('emptyRequest');
    return nothing;
  }
  if (type !== mediaType) throw unsupportedMedia('Content-Type', [mediaType]);
  const tree = requireTree(parse(decodeText(body, charset), withDepth(jsonLimits, schema)));
  if (plainValue(tree) === null) throw new Problem('emptyRequest');
  // The reader takes an empty text for an empty object, because forms cannot tell them apart. A body of JSON can.
  return plainValue(tree) === '' ? [] : tree;
}

export function hasBody({ fields, ignoredMembers }: ObjectSchema): boolean {
  return Object.keys(fields).length > 0 || Object.keys(ignoredMembers).length > 0;
}
