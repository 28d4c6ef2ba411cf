/** Bytes to a JSON tree, or the reason why not; strict where `JSON.parse` is not. */
import { type Buffer, isUtf8 } from 'node:buffer';
import { plainInteger, scan } from './scan.ts';

/** A number that is no plain integer of up to 15 digits: no field takes it, and its digits may be lost. */
export const imprecise = Symbol('imprecise number');

export type Parsed = { readonly tree: unknown } | { readonly fault: string };

/** One UTF-8 byte order mark is stripped, as RFC 8259 allows: some clients send it. */
export const parse = (bytes: Buffer): Parsed => {
  if (!isUtf8(bytes)) return { fault: 'not UTF-8' };
  const marked = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  return parseText(bytes.toString('utf8', marked ? 3 : 0));
};

export const parseText = (text: string): Parsed => {
  const scanned = scan(text);
  if ('fault' in scanned) return scanned;
  try {
    const tree: unknown = scanned.plainNumbers ? JSON.parse(text) : JSON.parse(text, markImprecise);
    return { tree };
  } catch {
    return { fault: 'not JSON' };
  }
};

/** The third argument (the number as it was written) is newer than the library types. */
function markImprecise(_key: string, value: unknown, ...[context]: { readonly source?: string }[]): unknown {
  return typeof value === 'number' && !plainInteger.test(context?.source ?? '') ? imprecise : value;
}
