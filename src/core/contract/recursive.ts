/** Objects that hold objects of their own kind, directly or through others: a contract declares each once, and refers to itself. */
import { memoizeWeakly } from '../lib/index.ts';
import {
  type Choice,
  documented,
  type Field,
  type ListSchema,
  type MapSchema,
  type ObjectOptions,
  type ObjectSchema,
  object,
  oneOf,
  optional,
  type Recursion,
  required,
  type Schema,
} from './schema.ts';

/** How deep such an object may be in itself in a request, where its contract says nothing else. */
export const defaultLevels = 32;
const levelsMax = 64;

/**
 * Stands for an object of its name in the templates of `recursive` and `mutuallyRecursive`. `of`: the prefix of its namespace; for one of
 * the variants of a `polymorphic` template, also the type that it extends.
 */
export function self(name: string, of: string | Pick<ObjectOptions, 'namespace' | 'extends'> = {}): ObjectSchema {
  const options = typeof of === 'string' ? { namespace: of } : of;
  return documented<ObjectSchema>({ ...object(name, {}, options), isSelf: true });
}

/**
 * The object, with itself in place of each `self` of its name. `levels`: how many of them may be in each other in a request; more are
 * refused. Throws TypeError where an object must hold another one of its kind, since no message ends then.
 */
export function recursive<S extends ObjectSchema>(template: S, levels: number = defaultLevels): S {
  if (!mayEnd(template)) throw new TypeError(`${template.name} must contain itself, or contains nothing else`);
  // It has the fields of the template.
  return linked([template], levels)[0] as ObjectSchema as S;
}

/**
 * Objects that hold each other: each with the objects in the place of each `self` of their names. Variants of a template may be `self`, too.
 * Throws TypeError where a value of one of them would not end.
 */
export function mutuallyRecursive<G extends Readonly<Record<string, ObjectSchema>>>(
  templates: G,
  levels: number = defaultLevels,
): G {
  const all = Object.values(templates);
  const endless = endlessAmong(all);
  if (endless.length > 0) throw new TypeError(`${endless.join(', ')} must contain themselves`);
  const whole = linked(all, levels);
  return Object.freeze(Object.fromEntries(Object.keys(templates).map((name, at) => [name, whole[at]]))) as object as G;
}

/** The objects of a group with other templates, in the order of the group; these themselves where `change` changes none of them. */
export function withTemplates(
  { group, levels }: Recursion,
  change: (template: ObjectSchema) => ObjectSchema,
): readonly ObjectSchema[] {
  const templates = group.map((each) => each.recursion?.template ?? each);
  const changed = templates.map(change);
  return changed.every((each, at) => each === templates[at]) ? group : linked(changed, levels);
}

/**
 * The objects of the templates by their `selfKey`, in which each `self` stands for one of these. Those that hold themselves or each other are
 * recursive; the others come after all that they hold. Takes time in proportion to the fields.
 */
export function linkTypes(templates: readonly ObjectSchema[]): ReadonlyMap<string, ObjectSchema> {
  const numbers = new Map(templates.map((each, at) => [selfKey(each), at]));
  const edges = templates.map((each) => selvesIn(each).flatMap((other) => numbers.get(selfKey(other)) ?? []));
  const found = new Map<string, ObjectSchema>();
  for (const members of stronglyConnected(edges)) {
    const linker = new Linker((each) => found.get(selfKey(each)));
    const parts = members.map((at) => linker.object(templates[at]!));
    const isRecursive = members.length > 1 || edges[members[0]!]!.includes(members[0]!);
    for (const each of isRecursive ? linked(parts, defaultLevels) : parts) {
      closed.add(each);
      found.set(selfKey(each), each);
    }
  }
  return found;
}

/** The schema with other objects in the place of each `self` in it; those of which `find` knows none stay. */
export function withSelves(schema: Schema, find: Find): Schema {
  return new Linker(find).schema(schema);
}

/** Names an object among those that `self` may stand for. */
export function selfKey({ namespace, name }: ObjectSchema): string {
  return namespace === undefined ? name : `${namespace}:${name}`;
}

/** Whether the objects have no members but each other, so that each of their values is empty. `group`: of a recursion. */
export function holdNothingElse(group: readonly ObjectSchema[]): boolean {
  const keys = new Set(group.map(selfKey));
  return group.every((each) => {
    const template = each.recursion?.template ?? each;
    const isPlain = template.variants === undefined || template.variants.length === 0;
    return isPlain && endings(template, keys).cut === Object.keys(template.fields).length;
  });
}

/** Whether a value of the template needs no other one of its kind within it, and has a member all the same. */
export function mayEnd(template: ObjectSchema): boolean {
  const { ends, cut } = endings(template, new Set([selfKey(template)]));
  return ends && (cut === 0 || cut < Object.keys(template.fields).length);
}

