/** Lengths of texts, including those that a pattern implies, for documents without patterns. */
import { type StringSchema, textLengthMax } from '../core/contract/index.ts';
import { type PatternNode, parsePattern, Unparsed } from './pattern.ts';

/** In characters. */
export interface Lengths {
  readonly min: number;
  readonly max: number;
}

/** The least and the greatest length of a valid text. */
export function lengthsOf({ min = 0, max = textLengthMax, pattern }: StringSchema): Lengths {
  const implied = pattern === undefined ? unbounded : lengthsOfPattern(pattern);
  return { min: Math.max(min, implied.min), max: Math.min(max, implied.max) };
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

const unbounded: Lengths = { min: 0, max: Infinity };

function lengthsOfPattern(pattern: string): Lengths {
  try {
    return lengthsOfNode(parsePattern(pattern));
  } catch (thrown) {
    if (thrown instanceof Unparsed) return unbounded;
    throw thrown;
  }
}

function lengthsOfNode(node: PatternNode): Lengths {
  switch (node.kind) {
    case 'atom':
      return { min: 1, max: 1 };
    case 'choice':
      return node.parts.map(lengthsOfNode).reduce(widest);
    case 'sequence': {
      const parts = node.parts.map(lengthsOfNode);
      return { min: parts.reduce((sum, { min }) => sum + min, 0), max: parts.reduce((sum, { max }) => sum + max, 0) };
    }
    case 'repeat': {
      const { min, max } = lengthsOfNode(node.part);
      return { min: times(node.min, min), max: times(node.max, max) };
    }
    default:
      return node satisfies never;
  }
}
