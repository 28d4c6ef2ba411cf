/** Operations on resources: each is a method and a path, and each field of its input stands in path, query, header or body. */
import { type AnyService, type Effect, type Operation, operation } from './operation.ts';
import { type Field, type FieldLocation, type ObjectSchema, object } from './schema.ts';

export type Method = 'GET' | 'POST' | 'PATCH';

/** An operation that a method and a path name. In a PATCH, what is left out (or null) stays as it is. */
export interface Endpoint<
  N extends string = string,
  I extends ObjectSchema = ObjectSchema,
  O extends ObjectSchema = ObjectSchema,
  E extends Effect = Effect,
> extends Operation<N, I, O, E> {
  readonly method: Method;
  /** Below the address of the service: `/accountHolders/{id}`; a name in braces is a field of the input. */
  readonly path: string;
}

/** The names in braces of a path, in their order. */
export const namesInPath = (path: string): readonly string[] =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);

/** Throws where the names in the path are not the fields that stand there. */
export const endpoint = <
  const N extends string,
  I extends ObjectSchema,
  O extends ObjectSchema,
  const E extends Effect,
>(
  parts: Omit<Endpoint<N, I, O, E>, 'accounts'>,
): Endpoint<N, I, O, E> => {
  const { method, path } = parts;
  const named = namesInPath(path);
  const fields = Object.keys(splitByLocation(parts.input).path.fields);
  if (named.toSorted().join() !== fields.toSorted().join())
    throw new TypeError(`${parts.name}: ${path} and its fields in the path (${fields.join(', ')}) differ`);
  return Object.freeze({ ...operation(parts), method, path });
};

export const locationOf = (field: Field): FieldLocation => field.in ?? 'body';

/** A shape taken apart by where its fields stand; the rules between fields are those of the body. */
export const splitByLocation = (shape: ObjectSchema): Readonly<Record<FieldLocation, ObjectSchema>> => {
  const { name, fields, choices, ignoredMembers: tolerated } = shape;
  const at = (place: FieldLocation) =>
    Object.fromEntries(Object.entries(fields).filter(([, field]) => locationOf(field) === place));
  return {
    path: object(name, at('path')),
    query: object(name, at('query')),
    header: object(name, at('header')),
    body: object(name, at('body'), { choices, ignoredMembers: tolerated }),
  };
};

/** One contract of a service of resources. */
export interface ResourceService extends AnyService {
  /** `/bcl`; the version follows. */
  readonly address: string;
  /** The versions that this contract answers, its own included. */
  readonly answers: readonly number[];
  readonly operations: ReadonlyMap<string, Endpoint>;
}

export const resourceService = (
  parts: Omit<ResourceService, 'operations'> & { readonly operations: readonly Endpoint[] },
): ResourceService =>
  Object.freeze({ ...parts, operations: new Map(parts.operations.map((each) => [each.name, each])) });
