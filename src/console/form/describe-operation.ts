/** Describes the input of an operation as the fields of a form. */

import { draftOfValue } from '../../convert/index.ts';
import {
  type Field,
  type FieldLocation,
  type Fields,
  isSecret,
  locationOf,
  type ObjectSchema,
  type Operation,
  type Output,
  oneOf,
  partsIn,
  type ScalarSchema,
  type Schema,
  type Service,
  typeNameOf,
} from '../../core/contract/index.ts';
import { formatsOf } from '../../core/formats/index.ts';
import { exampleOf } from '../../documents/index.ts';
import type { describeExplorerOperation } from '../explorer/contract.ts';

type Described = Output<typeof describeExplorerOperation>;
type FormField = Described['fields'][number];

export function describeOperation(service: Service, operation: Operation): Described {
  const { name, effect, role, doc, input } = operation;
  const rules = rulesOf(input);
  return {
    service: service.name,
    version: service.version,
    operation: name,
    ...service.answers,
    effect,
    role,
    doc,
    formats: formatsOf(operation, service),
    fields: fieldsIn(input),
    ...(rules.length > 0 && { rules }),
    minimal: exampleText(input, 'minimal'),
    full: exampleText(input, 'full'),
  };
}

function exampleText(schema: ObjectSchema, extent: 'minimal' | 'full'): string {
  return JSON.stringify(draftOfValue(schema, exampleOf(schema, extent)));
}

/** Fields of a form. What is in objects beyond is not listed, the deepest first. */
const fieldsMax = 5_000;

/** An object is listed in another one of its kind, and not in that one again. */
const levelsMax = 2;

/** A field with those in it. */
interface ListedField {
  readonly field: FormField;
  readonly list?: () => readonly ListedField[];
  parts: readonly ListedField[];
}

/** All fields of a message, those of an object after it. */
function fieldsIn(input: ObjectSchema): readonly FormField[] {
  const root = membersOf(input, '', 'body', []);
  let level = root;
  let count = root.length;
  while (level.length > 0) {
    const next: ListedField[] = [];
    for (const each of level) {
      const parts = count < fieldsMax ? (each.list?.() ?? []) : [];
      each.parts = parts;
      count += parts.length;
      next.push(...parts);
    }
    level = next;
  }
  const flat = ({ field, parts }: ListedField): readonly FormField[] => [field, ...parts.flatMap(flat)];
  return root.flatMap(flat);
}

function membersOf(
  schema: ObjectSchema,
  prefix: string,
  location: FieldLocation,
  around: readonly ObjectSchema[],
): readonly ListedField[] {
  if (around.filter((each) => each === schema).length === levelsMax) return [];
  const inside = schema.recursion === undefined ? around : [...around, schema];
  return Object.entries<Field>(schema.variants === undefined ? schema.fields : allFields(schema)).map(([name, field]) =>
    fieldOf(field, prefix + name, prefix === '' ? locationOf(field) : location, inside),
  );
}

/** The fields of an object and of those that may stand in its place; a name that several have is described as the first one has it. */
function allFields({ fields, typeField = '', variants = [], isAbstract, ...schema }: ObjectSchema): Fields {
  const own: ObjectSchema = { fields, typeField, ...schema };
  const types = [...(isAbstract ? [] : [own]), ...variants].map(typeNameOf);
  const optionalFields = [own, ...variants]
    .toReversed()
    .flatMap((each) => Object.entries<Field>(each.fields))
    .map(([name, field]) => [name, { ...field, required: field.required && Object.hasOwn(fields, name) }]);
  const typeName = { ...fields[typeField]!, schema: oneOf(`${schema.name}TypeName`, ...types) };
  return { ...Object.fromEntries(optionalFields), [typeField]: typeName };
}

function fieldOf(
  { schema, required, doc }: Pick<Field, 'schema' | 'required' | 'doc'>,
  path: string,
  location: FieldLocation,
  around: readonly ObjectSchema[],
): ListedField {
  const common = { path, required, doc, location };
  const items = (of: Schema) => () => [fieldOf({ schema: of, required: true, doc: '' }, `${path}/*`, location, around)];
  switch (schema.kind) {
    case 'object': {
      const list = () => membersOf(schema, `${path}/`, location, around);
      return { field: { ...common, kind: 'object', sensitive: false }, list, parts: [] };
    }
    case 'list': {
      if (schema.joined) {
        const { values } = schema.item;
        return { field: { ...common, kind: 'set', values, sensitive: false, example: values[0] }, parts: [] };
      }
      const hint = `At most ${schema.max} items.`;
      return { field: { ...common, kind: 'list', hint, sensitive: false }, list: items(schema.item), parts: [] };
    }
    case 'map': {
      const hint = `At most ${schema.max} entries.`;
      const list = items(schema.item ?? entryText);
      return { field: { ...common, kind: 'map', hint, sensitive: false }, list, parts: [] };
    }
    default: {
      const example = String(draftOfValue(schema, exampleOf(schema, 'full')));
      const values = schema.kind === 'enum' ? { values: schema.values } : {};
      const hint = hintOf(schema);
      const kind = { kind: schema.kind, ...(hint !== '' && { hint }), ...values };
      return { field: { ...common, ...kind, example, sensitive: isSecret(schema) }, parts: [] };
    }
  }
}

const entryText: Schema = Object.freeze({ kind: 'string', example: 'value' });

function hintOf(schema: ScalarSchema): string {
  switch (schema.kind) {
    case 'string': {
      const { min, max, pattern, format } = schema;
      const length = max === undefined ? '' : min === max ? `${max} characters.` : `${min ?? 0} to ${max} characters.`;
      return [length, pattern && `Pattern ${pattern}.`, format && `Checked as ${format}.`].filter(Boolean).join(' ');
    }
    case 'integer':
      return `${schema.min} to ${schema.max}.`;
    case 'decimal': {
      const { digits, fraction, min, max } = schema;
      const range = [min && `At least ${min}.`, max && `At most ${max}.`];
      return [`${digits} digits, ${fraction} of them after the point.`, ...range].filter(Boolean).join(' ');
    }
    case 'binary':
      return `At most ${schema.max} bytes, in base64.`;
    case 'dateTime':
      return schema.timeZone === undefined
        ? 'With an offset: 2026-01-31T12:00:00Z.'
        : `2026-01-31T12:00:00Z; without an offset, in ${schema.timeZone}.`;
    case 'date':
      return 'As 2026-01-31.';
    case 'double':
      return 'A floating-point number.';
    case 'enum':
      return schema.anyCase === true ? 'In any letter case.' : '';
    case 'boolean':
      return '';
    default:
      return schema satisfies never;
  }
}

/** Rules of the input and of the objects in it. */
function rulesOf(input: ObjectSchema): readonly string[] {
  return partsIn(input).flatMap(({ schema }) => (schema.kind === 'object' ? schema.choices.map(({ doc }) => doc) : []));
}
