/** Builds example values of a schema from the examples in the contract. */
import { type Field, type Infer, isScalar, type ObjectSchema, type Schema } from '../core/contract/index.ts';

/** All fields that the choices allow, those that stubs send in any case, or only the required ones. */
export type Extent = 'full' | 'mandatory' | 'minimal';

/** A valid canonical value of the schema. */
export function exampleOf<S extends Schema>(schema: S, extent: Extent): Infer<S> {
  return example(schema, extent, { objects: [], made: { count: 0 } }) as Infer<S>;
}

/** What is known where a value is made. */
interface Around {
  /** The recursive objects around it, the outermost first. */
  readonly objects: readonly ObjectSchema[];
  /** Counts the objects of the whole example. */
  readonly made: { count: number };
}

/** An example has all fields of so many objects, and of others the fewest. */
const fullMax = 1_000;
/** What is beyond is left out, also where it is required: types may name each other in more ways than anyone can write. */
const objectsMax = 50_000;

function within(outer: Around, schema: ObjectSchema): Around {
  return schema.recursion === undefined ? outer : { ...outer, objects: [...outer.objects, schema] };
}

/** The fields that the choices require, and those that they then exclude. An object that can have no members would be absent. */
function chosen({ choices, fields }: ObjectSchema, extent: Extent, around: Around) {
  const wanted = new Set<string>();
  const left = new Set<string>();
  for (const { options, exclusive } of choices) {
    const isPossible = (name: string) =>
      hasMembers(fields[name]!.schema) &&
      (around.objects.length === 0 || isPresent(filledExample(fields[name]!.schema, 'minimal', around)));
    const first = options.find((names) => names.every(isPossible)) ?? options[0] ?? [];
    const others = options.filter((each) => each !== first);
    for (const name of first) wanted.add(name);
    if (exclusive || extent !== 'full') for (const name of others.flat()) left.add(name);
  }
  for (const name of wanted) left.delete(name);
  return { wanted, left };
}

function objectExample(given: ObjectSchema, extentAround: Extent, outer: Around): Readonly<Record<string, unknown>> {
  // One level of a recursive object in itself says it all, and nothing is left for another one.
  const level = outer.objects.filter((each) => each === given).length;
  outer.made.count += 1;
  if (level === 2 || outer.made.count > objectsMax) return missing;
  const extent = level === 1 || outer.made.count > fullMax ? 'minimal' : extentAround;
  const around = within(outer, given);
  const schema = given.isAbstract ? concreteOf(given, around) : given;
  const { wanted, left } = chosen(schema, extent, around);
  const isShown = ([name, { required, mandatoryInStubs }]: [string, Field]) =>
    required ||
    wanted.has(name) ||
    (extent === 'full' && !left.has(name)) ||
    (extent === 'mandatory' && mandatoryInStubs !== undefined);
  return Object.freeze(
    Object.fromEntries(
      Object.entries(schema.fields)
        .filter(isShown)
        .map(
          ([name, { schema, required }]) =>
            [name, (required ? filledExample : example)(schema, extent, around)] as const,
        )
        .filter(([name, value]) => isKeptEmpty(schema.fields[name]!) || isPresent(value)),
    ),
  );
}

/** The first type that may stand in place of an abstract one, and needs no further object around it. */
function concreteOf(schema: ObjectSchema, around: Around): ObjectSchema {
  const { variants = [] } = schema;
  const isPossible = (each: ObjectSchema) =>
    around.objects.length === 0 || isWhole(objectExample(each, 'minimal', around));
  return variants.find(isPossible) ?? variants[0] ?? schema;
}

/** In place of an object that would be too deep in others of its kind. */
const missing = Object.freeze({});

function isWhole(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return value !== missing && Object.values(value).every(isWhole);
}

function isPresent(value: unknown): boolean {
  return !isEmpty(value) && isWhole(value);
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
function filledExample(item: Schema, extent: Extent, outer: Around): unknown {
  if (item.kind !== 'object') return example(item, extent, outer);
  const value = objectExample(item, extent, outer);
  if (outer.objects.filter((each) => each === item).length === 2) return value;
  const around = within(outer, item);
  const fields = Object.entries(item.fields).filter(([, { xml }]) => xml !== 'type');
  const plain = fields.find(([, { schema }]) => schema.kind !== 'object' && schema.kind !== 'list');
  const preferred = item.recursion === undefined || plain === undefined ? fields : [plain, ...fields];
  if (!isEmpty(value)) return value;
  for (const [name, { schema }] of preferred) {
    const filled = { ...value, [name]: filledExample(schema, extent, around) };
    if (isPresent(filled)) return Object.freeze(filled);
  }
  return value;
}

function example(schema: Schema, extent: Extent, around: Around): unknown {
  if (isScalar(schema)) return schema.kind === 'enum' ? schema.values[0] : schema.example;
  switch (schema.kind) {
    case 'map': {
      const { item } = schema;
      if (item === undefined) return schema.example;
      const keys = Object.keys(schema.example);
      return Object.freeze(Object.fromEntries(keys.map((key) => [key, example(item, extent, around)])));
    }
    case 'list': {
      if (schema.joined) return Object.freeze(schema.item.values.slice(0, extent === 'full' ? 2 : 1));
      return Object.freeze([filledExample(schema.item, extent, around)]);
    }
    case 'object':
      return (schema.recursion === undefined ? objectExample : filledExample)(schema, extent, around);
    default:
      return schema satisfies never;
  }
}
