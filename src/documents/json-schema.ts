/** Derives JSON Schema (2020-12, as OpenAPI 3.1 uses it) from the schemas of a contract. */
import {
  base64Length,
  type Choice,
  type DecimalSchema,
  type EnumSchema,
  type Field,
  type Fields,
  isEntries,
  isScalar,
  type ListSchema,
  type MapSchema,
  type Member,
  markupLengthMax,
  type ObjectSchema,
  type ScalarSchema,
  type Schema,
  type SetSchema,
  textLengthMax,
  typeNameOf,
} from '../core/contract/index.ts';
import { lengthsOf } from './lengths.ts';

export type JsonSchema = { readonly [keyword: string]: unknown };

/** Requests accept no member that is not listed. Responses may gain members, so they allow others. */
export type Side = 'input' | 'output';

/** Returns what stands for an object in another schema: its own schema, or a reference to it. */
type ReferTo = (schema: ObjectSchema) => JsonSchema;

export function scalarSchema(schema: ScalarSchema): JsonSchema {
  if (schema.kind === 'enum') return { type: 'string', enum: schema.values };
  if (schema.kind === 'string' && schema.markup === undefined && schema.json !== undefined) return {};
  return { ...typeOf(schema), examples: [exampleOf(schema)] };
}

function typeOf(schema: Exclude<ScalarSchema, EnumSchema>): JsonSchema {
  switch (schema.kind) {
    case 'string': {
      const type = 'string';
      if (schema.markup !== undefined) return { type, contentMediaType: 'application/xml', maxLength: markupLengthMax };
      if (schema.qualifiedName) return { type, pattern: '^(\\{[^{}]+\\})?[^{}]+$', maxLength: textLengthMax };
      const { min, max } = lengthsOf(schema);
      return {
        type,
        ...(min > 0 && { minLength: min }),
        maxLength: max,
        ...(schema.pattern !== undefined && { pattern: `^(${schema.pattern})$` }),
        ...(schema.sensitive && { format: 'password' }),
      };
    }
    case 'integer':
      return { type: 'integer', minimum: schema.min, maximum: schema.max };
    case 'boolean':
      return { type: 'boolean' };
    case 'dateTime':
      return { type: 'string', format: 'date-time' };
    case 'decimal':
      // A pattern concerns texts only.
      return { type: decimalType(schema), pattern: decimalPattern(schema) };
    case 'double':
      return { type: 'number' };
    case 'date':
      return { type: 'string', format: 'date' };
    case 'binary':
      return { type: 'string', contentEncoding: 'base64', maxLength: base64Length(schema.max) };
    default:
      return schema satisfies never;
  }
}

function exampleOf(schema: Exclude<ScalarSchema, EnumSchema>): unknown {
  if (schema.kind === 'dateTime') return new Date(schema.example).toISOString().replace('.000Z', 'Z');
  return schema.kind === 'decimal' && schema.json !== 'text' ? Number(schema.example) : schema.example;
}

function decimalType({ json, fraction }: DecimalSchema): string | readonly string[] {
  if (json === 'text') return 'string';
  const number = fraction === 0 ? 'integer' : 'number';
  return json === 'number' ? number : [number, 'string'];
}

/** Digits before and after the point, each up to its own limit: JSON Schema cannot limit their sum. */
function decimalPattern({ digits, fraction }: DecimalSchema): string {
  const decimals = fraction === 0 ? '' : `([.][0-9]{1,${fraction}})?`;
  return `^-?[0-9]{1,${digits}}${decimals}$`;
}

export function joinedSchema(schema: SetSchema): JsonSchema {
  return {
    type: 'string',
    pattern: joinedPattern(schema),
    examples: [schema.item.values.slice(0, 2).join(',')],
  };
}

/** An empty text counts as absent unless the contract says otherwise, so a required text has at least one character. */
export function fieldSchema({ schema, required, doc }: Field, part: JsonSchema): JsonSchema {
  const isNeverEmpty = required && schema.kind === 'string' && schema.emptyString !== 'present';
  return {
    ...part,
    ...(isNeverEmpty && part.minLength === undefined && { minLength: 1 }),
    ...(doc !== '' && { description: doc }),
  };
}

/** Objects are nested inline; an object within itself is any object there. */
export function deriveJsonSchema(schema: Schema, side: Side): JsonSchema {
  const around = new Set<ObjectSchema>();
  const inline = (derive: (object: ObjectSchema) => JsonSchema) => (object: ObjectSchema) => {
    if (around.has(object)) return { type: 'object' };
    around.add(object);
    const derived = derive(object);
    around.delete(object);
    return derived;
  };
  const referTo: ReferTo = inline((object) => objectOrVariants(object, side, referTo, plain));
  const plain: ReferTo = (object) => derivePlainObject(object, side, referTo);
  return derivePart(schema, side, referTo);
}

