/** Reads plain JSON in one pass, from text to canonical value. Leaves any text that it is not sure of to the strict reader. */

import {
  type Choice,
  defaultLevels,
  entryText,
  isKey,
  isWrittenEmpty,
  type ListSchema,
  type MapSchema,
  type Member,
  type ObjectSchema,
  type Operation,
  parser,
  partsIn,
  type ScalarSchema,
  type SetSchema,
  walk,
  withDepth,
} from '../../contract/index.ts';
import { memoize } from '../../lib/index.ts';
import { parseText } from './parse.ts';
import type { Limits } from './scan.ts';
import { textOfValue } from './value-text.ts';

/** Returns the canonical value of a whole text, or undefined where the text is not plain or not valid. It never refuses. */
export type ReadPlain = (text: string) => unknown;

/** Parts of a schema: each message is compiled by itself. */
const partsMax = 5_000;

/** Values share the memory of their text, so long texts are left to the strict reader. */
const lengthMax = 65_536;

// Without backslashes, a string ends at the next quote. Control characters could be blanks, or a fault within a string.
// biome-ignore lint/suspicious/noControlCharactersInRegex: plain texts do not have them
const special = /[\\\u0000-\u001f]/;

interface Source {
  readonly text: string;
  /** How far it has been read. */
  at: number;
  /** Members and items so far. */
  members: number;
}

/** Reads the value that begins here. Returns null for null, and undefined for what is not plain. */
type ReadAt = (source: Source) => unknown;

const quote = 0x22;
const comma = 0x2c;
const colon = 0x3a;
const arrayStart = 0x5b;
const arrayEnd = 0x5d;
const objectStart = 0x7b;
const objectEnd = 0x7d;

/** Reads messages of operations whose fields are all in the body. `schemaOf` is asked once for each; undefined: do not try. */
export function createPlainReader(
  schemaOf: (operation: Operation) => ObjectSchema | undefined,
  within: Limits,
): (operation: Operation, text: string) => unknown {
  const readOf = memoize((operation: Operation): ReadPlain => {
    const schema = schemaOf(operation);
    const isLarge = schema !== undefined && partsIn(schema).length > partsMax;
    return schema === undefined || isLarge ? () => undefined : compilePlain(schema, withDepth(within, schema));
  });
  return (operation, text) => readOf(operation)(text);
}

/** Compiles the reading of messages. The strict readers of requests and of answers agree on all plain texts. */
export function compilePlain(schema: ObjectSchema, { depthMax, membersMax }: Limits): ReadPlain {
  const depth = depthOf(schema);
  /** How much deeper what is read now may be, since objects are in others of their kind. */
  let further = 0;
  const levels = new Map<ObjectSchema, number>();
  /** A value of any form may be at the deepest place of the schema. */
  const withinSchema = (): Limits => ({ depthMax: depthMax - depth - further, membersMax });
  const readAt = walk<ReadAt>(schema, {
    scalar: (scalar) =>
      scalar.kind === 'string' && scalar.json !== undefined ? readAny(scalar, withinSchema) : readScalar(scalar),
    joined: readJoined,
    list: readList,
    map: readMap,
    object: readObject,
    // The name of a type may come last.
    variants: () => () => undefined,
    self(object, whole) {
      const depthOfLevel = depthOf(object);
      return (source) => {
        const level = levels.get(object) ?? 1;
        // What is too deep is left to the strict reader.
        if (level === (object.recursion?.levels ?? defaultLevels) || depth + further + depthOfLevel > depthMax)
          return undefined;
        levels.set(object, level + 1);
        further += depthOfLevel;
        try {
          return whole()(source);
        } finally {
          levels.set(object, level);
          further -= depthOfLevel;
        }
      };
    },
  });
  return (text) => {
    if (text.length > lengthMax || special.test(text)) return undefined;
    const source = { text, at: 0, members: 0 };
    const value = signAt(source) === objectStart ? readAt(source) : undefined;
    if (value === undefined || source.members > membersMax) return undefined;
    // Not a number: the text has ended.
    return Number.isNaN(signAt(source)) ? value : undefined;
  };
}

/** The next character that is no space. */
function signAt(source: Source): number {
  let sign = source.text.charCodeAt(source.at);
  while (sign === 0x20) {
    source.at += 1;
    sign = source.text.charCodeAt(source.at);
  }
  return sign;
}

/** Reads one character. Returns false for another one. */
function take(source: Source, sign: number): boolean {
  if (signAt(source) !== sign) return false;
  source.at += 1;
  return true;
}

