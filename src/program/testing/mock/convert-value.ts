/** Converts values between messages of one contract: what an operation has stored, another one returns. */
import { type Field, type ObjectSchema, parser, type ScalarSchema, type Schema } from '../../../core/contract/index.ts';
import { isMembers, type Members } from '../../../core/lib/index.ts';
import { exampleOf } from '../../../documents/index.ts';
import { isScalar, normalize } from './members.ts';

/** Returns the canonical value as another schema has it; undefined where it cannot. */
export function convertValue(value: unknown, from: Schema, to: Schema): unknown {
  if (value === undefined) return undefined;
  if (isScalar(from) && isScalar(to)) return convertScalar(value, from, to);
  if (from.kind === 'object' && to.kind === 'object')
    return isMembers(value) ? convertObject(value, namedType(value, from), namedType(value, to)) : undefined;
  if (from.kind === 'list' && to.kind === 'list' && Array.isArray(value)) {
    const items = value.slice(0, to.max).flatMap((each) => convertValue(each, from.item, to.item) ?? []);
    return items.length === 0 ? undefined : items;
  }
  if (from.kind === 'map' && to.kind === 'map' && isMembers(value)) return convertMap(value, from.item, to.item);
  return undefined;
}

/** Members that `to` requires and the value lacks are those of its example. */
function convertObject(value: Members, from: ObjectSchema, to: ObjectSchema): Members | undefined {
  const sources = new Map(Object.entries<Field>(from.fields).map((each) => [normalize(each[0]), each]));
  const entries = Object.entries<Field>(to.fields).flatMap(([name, { schema, required }]) => {
    const source = sources.get(normalize(name));
    const converted = source && convertValue(value[source[0]], source[1].schema, schema);
    if (converted !== undefined) return [[name, converted] as const];
    return required ? [[name, exampleOf(schema, 'full')] as const] : [];
  });
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

/** The type that a value names in place of another one; of an abstract type, the first that extends it. */
function namedType(value: Members, schema: ObjectSchema): ObjectSchema {
  const { variants = [], typeField = '', isAbstract } = schema;
  const named = variants.find(({ name }) => name === value[typeField]);
  return named ?? (isAbstract ? variants[0] : undefined) ?? schema;
}

function convertMap(value: Members, from: ObjectSchema | undefined, to: ObjectSchema | undefined): Members | undefined {
  if (from === undefined || to === undefined) return from === to ? value : undefined;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, each]) => {
      const converted = convertValue(each, from, to);
      return converted === undefined ? [] : [[key, converted] as const];
    }),
  );
}

/** Texts and numbers are read as a caller's would be: within the limits of the schema. */
function convertScalar(value: unknown, from: ScalarSchema, to: ScalarSchema): unknown {
  if (from.kind === to.kind && from.kind !== 'enum' && from.kind !== 'string') return value;
  const isMoment = from.kind === 'dateTime' || to.kind === 'dateTime' || from.kind === 'binary' || to.kind === 'binary';
  if (isMoment) return undefined;
  const parsed = parser(to)(String(value));
  return 'value' in parsed ? parsed.value : undefined;
}
