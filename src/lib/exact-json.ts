/** JSON numbers that keep their digits: a double has no more than about 15 of them. */

/** An integer that a double represents without losing digits. */
export const plainInteger = /^-?(0|[1-9]\d{0,14})$/;

/** Part of ECMAScript 2026; the library types do not have it yet. */
interface RawJson {
  rawJSON(text: string): object;
  isRawJSON(value: unknown): boolean;
}
const raw = JSON as unknown as RawJson;

/** A number as it was written, which `JSON.stringify` prints unchanged. */
export function rawNumber(text: string): object {
  return raw.rawJSON(text);
}

export function isRawNumber(value: unknown): boolean {
  return raw.isRawJSON(value);
}

/** As `JSON.parse`; numbers that a double may change are raw numbers. */
export function parseExactly(text: string): unknown {
  return JSON.parse(text, keepDigits);
}

/** The library types do not have the third argument yet. */
function keepDigits(_key: string, value: unknown, ...[context]: { readonly source?: string }[]): unknown {
  if (typeof value !== 'number') return value;
  const source = context?.source ?? String(value);
  return plainInteger.test(source) ? value : rawNumber(source);
}
