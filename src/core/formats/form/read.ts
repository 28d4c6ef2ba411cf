/** The reader of form trees: dotted names, items of a list by index, keys of a map that may contain dots. */
import { formStep, type Reader } from '../../contract/index.ts';
import type { Node } from './parse.ts';

/** `Names.1.@nil=true`: the item is nil. No field has the name. */
export const nilMark = '@nil';

export const reader: Reader<Node> = Object.freeze({
  // `a=` is an empty text, and the contract decides what that means.
  isAbsent: ({ value, below }) => value === undefined && below.size === 1 && below.get(nilMark)?.value === 'true',

  text: (node) => (node.below.size === 0 ? node.value : undefined),

  token: (node) => node.value,

  memberName: (name) => formStep(name),

  eachMember(node, visit) {
    if (hasText(node)) return false;
    for (const [name, next] of node.below) if (!visit(name, next)) break;
    return true;
  },

  items(node) {
    if (hasText(node)) return undefined;
    const items: Node[] = [];
    // Indices count from 0 without gaps and without leading zeros, in any order.
    for (let index = 0; index < node.below.size; index++) {
      const item = node.below.get(String(index));
      if (item === undefined) return undefined;
      items.push(item);
    }
    return items;
  },

  isEmpty,

  eachEntry(node, visit) {
    if (hasText(node)) return false;
    visitLeaves(node, '', visit);
    return true;
  },

  place: (node) => node.place,
} satisfies Reader<Node>);

function isEmpty({ value, below }: Node): boolean {
  return (value === undefined || value.trim() === '') && [...below.values()].every(isEmpty);
}

function hasText({ value }: Node): boolean {
  return value !== undefined && value !== '';
}

/** The steps below a map are dots in its keys: `a.b=1` below it is the entry `a.b`. */
function visitLeaves(node: Node, prefix: string, visit: (key: string, node: Node) => void): void {
  for (const [step, next] of node.below) {
    if (next.value !== undefined) visit(prefix + step, { value: next.value, below: new Map(), place: next.place });
    visitLeaves(next, `${prefix}${step}.`, visit);
  }
}
