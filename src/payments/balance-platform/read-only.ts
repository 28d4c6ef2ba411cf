/** Members that only the platform sets. A program that reads, changes and writes a resource sends them back: they must be as they are. */
import { type Field, type Issue, optional, type Schema } from '../../core/contract/index.ts';
import { invalid } from './problems.ts';

/** A member of an answer, in requests: it changes nothing. */
export function readOnly<S extends Schema>({ schema }: Field<S>): Field<S, false> {
  return optional(schema, 'As it is: another value is refused.');
}

/** The id of a resource in the body, as answers have it. The field `id` is that of the path. */
export function readOnlyId<S extends Schema>(schema: S): Field<S, false> {
  return optional(schema, 'The id in the path: another one is refused.', { json: 'id' });
}

/** The issues of members that are sent back otherwise than the resource has them. What the request leaves out is not compared. */
export function readOnlyIssues<R extends object>(
  resource: R,
  sentBack: { readonly [N in keyof R]?: unknown },
  path: readonly string[] = [],
): readonly Issue[] {
  return Object.entries(sentBack).flatMap(([name, value]) =>
    value === undefined || isPartOf(value, resource[name as keyof R]) ? [] : [invalid([...path, name])],
  );
}

/** Whether a value states nothing that the other one does not. */
function isPartOf(value: unknown, whole: unknown): boolean {
  if (typeof value !== 'object' || value === null || typeof whole !== 'object' || whole === null)
    return value === whole;
  if (Array.isArray(value) || Array.isArray(whole))
    return (
      Array.isArray(value) &&
      Array.isArray(whole) &&
      value.length === whole.length &&
      value.every((each, at) => isPartOf(each, whole[at]))
    );
  return Object.entries(value).every(
    ([name, each]) => each === undefined || isPartOf(each, Object.getOwnPropertyDescriptor(whole, name)?.value),
  );
}
