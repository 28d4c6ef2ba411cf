/** Bounds the schemas of an import: what reads and prints messages visits each type as often as a message may have it. */
import type { Schema } from '../../core/contract/index.ts';

interface SchemaSize {
  /** Objects and lists in each other; 0 for a scalar. */
  readonly depth: number;
  /** Fields, those of types that occur in several places counted in each. */
  readonly fields: number;
}

const scalar: SchemaSize = Object.freeze({ depth: 0, fields: 0 });
const known = new WeakMap<Schema, SchemaSize>();

/** Visits each schema once. */
export function sizeOf(schema: Schema): SchemaSize {
  switch (schema.kind) {
    case 'object': {
      const found = known.get(schema);
      if (found !== undefined) return found;
      // What is within itself counts once.
      if (schema.recursion !== undefined) known.set(schema, scalar);
      let depth = 0;
      let fields = 0;
      for (const field of Object.values(schema.fields)) {
        const part = sizeOf(field.schema);
        depth = Math.max(depth, part.depth);
        fields += 1 + part.fields;
      }
      for (const variant of schema.variants ?? []) {
        const part = sizeOf(variant);
        depth = Math.max(depth, part.depth - 1);
        fields += part.fields;
      }
      const size = { depth: depth + 1, fields };
      known.set(schema, size);
      return size;
    }
    case 'list': {
      const { depth, fields } = sizeOf(schema.item);
      return { depth: depth + 1, fields };
    }
    case 'map':
      return schema.item === undefined ? scalar : sizeOf(schema.item);
    default:
      return scalar;
  }
}
