/** JSON numbers that keep their digits: a double has no more than 15 of any number, and 16 of most integers. */
import { isMembers, type Members } from './members.ts';

/** Whether a number is an integer that every program writes as it read it: 16 digits at most, up to 2^53. */
export function isExactInteger(source: string): boolean {
  return /^(?:0|-?[1-9]\d{0,15})$/.test(source) && Number.isSafeInteger(Number(source));
}

/** Whether a number, as it is written, means the same to every program: no exponent, and no more digits than a double keeps. */
export function isExactNumber(source: string): boolean {
  return isExactInteger(source) || /^-?(?=(?:\d\.?){1,15}$)\d+\.\d+$/.test(source);
}

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

function isRawNumber(value: unknown): boolean {
  return raw.isRawJSON(value);
}

/** Whether a value that was parsed exactly is an object with members. */
export function isExactMembers(value: unknown): value is Members {
  return isMembers(value) && !isRawNumber(value);
}

/** As `JSON.parse`; numbers that a double may change are raw numbers. */
export function parseExactly(text: string): unknown {
  return parseNumbers(text, rawNumber);
}

/** As `JSON.parse`. `keep`: returns what stands for a number that a double may change, by its text. */
export function parseNumbers(text: string, keep: (source: string) => unknown): unknown {
  // The library types do not have the third argument yet.
  return JSON.parse(text, (_key, value: unknown, ...[context]: { readonly source?: string }[]) => {
    if (typeof value !== 'number') return value;
    const source = context?.source ?? String(value);
    return isExactInteger(source) ? value : keep(source);
  });
}