/** The content of the string that begins here, which has no escapes; undefined for no string. */
function takeString(source: Source): string | undefined {
  const { text, at } = source;
  if (text.charCodeAt(at) !== quote) return undefined;
  const end = text.indexOf('"', at + 1);
  if (end === -1) return undefined;
  source.at = end + 1;
  return text.slice(at + 1, end);
}

function takeWord(source: Source, word: string): boolean {
  if (!source.text.startsWith(word, source.at)) return false;
  source.at += word.length;
  return true;
}

/** How deep the messages of a schema are, in brackets, without objects in others of their kind. */
function depthOf(schema: ObjectSchema): number {
  return walk<number>(schema, {
    scalar: () => 0,
    joined: () => 0,
    list: ({ wrapped }, item) => item + (wrapped ? 2 : 1),
    map: (_, item = 0) => item + 1,
    object: (_, members) => members.reduce((deepest, { part }) => Math.max(deepest, part + 1), 1),
    variants: (_, own, others) => Math.max(own, ...others),
    self: () => 0,
  });
}

/** Reads an object or an array of any form as its text. A string there is another value than a number of the same text. */
function readAny(schema: ScalarSchema, within: () => Limits): ReadAt {
  const parse = parser(schema);
  return (source) => {
    const end = endOfValue(source);
    if (end === undefined) return takeWord(source, 'null') ? null : undefined;
    const parsed = parseText(source.text.slice(source.at, end), within());
    if ('fault' in parsed) return undefined;
    source.at = end;
    const read = parse(textOfValue(parsed.tree));
    return 'value' in read ? read.value : undefined;
  };
}