/** The schema of a part, with what `referTo` returns in the place of objects. Alternatives and entries are no objects in JSON. */
export function derivePart(schema: Schema, side: Side, referTo: ReferTo): JsonSchema {
  if (isScalar(schema)) return scalarSchema(schema);
  switch (schema.kind) {
    case 'list':
      return schema.joined ? joinedSchema(schema) : listSchema(schema, derivePart(schema.item, side, referTo));
    case 'map':
      return mapSchema(schema, schema.item && derivePart(schema.item, side, referTo));
    case 'object':
      return referTo(schema);
    default:
      return schema satisfies never;
  }
}

/** The schema of an object: itself, or one of several. `itself`: refers to the object without the others. */
export function objectOrVariants(object: ObjectSchema, side: Side, referTo: ReferTo, itself: ReferTo): JsonSchema {
  const { variants } = object;
  if (variants === undefined) return derivePlainObject(object, side, referTo);
  const own = object.isAbstract ? [] : [itself(object)];
  return variantsSchema(object, [...own, ...variants.map(referTo)]);
}

/** The schema of an object without the others that may stand in its place. */
export function derivePlainObject(object: ObjectSchema, side: Side, referTo: ReferTo): JsonSchema {
  const members = Object.entries<Field>(object.fields).map(([name, field]): Member<JsonSchema> => {
    return { name, field, part: derivePart(field.schema, side, referTo) };
  });
  return object.json === undefined ? objectSchema(object, members, side) : alternativesSchema(object, members);
}

function mapSchema({ max, example, item: ofContract }: MapSchema, item: JsonSchema | undefined): JsonSchema {
  return {
    type: 'object',
    additionalProperties: item ?? { type: 'string', maxLength: textLengthMax },
    maxProperties: max,
    ...(ofContract === undefined && { examples: [example] }),
  };
}

/** A set as one text: values in any order, blanks around the commas. */
function joinedPattern({ item, max }: SetSchema): string {
  const one = `(${item.values.join('|')})`;
  return `^ *${one} *(, *${one} *){0,${max - 1}}$`;
}

/** One of several objects, which the type field names. */
function variantsSchema(schema: ObjectSchema, options: readonly JsonSchema[]): JsonSchema {
  const { typeField = '', fields, variants = [], isAbstract } = schema;
  const names = [...(isAbstract ? [] : [schema]), ...variants].map(typeNameOf);
  const mapping = options.map(({ $ref }, at) => [names[at], $ref] as const).filter(([, $ref]) => $ref !== undefined);
  const discriminator = { propertyName: jsonName(typeField, fields[typeField]), mapping: Object.fromEntries(mapping) };
  return { oneOf: options, ...(mapping.length === options.length && { discriminator }) };
}

/** The value of an entry, or of the one field that there is. */
function alternativesSchema({ json }: ObjectSchema, members: readonly Member<JsonSchema>[]): JsonSchema {
  const schemas = members.filter(({ name }) => json === 'value' || name !== 'key').map(({ part }) => part);
  const [first] = schemas;
  return first !== undefined && schemas.length === 1 ? first : { anyOf: schemas };
}

function listSchema(list: ListSchema, item: JsonSchema): JsonSchema {
  const { wrapped, itemName, max, nullItems } = list;
  const each = nullItems ? { anyOf: [item, { type: 'null' }] } : item;
  if (isEntries(list)) return { type: 'object', additionalProperties: item, maxProperties: max };
  const wrapper = {
    type: 'object',
    properties: { [itemName]: each },
    required: [itemName],
    additionalProperties: false,
  };
  return { type: 'array', items: wrapped ? wrapper : each, maxItems: max };
}

function choiceSchema({ options, exclusive, orNone, doc }: Choice, fields: Fields): JsonSchema {
  const some = options.map((names): JsonSchema => ({ required: names.map((name) => jsonName(name, fields[name])) }));
  const branches = orNone ? [...some, { not: { anyOf: some } }] : some;
  return { description: doc, ...(exclusive ? { oneOf: branches } : { anyOf: branches }) };
}

function jsonName(name: string, field: Field | undefined): string {
  return field?.json ?? name;
}

function ignoredSchema(schema: ObjectSchema): JsonSchema {
  const described = Object.entries(schema.ignoredMembers).map(
    ([name, origin]) => [name, { description: `Ignored; of ${origin}.`, deprecated: true }] as const,
  );
  return Object.fromEntries(described);
}

function objectSchema(schema: ObjectSchema, members: readonly Member<JsonSchema>[], side: Side): JsonSchema {
  const required = members.filter(({ field }) => field.required).map(({ name, field }) => jsonName(name, field));
  const fields = Object.fromEntries(
    members.map(({ name, field, part }) => [jsonName(name, field), fieldSchema(field, part)]),
  );
  const isRequest = side === 'input';
  return {
    type: 'object',
    properties: { ...fields, ...(isRequest && ignoredSchema(schema)) },
    ...(required.length > 0 && { required }),
    ...(schema.choices.length > 0 && { allOf: schema.choices.map((each) => choiceSchema(each, schema.fields)) }),
    ...(isRequest && { additionalProperties: false }),
  };
}
