/** The header `X-Request-Id`: accepts identifiers of callers, and masks them for the log. */
import { redact } from '../core/lib/index.ts';

export const requestIdHeader = 'X-Request-Id';

const wellFormed = /^[\w.:@/+=~-]{1,128}$/;
/** With or without its dashes. Its digits are random. */
const uuid = /^[\da-f]{8}(?:-?[\da-f]{4}){3}-?[\da-f]{12}$/i;

/** Returns the identifier; undefined for one that is missing or malformed. */
export function acceptRequestId(header: string | undefined): string | undefined {
  return header !== undefined && wellFormed.test(header) ? header : undefined;
}

/** A caller may put a card number into an identifier of its own. */
export function maskRequestId(id: string): string {
  const masked = redact(id);
  return masked === id || uuid.test(id) ? id : masked;
}