/** The names of those among the templates of which no value ends. */
function endlessAmong(templates: readonly ObjectSchema[]): readonly string[] {
  let endless = templates;
  for (;;) {
    const keys = new Set(endless.map(selfKey));
    const left = endless.filter((each) => !endings(each, keys).ends);
    if (left.length === endless.length) return left.map(({ name }) => name);
    endless = left;
  }
}

/** Whether a value of the template ends that holds none of the `endless` objects, and how many of its fields it cannot have then. */
function endings(
  template: ObjectSchema,
  endless: ReadonlySet<string>,
): { readonly ends: boolean; readonly cut: number } {
  const known = new Map<ObjectSchema, boolean>();
  const ends = (schema: Schema): boolean => {
    if (schema.kind === 'list') return schema.joined || ends(schema.item);
    if (schema.kind === 'map') return schema.item === undefined || ends(schema.item);
    if (schema.kind !== 'object') return true;
    if (schema.isSelf) return !endless.has(selfKey(schema));
    const found = known.get(schema) ?? objectEnds(schema.recursion?.template ?? schema).ends;
    known.set(schema, found);
    return found;
  };
  const objectEnds = ({ fields, variants = [], isAbstract, choices }: ObjectSchema) => {
    const cut = Object.entries<Field>(fields).flatMap(([name, { schema }]) => (ends(schema) ? [] : [name]));
    const isMet = ({ options, orNone }: Choice) =>
      orNone === true || options.some((names) => !names.some((name) => cut.includes(name)));
    const mayBeOne = !isAbstract || variants.length === 0 || variants.some(ends);
    return {
      ends: mayBeOne && !cut.some((name) => fields[name]!.required) && (cut.length === 0 || choices.every(isMet)),
      cut: cut.length,
    };
  };
  return objectEnds(template);
}

/** Returns what a `self` stands for. */
type Find = (self: ObjectSchema) => ObjectSchema | undefined;

/** Objects in which no `self` is. */
const closed = new WeakSet<ObjectSchema>();

/** Makes the templates objects that hold each other, and those of the scope around them. */
function linked(
  templates: readonly ObjectSchema[],
  levels: number,
  around: Find = () => undefined,
): readonly ObjectSchema[] {
  if (!Number.isInteger(levels) || levels < 2 || levels > levelsMax)
    throw new TypeError(`${templates[0]?.name}: 2 to ${levelsMax} levels, and not ${levels}`);
  const recursions = templates.map((template) => ({ template, levels, isOpen: false, group: [] as ObjectSchema[] }));
  const group = templates.map((template, at) => ({ ...template, recursion: recursions[at]! }));
  const own = new Map(group.map((each) => [selfKey(each), each]));
  const linker = new Linker((each) => own.get(selfKey(each)) ?? around(each));
  for (const [at, each] of group.entries()) Object.assign(each, { fields: linker.fieldsOf(templates[at]!) });
  // They are made from objects with all their fields.
  for (const each of group) Object.assign(each, linker.variantsOf(each));
  for (const each of recursions) Object.assign(each, { isOpen: linker.isOpen, group });
  return Object.freeze(group.map((each) => documented<ObjectSchema>(each)));
}

/** Puts objects in the places of those that stand for them. */
class Linker {
  readonly #find: Find;
  /** Objects that occur in several places stay one. */
  readonly #known = new Map<ObjectSchema, ObjectSchema>();
  /** Whether another object than those of the scope stands in what was linked. */
  isOpen = false;

  constructor(find: Find) {
    this.#find = find;
  }

  fieldsOf({ fields }: ObjectSchema): ObjectSchema['fields'] {
    const found = Object.entries<Field>(fields).map(([name, field]): [string, Field] => {
      const schema = this.schema(field.schema);
      return [name, schema === field.schema ? field : Object.freeze({ ...field, schema })];
    });
    return Object.freeze(Object.fromEntries(found));
  }

  variantsOf({ variants, typeField = '' }: ObjectSchema): Pick<ObjectSchema, 'variants'> {
    if (variants === undefined) return {};
    const found = variants.map((each) => {
      const whole = this.object(each);
      return each.isSelf && !whole.isSelf ? asVariant(whole, typeField, each.extends) : whole;
    });
    return { variants: Object.freeze(found) };
  }

  object(schema: ObjectSchema): ObjectSchema {
    if (schema.isSelf) {
      const whole = this.#find(schema);
      this.isOpen ||= whole === undefined;
      return whole ?? schema;
    }
    let found = this.#known.get(schema);
    if (found === undefined) {
      found = this.#anew(schema);
      this.#known.set(schema, found);
    }
    return found;
  }

