/** Parses JSON to a tree that says where its values are in the text. */
import { compileRead, type Reader, type TextPlace } from '../../contract/index.ts';
import type { DecodedText } from '../body-text.ts';
import type { Fault } from '../malformed-body.ts';
import type { FormatContext } from '../protocol.ts';
import { type Parsed, parseDecoded } from './parse.ts';
import { answerReader, Entry, reader } from './read.ts';
import type { Limits } from './scan.ts';
import { type Token, tokensOf } from './tokens.ts';

/** How a codec parses and reads trees. */
export interface JsonTrees {
  readonly reader: Reader<unknown>;
  readonly answerReader: Reader<unknown>;
  readonly parse: (decoded: DecodedText, within?: Limits) => Parsed;
}

/** Trees have places where another walk than the usual one sees them. */
export function treesOf(context: Pick<FormatContext, 'compileRead'>): JsonTrees {
  return context.compileRead === compileRead ? plainTrees : treesWithPlaces;
}

/** A value that was parsed, and where it is. */
class PlacedValue {
  readonly value: unknown;
  readonly place: TextPlace;
  /** Of an object, by name. */
  readonly members = new Map<string, PlacedValue>();
  /** Of an array. */
  readonly items: PlacedValue[] = [];

  constructor(value: unknown, place: TextPlace) {
    this.value = value;
    this.place = place;
  }
}

export function plainValue(node: unknown): unknown {
  return node instanceof PlacedValue ? node.value : node;
}

/** Parses as `parseDecoded` does; the values of the tree are those that it returns. */
function parseWithPlaces(decoded: DecodedText, within?: Limits): { readonly tree: PlacedValue } | Fault {
  const parsed = parseDecoded(decoded, within);
  if ('fault' in parsed) return parsed;
  const text = 'text' in decoded ? decoded.text.replace(/^\ufeff/, '') : '';
  const open: PlacedValue[] = [];
  let name: Token | undefined;
  let root: PlacedValue | undefined;
  for (const token of tokensOf(text).tokens) {
    const { kind } = token;
    if (kind === 'name') name = token;
    else if (kind === '}' || kind === ']') open.pop();
    else if (kind !== ',' && kind !== ':') {
      const node = child(open.at(-1), parsed.tree, text, token, name);
      name = undefined;
      root ??= node;
      if (kind === '{' || kind === '[') open.push(node);
    }
  }
  return root === undefined ? { fault: 'not JSON' } : { tree: root };
}

/** Adds a value to what is around it. The place of an object or an array is its name, or its bracket. */
function child(
  around: PlacedValue | undefined,
  tree: unknown,
  document: string,
  value: Token,
  key: Token | undefined,
): PlacedValue {
  const name = key ?? value;
  const place = { document, value: value.kind === '{' || value.kind === '[' ? name : value, name };
  if (around === undefined) return new PlacedValue(tree, place);
  if (key === undefined) {
    const item = new PlacedValue((around.value as readonly unknown[])[around.items.length], place);
    around.items.push(item);
    return item;
  }
  const called = JSON.parse(document.slice(key.start, key.end)) as string;
  const member = new PlacedValue(Object.getOwnPropertyDescriptor(around.value, called)?.value, place);
  around.members.set(called, member);
  return member;
}

/** Reads values with places as the reader reads values. */
function readerOfPlaces(reader: Reader<unknown>): Reader<unknown> {
  const memberOf = (node: unknown, name: string): PlacedValue | undefined =>
    node instanceof PlacedValue ? node.members.get(name) : undefined;
  return Object.freeze<Reader<unknown>>({
    ...reader,
    isAbsent: (node) => reader.isAbsent(plainValue(node)),
    text: (node, schema) => reader.text(plainValue(node), schema),
    token: (node) => reader.token(plainValue(node)),
    eachMember: (node, visit, schema) =>
      reader.eachMember(
        plainValue(node),
        (name, each) => visit(name, schema.json === 'value' ? node : (memberOf(node, name) ?? each)),
        schema,
      ),
    items: (node, schema) =>
      reader.items(plainValue(node), schema)?.map((item, index) => {
        if (item instanceof Entry) return new Entry(item.key, memberOf(node, item.key) ?? item.value);
        const own = node instanceof PlacedValue ? (node.items[index] ?? node) : undefined;
        return [own, memberOf(own, schema.itemName)].find((each) => each?.value === item) ?? item;
      }),
    isEmpty: (node) => reader.isEmpty(plainValue(node)),
    eachEntry: (node, visit) =>
      reader.eachEntry(plainValue(node), (key, each) => visit(key, memberOf(node, key) ?? each)),
    place: (node) => (node instanceof PlacedValue ? node.place : undefined),
  });
}

const plainTrees: JsonTrees = Object.freeze({ reader, answerReader, parse: parseDecoded });
const treesWithPlaces: JsonTrees = Object.freeze({
  reader: readerOfPlaces(reader),
  answerReader: readerOfPlaces(answerReader),
  parse: parseWithPlaces,
});
