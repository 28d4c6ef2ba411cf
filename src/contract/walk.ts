/** The walk over a shape, written once: a derivation says what it makes of each kind, the compiler that it forgot none. */
import type { Field, ListSchema, MapSchema, ObjectSchema, ScalarSchema, Schema, SetSchema } from './schema.ts';

/** What a derivation makes of each kind; parts come before the whole. */
export interface Kinds<R> {
  scalar(shape: ScalarSchema): R;
  /** A set in one comma-separated text. */
  joined(shape: SetSchema): R;
  list(shape: ListSchema, item: R): R;
  /** `item`: of a map of records. */
  map(shape: MapSchema, item: R | undefined): R;
  object(shape: ObjectSchema, members: readonly Member<R>[]): R;
}

export interface Member<R> {
  readonly name: string;
  readonly field: Field;
  readonly part: R;
}

export const walk = <R>(shape: Schema, kinds: Kinds<R>): R => {
  switch (shape.kind) {
    case 'string':
    case 'integer':
    case 'boolean':
    case 'dateTime':
    case 'enum':
      return kinds.scalar(shape);
    case 'list':
      return shape.joined ? kinds.joined(shape) : kinds.list(shape, walk(shape.item, kinds));
    case 'map':
      return kinds.map(shape, shape.item && walk(shape.item, kinds));
    case 'object':
      return kinds.object(
        shape,
        Object.entries(shape.fields).map(([name, field]) => ({ name, field, part: walk(field.schema, kinds) })),
      );
    default:
      return shape satisfies never;
  }
};
