/** The reader of drafts: validates what a form holds as each format validates its messages. */
import type { Reader } from '../../core/contract/index.ts';
import { type Draft, isDraftObject } from './draft.ts';

export const draftReader: Reader<Draft> = Object.freeze({
  isAbsent: () => false,

  text: (node) => (typeof node === 'string' ? node : undefined),

  token: (node) => node,

  eachMember(node, visit) {
    if (node === '') return true;
    if (!isDraftObject(node)) return false;
    for (const name of Object.keys(node)) if (!visit(name, node[name]!)) break;
    return true;
  },

  items(node) {
    if (node === '') return [];
    return Array.isArray(node) ? (node as readonly Draft[]) : undefined;
  },

  isEmpty,

  eachEntry(node, visit) {
    if (node === '') return true;
    if (!isDraftObject(node)) return false;
    for (const key of Object.keys(node)) visit(key, node[key]!);
    return true;
  },
} satisfies Reader<Draft>);

function isEmpty(node: Draft): boolean {
  return typeof node === 'string' ? node.trim() === '' : Object.values(node).every(isEmpty);
}
