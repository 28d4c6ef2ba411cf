/** Builds example values of a schema from the examples in the contract. */
import type { Infer, ObjectSchema, Schema } from '../contract/schema.ts';

/** All fields that the choices allow, or only the required ones. */
export type Extent = 'full' | 'minimal';

/** The fields that the choices require, and those that they then exclude. */
const chosen = ({ choices }: ObjectSchema, extent: Extent) => {
  const wanted = new Set<string>();
  const left = new Set<string>();
  for (const { options, exclusive } of choices) {
    const [first = [], ...others] = options;
    for (const name of first) wanted.add(name);
    if (exclusive || extent === 'minimal') for (const name of others.flat()) left.add(name);
  }
  for (const name of wanted) left.delete(name);
  return { wanted, left };
};

const objectExample = (shape: ObjectSchema, extent: Extent): unknown => {
  const { wanted, left } = chosen(shape, extent);
  const isShown = ([name, { required }]: [string, { readonly required: boolean }]) =>
    required || wanted.has(name) || (extent === 'full' && !left.has(name));
  return Object.freeze(
    Object.fromEntries(
      Object.entries(shape.fields)
        .filter(isShown)
        .map(([name, field]) => [name, example(field.schema, extent)]),
    ),
  );
};

const example = (shape: Schema, extent: Extent): unknown => {
  switch (shape.kind) {
    case 'string':
    case 'integer':
    case 'boolean':
    case 'dateTime':
      return shape.example;
    case 'map': {
      const { item } = shape;
      if (item === undefined) return shape.example;
      const keys = Object.keys(shape.example);
      return Object.freeze(Object.fromEntries(keys.map((key) => [key, example(item, extent)])));
    }
    case 'enum':
      return shape.values[0];
    case 'list': {
      if (shape.joined) return Object.freeze(shape.item.values.slice(0, extent === 'full' ? 2 : 1));
      return Object.freeze([example(shape.item, extent)]);
    }
    case 'object':
      return objectExample(shape, extent);
    default:
      return shape satisfies never;
  }
};

/** A valid canonical value of the schema. */
export const exampleOf = <S extends Schema>(shape: S, extent: Extent): Infer<S> => example(shape, extent) as Infer<S>;
