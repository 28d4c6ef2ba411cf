/** Derives JSON Schema (2020-12, as OpenAPI 3.1 uses it) from the schemas of a contract. */
import {
  type Choice,
  type Field,
  type ListSchema,
  type ObjectSchema,
  type ScalarSchema,
  type Schema,
  type SetSchema,
  textLengthMax,
} from '../contract/schema.ts';
import { type Member, walk } from '../contract/walk.ts';
import { lengthsOf } from './lengths.ts';

export type JsonSchema = { readonly [keyword: string]: unknown };

/** Requests accept no member that is not listed. Responses may gain members, so they allow others. */
export type Side = 'input' | 'output';

/** Decides where the schema of an object goes: inline, or into a component with a reference to it. */
export type Place = (shape: ObjectSchema, schema: JsonSchema, side: Side) => JsonSchema;

export const inPlace: Place = (_, schema) => schema;

/** A set as one text: values in any order, blanks around the commas. */
const joinedPattern = ({ item, max }: SetSchema): string => {
  const one = `(${item.values.join('|')})`;
  return `^ *${one} *(, *${one} *){0,${max - 1}}$`;
};

export const scalarSchema = (shape: ScalarSchema): JsonSchema => {
  switch (shape.kind) {
    case 'string': {
      const { min, max } = lengthsOf(shape);
      return {
        type: 'string',
        ...(min > 0 && { minLength: min }),
        maxLength: max,
        ...(shape.pattern !== undefined && { pattern: `^(${shape.pattern})$` }),
        ...(shape.sensitive && { format: 'password' }),
        examples: [shape.example],
      };
    }
    case 'integer':
      return { type: 'integer', minimum: shape.min, maximum: shape.max, examples: [shape.example] };
    case 'boolean':
      return { type: 'boolean', examples: [shape.example] };
    case 'dateTime':
      return {
        type: 'string',
        format: 'date-time',
        examples: [new Date(shape.example).toISOString().replace('.000Z', 'Z')],
      };
    case 'enum':
      return { type: 'string', enum: shape.values };
    default:
      return shape satisfies never;
  }
};

export const joinedSchema = (shape: SetSchema): JsonSchema => ({
  type: 'string',
  pattern: joinedPattern(shape),
  examples: [shape.item.values.slice(0, 2).join(',')],
});

const listSchema = ({ wrapped, itemName, max }: ListSchema, item: JsonSchema): JsonSchema => {
  const wrapper = {
    type: 'object',
    properties: { [itemName]: item },
    required: [itemName],
    additionalProperties: false,
  };
  return { type: 'array', items: wrapped ? wrapper : item, maxItems: max };
};

const choiceSchema = ({ options, exclusive, orNone, doc }: Choice): JsonSchema => {
  const some = options.map((required): JsonSchema => ({ required }));
  const branches = orNone ? [...some, { not: { anyOf: some } }] : some;
  return { description: doc, ...(exclusive ? { oneOf: branches } : { anyOf: branches }) };
};

/** An empty text counts as absent, so a required text has at least one character. */
export const fieldSchema = ({ schema: shape, required, doc }: Field, part: JsonSchema): JsonSchema => ({
  ...part,
  ...(required && shape.kind === 'string' && part.minLength === undefined && { minLength: 1 }),
  description: doc,
});

const ignoredSchema = (shape: ObjectSchema): JsonSchema =>
  Object.fromEntries(shape.ignoredMembers.map((name) => [name, { description: 'Ignored.', deprecated: true }]));

const objectSchema = (shape: ObjectSchema, members: readonly Member<JsonSchema>[], side: Side): JsonSchema => {
  const required = members.filter(({ field }) => field.required).map(({ name }) => name);
  const fields = Object.fromEntries(members.map(({ name, field, part }) => [name, fieldSchema(field, part)]));
  const isRequest = side === 'input';
  return {
    type: 'object',
    properties: { ...fields, ...(isRequest && ignoredSchema(shape)) },
    ...(required.length > 0 && { required }),
    ...(shape.choices.length > 0 && { allOf: shape.choices.map(choiceSchema) }),
    ...(isRequest && { additionalProperties: false }),
  };
};

/** Objects are nested inline unless `place` moves them. */
export const deriveJsonSchema = (shape: Schema, side: Side, place: Place = inPlace): JsonSchema =>
  walk<JsonSchema>(shape, {
    scalar: scalarSchema,
    joined: joinedSchema,
    list: listSchema,
    map: ({ max, example }, item) => ({
      type: 'object',
      additionalProperties: item ?? { type: 'string', maxLength: textLengthMax },
      maxProperties: max,
      ...(item === undefined && { examples: [example] }),
    }),
    object: (object, members) => place(object, objectSchema(object, members, side), side),
  });