  /** Returns the schema itself where nothing in it stands for another object. */
  #anew(schema: ObjectSchema): ObjectSchema {
    if (closed.has(schema)) return schema;
    if (schema.recursion !== undefined) {
      const { group, levels, isOpen } = schema.recursion;
      if (!isOpen) return schema;
      const wholes = linked(
        group.map((each) => each.recursion?.template ?? each),
        levels,
        this.#find,
      );
      for (const [at, each] of group.entries()) this.#known.set(each, wholes[at]!);
      const whole = wholes[group.indexOf(schema)]!;
      this.isOpen ||= whole.recursion?.isOpen === true;
      return whole;
    }
    const fields = this.fieldsOf(schema);
    const { variants } = this.variantsOf(schema);
    const isSame =
      Object.keys(fields).every((name) => fields[name] === schema.fields[name]) &&
      (variants ?? []).every((each, at) => each === schema.variants?.[at]);
    return isSame
      ? schema
      : documented<ObjectSchema>({ ...schema, fields, ...(variants !== undefined && { variants }) });
  }

  schema(schema: Schema): Schema {
    if (schema.kind === 'object') return this.object(schema);
    if (schema.kind === 'list' && !schema.joined) {
      const item = this.schema(schema.item);
      return item === schema.item ? schema : documented<ListSchema>({ ...schema, item });
    }
    if (schema.kind !== 'map' || schema.item === undefined) return schema;
    const item = this.object(schema.item);
    return item === schema.item ? schema : Object.freeze<MapSchema>({ ...schema, item });
  }
}

const variantForms = memoizeWeakly((_: ObjectSchema) => new Map<string, ObjectSchema>());

/** The object as it stands in the place of one that it extends: it names its type, and no others stand in its own place. */
export function asVariant(whole: ObjectSchema, typeField: string, base: ObjectSchema['extends']): ObjectSchema {
  const forms = variantForms(whole);
  const key = `${typeField} ${base?.namespace} ${base?.name}`;
  const found = forms.get(key) ?? withTypeName(whole, typeField, true, base);
  forms.set(key, found);
  return found;
}

/** The object with a field for the name of its type, which comes first. */
export function withTypeName(
  { name, namespace, fields, choices, emptyObject }: ObjectSchema,
  typeField: string,
  isRequired: boolean,
  base?: ObjectSchema['extends'],
): ObjectSchema {
  const doc = 'The name of the type (`xsi:type`).';
  const field = (isRequired ? required : optional)(oneOf(`${name}TypeName`, name), doc, { xml: 'type' });
  return object(
    name,
    { [typeField]: field, ...fields, ...(Object.hasOwn(fields, typeField) && { [typeField]: field }) },
    {
      choices,
      ...(namespace !== undefined && { namespace }),
      ...(base !== undefined && { extends: base }),
      ...(emptyObject !== undefined && !isRequired && { emptyObject }),
    },
  );
}

function selvesIn(template: ObjectSchema): readonly ObjectSchema[] {
  return [...objectsIn(template), ...(template.variants ?? [])].filter(({ isSelf }) => isSelf);
}

/** The objects in the fields of an object, and in lists and maps there. */
export function objectsIn({ fields }: ObjectSchema): readonly ObjectSchema[] {
  return Object.values<Field>(fields).flatMap(({ schema }) => {
    let part: Schema | undefined = schema;
    while (part !== undefined && (part.kind === 'list' || part.kind === 'map')) part = part.item;
    return part?.kind === 'object' ? [part] : [];
  });
}

/** The strongly connected components of a graph (Tarjan), each after those that it leads to. `edges`: of each node, by number. */
function stronglyConnected(edges: readonly (readonly number[])[]): readonly (readonly number[])[] {
  const components: number[][] = [];
  const order = new Map<number, number>();
  const lowest = new Map<number, number>();
  const open: number[] = [];
  const isOpen = new Set<number>();
  const lower = (node: number, to: number) => lowest.set(node, Math.min(lowest.get(node) ?? to, to));
  const enter = (node: number) => {
    order.set(node, order.size);
    lower(node, order.size - 1);
    open.push(node);
    isOpen.add(node);
    return { node, next: 0 };
  };
  for (const root of edges.keys()) {
    const path = order.has(root) ? [] : [enter(root)];
    for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
      const { node } = top;
      const to = edges[node]![top.next];
      top.next += 1;
      if (to !== undefined) {
        if (!order.has(to)) path.push(enter(to));
        else if (isOpen.has(to)) lower(node, order.get(to)!);
        continue;
      }
      path.pop();
      const around = path.at(-1);
      if (around !== undefined) lower(around.node, lowest.get(node)!);
      if (lowest.get(node) !== order.get(node)) continue;
      const members = open.splice(open.indexOf(node));
      for (const each of members) isOpen.delete(each);
      components.push(members);
    }
  }
  return components;
}
