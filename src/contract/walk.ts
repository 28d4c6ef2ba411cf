/** Walks a schema: a visitor returns a result for each kind, and the compiler checks that it handles all of them. */
import type { Field, ListSchema, MapSchema, ObjectSchema, ScalarSchema, Schema, SetSchema } from './schema.ts';

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
  /** For results that refer to objects by name: it is called where a recursive object holds itself, whose levels are one then. */
  self?(schema: ObjectSchema): R;
}

export interface Member<R> {
  readonly name: string;
  readonly field: Field;
  readonly part: R;
}

export function walk<R>(schema: Schema, kinds: Kinds<R>): R {
  switch (schema.kind) {
    case 'string':
    case 'integer':
    case 'boolean':
    case 'decimal':
    case 'double':
    case 'dateTime':
    case 'date':
    case 'binary':
    case 'enum':
      return kinds.scalar(schema);
    case 'list':
      return schema.joined ? kinds.joined(schema) : kinds.list(schema, walk(schema.item, kinds));
    case 'map':
      return kinds.map(schema, schema.item && walk(schema.item, kinds));
    case 'object': {
      if (schema.isSelf && kinds.self !== undefined) return kinds.self(schema);
      // Within another recursive object, it is described as it is there.
      const { recursion } = schema;
      const object = kinds.self === undefined || recursion?.isOpen !== false ? schema : recursion.template;
      const own = kinds.object(
        object,
        Object.entries(object.fields).map(([name, field]) => ({ name, field, part: walk(field.schema, kinds) })),
      );
      const { variants } = object;
      if (variants === undefined) return own;
      return kinds.variants(
        object,
        own,
        variants.map((each) => walk(each, kinds)),
      );
    }
    default:
      return schema satisfies never;
  }
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

/** Returns the schema and all those in it, each before its own parts. */
export function partsIn(schema: Schema): readonly Part[] {
  const parts: Part[] = [];
  const add = (part: Part): void => {
    parts.push(part);
    const { schema: each } = part;
    if (each.kind === 'object') {
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
