/** JSON's answers to the reading walk. */
import type { Reader } from '../../contract/read.ts';

const isObject = (node: unknown): node is Readonly<Record<string, unknown>> =>
  typeof node === 'object' && node !== null && !Array.isArray(node);

export const reader: Reader<unknown> = Object.freeze({
  isAbsent: (node) => node === null || node === undefined,

  text(node, shape) {
    if (typeof node === 'string') return node;
    // References and card numbers come as numbers from careless clients; the scan has vouched for the digits.
    if (typeof node === 'number') return shape.kind === 'string' || shape.kind === 'integer' ? String(node) : undefined;
    return typeof node === 'boolean' && shape.kind === 'boolean' ? String(node) : undefined;
  },

  // An empty text is absent wherever it stands, as in the formats that cannot tell it from an empty object.
  eachMember(node, visit) {
    if (node === '') return true;
    if (!isObject(node)) return false;
    for (const name of Object.keys(node)) visit(name, node[name]);
    return true;
  },

  items(node, shape) {
    if (node === '') return [];
    if (!Array.isArray(node)) return undefined;
    if (!shape.wrapped) return node;
    const { itemName } = shape;
    const wrapped = node.every((item) => isObject(item) && Object.keys(item).length === 1 && itemName in item);
    return wrapped ? node.map((item) => item[itemName]) : undefined;
  },

  eachEntry(node, visit) {
    if (node === '') return true;
    if (!isObject(node)) return false;
    for (const key of Object.keys(node)) visit(key, node[key]);
    return true;
  },
} satisfies Reader<unknown>);
