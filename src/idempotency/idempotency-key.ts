/** Reads the Idempotency-Key of a request: from the header, or from the body of callers that cannot set headers. */
import { Problem } from '../contract/problem.ts';
import { keyHeader, keyLengthMax, keyPattern } from '../contract/retry.ts';

/** Header names are parsed into lower case. */
const header = keyHeader.toLowerCase();
const valid = new RegExp(`^${keyPattern}$`);
/** A MessageID is a URI that a SOAP stack generates; some are longer than 64 characters. */
const lengthInBodyMax = 256;

/** Under 16 characters two requests may have the same key by chance; a random UUID has 36. */
export function isWeak(key: string): boolean {
  return key.length < 16;
}

/** Returns the key, if there is one; the header takes precedence. Throws invalidKey. */
export function keyOf(
  headers: Readonly<Record<string, string | undefined>>,
  { key: inBody }: { readonly key?: string | undefined },
): string | undefined {
  const inHeader = headers[header];
  // Accepts a quoted string (RFC 8941), and the bare text that callers of this interface send.
  const key = inHeader === undefined ? inBody : inHeader.replace(/^"(.*)"$/s, '$1');
  if (key === undefined) return undefined;
  if (key.length > (inHeader === undefined ? lengthInBodyMax : keyLengthMax) || !valid.test(key))
    throw new Problem('invalidKey');
  return key;
}

export function keyMissing(): Problem {
  return new Problem('invalidKey', `${keyHeader} is missing, and this credential may not write without one`, {
    reason: 'noIdempotencyKey',
  });
}
