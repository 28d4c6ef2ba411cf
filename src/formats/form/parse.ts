/** Parses form text to a tree of dotted names. */
import type { Buffer } from 'node:buffer';
import type { Charset } from '../../lib/charset.ts';
import { decodeText } from '../body-text.ts';
import type { Fault } from '../malformed-body.ts';
import type { Reply } from '../protocol.ts';
import { type Pair, parsePairs } from './pairs.ts';

export const limits = Object.freeze({ pairsMax: 200, depthMax: 16, keyLengthMax: 256 });

/** A name's own value, the names below it, or (for maps alone) both. */
export interface Node {
  value: string | undefined;
  readonly below: Map<string, Node>;
}

export type Parsed = { readonly tree: Node } | Fault;

export function parse(bytes: Buffer, charset?: Charset): Parsed {
  const decoded = decodeText(bytes, charset);
  if ('fault' in decoded) return decoded;
  if (decoded.text.startsWith('\ufeff')) return { fault: 'byte order mark' };
  return parseText(decoded.text, limits.pairsMax, charset);
}

/** `pairsMax` limits what callers may send; a response may hold any number of pairs. */
export function parseText(text: string, pairsMax: number = limits.pairsMax, charset?: Charset): Parsed {
  const parsed = parsePairs(text, pairsMax, charset);
  return 'fault' in parsed ? parsed : treeOf(parsed.pairs);
}

/** The answer of another server, with any number of pairs. */
export function parseReply({ body, media: { charset } }: Pick<Reply, 'body' | 'media'>): Parsed {
  const decoded = decodeText(body, charset);
  return 'fault' in decoded ? decoded : parseText(decoded.text.trim(), Number.POSITIVE_INFINITY, charset);
}

/** The tree of names and values that are decoded already. */
export function treeOf(pairs: Iterable<Pair>): Parsed {
  const tree = createNode();
  let count = 0;
  for (const [key, value] of pairs) {
    count += 1;
    const fault = key.length > limits.keyLengthMax ? 'key too long' : place(tree, key, value);
    if (fault !== undefined) return { fault, where: `pair ${count}` };
  }
  return { tree };
}

/** Removes a name that is no field from the tree and returns its value. */
export function take({ below }: Node, name: string): string | undefined {
  const found = below.get(name);
  if (found === undefined || found.below.size > 0) return undefined;
  below.delete(name);
  return found.value;
}

function createNode(): Node {
  return { value: undefined, below: new Map() };
}

/** Returns the fault of a key, if it has one. */
function place(tree: Node, key: string, value: string): string | undefined {
  // Other interfaces nest with brackets: a key with brackets is a misunderstanding and not a name.
  if (/[[\]]/.test(key)) return 'bracket in a key';
  const steps = key.split('.');
  if (steps.length > limits.depthMax) return 'too deep';
  let at = tree;
  for (const step of steps) {
    if (step === '') return 'empty name';
    if (step === '__proto__') return 'forbidden name';
    let next = at.below.get(step);
    if (next === undefined) {
      next = createNode();
      at.below.set(step, next);
    }
    at = next;
  }
  if (at.value !== undefined) return 'duplicate key';
  at.value = value;
  return undefined;
}
