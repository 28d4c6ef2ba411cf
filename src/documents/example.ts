/** Builds example values of a schema from the examples in the contract. */
import type { Field, Infer, ObjectSchema, Schema } from '../contract/schema.ts';

/** All fields that the choices allow, those that stubs send in any case, or only the required ones. */
export type Extent = 'full' | 'mandatory' | 'minimal';

/** A valid canonical value of the schema. */
export function exampleOf<S extends Schema>(schema: S, extent: Extent): Infer<S> {
  return example(schema, extent) as Infer<S>;
}

/** The fields that the choices require, and those that they then exclude. An object that can have no members would be absent. */
function chosen({ choices, fields }: ObjectSchema, extent: Extent) {
  const wanted = new Set<string>();
  const left = new Set<string>();
  for (const { options, exclusive } of choices) {
    const first = options.find((names) => names.every((name) => hasMembers(fields[name]!.schema))) ?? options[0] ?? [];
    const others = options.filter((each) => each !== first);
    for (const name of first) wanted.add(name);
    if (exclusive || extent !== 'full') for (const name of others.flat()) left.add(name);
  }
  for (const name of wanted) left.delete(name);
  return { wanted, left };
}

function objectExample(given: ObjectSchema, around: Extent): Readonly<Record<string, unknown>> {
  const schema = given.isAbstract ? (given.variants?.[0] ?? given) : given;
  // One level of a recursive object in itself says it all.
  const extent = schema.recursion?.isInner ? 'minimal' : around;
  const { wanted, left } = chosen(schema, extent);
  const isShown = ([name, { required, mandatoryInStubs }]: [string, Field]) =>
    required ||
    wanted.has(name) ||
    (extent === 'full' && !left.has(name)) ||
    (extent === 'mandatory' && mandatoryInStubs !== undefined);
  return Object.freeze(
    Object.fromEntries(
      Object.entries(schema.fields)
        .filter(isShown)
        .map(([name, { schema, required }]) => [name, (required ? filledExample : example)(schema, extent)] as const)
        .filter(([name, value]) => isKeptEmpty(schema.fields[name]!) || !isEmpty(value)),
    ),
  );
}

function isKeptEmpty({ required, schema, mandatoryInStubs }: Field): boolean {
  return required || (schema.kind === 'object' && schema.emptyObject !== undefined && mandatoryInStubs !== 'empty');
}

function hasMembers(schema: Schema): boolean {
  return schema.kind !== 'object' || Object.keys(schema.fields).length > 0;
}

/** As the normal form has it: nothing but empty objects and lists, at any depth. */
function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.values(value).every(isEmpty);
}

/** An empty object is absent, and no item of a list. Where no field of it is required, it has the first one that can hold a value. */
function filledExample(item: Schema, extent: Extent): unknown {
  if (item.kind !== 'object') return example(item, extent);
  const value = objectExample(item, extent);
  const fields = Object.entries(item.fields).filter(([, { xml }]) => xml !== 'type');
  const plain = fields.find(([, { schema }]) => schema.kind !== 'object' && schema.kind !== 'list');
  const preferred = item.recursion === undefined || plain === undefined ? fields : [plain, ...fields];
  if (!isEmpty(value)) return value;
  for (const [name, { schema }] of preferred) {
    const filled = { ...value, [name]: filledExample(schema, extent) };
    if (!isEmpty(filled)) return Object.freeze(filled);
  }
  return value;
}

function example(schema: Schema, extent: Extent): unknown {
  switch (schema.kind) {
    case 'string':
    case 'integer':
    case 'boolean':
    case 'decimal':
    case 'double':
    case 'dateTime':
    case 'date':
    case 'binary':
      return schema.example;
    case 'map': {
      const { item } = schema;
      if (item === undefined) return schema.example;
      const keys = Object.keys(schema.example);
      return Object.freeze(Object.fromEntries(keys.map((key) => [key, example(item, extent)])));
    }
    case 'enum':
      return schema.values[0];
    case 'list': {
      if (schema.joined) return Object.freeze(schema.item.values.slice(0, extent === 'full' ? 2 : 1));
      return Object.freeze([filledExample(schema.item, extent)]);
    }
    case 'object':
      return schema.recursion === undefined ? objectExample(schema, extent) : filledExample(schema, extent);
    default:
      return schema satisfies never;
  }
}
