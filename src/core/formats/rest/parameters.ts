/** Parameters outside of a body, in the styles of OpenAPI: values to texts, and texts to trees of JSON. */
import type { Field, ParameterStyle, Schema, UpstreamParameter } from '../../contract/index.ts';
import { isExactMembers } from '../../lib/index.ts';
import type { Pair } from '../form/pairs.ts';
import { parseText } from '../json/parse.ts';
import { percentEncode } from './print.ts';

interface Style {
  readonly style: ParameterStyle;
  readonly explode: boolean;
}

export function styleOf({ in: location, style, explode }: UpstreamParameter): Style {
  const named = style ?? (location === 'path' || location === 'header' ? 'simple' : 'form');
  return { style: named, explode: explode ?? named === 'form' };
}

const separators: Readonly<Partial<Record<ParameterStyle, string>>> = {
  spaceDelimited: ' ',
  pipeDelimited: '|',
  tabDelimited: '\t',
};

/**
 * Leaves out what the style cannot say, `json` aside: lists without items, and objects without members. Undefined for nothing. `value`: as
 * JSON has it.
 */
export function omitEmpty(value: unknown, { style }: Style): unknown {
  if (style === 'json') return value;
  if (Array.isArray(value)) return value.length === 0 ? undefined : value;
  if (!isExactMembers(value)) return value;
  const members = Object.entries(value).filter(([, each]) => !Array.isArray(each) || each.length > 0);
  return members.length === 0 ? undefined : Object.fromEntries(members);
}

/** The text of a parameter in a path, percent-encoded. `value`: as JSON has it. */
export function printInPath(name: string, value: unknown, { style, explode }: Style): string {
  const encoded = (each: unknown): string => percentEncode(textOf(each));
  switch (style) {
    case 'label':
      return `.${printItems(value, explode, '.', encoded) ?? encoded(value)}`;
    case 'matrix': {
      const items = Array.isArray(value) && explode ? value : undefined;
      if (items !== undefined) return items.map((each) => `;${percentEncode(name)}=${encoded(each)}`).join('');
      if (explode && isExactMembers(value)) return `;${printItems(value, true, ';', encoded)}`;
      return `;${percentEncode(name)}=${printItems(value, false, ',', encoded) ?? encoded(value)}`;
    }
    case 'json':
      return percentEncode(JSON.stringify(value));
    default:
      return printItems(value, explode, ',', encoded) ?? encoded(value);
  }
}

/** The text of a header. */
export function printInHeader(value: unknown, { style, explode }: Style): string {
  return style === 'json' ? JSON.stringify(value) : (printItems(value, explode, ',', textOf) ?? textOf(value));
}

/** The pairs of a query, a cookie or a form. */
export function printPairs(name: string, value: unknown, { style, explode }: Style): readonly Pair[] {
  if (style === 'json') return [[name, JSON.stringify(value)]];
  if (style === 'deepObject') return deepPairs(name, value);
  if (Array.isArray(value))
    return explode
      ? value.map((each): Pair => [name, textOf(each)])
      : [[name, value.map(textOf).join(separators[style] ?? ',')]];
  if (!isExactMembers(value)) return [[name, textOf(value)]];
  return explode
    ? Object.entries(value).map(([key, each]): Pair => [key, textOf(each)])
    : [[name, printItems(value, false, separators[style] ?? ',', textOf) ?? '']];
}

/** `filter[price][min]=5`, `filter[tags][0]=a` */
function deepPairs(name: string, value: unknown): readonly Pair[] {
  if (Array.isArray(value)) return value.flatMap((each, at) => deepPairs(`${name}[${at}]`, each));
  if (isExactMembers(value)) return Object.entries(value).flatMap(([key, each]) => deepPairs(`${name}[${key}]`, each));
  return [[name, textOf(value)]];
}

function printItems(
  value: unknown,
  explode: boolean,
  separator: string,
  print: (each: unknown) => string,
): string | undefined {
  if (Array.isArray(value)) return value.map(print).join(separator);
  if (!isExactMembers(value)) return undefined;
  const entries = Object.entries(value);
  return explode
    ? entries.map(([key, each]) => `${print(key)}=${print(each)}`).join(separator)
    : entries.flatMap(([key, each]) => [print(key), print(each)]).join(separator);
}

/** A value as text; what has parts is JSON. */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value);
}

