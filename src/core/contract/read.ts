/**
 * The reading walk: a wire's tree in, the canonical value and *all* issues out. Compiled once per operation and protocol.
 *
 * Normal form: an empty object, map or list is absent; nil, null and absent are the same; an empty text is absent unless
 * the contract refuses it; a joined set is in the enumeration's order; fields are in the contract's order; all of it is frozen.
 */
import { memoizeWeakly } from '../lib/index.ts';
import { base64Length, formatRules, parser, printable } from './lexical.ts';
import { foreignName, isName, label, mayHoldNumber, printableInText, printableName } from './member-names.ts';
import type { Path } from './path.ts';
import { describe, type Issue, issue, listed, Problem, type ProblemRef } from './problem.ts';
import {
  anyText,
  entryText,
  type Field,
  isEntries,
  isRepeated,
  type ListSchema,
  type MapSchema,
  type ObjectSchema,
  type Recursion,
  type ScalarSchema,
  type Schema,
  type SetSchema,
  type StringSchema,
  textLengthMax,
  typeNameOf,
  variantChooser,
} from './schema.ts';
import { callWhole, type Member, type Visited, walk } from './walk.ts';

/** Where a node is in the text of its message: its value, and its name or what stands for it where a member of it is missing. */
export interface TextPlace {
  /** In UTF-16 units from 0; `end` is after the last character. */
  readonly value: { readonly start: number; readonly end: number };
  readonly name: { readonly start: number; readonly end: number };
  /** The text that was parsed. */
  readonly document: string;
}

/** A protocol's answers to the walk's questions about a node of its tree. `undefined`: the node is no such thing. */
export interface Reader<N> {
  isAbsent(node: N): boolean;
  text(node: N, schema: ScalarSchema): string | undefined;
  /** The scalar as the message has it: JSON has numbers and booleans, too. For reports of what reading changes. */
  token(node: N): unknown;
  /** The name of a member in this format; by default that of the field. */
  memberName?(name: string, field: Field): string;
  /** Calls back for each member as the caller named it, duplicates included; false when the node is no object. */
  eachMember(node: N, visit: VisitMember<N>, schema: ObjectSchema): boolean;
  items(node: N, schema: ListSchema): readonly N[] | undefined;
  /** The key of an item that is a member of an object; absent where the format has no such items. */
  entryKey?(node: N): string | undefined;
  /** Adds a member to a list whose items are members of the object; absent where the format has a node for the list. */
  gather?(list: N | undefined, item: N): N;
  /** Whether the node holds no value: nothing but nil, null, blank texts and empty collections, at any depth. */
  isEmpty(node: N): boolean;
  /** Calls back for each entry; false when the node is no map. */
  eachEntry(node: N, visit: (key: string, node: N) => void): boolean;
  /** Only for trees that were parsed with places. */
  place?(node: N): TextPlace | undefined;
}

/** Returns false where no further member is needed. */
export type VisitMember<N> = (name: string, node: N) => boolean;

/** Marks the node of a name without a value, as in `a&b=1`: one that is no field may be the end of a value with an `&` in it. */
export const bareName = Symbol('bareName');

function isBareName(node: unknown): boolean {
  return typeof node === 'object' && node !== null && bareName in node;
}

/** The issues of one reading; bounded, since a hostile body could hold thousands. */
export class IssueCollector {
  readonly issues: Issue[] = [];
  static readonly issuesMax = 50;

  add(path: Path, problem: ProblemRef, ...blanks: readonly string[]): undefined {
    if (this.issues.length < IssueCollector.issuesMax) this.issues.push(issue(path, problem, ...blanks));
    return undefined;
  }

  /** As `add`. `rule`: what is valid there. */
  addWithRule(rule: string | undefined, path: Path, problem: ProblemRef, ...blanks: readonly string[]): undefined {
    if (this.issues.length >= IssueCollector.issuesMax) return undefined;
    this.issues.push({ ...issue(path, problem, ...blanks), ...(rule !== undefined && { rule }) });
    return undefined;
  }

