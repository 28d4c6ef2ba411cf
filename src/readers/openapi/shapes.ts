/** Flattens schemas: what `allOf` joins, and what `oneOf` and `anyOf` leave open. */
import { keyOf, type Node, type OpenApiDocuments, Refused } from './documents.ts';

export type JsonType = 'string' | 'integer' | 'number' | 'boolean' | 'object' | 'array';
const jsonTypes: ReadonlySet<unknown> = new Set(['string', 'integer', 'number', 'boolean', 'object', 'array']);

/** A schema with those that it is made of. */
export interface Shape {
  readonly node: Node;
  /** What a value may be, but null; empty where the schema does not say. */
  readonly types: ReadonlySet<JsonType>;
  /** The schemas of each member. */
  readonly properties: ReadonlyMap<string, readonly Node[]>;
  readonly required: ReadonlySet<string>;
  /** The schema of further members; true where they may be anything and are meant. */
  readonly additional: Node | true | undefined;
  readonly items: Node | undefined;
  readonly values: readonly unknown[] | undefined;
  readonly format: string | undefined;
  readonly doc: string;
  readonly example: unknown;
  readonly isNullable: boolean;
  /** It has alternatives, whose members are those of all. */
  readonly isUnion: boolean;
}

/** A shape to which parts are added. */
class Draft {
  types: Set<JsonType> | undefined;
  readonly properties = new Map<string, Node[]>();
  readonly required = new Set<string>();
  additional: Node | true | undefined;
  items: Node | undefined;
  values: readonly unknown[] | undefined;
  format: string | undefined;
  doc = '';
  example: unknown;
  isNullable = false;
  isUnion = false;

  addMember(name: string, node: Node): void {
    const known = this.properties.get(name) ?? [];
    if (!known.some((other) => keyOf(other) === keyOf(node))) known.push(node);
    this.properties.set(name, known);
  }
}

/** Schemas in each other by `allOf`, `oneOf` and `anyOf`. */
const depthMax = 12;
/** Keywords that change no type. */
const annotations: ReadonlySet<string> = new Set([
  'title',
  'description',
  'default',
  'deprecated',
  'example',
  'examples',
  'nullable',
  'readOnly',
  'writeOnly',
]);
/** Schemas that one is made of. */
const partsMax = 500;

export class Shapes {
  readonly #documents: OpenApiDocuments;
  readonly #known = new Map<string, Shape>();

  constructor(documents: OpenApiDocuments) {
    this.#documents = documents;
  }

  /** Each schema is flattened once. */
  of(node: Node): Shape {
    const key = keyOf(node);
    const known = this.#known.get(key) ?? this.#flattened(node);
    this.#known.set(key, known);
    return known;
  }

  /** The component that a schema refers to without adding to it, such as `anyOf: [{ $ref }, { type: 'null' }]`; or the schema. */
  componentOf(node: Node): Node {
    const seen = new Set<string>();
    let found = node;
    for (let next: Node | undefined = node; next !== undefined; next = this.#soleReference(found)) {
      const key = keyOf(next);
      if (seen.has(key)) return node;
      seen.add(key);
      found = next;
    }
    return found;
  }

