/** The Idempotency-Key of a request: one header, or what the body carries for callers that cannot set headers. */
import { Problem } from '../contract/problem.ts';
import type { Decoded } from '../protocol/protocol.ts';
import type { WireRequest } from '../protocol/wire.ts';

/** Where the header came from; the names of headers are lower-case here. */
const header = 'idempotency-key';

/** Printable ASCII without blanks, quotes and backslashes, 1 to 64 of it (wire practice; in quotes as RFC 8941 has it). */
const bare = /^[\x21\x23-\x5b\x5d-\x7e]{1,64}$/;
/** A MessageID is a URI that a SOAP stack makes up; some are longer than a person would choose. */
const bareInBody = /^[\x21\x23-\x5b\x5d-\x7e]{1,256}$/;

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

const unquoted = (text: string): string =>
  text.length >= 2 && text.startsWith('"') && text.endsWith('"') ? text.slice(1, -1) : text;

/** The key, or undefined where there is none. Throws badRequest for one that breaks the grammar; the header rules. */
export const keyOf = (headers: WireRequest['headers'], { key: inBody }: Decoded): string | undefined => {
  const given = headers[header];
  const key = given === undefined ? inBody : unquoted(given);
  if (key === undefined) return undefined;
  if (!(given === undefined ? bareInBody : bare).test(key)) throw invalid();
  return key;
};

export const keyMissing = (): Problem =>
  new Problem('badRequest', 'Idempotency-Key is missing, and this credential may not write without one', {
    reason: 'noIdempotencyKey',
  });
