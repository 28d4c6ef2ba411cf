/** Reads a message to a draft: with everything that is in it, also where the contract refuses it. */

import {
  anyText,
  callWhole,
  isName,
  list,
  type Member,
  nodeChooser,
  type ObjectSchema,
  object,
  type Reader,
  type Schema,
  walk,
} from '../../core/contract/index.ts';
import { compileMemberVisit } from '../../core/formats/index.ts';
import { type Draft, depthMax } from './draft.ts';

type ReadDraft<N> = (node: N) => Draft | undefined;

export function compileReadDraft<N>(schema: Schema, reader: Reader<N>): ReadDraft<N> {
  const unknown = readUnknown(reader);
  const present =
    (read: ReadDraft<N>): ReadDraft<N> =>
    (node) =>
      reader.isAbsent(node) ? undefined : (read(node) ?? unknown(node));
  return walk<ReadDraft<N>>(schema, {
    scalar: (scalar) => present((node) => reader.text(node, scalar)),
    joined: () => present((node) => reader.text(node, anyText)),
    list: (list, item) => present((node) => reader.items(node, list)?.map((each) => item(each) ?? '')),
    map: (_, item) =>
      present((node) => {
        const entries: [string, Draft][] = [];
        const isMap = reader.eachEntry(node, (key, each) => {
          const draft = (item ?? unknown)(each);
          if (draft !== undefined) entries.push([key, draft]);
        });
        return isMap ? Object.fromEntries(entries) : undefined;
      }),
    object: (shape, members) => present(readMembers(shape, members, reader, unknown)),
    variants: (schema, own, others) => {
      const readOf = nodeChooser(schema, reader, own, others);
      return (node) => readOf(node)(node);
    },
    self: callWhole,
  });
}

function readMembers<N>(
  schema: ObjectSchema,
  members: readonly Member<ReadDraft<N>>[],
  reader: Reader<N>,
  unknown: ReadDraft<N>,
): ReadDraft<N> {
  const visit = compileMemberVisit(schema, members, reader);
  return (node) => {
    const drafts = new Map<string, Draft>();
    const add = (name: string, draft: Draft | undefined): void => {
      if (draft !== undefined && !drafts.has(name)) drafts.set(name, draft);
    };
    const isObject = visit(node, {
      known: ({ name, part }, child) => add(name, part(child)),
      unknown(name, child) {
        const isIgnored = Object.hasOwn(schema.ignoredMembers, name) || (isName(name) && reader.isEmpty(child));
        if (!isIgnored) add(name, unknown(child));
      },
    });
    return isObject ? Object.fromEntries(drafts) : undefined;
  };
}

const anyObject = object('Any', {});
const anyList = list(anyText, 'item', { anyItemName: true, max: 1e6 });

/** What the contract does not describe: a text, an object, a list, or the text of any other token. */
function readUnknown<N>(reader: Reader<N>): ReadDraft<N> {
  const read = (node: N, depth: number): Draft | undefined => {
    if (depth > depthMax || reader.isAbsent(node)) return undefined;
    const text = reader.text(node, anyText);
    if (text !== undefined) return text;
    const members: [string, Draft][] = [];
    const isObject = reader.eachMember(
      node,
      (name, child) => {
        const draft = read(child, depth + 1);
        if (draft !== undefined) members.push([name, draft]);
        return true;
      },
      anyObject,
    );
    if (isObject) return Object.fromEntries(members);
    const items = reader.items(node, anyList);
    if (items !== undefined) return items.map((each) => read(each, depth + 1) ?? '');
    const token = reader.token(node);
    return typeof token === 'symbol' ? token.description : String(token);
  };
  return (node) => read(node, 0);
}