  #soleReference(node: Node): Node | undefined {
    if (typeof node.value !== 'object' || node.value === null) return undefined;
    const [name, ...others] = Object.keys(node.value).filter(
      (each) => !annotations.has(each) && !each.startsWith('x-'),
    );
    if (others.length > 0 || (name !== 'anyOf' && name !== 'oneOf' && name !== 'allOf')) return undefined;
    const [only, ...more] = this.#members(node, name)
      .map(([, each]) => each)
      .filter((each) => name === 'allOf' || !isNull(each));
    const isReference = only !== undefined && !(only.url === node.url && only.pointer.startsWith(`${node.pointer}/`));
    return isReference && more.length === 0 ? only : undefined;
  }

  #flattened(node: Node): Shape {
    const draft = new Draft();
    this.#add(draft, node, { depth: 0, isRoot: true, open: new Set(), budget: { left: partsMax } });
    return { ...draft, node, types: draft.types ?? new Set() };
  }

  #add(draft: Draft, node: Node, around: Around): void {
    const { value } = node;
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return;
    const key = keyOf(node);
    around.budget.left -= 1;
    if (around.open.has(key) || around.depth > depthMax || around.budget.left < 0) return;
    const within: Around = { ...around, depth: around.depth + 1, isRoot: false, open: new Set([...around.open, key]) };
    const members = value as Readonly<Record<string, unknown>>;
    this.#addOwn(draft, node, members);
    for (const [, each] of this.#members(node, 'allOf')) this.#add(draft, each, within);
    for (const name of ['oneOf', 'anyOf'])
      this.#addVariants(
        draft,
        this.#members(node, name).map(([, each]) => each),
        within,
      );
    if (around.isRoot && members.oneOf === undefined && members.anyOf === undefined)
      this.#addVariants(draft, this.#mapped(node), within);
  }

  #addOwn(draft: Draft, node: Node, members: Readonly<Record<string, unknown>>): void {
    const { type, nullable, format, description, title, example, examples, default: preset, required } = members;
    const named = (Array.isArray(type) ? type : [type]).filter((each) => jsonTypes.has(each)) as JsonType[];
    if (nullable === true || (Array.isArray(type) && type.includes('null'))) draft.isNullable = true;
    if (type === 'file') {
      draft.types = new Set(['string']);
      draft.format = 'binary';
    } else if (named.length > 0)
      draft.types = draft.types === undefined ? new Set(named) : narrowed(draft.types, named);
    if (typeof format === 'string') draft.format ??= format;
    if (draft.doc === '') draft.doc = textOf(description) || textOf(title);
    draft.example ??= example ?? (Array.isArray(examples) ? examples[0] : undefined) ?? preset;
    if (Array.isArray(members.enum)) draft.values ??= members.enum;
    else if (Object.hasOwn(members, 'const')) draft.values ??= [members.const];
    for (const each of Array.isArray(required) ? required : []) if (typeof each === 'string') draft.required.add(each);
    for (const [name, each] of this.#members(node, 'properties')) draft.addMember(name, each);
    const items = this.#documents.member(node, 'items');
    draft.items ??= items;
    if (members.additionalProperties === true) draft.additional ??= true;
    else if (typeof members.additionalProperties === 'object')
      draft.additional ??= this.#documents.member(node, 'additionalProperties');
    if (typeof members.contentEncoding === 'string' && /^base64$/i.test(members.contentEncoding))
      draft.format ??= 'byte';
    if (
      typeof members.contentMediaType === 'string' &&
      format === undefined &&
      members.contentEncoding === undefined &&
      /octet-stream|^image|^audio|^video|pdf|zip/.test(members.contentMediaType)
    )
      draft.format ??= 'binary';
  }

  /** What alternatives have in common stays; each member may be absent. */
  #addVariants(draft: Draft, all: readonly Node[], around: Around): void {
    const variants = all.filter((each) => !isNull(each));
    if (variants.length < all.length) draft.isNullable = true;
    const [only, ...others] = variants;
    if (only === undefined) return;
    if (others.length === 0) {
      this.#add(draft, only, around);
      return;
    }
    const parts = variants.map((each) => {
      const part = new Draft();
      this.#add(part, each, around);
      return part;
    });
    draft.isUnion = true;
    const types = new Set(parts.flatMap((part) => [...typesOf(part)]));
    // One that may be anything makes all of them so.
    const isOpen = parts.some((part) => typesOf(part).size === 0);
    if (isOpen) draft.types = new Set(jsonTypes as ReadonlySet<JsonType>);
    else draft.types = draft.types === undefined ? types : narrowed(draft.types, [...types]);
    if (parts.some(({ isNullable }) => isNullable)) draft.isNullable = true;
    const formats = new Set(parts.map(({ format }) => format));
    if (formats.size === 1) draft.format ??= parts[0]!.format;
    if (parts.every(({ values }) => values !== undefined)) draft.values ??= parts.flatMap(({ values = [] }) => values);
    const items = new Set(parts.flatMap((part) => (part.items === undefined ? [] : [keyOf(part.items)])));
    if (items.size === 1) draft.items ??= parts.find((part) => part.items !== undefined)?.items;
    else if (items.size > 1) draft.types = new Set([...(draft.types ?? []), 'string', 'object']);
    draft.example ??= parts.find((part) => part.example !== undefined)?.example;
    for (const part of parts) {
      draft.additional ??= part.additional;
      for (const [name, nodes] of part.properties) for (const each of nodes) draft.addMember(name, each);
    }
    const inAll = [...parts[0]!.required].filter((name) => parts.every(({ required }) => required.has(name)));
    for (const name of inAll) draft.required.add(name);
  }

  /** The schemas that a discriminator names for those that extend this one. */
  #mapped(node: Node): readonly Node[] {
    const mapping = this.#documents.member(node, 'discriminator');
    const targets = mapping && this.#documents.member(mapping, 'mapping');
    if (targets === undefined || typeof targets.value !== 'object' || targets.value === null) return [];
    const found = Object.entries(targets.value).flatMap(([name, target]) => {
      const $ref =
        typeof target === 'string' && /[#/.]/.test(target) ? target : `#/components/schemas/${String(target)}`;
      try {
        return [this.#documents.follow({ value: { $ref }, url: node.url, pointer: `${targets.pointer}/${name}` })];
      } catch (thrown) {
        if (thrown instanceof Refused) return [];
        throw thrown;
      }
    });
    const others = found.filter((each) => keyOf(each) !== keyOf(node));
    // One alone would make all that it requires part of the others.
    return others.length === 1
      ? [...others, { value: {}, url: node.url, pointer: `${node.pointer}/discriminator` }]
      : others;
  }

  #members(node: Node, name: string): readonly (readonly [string, Node])[] {
    return this.#documents.members(this.#documents.member(node, name));
  }
}

