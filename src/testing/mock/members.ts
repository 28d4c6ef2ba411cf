/** Finds members of messages by their names, whatever their case and their place in wrappers. */
import type { Field, ListSchema, ObjectSchema, ScalarSchema, Schema } from '../../contract/schema.ts';
import { isMembers, type Members } from '../../lib/members.ts';

/** Wrappers are no deeper in the messages of common SOAP stacks: `request`, a type, and a list. */
const depthMax = 4;

/** An object of a message, and the names that lead to it. */
export interface PlacedObject {
  readonly path: readonly string[];
  readonly schema: ObjectSchema;
}

/** `Order_Id`, `orderId` and `order-id` are one name. */
export function normalize(name: string): string {
  return name.replaceAll(/[^\p{L}\p{N}]/gu, '').toLowerCase();
}

/** The message and the objects in it, the outer ones first. Objects in lists and SOAP headers are left out. */
export function objectsIn(message: ObjectSchema): readonly PlacedObject[] {
  const found: PlacedObject[] = [{ path: [], schema: message }];
  for (const { path, schema } of found) {
    if (path.length === depthMax) break;
    for (const [name, field] of fieldsOf(schema))
      if (field.schema.kind === 'object') found.push({ path: [...path, name], schema: field.schema });
  }
  return found;
}

/** The members that hold content: SOAP headers do not. */
export function fieldsOf({ fields }: ObjectSchema): readonly (readonly [name: string, field: Field])[] {
  return Object.entries<Field>(fields).filter(([, { xml }]) => xml !== 'header');
}

export function isScalar(schema: Schema): schema is ScalarSchema {
  return schema.kind !== 'object' && schema.kind !== 'map' && schema.kind !== 'list';
}

/** A list of objects. */
export type ObjectList = ListSchema<ObjectSchema>;

export function isObjectList(schema: Schema): schema is ObjectList {
  return schema.kind === 'list' && !schema.joined && schema.item.kind === 'object';
}

/** A scalar of a message, and the names that lead to it. */
export interface PlacedScalar {
  readonly path: readonly string[];
  readonly schema: ScalarSchema;
}

/** The outermost scalar whose name is accepted. */
export function scalarIn(message: ObjectSchema, isWanted: (name: string) => boolean): PlacedScalar | undefined {
  for (const { path, schema } of objectsIn(message))
    for (const [name, field] of fieldsOf(schema))
      if (isScalar(field.schema) && isWanted(name)) return { path: [...path, name], schema: field.schema };
  return undefined;
}

/** The outermost list of objects. */
export function listIn(message: ObjectSchema): ObjectList | undefined {
  for (const { schema } of objectsIn(message))
    for (const [, field] of fieldsOf(schema)) if (isObjectList(field.schema)) return field.schema;
  return undefined;
}

/** The value at a path; undefined where a part of it is absent. */
export function valueAt(value: unknown, path: readonly string[]): unknown {
  let at = value;
  for (const name of path) at = isMembers(at) && Object.hasOwn(at, name) ? at[name] : undefined;
  return at;
}

/** The object at a path; one without members where it is absent. */
export function membersAt(value: unknown, path: readonly string[]): Members {
  const at = valueAt(value, path);
  return isMembers(at) ? at : {};
}
