/** Scans JSON text before `JSON.parse` for what that accepts: duplicate keys, unpaired surrogates and deep nesting. */

import { manyMembersMax } from '../../contract/index.ts';
import { isExactInteger } from '../../lib/index.ts';

export interface Limits {
  readonly depthMax: number;
  /** Members and items of the whole text, as the elements of an XML document. */
  readonly membersMax: number;
}

/** For requests. */
export const limits: Limits = Object.freeze({ depthMax: 16, membersMax: 2_000 });

/** For requests with long lists. */
export const longRequestLimits: Limits = Object.freeze({ ...limits, membersMax: manyMembersMax });

/** An answer of this program has any number of members. */
export const ownLimits: Limits = Object.freeze({ ...limits, membersMax: Number.POSITIVE_INFINITY });

/** For answers of other servers: members that the contract does not have may be deeper than its own. */
export const answerLimits: Limits = Object.freeze({ ...ownLimits, depthMax: 100 });

/** `plainNumbers` is false if a number is no integer that a double holds exactly. */
type Scan = { readonly fault: string; readonly at: number } | { readonly plainNumbers: boolean };

const number = /[-+.\deE]+/y;

/** Accepts any text; `JSON.parse` refuses what is not JSON. */
export function scan(text: string, { depthMax, membersMax }: Limits): Scan {
  // One entry for each open bracket: the keys of an object, or null for an array.
  const open: (Set<string> | null)[] = [];
  let plainNumbers = true;
  let members = 0;
  let at = 0;
  while (at < text.length) {
    const sign = text.charCodeAt(at);
    if (sign === 0x22) {
      const end = endOfString(text, at);
      if (end === -1) return { fault: 'unterminated string', at };
      const keys = open.at(-1);
      let next = end;
      while (text.charCodeAt(next) <= 0x20) next += 1;
      const token = text.slice(at, end);
      const value = unquoted(token);
      if (!value.isWellFormed()) return { fault: 'unpaired surrogate', at };
      if (keys && text.charCodeAt(next) === 0x3a) {
        const { size } = keys;
        keys.add(value);
        if (keys.size === size) return { fault: 'duplicate key', at };
      }
      at = next;
    } else if (sign === 0x7b || sign === 0x5b) {
      open.push(sign === 0x7b ? new Set() : null);
      if (open.length > depthMax) return { fault: 'too deep', at };
      members += 1;
      at += 1;
    } else if (sign === 0x7d || sign === 0x5d) {
      open.pop();
      at += 1;
    } else if (sign === 0x2d || (sign >= 0x30 && sign <= 0x39)) {
      number.lastIndex = at;
      const token = number.exec(text)?.[0] ?? '';
      plainNumbers &&= isExactInteger(token);
      at += token.length;
    } else {
      if (sign === 0x2c) {
        members += 1;
        if (members > membersMax) return { fault: 'too many members', at };
      }
      at += 1;
    }
  }
  return { plainNumbers };
}

/** The index after the closing quote of the string that opens at `start`, or -1. */
function endOfString(text: string, start: number): number {
  let at = text.indexOf('"', start + 1);
  while (at !== -1) {
    let slashes = 0;
    while (text.charCodeAt(at - 1 - slashes) === 0x5c) slashes += 1;
    if (slashes % 2 === 0) return at + 1;
    at = text.indexOf('"', at + 1);
  }
  return -1;
}

function unquoted(token: string): string {
  if (!token.includes('\\')) return token.slice(1, -1);
  try {
    return String(JSON.parse(token));
  } catch {
    return token;
  }
}