interface Around {
  readonly depth: number;
  readonly isRoot: boolean;
  readonly open: ReadonlySet<string>;
  readonly budget: { left: number };
}

function narrowed(types: ReadonlySet<JsonType>, others: readonly JsonType[]): Set<JsonType> {
  const both = others.filter((each) => types.has(each) || (each === 'integer' && types.has('number')));
  return new Set(both.length === 0 ? [...types, ...others] : both);
}

/** What a schema says, or shows by its other keywords. */
export function typesOf({ types, properties, additional, items, values }: Shape | Draft): ReadonlySet<JsonType> {
  if (types !== undefined && types.size > 0) return types;
  if (properties.size > 0 || additional !== undefined) return new Set(['object']);
  if (items !== undefined) return new Set(['array']);
  const kinds = new Set((values ?? []).filter((each) => each !== null).map((each) => typeof each));
  if (kinds.size !== 1) return new Set();
  if (kinds.has('string')) return new Set(['string']);
  if (kinds.has('boolean')) return new Set(['boolean']);
  if (kinds.has('number'))
    return new Set([(values ?? []).every((each) => each === null || Number.isInteger(each)) ? 'integer' : 'number']);
  return new Set();
}

function isNull({ value }: Node): boolean {
  if (typeof value !== 'object' || value === null) return value === null;
  const { type, enum: values } = value as { readonly type?: unknown; readonly enum?: unknown };
  return type === 'null' || (Array.isArray(values) && values.length === 1 && values[0] === null);
}

/** A description on one line. */
export function textOf(text: unknown): string {
  return typeof text === 'string' ? text.replace(/\s+/g, ' ').trim().slice(0, 500) : '';
}