const signsOfValues = /["[\]{},]/g;

/** Where the object or the array ends that begins here. Counts its members, rather too many than too few. */
function endOfValue(source: Source): number | undefined {
  const { text, at } = source;
  const first = text.charCodeAt(at);
  if (first !== objectStart && first !== arrayStart) return undefined;
  let depth = 0;
  signsOfValues.lastIndex = at;
  for (let match = signsOfValues.exec(text); match !== null; match = signsOfValues.exec(text)) {
    switch (text.charCodeAt(match.index)) {
      case quote: {
        const end = text.indexOf('"', match.index + 1);
        if (end === -1) return undefined;
        signsOfValues.lastIndex = end + 1;
        break;
      }
      case objectStart:
      case arrayStart:
        depth += 1;
        source.members += 1;
        break;
      case comma:
        source.members += 1;
        break;
      default:
        depth -= 1;
        if (depth === 0) return match.index + 1;
    }
  }
  return undefined;
}

function readScalar(schema: ScalarSchema): ReadAt {
  const parse = parser(schema);
  const takeBare = bareReader(schema);
  return (source) => {
    const text = takeString(source) ?? takeBare(source);
    if (text === undefined) return takeWord(source, 'null') ? null : undefined;
    // It means different things to different fields.
    if (text === '') return undefined;
    const parsed = parse(text);
    return 'value' in parsed ? parsed.value : undefined;
  };
}

const integer = /-?(?:0|[1-9]\d{0,15})(?![\d.eE])/y;
const decimal = /-?(?:0|[1-9]\d{0,14})(?:\.\d{1,15})?(?![\d.eE])/y;

/** Reads a value that is no string where its kind has such values. */
function bareReader({ kind }: ScalarSchema): (source: Source) => string | undefined {
  switch (kind) {
    case 'integer':
      return (source) => takeMatch(source, integer);
    case 'decimal':
    case 'double':
      return (source) => takeMatch(source, decimal);
    case 'boolean':
      return (source) => {
        if (takeWord(source, 'true')) return 'true';
        return takeWord(source, 'false') ? 'false' : undefined;
      };
    case 'string':
    case 'enum':
    case 'dateTime':
    case 'date':
    case 'binary':
      return () => undefined;
    default:
      return kind satisfies never;
  }
}

function takeMatch(source: Source, pattern: RegExp): string | undefined {
  pattern.lastIndex = source.at;
  const token = pattern.exec(source.text)?.[0];
  if (token !== undefined) source.at += token.length;
  return token;
}

/** Sets of one value. */
function readJoined({ item: { values } }: SetSchema): ReadAt {
  const sets = new Map(values.map((value) => [value as string, Object.freeze([value])]));
  return (source) => {
    const text = takeString(source);
    if (text === undefined) return takeWord(source, 'null') ? null : undefined;
    return sets.get(text);
  };
}

const noItems: readonly never[] = Object.freeze([]);

function readList({ itemName, wrapped, whenEmpty, max }: ListSchema, item: ReadAt): ReadAt {
  const readItem = wrapped ? readWrapped(itemName, item) : item;
  return (source) => {
    if (!take(source, arrayStart)) return takeWord(source, 'null') ? null : undefined;
    if (take(source, arrayEnd)) return whenEmpty === undefined ? null : noItems;
    const values: unknown[] = [];
    do {
      signAt(source);
      const value = readItem(source);
      if (value === undefined || value === null || values.length === max) return undefined;
      values.push(value);
      source.members += 1;
    } while (take(source, comma));
    return take(source, arrayEnd) ? Object.freeze(values) : undefined;
  };
}

function readWrapped(itemName: string, item: ReadAt): ReadAt {
  return (source) => {
    if (!take(source, objectStart)) return undefined;
    signAt(source);
    if (takeString(source) !== itemName || !take(source, colon)) return undefined;
    signAt(source);
    const value = item(source);
    source.members += 1;
    return take(source, objectEnd) ? value : undefined;
  };
}

function readMap({ max }: MapSchema, item: ReadAt | undefined): ReadAt {
  const readEntry = item ?? readScalar(entryText);
  return (source) => {
    if (!take(source, objectStart)) return takeWord(source, 'null') ? null : undefined;
    const entries: [string, unknown][] = [];
    let count = 0;
    do {
      signAt(source);
      const key = takeString(source);
      if (key === undefined || !isKey(key) || !take(source, colon)) return undefined;
      signAt(source);
      const value = readEntry(source);
      count += 1;
      if (value === undefined || count > max) return undefined;
      // A key may occur once, also where its value is null.
      entries.push([key, value]);
      source.members += 1;
    } while (take(source, comma));
    return take(source, objectEnd) ? mapOf(entries) : undefined;
  };
}

/** Keys in their order; undefined for two of one name, and where no entry has a value. */
function mapOf(entries: [string, unknown][]): unknown {
  entries.sort(([a], [b]) => (a < b ? -1 : 1));
  for (let at = 1; at < entries.length; at += 1) if (entries[at - 1]![0] === entries[at]![0]) return undefined;
  const valued = entries.filter(([, value]) => value !== null);
  return valued.length === 0 ? undefined : Object.freeze(Object.fromEntries(valued));
}

function readObject(schema: ObjectSchema, members: readonly Member<ReadAt>[]): ReadAt {
  const count = members.length;
  const parts = members.map(({ part }) => part);
  const names = members.map(({ name, field: { json = name } }) => json);
  const slots = new Map(names.map((name, slot) => [name, slot]));
  const labels = names.map((name) => `"${name}":`);
  // The slot that followed a slot the last time: programs write their members in one order. The last one is of the first member.
  const following = new Array<number>(count + 1).fill(0);
  const create = compileObject(schema, members);
  // An object without members is left to the strict reader, as any other empty object.
  // Another form of JSON is left to it, too.
  if (count === 0 || schema.json !== undefined) return () => undefined;
  return (source) => {
    if (!take(source, objectStart)) return takeWord(source, 'null') ? null : undefined;
    // By slot, since members are in the order of the contract.
    const found = new Array<unknown>(count).fill(undefined);
    let before = count;
    do {
      signAt(source);
      let slot = following[before];
      if (slot === undefined || !takeWord(source, labels[slot]!)) {
        slot = slots.get(takeString(source) ?? '');
        if (slot === undefined || !take(source, colon)) return undefined;
        following[before] = slot;
      }
      if (found[slot] !== undefined) return undefined;
      signAt(source);
      const value = parts[slot]!(source);
      if (value === undefined) return undefined;
      found[slot] = value;
      source.members += 1;
      before = slot;
    } while (take(source, comma));
    return take(source, objectEnd) ? create(found) : undefined;
  };
}

/** Returns undefined where a required member is absent, where no member has a value, and where a choice is not met. */
function compileObject(
  { choices }: ObjectSchema,
  members: readonly Member<ReadAt>[],
): (found: readonly unknown[]) => unknown {
  const names = members.map(({ name }) => name);
  const required = members.map(({ field }) => field.required);
  const writtenEmpty = members.map(({ field }) => isWrittenEmpty(field));
  return (found) => {
    const value: Record<string, unknown> = {};
    let isEmpty = true;
    for (let slot = 0; slot < found.length; slot += 1) {
      const member = found[slot];
      if (member !== undefined && member !== null && !(member === noItems && writtenEmpty[slot])) {
        value[names[slot]!] = member;
        isEmpty = false;
      } else if (required[slot]) return undefined;
    }
    return isEmpty || !choices.every((choice) => isMet(choice, value)) ? undefined : Object.freeze(value);
  };
}

function isMet({ options, exclusive, orNone }: Choice, value: Readonly<Record<string, unknown>>): boolean {
  const met = options.filter((names) => names.every((name) => Object.hasOwn(value, name))).length;
  return met === 0 ? orNone === true : met === 1 || !exclusive;
}
