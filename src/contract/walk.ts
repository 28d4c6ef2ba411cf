/** Walks a schema: a visitor returns a result for each kind, and the compiler checks that it handles all of them. */
import {
  type Field,
  isScalar,
  type ListSchema,
  type MapSchema,
  type ObjectSchema,
  type ScalarSchema,
  type Schema,
  type SetSchema,
} from './schema.ts';

/** The results of each kind of schema; those of parts come before that of the whole. */
export interface Kinds<R> {
  scalar(schema: ScalarSchema): R;
  /** A set in one comma-separated text. */
  joined(schema: SetSchema): R;
  list(schema: ListSchema, item: R): R;
  /** `item`: of a map of records. */
  map(schema: MapSchema, item: R | undefined): R;
  object(schema: ObjectSchema, members: readonly Member<R>[]): R;
  /** For an object in whose place others may stand: `own` is the result of itself, `others` those of its variants. */
  variants(schema: ObjectSchema, own: R, others: readonly R[]): R;
  /** For a recursive object within itself. `whole` returns the result of the object, once the walk has ended. */
  self(schema: ObjectSchema, whole: () => R): R;
}

/** For results that are functions: the one of a recursive object within itself calls that of the whole. */
export function callWhole<A extends readonly unknown[], R>(
  _: ObjectSchema,
  whole: () => (...args: A) => R,
): (...args: A) => R {
  return (...args) => whole()(...args);
}

export interface Member<R> {
  readonly name: string;
  readonly field: Field;
  readonly part: R;
}

/** Visits each object once, however often it occurs: its result is the same everywhere. */
export function walk<R>(schema: Schema, kinds: Kinds<R>): R {
  return walkWithin(schema, kinds, new Map());
}

/** `wholes`: the objects so far, with their results once they are there. */
function walkWithin<R>(schema: Schema, kinds: Kinds<R>, wholes: Map<ObjectSchema, { result?: R }>): R {
  if (isScalar(schema)) return kinds.scalar(schema);
  switch (schema.kind) {
    case 'list':
      return schema.joined ? kinds.joined(schema) : kinds.list(schema, walkWithin(schema.item, kinds, wholes));
    case 'map':
      return kinds.map(schema, schema.item && walkWithin(schema.item, kinds, wholes));
    case 'object': {
      const known = wholes.get(schema);
      if (known === undefined) {
        const whole: { result?: R } = {};
        wholes.set(schema, whole);
        const result = walkObject(schema, kinds, wholes);
        whole.result = result;
        return result;
      }
      if ('result' in known) return known.result as R;
      return kinds.self(schema, () => known.result as R);
    }
    default:
      return schema satisfies never;
  }
}

function walkObject<R>(schema: ObjectSchema, kinds: Kinds<R>, wholes: Map<ObjectSchema, { result?: R }>): R {
  const own = kinds.object(
    schema,
    Object.entries(schema.fields).map(([name, field]) => ({
      name,
      field,
      part: walkWithin(field.schema, kinds, wholes),
    })),
  );
  const { variants } = schema;
  if (variants === undefined) return own;
  return kinds.variants(
    schema,
    own,
    variants.map((each) => walkWithin(each, kinds, wholes)),
  );
}

/** Converts the items of a list. Those that are null stay so. */
export function mapItems<T>(items: unknown, convert: (item: unknown) => T): readonly (T | null)[] {
  return (items as readonly unknown[]).map((item) => (item === null ? null : convert(item)));
}

/** A schema within another one. The field that has it is absent for the outermost one, for items and for variants. */
export interface Part {
  readonly schema: Schema;
  readonly name?: string;
  readonly field?: Field;
}

/** Returns the schema and all those in it, each before its own parts. Those of an object are there once. */
export function partsIn(schema: Schema): readonly Part[] {
  const parts: Part[] = [];
  const known = new Set<ObjectSchema>();
  const add = (part: Part): void => {
    parts.push(part);
    const { schema: each } = part;
    if (each.kind === 'object') {
      if (known.has(each)) return;
      known.add(each);
      for (const [name, field] of Object.entries<Field>(each.fields)) add({ schema: field.schema, name, field });
      for (const variant of each.variants ?? []) add({ schema: variant });
    } else if ((each.kind === 'list' && !each.joined) || each.kind === 'map') {
      if (each.item !== undefined) add({ schema: each.item });
    }
  };
  add({ schema });
  return parts;
}

/** The namespace that a schema names. Other kinds than lists and objects name none. */
export function namespaceOf(schema: Schema): string | undefined {
  if (schema.kind === 'object') return schema.namespace;
  return schema.kind === 'list' && !schema.joined ? schema.namespace : undefined;
}
