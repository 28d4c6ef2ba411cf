/** The Idempotency-Key of a request: one header, or what the body carries for callers that cannot set headers. */
import { Problem } from '../contract/problem.ts';
import { keyHeader, keyLengthMax, keyPattern } from '../contract/retry.ts';

/** The names of headers are lower-case here. */
const header = keyHeader.toLowerCase();
const valid = new RegExp(`^${keyPattern}$`);
/** A MessageID is a URI that a SOAP stack makes up; some are longer than a person would choose. */
const lengthInBodyMax = 256;

/** A random UUID has 36; under 16 characters, two callers of a company may come upon the same. */
export const isWeak = (key: string): boolean => key.length < 16;

const invalid = (): Problem =>
  new Problem(
    'badRequest',
    'Idempotency-Key is not 1 to 64 printable characters without blanks, quotes or backslashes',
    {
      reason: 'idempotencyKey',
    },
  );

/** In quotes as RFC 8941 has it, or bare as callers of this interface send it. */
const unquoted = (text: string): string =>
  text.length >= 2 && text.startsWith('"') && text.endsWith('"') ? text.slice(1, -1) : text;

/** The key, or undefined where there is none. Throws badRequest for one that breaks the grammar; the header rules. */
export const keyOf = (
  headers: Readonly<Record<string, string | undefined>>,
  { key: inBody }: { readonly key?: string | undefined },
): string | undefined => {
  const given = headers[header];
  const key = given === undefined ? inBody : unquoted(given);
  if (key === undefined) return undefined;
  if (key.length > (given === undefined ? lengthInBodyMax : keyLengthMax) || !valid.test(key)) throw invalid();
  return key;
};

export const keyMissing = (): Problem =>
  new Problem('badRequest', `${keyHeader} is missing, and this credential may not write without one`, {
    reason: 'noIdempotencyKey',
  });
