/** Lengths of texts, including those that a pattern implies, for documents without patterns. */
import { type StringSchema, textLengthMax } from '../contract/schema.ts';

/** In characters. */
export interface Lengths {
  readonly min: number;
  readonly max: number;
}

const unbounded = Number.POSITIVE_INFINITY;

type Span = readonly [min: number, max: number];

/** The least and the greatest length of a valid text. */
export function lengthsOf({ min = 0, max = textLengthMax, pattern }: StringSchema): Lengths {
  const [patternMin, patternMax] = pattern === undefined ? [0, unbounded] : patternSpan(pattern);
  return { min: Math.max(min, patternMin), max: Math.min(max, patternMax) };
}

/** Lengths that include both. */
export function widest(a: Lengths, b: Lengths): Lengths {
  return {
    min: Math.min(a.min, b.min),
    max: Math.max(a.max, b.max),
  };
}

function times(count: number, length: number): number {
  return count === 0 || length === 0 ? 0 : count * length;
}

/** Parses the constructs that contracts use: classes, escapes, groups, alternatives and counts. */
function patternSpan(pattern: string): Span {
  const tokens = pattern.match(/\[(?:\\.|[^\]])*\]|\\.|\{\d+(?:,\d*)?\}|\(\?:|[\s\S]/g) ?? [];
  let at = 0;

  const count = (): Span => {
    const token = tokens[at] ?? '';
    const counts: Readonly<Record<string, Span>> = { '?': [0, 1], '*': [0, unbounded], '+': [1, unbounded] };
    const braces = /^\{(\d+)(,?)(\d*)\}$/.exec(token);
    const found: Span | undefined = braces
      ? [Number(braces[1]), braces[3] ? Number(braces[3]) : braces[2] ? unbounded : Number(braces[1])]
      : counts[token];
    if (found !== undefined) at += 1;
    return found ?? [1, 1];
  };

  const alternatives = (): Span => {
    let whole: Span | undefined;
    do {
      let branch: Span = [0, 0];
      while (at < tokens.length && tokens[at] !== '|' && tokens[at] !== ')') {
        const token = tokens[at++];
        const atom: Span = token === '(' || token === '(?:' ? alternatives() : [1, 1];
        const [least, most] = count();
        branch = [branch[0] + times(least, atom[0]), branch[1] + times(most, atom[1])];
      }
      whole = whole ? [Math.min(whole[0], branch[0]), Math.max(whole[1], branch[1])] : branch;
    } while (tokens[at++] === '|');
    return whole;
  };

  return alternatives();
}
