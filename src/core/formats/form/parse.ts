/** Parses form text to a tree of dotted names. */

import type { Buffer } from 'node:buffer';
import { bareName, type Operation, type SentKey, type TextPlace } from '../../contract/index.ts';
import type { Charset } from '../../lib/index.ts';
import { decodeText } from '../body-text.ts';
import type { Fault } from '../malformed-body.ts';
import type { Reply } from '../protocol.ts';
import { type Pair, parsePairs, placesOfPairs } from './pairs.ts';

export const limits = Object.freeze({ pairsMax: 200, depthMax: 100 });

/** A name's own value, the names below it, or (for maps alone) both. */
export interface Node {
  value: string | undefined;
  readonly below: Map<string, Node>;
  /** Present for a name without `=`. */
  [bareName]?: true;
  /** That of its pair, or the name of the first pair below it; absent without places. */
  place?: TextPlace | undefined;
}

/** How a text is parsed. */
interface ParseOptions {
  readonly charset?: Charset | undefined;
  /** A response may hold any number of pairs. By default what callers may send. */
  readonly pairsMax?: number;
  readonly withPlaces?: boolean;
  /** Pairs that stand elsewhere, and count as if they followed those of the text. */
  readonly more?: readonly Pair[];
}

type Parsed = { readonly tree: Node } | Fault;

export function parse(bytes: Buffer, options: ParseOptions = {}): Parsed {
  const decoded = decodeText(bytes, options.charset);
  if ('fault' in decoded) return decoded;
  if (decoded.text.startsWith('\ufeff')) return { fault: 'byte order mark' };
  return parseText(decoded.text, options);
}

export function parseText(text: string, options: ParseOptions = {}): Parsed {
  const { charset, pairsMax = limits.pairsMax, withPlaces = false, more = [] } = options;
  const parsed = parsePairs(text, pairsMax - more.length, charset);
  return 'fault' in parsed ? parsed : treeOf([...parsed.pairs, ...more], withPlaces ? text : undefined);
}

/** The answer of another server, with any number of pairs. */
export function parseReply({ body, media: { charset } }: Pick<Reply, 'body' | 'media'>, withPlaces = false): Parsed {
  const decoded = decodeText(body, charset);
  if ('fault' in decoded) return decoded;
  return parseText(decoded.text.trim(), { charset, pairsMax: Number.POSITIVE_INFINITY, withPlaces });
}

/** The tree of names and values that are decoded already. `document`: the text that they are from, for their places. */
export function treeOf(pairs: Iterable<Pair>, document?: string): Parsed {
  const tree = createNode();
  const places = document === undefined ? [] : placesOfPairs(document);
  const end = document?.trimEnd().length ?? 0;
  if (document !== undefined) tree.place = { document, value: { start: end, end }, name: { start: end, end } };
  let count = 0;
  for (const [key, value, isBare] of pairs) {
    const where = places[count];
    const found = where && document !== undefined ? { document, ...where } : undefined;
    count += 1;
    const fault = place(tree, key, value, found, isBare);
    if (fault !== undefined) return { fault, where: `pair ${count}` };
  }
  return { tree };
}

/** Removes the Idempotency-Key, which is no field, from the tree and returns it. */
export function takeKey({ below }: Node, name: string): SentKey | undefined {
  const found = below.get(name);
  if (found?.value === undefined || found.below.size > 0) return undefined;
  below.delete(name);
  return { text: found.value, place: name };
}

function createNode(): Node {
  return { value: undefined, below: new Map() };
}

/** Returns the fault of a key, if it has one. What a name may be is decided by those who read the tree, as in every format. */
function place(tree: Node, key: string, value: string, found?: TextPlace, isBare = false): string | undefined {
  let at = tree;
  for (const step of stepsOf(key)) {
    let next = at.below.get(step);
    if (next === undefined) {
      next = createNode();
      if (found !== undefined) next.place = { ...found, value: found.name };
      at.below.set(step, next);
    }
    at = next;
  }
  if (at.value !== undefined) return 'duplicate key';
  at.value = value;
  if (isBare) at[bareName] = true;
  if (found !== undefined) at.place = found;
  return undefined;
}

/** The steps of a name. What is deeper than any message is one step, so that the tree is never deeper. */
function stepsOf(key: string): readonly string[] {
  const steps = key.split('.', limits.depthMax);
  const length = steps.reduce((sum, step) => sum + step.length + 1, -1);
  return length === key.length ? steps : [...steps, key.slice(length + 1)];
}

/** The name of a message before its fields in the form adapter: `disableRequest`. */
export function prefixOf({ name }: Operation['input']): string {
  return name.charAt(0).toLowerCase() + name.slice(1);
}

/** The names under a prefix. All other names but the action get a leading dot, so no field has them. */
export function under(tree: Node, prefix: string): Node {
  const below = new Map(tree.below.get(prefix)?.below);
  for (const [name, node] of tree.below) if (name !== prefix && name !== 'action') below.set(`.${name}`, node);
  return { value: tree.below.get(prefix)?.value, below, place: tree.place };
}
