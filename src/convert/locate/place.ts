/** Places in the text of a message. */
import type { Range } from '../../lib/xml/outline.ts';

/** Where a member is, or would be. */
export interface FoundPlace extends Range {
  /** The member is not there: the place is that of what it belongs into. */
  readonly isMissing: boolean;
  /** Its name: for a member that should not be there. */
  readonly name?: Range;
}

/** A part of the text of a message. */
export interface MessagePlace {
  /** Counts from 1. */
  readonly line: number;
  /** In characters, from 1. */
  readonly column: number;
  /** In UTF-16 units from 0, as JavaScript counts. */
  readonly start: number;
  /** After the last character. */
  readonly end: number;
  /** The member is not there: the place is that of what it belongs into. */
  readonly isMissing?: true;
}

/** `offset`: of the part of the text in which the ranges count. */
export function foundOrMissing(range: Range, offset: number, isMissing: boolean, name = range): FoundPlace {
  return { ...shifted(range, offset), isMissing, name: shifted(name, offset) };
}

function shifted({ start, end }: Range, offset: number): Range {
  return { start: start + offset, end: end + offset };
}

/** Returns the lines and columns of places in the text. */
export function compilePositions(text: string): (range: Range, isMissing?: boolean) => MessagePlace {
  const starts = [0, ...Array.from(text.matchAll(/\r\n|\n|\r/g), ({ index, 0: sign }) => index + sign.length)];
  return ({ start, end }, isMissing = false) => {
    const next = starts.findIndex((each) => each > start);
    const line = next === -1 ? starts.length : next;
    const column = [...text.slice(starts[line - 1], start)].length + 1;
    return { line, column, start, end, ...(isMissing && { isMissing }) };
  };
}