/** Reads a text in a path or a header. `name`: there. */
export function readText(name: string, text: string, schema: Schema, { style, explode }: Style): unknown {
  if (style === 'json') return jsonOf(text);
  const isMatrix = style === 'matrix';
  const separator = isMatrix && explode ? ';' : style === 'label' && explode ? '.' : ',';
  const prefix = isMatrix && !(explode && schema.kind === 'object') ? `;${name}=` : isMatrix ? ';' : '.';
  const plain = (isMatrix || style === 'label') && text.startsWith(prefix) ? text.slice(prefix.length) : text;
  if (schema.kind === 'list' && !schema.joined)
    return plain
      .split(separator)
      .map((each) => (isMatrix && each.startsWith(`${name}=`) ? each.slice(name.length + 1) : each));
  if (schema.kind === 'object' || schema.kind === 'map') return membersOf(plain.split(separator), explode);
  return scalarOf(plain, schema);
}

function membersOf(parts: readonly string[], explode: boolean): unknown {
  const pairs = explode
    ? parts.map((each): Pair => [each.split('=', 1)[0]!, each.slice(each.indexOf('=') + 1)])
    : parts.flatMap((each, at): readonly Pair[] => (at % 2 === 0 ? [[each, parts[at + 1] ?? '']] : []));
  return Object.fromEntries(pairs);
}

/**
 * Takes the pairs of a field from those of a query or of a form; undefined where it has none. `pairs`: what is left. Several values of a
 * field that has one are a list, which its schema refuses: the upstream gets all of them, and could read another one than we do.
 */
export function takePairs(name: string, field: Field, { style, explode }: Style, pairs: Pair[]): unknown {
  const { schema } = field;
  const take = (isMeant: (name: string) => boolean): readonly Pair[] => {
    const taken = pairs.filter(([each]) => isMeant(each));
    if (taken.length > 0) pairs.splice(0, pairs.length, ...pairs.filter(([each]) => !isMeant(each)));
    return taken;
  };
  if (style === 'deepObject') {
    const taken = take((each) => each.startsWith(`${name}[`));
    return taken.length === 0 ? undefined : deepTree(taken.map(([each, value]) => [each.slice(name.length), value]));
  }
  // As a part of a form.
  const isWhole = pairs.some(([each, value]) => each === name && value.startsWith('{'));
  if (schema.kind === 'object' && explode && style === 'form' && !isWhole) {
    const members = new Set(Object.entries<Field>(schema.fields).map(([each, { json = each }]) => json));
    const taken = take((each) => members.has(each));
    return taken.length === 0 ? undefined : Object.fromEntries(taken);
  }
  const values = take((each) => each === name || each === `${name}[]`).map(([, value]) => value);
  const [first] = values;
  if (first === undefined) return undefined;
  if (values.length > 1 && schema.kind !== 'list') return values;
  if (style === 'json') return jsonOf(first);
  const separator = separators[style] ?? ',';
  if (schema.kind === 'list' && !schema.joined)
    return explode || values.length > 1 ? values.map((each) => scalarOf(each, schema.item)) : first.split(separator);
  if (schema.kind === 'object' || schema.kind === 'map')
    return first.startsWith('{') ? jsonOf(first) : membersOf(first.split(separator), false);
  return scalarOf(first, schema);
}

/** `[price][min]` and its value, as members. No more steps than a message has. A bracket that another one follows begins no step. */
function deepTree(pairs: readonly Pair[]): unknown {
  const root = Object.create(null) as Record<string, unknown>;
  for (const [name, value] of pairs) {
    const steps = [...name.matchAll(/\[([^[\]]*)\]/g)].map(([, step]) => step!).slice(0, 16);
    let at = root;
    for (const step of steps.slice(0, -1)) {
      if (!isExactMembers(at[step])) addValue(at, step, Object.create(null));
      const held = at[step];
      at = (Array.isArray(held) ? held.at(-1) : held) as Record<string, unknown>;
    }
    addValue(at, steps.at(-1) ?? '', value);
  }
  return listsOf(root);
}

/** A second value of a member makes a list of both. */
function addValue(members: Record<string, unknown>, name: string, value: unknown): void {
  const held = members[name];
  if (Array.isArray(held)) held.push(value);
  else members[name] = held === undefined ? value : [held, value];
}

/** Members that are counted from 0 are items. */
function listsOf(node: unknown): unknown {
  if (!isExactMembers(node)) return node;
  const entries = Object.entries(node);
  if (entries.length > 0 && entries.every(([key], at) => key === String(at)))
    return entries.map(([, each]) => listsOf(each));
  return Object.fromEntries(entries.map(([key, each]) => [key, listsOf(each)]));
}

function scalarOf(text: string, schema: Schema): unknown {
  return isAnyValue(schema) || schema.kind === 'object' ? jsonOf(text) : text;
}

function isAnyValue(schema: Schema): boolean {
  return schema.kind === 'string' && schema.json !== undefined;
}

/** The tree of a text that is JSON, and else the text. */
function jsonOf(text: string): unknown {
  const parsed = parseText(text);
  return 'tree' in parsed ? parsed.tree : text;
}
