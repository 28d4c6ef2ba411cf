/** Derives schemas and operations of another version of a service. */
import { type Field, type Fields, type ObjectSchema, object, type Schema } from './schema.ts';

/** With further fields, or other ones of the same names. Fields are in alphabetical order, as versions print them. */
export function extend<F extends Fields, G extends Fields>(
  schema: ObjectSchema<F>,
  added: G,
): ObjectSchema<Omit<F, keyof G> & G> {
  const { name, namespace, choices, ignoredMembers, whenEmpty } = schema;
  const fields: Omit<F, keyof G> & G = { ...schema.fields, ...added };
  const inOrder = Object.fromEntries(Object.entries<Field>(fields).sort(([a], [b]) => (a < b ? -1 : 1)));
  return object(name, inOrder as typeof fields, {
    ...(namespace !== undefined && { namespace }),
    choices,
    ignoredMembers: Object.fromEntries(Object.entries(ignoredMembers).filter(([each]) => !Object.hasOwn(added, each))),
    whenEmpty,
  });
}

/** Without the named fields, which an older version does not have. */
export function without<F extends Fields, K extends string & keyof F>(
  schema: ObjectSchema<F>,
  ...names: readonly K[]
): ObjectSchema<Omit<F, K>> {
  const { name, namespace, choices, ignoredMembers, whenEmpty } = schema;
  const removed: readonly string[] = names;
  const fields = Object.fromEntries(Object.entries<Field>(schema.fields).filter(([each]) => !removed.includes(each)));
  return object(name, fields as Omit<F, K> & Fields, {
    ...(namespace !== undefined && { namespace }),
    choices,
    ignoredMembers,
    whenEmpty,
  });
}

/** The same field with another schema. */
export function withSchema<R extends boolean, S extends Schema>(field: Field<Schema, R>, schema: S): Field<S, R> {
  return Object.freeze({ ...field, schema });
}
