/** Parses JSON to a tree, or returns the fault. Stricter than `JSON.parse`. */
import { parseNumbers } from '../../lib/index.ts';
import type { DecodedText } from '../body-text.ts';
import type { Fault } from '../malformed-body.ts';
import { type Limits, limits, ownLimits, scan } from './scan.ts';
import { tokensOf } from './tokens.ts';

export type Parsed = { readonly tree: unknown } | Fault;

/** Ignores one UTF-8 byte order mark, as RFC 8259 allows: some clients send it. */
export function parseDecoded(decoded: DecodedText, within: Limits = limits): Parsed {
  if ('fault' in decoded) return decoded;
  const { text } = decoded;
  return parseText(text.startsWith('\ufeff') ? text.slice(1) : text, within);
}

export function parseText(text: string, within: Limits = ownLimits): Parsed {
  const scanned = scan(text, within);
  if ('fault' in scanned) return { fault: scanned.fault, where: offset(scanned.at) };
  try {
    // A symbol stands for a number of which a double could lose digits. Its description is the number as it was written.
    return { tree: scanned.plainNumbers ? JSON.parse(text) : parseNumbers(text, Symbol) };
  } catch {
    return { fault: 'not JSON', where: offset(tokensOf(text).fault) };
  }
}

/** In characters, from 0. */
function offset(at: number | undefined): string | undefined {
  return at === undefined ? undefined : `offset ${at}`;
}
