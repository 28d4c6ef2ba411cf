/** Finds members of messages by their names, whatever their case and their place in wrappers. */
import type { Field, ListSchema, ObjectSchema, ScalarSchema, Schema } from '../../../core/contract/index.ts';
import { isMembers, type Members, valueAt } from '../../../core/lib/index.ts';

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
type ObjectList = ListSchema<ObjectSchema>;

export function isObjectList(schema: Schema): schema is ObjectList {
  return schema.kind === 'list' && !schema.joined && schema.item.kind === 'object';
}

/** A scalar of a message, and the names that lead to it. */
interface PlacedScalar {
  readonly path: readonly string[];
  readonly name: string;
  readonly schema: ScalarSchema;
}

/** The scalars of a message, the outer ones first. */
export function scalarsIn(message: ObjectSchema): readonly PlacedScalar[] {
  return objectsIn(message).flatMap(({ path, schema }) =>
    fieldsOf(schema).flatMap(([name, { schema: own }]) =>
      isScalar(own) ? [{ path: [...path, name], name, schema: own }] : [],
    ),
  );
}

/** The outermost scalar whose name is accepted. */
export function scalarIn(message: ObjectSchema, isWanted: (name: string) => boolean): PlacedScalar | undefined {
  return scalarsIn(message).find(({ name }) => isWanted(name));
}

/** The lists of objects of a message, the outer ones first. */
export function listsIn(message: ObjectSchema): readonly ObjectList[] {
  return objectsIn(message).flatMap(({ schema }) =>
    fieldsOf(schema).flatMap(([, field]) => (isObjectList(field.schema) ? field.schema : [])),
  );
}

/** The object at a path; one without members where it is absent. */
export function membersAt(value: unknown, path: readonly string[]): Members {
  const at = valueAt(value, path);
  return isMembers(at) ? at : {};
}
