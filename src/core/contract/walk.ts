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
interface Kinds<R> {
  scalar(schema: ScalarSchema): R;
  /** A set in one comma-separated text. */
  joined(schema: SetSchema): R;
  list(schema: ListSchema, item: R): R;
  /** `item`: of a map of records. */
  map(schema: MapSchema, item: R | undefined): R;
  object(schema: ObjectSchema, members: readonly Member<R>[]): R;
  /** For an object in whose place others may stand: `own` is the result of itself, `others` those of its variants. */
  variants(schema: ObjectSchema, own: R, others: readonly R[]): R;
  /** For a recursive object within itself, and for one that is visited later. `whole` returns its result, once the walk has ended. */
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

/** Objects in each other that are visited at once, so that no schema is too deep for the stack; the visit of those below follows. */
const depthMax = 60;

/** The results of objects in all schemas that were visited with the same kinds. */
export type Visited<R> = WeakMap<ObjectSchema, { result?: R }>;

/**
 * Visits each object once, however often it occurs: its result is the same everywhere. `visited`: shares the results of objects, but not
 * that of the schema itself, with other walks.
 */
export function walk<R>(schema: Schema, kinds: Kinds<R>, visited?: Visited<R>): R {
  const isShared = visited !== undefined && !(schema.kind === 'object' && schema.recursion !== undefined);
  const wholes: Visited<R> = isShared ? visited : new WeakMap();
  const started: ObjectSchema[] = [];
  const waiting: (() => void)[] = [];
  let depth = 0;
  const visit = (part: Schema): R => {
    if (isScalar(part)) return kinds.scalar(part);
    switch (part.kind) {
      case 'list':
        return part.joined ? kinds.joined(part) : kinds.list(part, visit(part.item));
      case 'map':
        return kinds.map(part, part.item && visit(part.item));
      case 'object': {
        const known = wholes.get(part);
        if (known !== undefined)
          return 'result' in known ? (known.result as R) : kinds.self(part, () => known.result as R);
        const whole: { result?: R } = {};
        if (!isShared || part !== schema) wholes.set(part, whole);
        started.push(part);
        if (depth < depthMax) return visitObject(part, whole);
        waiting.push(() => visitObject(part, whole));
        return kinds.self(part, () => whole.result as R);
      }
      default:
        return part satisfies never;
    }
  };
  const visitObject = (part: ObjectSchema, whole: { result?: R }): R => {
    depth += 1;
    const { fields, variants } = part;
    const members = Object.entries(fields).map(([name, field]) => ({ name, field, part: visit(field.schema) }));
    const own = kinds.object(part, members);
    const result = variants === undefined ? own : kinds.variants(part, own, variants.map(visit));
    whole.result = result;
    depth -= 1;
    return result;
  };
  try {
    const result = visit(schema);
    for (const each of waiting) each();
    return result;
  } catch (thrown) {
    for (const each of started) wholes.delete(each);
    throw thrown;
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

/** Returns the schema and all those in it, each before its own parts. Those of an object are there once. */
export function partsIn(schema: Schema): readonly Part[] {
  const parts: Part[] = [];
  const known = new Set<ObjectSchema>();
  const waiting: Part[] = [{ schema }];
  for (let part = waiting.pop(); part !== undefined; part = waiting.pop()) {
    parts.push(part);
    const { schema: each } = part;
    if (each.kind === 'object') {
      if (known.has(each)) continue;
      known.add(each);
      const members = Object.entries<Field>(each.fields).map(([name, field]) => ({
        schema: field.schema,
        name,
        field,
      }));
      const variants = (each.variants ?? []).map((variant) => ({ schema: variant }));
      for (const inner of [...members, ...variants].reverse()) waiting.push(inner);
    } else if ((each.kind === 'list' && !each.joined) || each.kind === 'map') {
      if (each.item !== undefined) waiting.push({ schema: each.item });
    }
  }
  return parts;
}

/** The namespace that a schema names. Other kinds than lists and objects name none. */
export function namespaceOf(schema: Schema): string | undefined {
  if (schema.kind === 'object') return schema.namespace;
  return schema.kind === 'list' && !schema.joined ? schema.namespace : undefined;
}
