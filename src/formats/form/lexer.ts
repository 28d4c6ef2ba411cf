/** Form text to a tree of dotted names: strict percent-decoding, counted pairs, one meaning for every key. */
import { type Buffer, isUtf8 } from 'node:buffer';

export const limits = Object.freeze({ pairsMax: 200, depthMax: 16, keyLengthMax: 256 });

/** A name's own value, the names below it, or (for maps alone) both. */
export interface Node {
  value: string | undefined;
  readonly below: Map<string, Node>;
}

export type Lexed = { readonly tree: Node } | { readonly fault: string };

const node = (): Node => ({ value: undefined, below: new Map() });

/** Strict: a lone `%`, and bytes that are not UTF-8, are refused, where most decoders keep or replace them. */
const decode = (text: string): string | undefined => {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text;
  if (!spaced.includes('%')) return spaced;
  try {
    return decodeURIComponent(spaced);
  } catch {
    return undefined;
  }
};

const isMark = (bytes: Buffer) => bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;

export const lex = (bytes: Buffer): Lexed => {
  if (isMark(bytes)) return { fault: 'byte order mark' };
  if (!isUtf8(bytes)) return { fault: 'not UTF-8' };
  return lexText(bytes.toString('utf8'));
};

/** Takes a name that is no field out of the tree, and gives its value. */
export const take = ({ below }: Node, name: string): string | undefined => {
  const found = below.get(name);
  if (found === undefined || found.below.size > 0) return undefined;
  below.delete(name);
  return found.value;
};

const place = (tree: Node, key: string, value: string): string | undefined => {
  // Brackets are other interfaces' grammar: reading them as plain letters would hide a misunderstanding.
  if (/[[\]]/.test(key)) return 'bracket in a key';
  const steps = key.split('.');
  if (steps.length > limits.depthMax) return 'too deep';
  let at = tree;
  for (const step of steps) {
    if (step === '') return 'empty name';
    if (step === '__proto__') return 'forbidden name';
    let next = at.below.get(step);
    if (next === undefined) {
      next = node();
      at.below.set(step, next);
    }
    at = next;
  }
  if (at.value !== undefined) return 'duplicate key';
  at.value = value;
  return undefined;
};

/** The tree of names and values that are decoded already. */
export const treeOf = (pairs: Iterable<readonly [key: string, value: string]>): Lexed => {
  const tree = node();
  for (const [key, value] of pairs) {
    if (key.length > limits.keyLengthMax) return { fault: 'key too long' };
    const fault = place(tree, key, value);
    if (fault !== undefined) return { fault };
  }
  return { tree };
};

/** `pairsMax` guards against callers; an answer may hold as many as it needs. */
export const lexText = (text: string, pairsMax: number = limits.pairsMax): Lexed => {
  const tree = node();
  let pairs = 0;
  for (const pair of text.split('&')) {
    if (pair === '') continue;
    pairs += 1;
    if (pairs > pairsMax) return { fault: 'too many pairs' };
    const equals = pair.indexOf('=');
    const key = decode(equals === -1 ? pair : pair.slice(0, equals));
    const value = equals === -1 ? '' : decode(pair.slice(equals + 1));
    if (key === undefined || value === undefined) return { fault: 'percent-encoding' };
    if (key.length > limits.keyLengthMax) return { fault: 'key too long' };
    const fault = place(tree, key, value);
    if (fault !== undefined) return { fault };
  }
  return { tree };
};
