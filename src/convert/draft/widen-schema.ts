/** Widens a schema to what a draft holds, so that formats print also what the contract refuses. */

import {
  anyText,
  compileRead,
  type Field,
  type Fields,
  IssueCollector,
  isScalar,
  type ListSchema,
  list,
  type MapSchema,
  type ObjectSchema,
  object,
  optional,
  type Schema,
  variantOf,
  withoutMark,
} from '../../core/contract/index.ts';
import { memoizeWeakly } from '../../core/lib/index.ts';
import { type Draft, type DraftObject, isDraftObject } from './draft.ts';
import { draftReader } from './draft-reader.ts';

/** A schema, and values of it, one for each draft. A value may be absent. */
interface WidenedSchema<S extends Schema = Schema> {
  readonly schema: S;
  readonly values: readonly unknown[];
}

/** The schema stays as it is where all drafts are valid. */
function widenSchema(schema: Schema, drafts: readonly Draft[]): WidenedSchema {
  const valid = readAll(schema, drafts);
  if (valid !== undefined) return { schema, values: valid };
  if (isScalar(schema)) return widenUnknown(drafts);
  switch (schema.kind) {
    case 'object':
      return drafts.every(isDraftObject) ? widenObject(namedIn(schema, drafts), drafts) : widenUnknown(drafts);
    case 'list':
      return !schema.joined && drafts.every(isDraftList) ? widenList(schema, drafts) : widenUnknown(drafts);
    case 'map':
      return drafts.every(isDraftObject) ? widenMap(schema, drafts) : widenUnknown(drafts);
    default:
      return schema satisfies never;
  }
}

/** The variant that all drafts name; the object itself where they name several. */
function namedIn(schema: ObjectSchema, drafts: readonly DraftObject[]): ObjectSchema {
  const [named, ...others] = new Set(drafts.map((each) => variantOf(schema, each)));
  return named === undefined || others.length > 0 ? schema : named;
}

/** Also for an object that has a wrong member. */
export function widenObject(schema: ObjectSchema, drafts: readonly DraftObject[]): WidenedSchema<ObjectSchema> {
  const fields: Record<string, Field> = {};
  const values = drafts.map((): Record<string, unknown> => ({}));
  const add = (name: string, field: Field, source: string): void => {
    const having = drafts.flatMap((draft, at) => (Object.hasOwn(draft, source) ? [{ at, draft: draft[source]! }] : []));
    const widened =
      field === unknownField
        ? widenUnknown(having.map(({ draft }) => draft))
        : widenSchema(
            field.schema,
            having.map(({ draft }) => draft),
          );
    fields[name] = having.length === 0 ? field : { ...field, schema: widened.schema };
    for (const [index, { at }] of having.entries()) values[at]![name] = widened.values[index];
  };
  for (const [name, field] of Object.entries(schema.fields as Fields)) add(name, field, name);
  for (const name of new Set(drafts.flatMap((draft) => Object.keys(draft)))) {
    const plain = printableAs(name);
    if (plain !== undefined && !Object.hasOwn(fields, plain)) add(plain, unknownField, name);
  }
  const { variants: _, ...plain } = schema;
  return { schema: { ...plain, fields, choices: [] }, values };
}

const unknownField: Field = optional(anyText);

/** Without the mark of its format; undefined for a name that not every format can write. */
function printableAs(name: string): string | undefined {
  const plain = withoutMark(name);
  return /^[A-Za-z_][\w-]*$/.test(plain) && plain !== '__proto__' ? plain : undefined;
}

function widenList(schema: ListSchema, drafts: readonly (readonly Draft[])[]): WidenedSchema {
  const { schema: item, values } = widenSchema(schema.item, drafts.flat());
  let at = 0;
  const lists = drafts.map(({ length }) => {
    at += length;
    const items = values.slice(at - length, at).map((each) => each ?? emptyOf(item));
    return items.length === 0 ? undefined : items;
  });
  return { schema: { ...schema, item }, values: lists };
}

/** An item of a list cannot be absent. */
function emptyOf({ kind }: Schema): unknown {
  return kind === 'object' || kind === 'map' ? {} : kind === 'list' ? [] : '';
}

function widenMap(schema: MapSchema, drafts: readonly DraftObject[]): WidenedSchema {
  const { item } = schema;
  const entries = drafts.map((draft) => Object.entries(draft));
  const all = entries.flat().map(([, each]) => each);
  const widened: WidenedSchema | undefined = item && widenSchema(item, all);
  const values = widened?.values ?? all.map(textOf);
  let at = 0;
  return {
    schema: widened === undefined ? schema : { ...schema, item: widened.schema as ObjectSchema },
    values: entries.map((each) => Object.fromEntries(each.map(([key]) => [key, values[at++] ?? {}]))),
  };
}

function widenUnknown(drafts: readonly Draft[]): WidenedSchema {
  if (drafts.length > 0 && drafts.every(isDraftObject)) return widenObject(unknownObject, drafts);
  if (drafts.length > 0 && drafts.every(isDraftList)) return widenList(unknownList, drafts);
  return { schema: anyText, values: drafts.map(textOf) };
}

const unknownObject = object('Unknown', {});
const unknownList = list(anyText, 'item', { max: Number.POSITIVE_INFINITY });

function isDraftList(draft: Draft): draft is readonly Draft[] {
  return Array.isArray(draft);
}

function textOf(draft: Draft): string {
  return typeof draft === 'string' ? draft : JSON.stringify(draft);
}

/** The values of drafts without an issue; undefined where one has any. */
function readAll(schema: Schema, drafts: readonly Draft[]): readonly unknown[] | undefined {
  const collector = new IssueCollector();
  const read = readerOf(schema);
  try {
    const values = drafts.map((draft) => read(draft, collector));
    return collector.issues.length === 0 ? values : undefined;
  } catch {
    return undefined;
  }
}

const readerOf = memoizeWeakly((schema: Schema) => compileRead(schema, draftReader));
