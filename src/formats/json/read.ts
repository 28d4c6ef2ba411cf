/** The reader of JSON trees. */
import type { Reader } from '../../contract/read.ts';

export const reader: Reader<unknown> = Object.freeze({
  isAbsent: (node) => node === null || node === undefined,

  text(node, schema) {
    if (typeof node === 'string') return node;
    // Some clients send references and card numbers as numbers. The scan has checked that no digit was lost.
    if (typeof node === 'number')
      return schema.kind === 'string' || schema.kind === 'integer' || schema.kind === 'decimal'
        ? String(node)
        : undefined;
    // Any other number, as it was written.
    if (typeof node === 'symbol') return schema.kind === 'decimal' ? node.description : undefined;
    return typeof node === 'boolean' && schema.kind === 'boolean' ? String(node) : undefined;
  },

  token: (node) => node,

  memberName: (name, { json = name }) => json,

  // An empty text is absent everywhere, as in the formats that cannot tell it from an empty object.
  eachMember(node, visit) {
    if (node === '') return true;
    if (!isObject(node)) return false;
    for (const name of Object.keys(node)) visit(name, node[name]);
    return true;
  },

  items(node, schema) {
    if (node === '') return [];
    if (!Array.isArray(node)) return undefined;
    if (!schema.wrapped) return node;
    const { itemName } = schema;
    const wrapped = node.every((item) => isObject(item) && Object.keys(item).length === 1 && itemName in item);
    return wrapped ? node.map((item) => item[itemName]) : undefined;
  },

  isEmpty,

  eachEntry(node, visit) {
    if (node === '') return true;
    if (!isObject(node)) return false;
    for (const key of Object.keys(node)) visit(key, node[key]);
    return true;
  },
} satisfies Reader<unknown>);

function isEmpty(node: unknown): boolean {
  if (typeof node === 'string') return node.trim() === '';
  if (typeof node !== 'object') return node === undefined;
  return node === null || Object.values(node).every(isEmpty);
}

function isObject(node: unknown): node is Readonly<Record<string, unknown>> {
  return typeof node === 'object' && node !== null && !Array.isArray(node);
}
