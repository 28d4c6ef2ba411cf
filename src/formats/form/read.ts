/** FORM's answers to the reading walk: dotted names, list items by index, map keys that may hold dots. */
import type { Reader } from '../../contract/read.ts';
import type { Node } from './parse.ts';

const eachLeaf = (node: Node, prefix: string, visit: (key: string, node: Node) => void): void => {
  for (const [step, next] of node.below) {
    if (next.value !== undefined) visit(prefix + step, { value: next.value, below: new Map() });
    eachLeaf(next, `${prefix}${step}.`, visit);
  }
};

export const reader: Reader<Node> = Object.freeze({
  // `a=` and nothing below: an empty text, which the walk knows what to do with.
  isAbsent: () => false,

  text: (node) => (node.below.size === 0 ? node.value : undefined),

  eachMember(node, visit) {
    if (node.value !== undefined && node.value !== '') return false;
    for (const [name, next] of node.below) visit(name, next);
    return true;
  },

  items(node) {
    if (node.value !== undefined && node.value !== '') return undefined;
    const items: Node[] = [];
    // Indices count from 0 without gaps and without leading zeros, in any order.
    for (let index = 0; index < node.below.size; index++) {
      const item = node.below.get(String(index));
      if (item === undefined) return undefined;
      items.push(item);
    }
    return items;
  },

  eachEntry(node, visit) {
    if (node.value !== undefined && node.value !== '') return false;
    eachLeaf(node, '', visit);
    return true;
  },
} satisfies Reader<Node>);
