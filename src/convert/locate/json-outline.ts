/** Finds where the values of a JSON text are. */
import type { Range } from '../../lib/xml/outline.ts';

/** A value by its place. */
export interface ValuePlace extends Range {
  /** Of an object, in their order. */
  readonly members?: readonly MemberPlace[];
  /** Of an array. */
  readonly items?: readonly ValuePlace[];
}

export interface MemberPlace {
  readonly name: string;
  /** With its quotes. */
  readonly key: Range;
  readonly value: ValuePlace;
}

const scalar = /"(?:[^"\\]|\\.)*"|[^\s,\]}]+/sy;
const blank = /[\s\ufeff]*/y;

/** For a text that is JSON and not deeply nested, as parsing has checked. Returns undefined for some others. */
export function outlineJson(text: string): ValuePlace | undefined {
  let at = 0;
  const skip = (): void => {
    blank.lastIndex = at;
    at += blank.exec(text)?.[0].length ?? 0;
  };
  const token = (): Range | undefined => {
    scalar.lastIndex = at;
    const found = scalar.exec(text)?.[0];
    if (found === undefined) return undefined;
    const range = { start: at, end: at + found.length };
    at = range.end;
    return range;
  };
  /** Reads parts up to the closing bracket. Returns false where a part is malformed. */
  const each = (close: string, read: () => boolean): boolean => {
    at += 1;
    for (skip(); text[at] !== close; skip()) {
      if (!read()) return false;
      skip();
      if (text[at] === ',') at += 1;
      else if (text[at] !== close) return false;
    }
    at += 1;
    return true;
  };
  const value = (): ValuePlace | undefined => {
    skip();
    const start = at;
    if (text[at] === '{') {
      const members: MemberPlace[] = [];
      const isWhole = each('}', () => {
        const key = token();
        skip();
        if (key === undefined || text[at] !== ':') return false;
        at += 1;
        const member = value();
        if (member === undefined) return false;
        members.push({ name: unquoted(text.slice(key.start, key.end)), key, value: member });
        return true;
      });
      return isWhole ? { start, end: at, members } : undefined;
    }
    if (text[at] === '[') {
      const items: ValuePlace[] = [];
      const isWhole = each(']', () => {
        const item = value();
        if (item === undefined) return false;
        items.push(item);
        return true;
      });
      return isWhole ? { start, end: at, items } : undefined;
    }
    return token();
  };
  return value();
}

function unquoted(token: string): string {
  try {
    return String(JSON.parse(token));
  } catch {
    return token;
  }
}
