/** Describes the input of an operation as the fields of a form. */

import type { Operation, Output } from '../../contract/operation.ts';
import { locationOf } from '../../contract/operation.ts';
import { isSecret } from '../../contract/scalar.ts';
import {
  type Field,
  type FieldLocation,
  type Fields,
  type ObjectSchema,
  oneOf,
  type ScalarSchema,
  type Schema,
  typeNameOf,
} from '../../contract/schema.ts';
import type { Service } from '../../contract/service.ts';
import { partsIn } from '../../contract/walk.ts';
import { draftOfValue } from '../../convert/draft/draft-of-value.ts';
import { exampleOf } from '../../documents/example.ts';
import { formatsOf } from '../../formats/index.ts';
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
    fields: membersOf(input, '', 'body'),
    ...(rules.length > 0 && { rules }),
    minimal: exampleText(input, 'minimal'),
    full: exampleText(input, 'full'),
  };
}

function exampleText(schema: ObjectSchema, extent: 'minimal' | 'full'): string {
  return JSON.stringify(draftOfValue(schema, exampleOf(schema, extent)));
}

/** An object is listed in another one of its kind, and not in that one again. */
const levelsMax = 2;

function membersOf(
  schema: ObjectSchema,
  prefix: string,
  location: FieldLocation,
  around: readonly ObjectSchema[] = [],
): readonly FormField[] {
  if (around.filter((each) => each === schema).length === levelsMax) return [];
  const inside = schema.recursion === undefined ? around : [...around, schema];
  return Object.entries<Field>(schema.variants === undefined ? schema.fields : allFields(schema)).flatMap(
    ([name, field]) => fieldsOf(field, prefix + name, prefix === '' ? locationOf(field) : location, inside),
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

/** A field, and its parts. */
function fieldsOf(
  { schema, required, doc }: Pick<Field, 'schema' | 'required' | 'doc'>,
  path: string,
  location: FieldLocation,
  around: readonly ObjectSchema[],
): readonly FormField[] {
  const common = { path, required, doc, location };
  switch (schema.kind) {
    case 'object':
      return [{ ...common, kind: 'object', sensitive: false }, ...membersOf(schema, `${path}/`, location, around)];
    case 'list': {
      if (schema.joined) {
        const { values } = schema.item;
        return [{ ...common, kind: 'set', values, sensitive: false, example: values[0] }];
      }
      const hint = `At most ${schema.max} items.`;
      const item = { schema: schema.item, required: true, doc: '' };
      return [{ ...common, kind: 'list', hint, sensitive: false }, ...fieldsOf(item, `${path}/*`, location, around)];
    }
    case 'map': {
      const item = { schema: schema.item ?? entryText, required: true, doc: '' };
      const hint = `At most ${schema.max} entries.`;
      return [{ ...common, kind: 'map', hint, sensitive: false }, ...fieldsOf(item, `${path}/*`, location, around)];
    }
    default: {
      const example = String(draftOfValue(schema, exampleOf(schema, 'full')));
      const values = schema.kind === 'enum' ? { values: schema.values } : {};
      const hint = hintOf(schema);
      return [
        { ...common, kind: schema.kind, ...(hint !== '' && { hint }), ...values, example, sensitive: isSecret(schema) },
      ];
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