  /** Further issues are dropped, so the rest of the message need not be read. */
  get isFull(): boolean {
    return this.issues.length >= IssueCollector.issuesMax;
  }

  /** Takes back what was added since there were `count`. */
  forget(count: number): undefined {
    this.issues.length = count;
    return undefined;
  }

  /** Members that the contract does not have. Returns whether they count as content of their object. */
  addUnknown(names: ReadonlyMap<string, readonly unknown[]>, schema: ObjectSchema, path: Path): boolean {
    // Two formats write the members of one request in different orders.
    const sorted = [...names.keys()].sort();
    const shownNames = sorted.slice(0, 5).map(printableInText).join(', ');
    for (const name of sorted) {
      if (this.isFull) break;
      const at = [...path, printableName(name)];
      const known = foreignName(name);
      if (Object.hasOwn(schema.fields, known))
        this.add(at, 'structure', `${label([...path, known])} is in a wrong namespace`);
      // A body of another format is one such name.
      else if (!/^[{<[]/.test(name) && names.get(name)?.some(isBareName))
        this.add(at, 'structure', `${label(at)} is no field and has no value: write & in a value as %26`);
      else
        this.addWithRule(
          `known are ${listed(Object.keys(schema.fields))}`,
          at,
          'unknownField',
          schema.name,
          shownNames,
        );
    }
    return true;
  }
}

/**
 * For requests whose unknown members are ignored. Members in a wrong namespace stay issues, and so do names without a value.
 */
export class DroppingCollector extends IssueCollector {
  /** Whether anything was ignored. */
  hasDropped = false;

  /** An object with unknown members alone is absent. */
  override addUnknown(names: ReadonlyMap<string, readonly unknown[]>, schema: ObjectSchema, path: Path): boolean {
    const misplaced = [...names].filter(
      ([name, nodes]) => Object.hasOwn(schema.fields, foreignName(name)) || nodes.some(isBareName),
    );
    if (misplaced.length < names.size) this.hasDropped = true;
    return misplaced.length > 0 && super.addUnknown(new Map(misplaced), schema, path);
  }
}

/** Members of one object that the contract does not have. `path`: of the object. */
export interface UnknownMembers<N = unknown> {
  readonly path: Path;
  /** The nodes of the format by name: several where elements of one name are repeated. */
  readonly nodes: ReadonlyMap<string, readonly N[]>;
}

/** For answers of other servers, which may have members that the contract does not have: they are no issues. */
export class AnswerCollector extends IssueCollector {
  readonly unknown: UnknownMembers[] = [];

  /** An object with unknown members alone is absent. */
  override addUnknown(nodes: ReadonlyMap<string, readonly unknown[]>, _schema: ObjectSchema, path: Path): boolean {
    this.unknown.push({ path, nodes });
    return false;
  }
}

export type Read<N> = (node: N, collector: IssueCollector) => unknown;

/** Compiles the reading of a schema; a format may be given another one than `compileRead`. */
export type CompileRead = <N>(schema: Schema, reader: Reader<N>, sender?: Sender) => Read<N>;

type ReadAt<N> = (node: N, path: Path, collector: IssueCollector, field: Field | undefined) => unknown;

/** The members of a node by their slot in the contract, and the names that the contract does not have. */
interface MemberNodes<N> {
  readonly found: readonly (N | undefined)[];
  readonly unknown: ReadonlyMap<string, readonly N[]>;
}

const nothingUnknown: ReadonlyMap<string, never> = new Map<string, never>();

/**
 * Whose messages are read. Callers may send empty members that the contract does not have, and no name twice. In answers every
 * such member is collected.
 */
type Sender = 'caller' | 'server';

/** What the readings of all schemas by one reader share. */
interface Shared<N> {
  readonly levels: Levels;
  readonly visited: Visited<ReadAt<N>>;
}

const shared = memoizeWeakly((_: object) => {
  const create = (): Shared<unknown> => ({ levels: new Map(), visited: new WeakMap() });
  return { caller: create(), server: create() };
});

/** Compiles the reading of a schema for one protocol's tree. An answer of another server needs an `AnswerCollector`. */
export function compileRead<N>(schema: Schema, reader: Reader<N>, sender: Sender = 'caller'): Read<N> {
  // Only readings of its nodes are shared under a reader.
  const { levels, visited } = shared(reader)[sender] as Shared<N>;
  const inLevels = (object: ObjectSchema, read: ReadAt<N>) =>
    object.recursion === undefined || sender === 'server'
      ? read
      : readLevel(object, object.recursion, read, levels, reader);
  const readAt = walk<ReadAt<N>>(
    schema,
    {
      scalar: (scalar) => readScalar(scalar, reader),
      joined: (set) => readJoined(set, reader),
      list: (list, item) => readList(list, item, reader, sender),
      map: (map, item) => readMap(map, item, reader, sender),
      object(object, members) {
        const read = readObject(object, members, reader, sender);
        return object.variants === undefined ? inLevels(object, read) : read;
      },
      variants: (object, own, others) => inLevels(object, readVariant(object, own, others, reader)),
      self: callWhole,
    },
    visited,
  );
  return (node, collector) => readAt(node, [], collector, undefined);
}

function readScalar<N>(schema: ScalarSchema, reader: Reader<N>): ReadAt<N> {
  const parse = parser(schema);
  const keepsBlank = schema.kind === 'string' && schema.emptyString !== undefined;
  const isRefusedBlank = schema.kind === 'string' && schema.emptyString === 'invalid';
  const isEmptyValue =
    (schema.kind === 'binary' && schema.whenEmpty === 'present') ||
    (schema.kind === 'enum' && (schema.values as readonly string[]).includes(''));
  const max = charactersMax(schema);
  return (node, path, collector, field) => {
    if (reader.isAbsent(node)) return undefined;
    const text = reader.text(node, schema);
    if (text === undefined) return collector.add(path, 'structure', wrongKind(path, schema));
    if (text === '' && isEmptyValue) return '';
    if (text === '' && (!keepsBlank || (isRefusedBlank ? field?.required === true : isWrittenEmpty(field))))
      return undefined;
    const parsed = parse(text);
    if ('value' in parsed) return parsed.value;
    // What XML cannot carry cannot be read there at all, so it is no mere wrong value elsewhere.
    const unreadable = parsed.fault === 'type' || !printable(text);
    const problem = unreadable ? 'structure' : (field?.invalid ?? faultNames[parsed.fault]);
    const rule = ruleFor(schema, field);
    return problem === 'structure'
      ? collector.addWithRule(rule, path, problem, wrongKind(path, schema))
      : collector.addWithRule(rule, path, problem, label(path), max, quoted(text));
  };
}

/** Its element is there and empty where the field is absent, so an empty one says nothing. A text with `emptyString: 'invalid'` is a value all the same. */
export function isWrittenEmpty(field: Field | undefined): boolean {
  return field?.mandatoryInStubs === 'empty';
}

/** The same words whatever stands there: a text of another kind, or, in formats that have them, an object or a boolean. */
function wrongKind(path: Path, schema: ScalarSchema): string {
  return `${label(path)} is not a valid ${kindName(schema)}`;
}

/** Integers of more digits than a double has are decimals of the contract, and integers to their callers. */
function kindName(schema: ScalarSchema): string {
  if (schema.kind === 'enum') return 'value';
  return schema.kind === 'decimal' && schema.fraction === 0 ? 'integer' : schema.kind;
}

/** What is valid, in words for callers; undefined where any value is. */
function ruleOf(schema: Schema): string | undefined {
  switch (schema.kind) {
    case 'object':
      return `with ${listed(Object.keys(schema.fields))}`;
    case 'list':
      return schema.joined ? `${ruleOf(schema.item)}, or several with commas between them` : undefined;
    case 'map':
      return undefined;
    case 'enum':
      return `one of ${listed(schema.values)}`;
    case 'integer':
      return `a whole number from ${schema.min} to ${schema.max}`;
    case 'boolean':
      return 'true or false';
    case 'date':
      return 'a day such as 2026-01-31';
    case 'dateTime':
      return 'a time with a time zone, such as 2026-01-31T12:00:00Z';
    case 'decimal':
      return schema.fraction === 0
        ? `a whole number of up to ${schema.digits} digits`
        : 'a decimal number such as 12.5';
    case 'double':
      return 'a number such as 1.5';
    case 'binary':
      return `base64 of up to ${schema.max} bytes`;
    case 'string':
      return textRuleOf(schema);
    default:
      return schema satisfies never;
  }
}

function textRuleOf({ min = 0, max, pattern, format, sensitive, example }: StringSchema): string | undefined {
  const parts = [
    ...(min > 0 || max !== undefined ? [`${min > 0 ? min : 'up'} to ${max ?? textLengthMax} characters`] : []),
    ...(pattern === undefined ? [] : [`of the pattern ${pattern}`]),
    ...(format === undefined ? [] : [formatRules[format]]),
    ...(pattern === undefined || sensitive === true || example === undefined ? [] : [`such as ${example}`]),
  ];
  return parts.length === 0 ? undefined : parts.join(', ');
}

/** A pattern says little to a person: the first sentence of the documentation says what the field is. */
function ruleFor(schema: Schema, field: Field | undefined): string | undefined {
  const rule = ruleOf(schema);
  const [doc = ''] = /^[^.\n]{1,120}/.exec(field?.doc ?? '') ?? [];
  return schema.kind !== 'string' || schema.pattern === undefined || doc === '' ? rule : `${rule} (${doc})`;
}

/** As messages state it; a scalar of another kind is never too long. */
function charactersMax(schema: ScalarSchema): string {
  if (schema.kind === 'string') return String(schema.max ?? textLengthMax);
  return schema.kind === 'binary' ? String(base64Length(schema.max)) : '';
}

const faultNames = { type: 'structure', length: 'tooLong', value: 'invalidField' } as const;

/** What a caller wrote, for the few messages that quote it: a word at most, and no card number. */
function quoted(text: string): string {
  return /^[\w.-]{1,16}$/.test(text) && !mayHoldNumber(text) ? text : '?';
}

function readJoined<N>(schema: SetSchema, reader: Reader<N>): ReadAt<N> {
  const { values } = schema.item;
  const rule = ruleOf(schema);
  return (node, path, collector, field) => {
    if (reader.isAbsent(node)) return undefined;
    const text = reader.text(node, schema.item);
    if (text === undefined || !printable(text)) return collector.add(path, 'structure', wrongKind(path, schema.item));
    if (text.trim() === '' && schema.emptyString !== 'invalid') return undefined;
    // A longer text cannot be a set of these values, and is not worth splitting.
    const named = text.length > 200 ? [] : text.split(',').map((each) => each.trim());
    if (named.length === 0 || named.length > schema.max || named.some((each) => !values.includes(each)))
      return collector.addWithRule(rule, path, field?.invalid ?? 'invalidField', label(path));
    return Object.freeze(values.filter((value) => named.includes(value)));
  };
}

const noItems: readonly never[] = Object.freeze([]);

function readList<N>(schema: ListSchema, item: ReadAt<N>, reader: Reader<N>, sender: Sender): ReadAt<N> {
  const { itemName, wrapped, nullItems } = schema;
  const max = countMax(schema, sender);
  const hasKeys = isEntries(schema);
  return (node, path, collector, field) => {
    if (reader.isAbsent(node)) return undefined;
    const nodes = reader.items(node, schema);
    if (nodes === undefined) return collector.add(path, 'structure', `${label(path)} is not a list`);
    if (nodes.length > max) return collector.add(path, 'tooLong', label(path), String(max));
    if (nodes.length === 0) return schema.whenEmpty !== undefined && !isWrittenEmpty(field) ? noItems : undefined;
    const keys = hasKeys ? new Set<string>() : undefined;
    const values = nodes.map((each, index) => {
      if (collector.isFull) return undefined;
      const key = reader.entryKey?.(each);
      const at = [...path, { index, itemName, wrapped, ...(key !== undefined && { key: printableName(key) }) }];
      if (nullItems && reader.isAbsent(each)) return null;
      const before = collector.issues.length;
      const value = item(each, at, collector, undefined);
      if (keys !== undefined && value !== undefined) addKey(keys, (value as { readonly key: string }).key);
      if (value === undefined && collector.issues.length === before)
        collector.add(at, 'structure', `${label(path)} holds an empty item`);
      return value;
    });
    return Object.freeze(values);
  };
}

/** The bytes of an answer are its limit: a server that has more items than its document says has sent them all. */
function countMax({ max }: ListSchema | MapSchema, sender: Sender): number {
  return sender === 'server' ? Number.POSITIVE_INFINITY : max;
}

/** No object of JSON has two members of one name. */
function addKey(keys: Set<string>, key: string): void {
  if (keys.has(key)) refuseTwice(key);
  keys.add(key);
}

function readMap<N>(schema: MapSchema, item: ReadAt<N> | undefined, reader: Reader<N>, sender: Sender): ReadAt<N> {
  const max = countMax(schema, sender);
  const readEntry = item ?? readScalar(entryText, reader);
  return (node, path, collector) => {
    if (reader.isAbsent(node)) return undefined;
    const nodes = new Map<string, N>();
    let count = 0;
    const understood = reader.eachEntry(node, (key, value) => {
      count += 1;
      if (count > max) return;
      if (nodes.has(key)) refuseTwice(key);
      nodes.set(key, value);
    });
    if (!understood) return collector.add(path, 'structure', `${label(path)} is not a map`);
    const entries: [string, unknown][] = [];
    for (const [key, value] of [...nodes].sort(([a], [b]) => (a < b ? -1 : 1))) {
      const at = [...path, printableName(key)];
      if (!isKey(key)) collector.add(at, 'structure', 'a key is not valid');
      else if (!reader.isAbsent(value)) {
        const read = readEntry(value, at, collector, undefined);
        if (read !== undefined) entries.push([key, read]);
      }
    }
    if (count > max) return collector.add(path, 'tooLong', label(path), String(max));
    if (entries.length === 0 && (count > 0 || schema.whenEmpty !== 'present')) return undefined;
    return Object.freeze(Object.fromEntries(entries));
  };
}

/** What each format can write as a key: one line; dots make it steps of a form's name, in which brackets mean something. */
export function isKey(key: string): boolean {
  return (
    printable(key) &&
    /^.{1,128}$/.test(key) &&
    !/[[\]]/.test(key) &&
    key.split('.').every((step) => step !== '' && step !== '__proto__') &&
    key.split('.').length <= 8
  );
}

/** JSON and FORM cannot hold a name twice and refuse the whole body for it; so does every other format. */
function refuseTwice(name: string): never {
  const reason = 'name stands twice';
  throw new Problem('undecodable', describe('undecodable', `${reason}, ${printableName(name)}`), { reason });
}

function readObject<N>(
  schema: ObjectSchema,
  members: readonly Member<ReadAt<N>>[],
  reader: Reader<N>,
  sender: Sender,
): ReadAt<N> {
  const collectMembers = compileMembers(schema, reader, sender);
  // No node says that a list without items is there.
  const addsLists = sender === 'caller' && reader.gather !== undefined;
  return (node, path, collector, field) => {
    if (reader.isAbsent(node)) return undefined;
    const nodes = collectMembers(node);
    if (nodes === undefined)
      return collector.add(path, 'structure', `${path.length ? label(path) : schema.name} is not an object`);
    const { found, unknown } = nodes;
    const before = collector.issues.length;
    let occupied = unknown.size > 0 && collector.addUnknown(unknown, schema, path);

    const value: Record<string, unknown> = {};
    // Members that are there, and wrong.
    const wrong: string[] = [];
    for (let slot = 0; slot < members.length; slot++) {
      const { name, part, field: own } = members[slot]!;
      if (collector.isFull) break;
      const child = found[slot];
      const at = [...path, name];
      const issuesSoFar = collector.issues.length;
      const read = child === undefined ? undefined : part(child, at, collector, own);
      if (read !== undefined) value[name] = read;
      else if (collector.issues.length > issuesSoFar) wrong.push(name);
      else if (own.required) addMissing(own, at, name, collector);
      else if (addsLists && isRepeated(own.schema) && own.schema.whenEmpty === 'required') value[name] = noItems;
      occupied ||= read !== undefined || wrong.length > 0;
    }
    // An empty object inside another is absent, and what it lacks is no one's concern.
    // An empty list in a list is one of its items, and an entry has a key.
    const isValue = schema.json !== undefined || (schema.emptyObject !== undefined && !isWrittenEmpty(field));
    if (!occupied && path.length > 0 && !isValue) return collector.forget(before);

    if (schema.attributesField !== undefined)
      refuseKnownAttributes(value[schema.attributesField], schema, [...path, schema.attributesField], collector);
    if (schema.anyField !== undefined)
      refuseKnown(value[schema.anyField], schema, [...path, schema.anyField], collector);

    const isThere = (name: string) => Object.hasOwn(value, name) || wrong.includes(name);
    for (const { options, exclusive, orNone, problem } of schema.choices) {
      const met = options.filter((names) => names.every(isThere));
      if (met.length === 0) {
        // A message has no name of its own.
        const namesMembers = exclusive || path.length === 0;
        if (orNone !== true) collector.add(path, problem, namesMembers ? choiceLabel(options, path) : label(path));
      } else if (exclusive && met.length > 1) collector.add([...path, met[1]![0]!], 'invalidField', met[1]![0]!);
    }
    return Object.freeze(value);
  };
}

/** Says what is valid, unless the service has a text of its own that names the field. */
function addMissing(field: Field, path: Path, name: string, collector: IssueCollector): undefined {
  const { schema, missing = 'missingField' } = field;
  const text = describe(missing, label(path));
  const isNamed = field.missing !== undefined && [label(path), `'${name}'`].some((each) => text.includes(each));
  return collector.addWithRule(isNamed ? undefined : ruleFor(schema, field), path, missing, label(path));
}

/** The members of which one is missing: `email or phone`. */
function choiceLabel(options: readonly (readonly string[])[], path: Path): string {
  return options.map((names) => names.map((name) => label([...path, name])).join(' and ')).join(' or ');
}

/** How many of each object are in each other where a message is being read. */
type Levels = Map<ObjectSchema, number>;

/** An object that may be within itself, in a request. How deep it is in an answer is limited by its format alone. */
function readLevel<N>(
  schema: ObjectSchema,
  { levels: max }: Recursion,
  read: ReadAt<N>,
  levels: Levels,
  reader: Reader<N>,
): ReadAt<N> {
  return (node, path, collector, field) => {
    const level = levels.get(schema) ?? 0;
    if (level === max && !reader.isAbsent(node))
      return collector.add(
        path,
        'structure',
        `${label(path)} is too deep: ${schema.name} may be ${max} deep in itself`,
      );
    levels.set(schema, level + 1);
    try {
      return read(node, path, collector, field);
    } finally {
      levels.set(schema, level);
    }
  };
}

/** A value without the name of a type is of the type itself, unless that is abstract. Another name is an issue. */
function readVariant<N>(
  schema: ObjectSchema,
  own: ReadAt<N>,
  others: readonly ReadAt<N>[],
  reader: Reader<N>,
): ReadAt<N> {
  const { isAbstract } = schema;
  const typeField = schema.typeField!;
  const nameOf = compileTypeName(schema, reader);
  const reads = new Map((schema.variants ?? []).map((each, at) => [typeNameOf(each), others[at]!]));
  const ownName = typeNameOf(schema);
  return (node, path, collector, field) => {
    if (reader.isAbsent(node)) return undefined;
    const named = nameOf(node);
    const read = named === undefined || named === ownName ? (isAbstract ? undefined : own) : reads.get(named);
    if (read === undefined) {
      if (named === undefined && reader.isEmpty(node) && path.length > 0) return undefined;
      const at = [...path, typeField];
      if (named === undefined) return collector.add(at, 'missingField', label(at));
      const reason = `is ${printableName(named)}, which is no type that may stand here`;
      return collector.add(at, 'structure', `${label(at)} ${reason}`);
    }
    const value = read(node, path, collector, field);
    if (value === undefined || named !== undefined) return value;
    return Object.freeze({ [typeField]: ownName, ...value });
  };
}

/** Chooses by the type that a node names: `own` for none or that of the schema, or one of `others`, in the order of the variants. */
export function nodeChooser<N, T>(
  schema: ObjectSchema,
  reader: Reader<N>,
  own: T,
  others: readonly T[],
): (node: N) => T {
  const { typeField = '' } = schema;
  const nameOf = compileTypeName(schema, reader);
  const choose = variantChooser(schema, own, others);
  return (node) => (reader.isAbsent(node) ? own : choose({ [typeField]: nameOf(node) }));
}

/** Compiles the reading of the name of a value's type; undefined where the message has none. */
function compileTypeName<N>(schema: ObjectSchema, reader: Reader<N>): (node: N) => string | undefined {
  const { typeField = '', fields } = schema;
  const field = fields[typeField];
  if (field === undefined) return () => undefined;
  const member = reader.memberName?.(typeField, field) ?? typeField;
  return (node) => {
    let found: string | undefined;
    reader.eachMember(
      node,
      (name, child) => {
        if (name !== member) return true;
        found = reader.isAbsent(child) ? undefined : (reader.text(child, anyText)?.trim() ?? '?');
        return false;
      },
      schema,
    );
    return found === '' ? undefined : found;
  };
}

/** An element of any name must not be that of a field: in XML it would be the field. */
function refuseKnown(items: unknown, { fields }: ObjectSchema, path: Path, collector: IssueCollector): void {
  if (!Array.isArray(items)) return;
  for (const each of items) {
    const name = /^<([^\s/>]+)/.exec(String(each))?.[1] ?? '';
    if (Object.hasOwn(fields, name)) collector.add(path, 'invalidField', label(path));
  }
}

/** Another attribute must not be that of a field: an element has each once. */
function refuseKnownAttributes(
  value: unknown,
  { attributes }: ObjectSchema,
  path: Path,
  collector: IssueCollector,
): void {
  if (typeof value !== 'string' || attributes.length === 0) return;
  for (const [, name = ''] of value.matchAll(/ (?:a\d+:|xml:)?([^\s:="]+)="[^"]*"/g))
    if (attributes.includes(name)) collector.add(path, 'invalidField', label(path));
}

/** Compiles the collection of an object's members; undefined for a node that is no object. */
function compileMembers<N>(
  schema: ObjectSchema,
  reader: Reader<N>,
  sender: Sender,
): (node: N) => MemberNodes<N> | undefined {
  const names = Object.entries(schema.fields).map(([name, field]) => reader.memberName?.(name, field) ?? name);
  const slots = new Map(names.map((name, slot) => [name, slot]));
  const repeats = Object.values(schema.fields).map((field) => reader.gather !== undefined && isRepeated(field.schema));
  const ignored = new Set(Object.keys(schema.ignoredMembers));
  return (node) => {
    const found: (N | undefined)[] = new Array(names.length).fill(undefined);
    let unknown: Map<string, N[]> | undefined;
    const visit = (name: string, child: N): boolean => {
      const slot = slots.get(name);
      if (slot !== undefined) {
        if (repeats[slot]) found[slot] = reader.gather!(found[slot], child);
        else if (found[slot] !== undefined) refuseTwice(name);
        else found[slot] = child;
      } else if (sender === 'server') {
        unknown ??= new Map();
        const same = unknown.get(name);
        if (same === undefined) unknown.set(name, [child]);
        else same.push(child);
      } else if (isBareName(child) || !(ignored.has(name) || (isName(name) && reader.isEmpty(child)))) {
        unknown ??= new Map();
        if (unknown.has(name)) refuseTwice(name);
        unknown.set(name, [child]);
        return unknown.size < IssueCollector.issuesMax;
      }
      return true;
    };
    return reader.eachMember(node, visit, schema) ? { found, unknown: unknown ?? nothingUnknown } : undefined;
  };
}
