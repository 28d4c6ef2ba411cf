/** Turns schemas of OpenAPI into those of a contract. What XSD 1.0 cannot say is JSON as text. */
import { recursive, self } from '../../contract/recursive.ts';
import { binaryLengthMax } from '../../contract/scalar.ts';
import {
  binary,
  boolean,
  double,
  type Field,
  integer,
  list,
  map,
  type ObjectSchema,
  object,
  oneOf,
  optional,
  type Schema,
  type StringSchema,
  string,
  type XsdType,
} from '../../contract/schema.ts';
import { escapeUnprintable } from '../../lib/escape-unprintable.ts';
import { sizeOf } from '../wsdl/schema-size.ts';
import { type Node, type OpenApiDocuments, Refused } from './documents.ts';
import type { OpenApiFindings } from './findings.ts';
import { capitalise, memberName, StubNames, typeName } from './names.ts';
import { type Shape, Shapes, textOf, typesOf } from './shapes.ts';

/** Where a document sets no limit, or sets one: its server checks it. */
export const textMax = 1_000_000;
export const itemsMax = 10_000;
/** Members of one object with all its parts, and how deep they are: JSON and FORM have 16 levels. */
const fieldsMax = 800;
const levelsMax = 12;
const recursionLevels = [4, 3, 2] as const;
const recursionFieldsMax = 400;
const enumValuesMax = 1_000;
/** Members of all types; what a document has beyond is JSON as text. */
const totalMax = 60_000;

const text = { max: textMax, emptyString: 'invalid' } as const;
const dateText = string({ ...text, example: '2026-01-31' });
const dateTimeText = string({ ...text, example: '2026-01-31T12:00:00Z' });
export const anyValue: StringSchema = string({ ...text, json: 'value', example: '{}' });

/** The type in the WSDL of a scalar that is a text in the contract. */
export function xsdOf(schema: Schema): XsdType | undefined {
  if (schema === dateText) return 'date';
  return schema === dateTimeText ? 'dateTime' : undefined;
}

interface OpenType {
  readonly name: string;
  readonly key: string;
  readonly mayHoldItself: boolean;
  holdsItself: boolean;
}

/** How members of a message are read: those of files as bytes. */
export class SchemaReader {
  readonly documents: OpenApiDocuments;
  readonly findings: OpenApiFindings;
  readonly names = new StubNames();
  readonly #shapes: Shapes;
  readonly #known = new Map<string, Schema>();
  readonly #typeNames = new Map<string, string>();
  readonly #open: OpenType[] = [];
  readonly #openKeys = new Set<string>();
  #selves = 0;
  #total = 0;

  constructor(documents: OpenApiDocuments, findings: OpenApiFindings) {
    this.documents = documents;
    this.findings = findings;
    this.#shapes = new Shapes(documents);
  }

  shapeOf(node: Node): Shape {
    return this.#shapes.of(node);
  }

  /** `hint`: the name of a type that has none. Each schema is read once. */
  schema(node: Node, hint: string): Schema {
    const key = `${node.url}#${node.pointer}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    if (this.#openKeys.has(key)) return this.#again(key, node);
    if (this.#openKeys.size > 60) return this.#asText(node, 'schemas are too deep in each other');
    const before = this.#selves;
    this.#openKeys.add(key);
    let schema: Schema;
    try {
      schema = this.#read(node, key, hint);
    } finally {
      this.#openKeys.delete(key);
    }
    // What stands for an object around it means nothing elsewhere.
    if (this.#selves === before || (schema.kind === 'object' && !schema.isSelf)) this.#known.set(key, schema);
    return schema;
  }

  /** A schema within itself. */
  #again(key: string, node: Node): Schema {
    const innermost = this.#open.at(-1);
    if (innermost?.key !== key || !innermost.mayHoldItself)
      return this.#asText(node, 'the type contains itself through others');
    innermost.holdsItself = true;
    this.#selves += 1;
    return self(innermost.name);
  }

  #asText(node: Node, reason: string): Schema {
    this.findings.add('changed', node, `${reason}: it is JSON as text in SOAP and FORM`);
    return anyValue;
  }

  #read(node: Node, key: string, hint: string): Schema {
    const shape = this.#shapes.of(node);
    const types = typesOf(shape);
    if (types.size === 2 && types.has('integer') && types.has('number')) return double(numberIn(shape.example) ?? 1.5);
    const [type, ...others] = types;
    if (others.length > 0) return this.#asText(node, `a value may be ${[...types].join(' or ')}`);
    switch (type) {
      case 'string':
        return this.#string(shape, key, hint);
      case 'integer':
        return integerOf(shape);
      case 'number':
        return double(numberIn(shape.example) ?? 1.5);
      case 'boolean':
        return boolean(typeof shape.example === 'boolean' ? shape.example : true);
      case 'array':
        return this.#list(shape, hint);
      case 'object':
        return this.#object(shape, key, hint);
      default:
        return this.#asText(node, 'a value may be anything');
    }
  }

  #string({ node, format, values, example }: Shape, key: string, hint: string): Schema {
    if (format === 'date') return dateText;
    if (format === 'date-time') return dateTimeText;
    if (format === 'byte' || format === 'binary') return binary({ max: binaryLengthMax, example: 'aGVsbG8=' });
    if (values !== undefined) {
      const texts = [...new Set(values)].filter((each) => typeof each === 'string' && each !== '') as string[];
      const isFit = texts.every((each) => isPlainText(each) && each === each.trim() && !/ {2}/.test(each));
      if (isFit && texts.length > 0 && texts.length <= enumValuesMax)
        return oneOf(this.#nameOf(node, key, hint), ...texts);
      if (texts.length > 0)
        this.findings.add(
          'changed',
          node,
          'an enumeration with values that XML cannot have, or with very many, is a text',
        );
    }
    return string({
      ...text,
      example: exampleText(example),
      ...(format === 'password' && { sensitive: true as const }),
    });
  }

  #list(shape: Shape, hint: string): Schema {
    const { node, items } = shape;
    const item = items === undefined ? anyValue : this.schema(items, singular(hint));
    const isPlain = item.kind !== 'list' && item.kind !== 'map';
    if (!isPlain)
      this.findings.add(
        'changed',
        items ?? node,
        'a list in a list, or a map in one, is JSON as text in SOAP and FORM',
      );
    const xsd = xsdOf(item);
    return list(isPlain ? item : anyValue, 'item', { repeated: true, max: itemsMax, ...(xsd && { xsd }) });
  }

  #object(shape: Shape, key: string, hint: string): Schema {
    const { node, properties, additional } = shape;
    if (properties.size === 0) {
      const isMapOfTexts =
        additional !== undefined &&
        additional !== true &&
        [...typesOf(this.#shapes.of(additional))].join() === 'string';
      if (isMapOfTexts) return map(itemsMax, { key: 'text' });
      return this.#asText(node, 'an object has members of any name');
    }
    const name = this.#nameOf(node, key, hint);
    const read = (mayHoldItself: boolean): { readonly template: ObjectSchema; readonly holdsItself: boolean } => {
      const open: OpenType = { name, key, mayHoldItself, holdsItself: false };
      this.#open.push(open);
      try {
        return { template: object(name, this.fields(shape, name)), holdsItself: open.holdsItself };
      } finally {
        this.#open.pop();
      }
    };
    const { template, holdsItself } = read(true);
    const found = holdsItself ? (this.#unrolled(node, template) ?? read(false).template) : template;
    if (shape.isUnion)
      this.findings.add(
        'changed',
        node,
        `${name} is one of several types: it has the members of all of them, and each may be absent`,
      );
    if (additional !== undefined)
      this.findings.add(
        'changed',
        node,
        `${name} may have members of any name, which callers in SOAP and FORM neither send nor see`,
      );
    return found;
  }

  #unrolled(node: Node, template: ObjectSchema): ObjectSchema | undefined {
    for (const levels of recursionLevels) {
      try {
        const unrolled = recursive(template, levels);
        const { fields, depth } = sizeOf(unrolled);
        if (fields > recursionFieldsMax || depth > levelsMax) continue;
        this.findings.add('changed', node, `${template.name} may be ${levels} deep in itself`);
        return unrolled;
      } catch (thrown) {
        // It contains nothing else.
        if (!(thrown instanceof TypeError)) throw thrown;
      }
    }
    return undefined;
  }

  /** The fields of an object, under names that are unique among `names`. */
  fields({ node, properties, required }: Shape, type: string, names = new StubNames()): Record<string, Field> {
    const fields: Record<string, Field> = {};
    let count = 0;
    for (const [name, nodes] of properties) {
      const field = names.take(memberName(name));
      const found = this.findings.attempt(`the member ${name} is left out`, () =>
        this.#member(nodes, `${type}${capitalise(field)}`),
      );
      if (found === undefined) continue;
      let { schema } = found;
      const { fields: inner, depth } = sizeOf(schema);
      if (count + inner > fieldsMax || depth > levelsMax || this.#total > totalMax) {
        schema = this.#asText(nodes[0] ?? node, 'a type is too large, or too deep in others');
      }
      count += 1 + (schema === found.schema ? inner : 0);
      this.#total += 1;
      if (schema.kind === 'list' && !schema.joined)
        schema = list(schema.item, field, { repeated: true, max: itemsMax, ...(schema.xsd && { xsd: schema.xsd }) });
      const xsd = xsdOf(schema);
      fields[field] = optional(schema, found.shape.doc, {
        ...(field !== name && { json: name }),
        ...(xsd !== undefined && { xsd }),
        ...(required.has(name) && !found.shape.isNullable && mandatory(schema, xsd)),
      });
    }
    return fields;
  }

  /** A member that alternatives declare in different ways is what they have in common. */
  #member(nodes: readonly Node[], hint: string): { readonly schema: Schema; readonly shape: Shape } {
    const [first, ...others] = nodes;
    const shape = this.#shapes.of(first!);
    const schema = this.schema(first!, hint);
    if (others.length === 0) return { schema, shape };
    const all = [schema, ...others.map((each) => this.schema(each, hint))];
    return { schema: common(all) ?? this.#asText(first!, 'a member has several types'), shape };
  }

  #nameOf(node: Node, key: string, hint: string): string {
    const known = this.#typeNames.get(key);
    if (known !== undefined) return known;
    const name = this.names.take(typeName(nameInPointer(node.pointer) ?? hint));
    this.#typeNames.set(key, name);
    return name;
  }

  /** Throws Refused where a node is no object. */
  requireObject(node: Node): Readonly<Record<string, unknown>> {
    if (typeof node.value === 'object' && node.value !== null && !Array.isArray(node.value))
      return node.value as Readonly<Record<string, unknown>>;
    throw new Refused(node, 'no object');
  }
}

/** Of a component, or of what is declared in one: `Pet`, `PetStatus`. */
function nameInPointer(pointer: string): string | undefined {
  const [, own = '', within = ''] =
    /^\/(?:components\/(?:schemas|responses|requestBodies)|definitions)\/([^/]+)((?:\/(?:properties\/[^/]+|items|additionalProperties|(?:all|one|any)Of\/\d+))*)$/.exec(
      pointer,
    ) ?? [];
  if (own === '') return undefined;
  const members = [...within.matchAll(/\/properties\/([^/]+)|\/(items)/g)].map(
    ([, name, item]) => name ?? capitalise(item!.slice(0, -1)),
  );
  return [own, ...members].map((each) => each.replaceAll('~1', '/').replaceAll('~0', '~')).join(' ');
}

/** What the WSDL declares for a member that must be there: the server checks it. */
function mandatory(schema: Schema, xsd: XsdType | undefined): Pick<Field, 'mandatoryInStubs'> {
  if (schema.kind === 'list' || schema.kind === 'map') return {};
  return { mandatoryInStubs: schema.kind === 'string' && xsd === undefined ? 'empty' : 'nillable' };
}

/** A scalar that can say what all of these say. */
function common(schemas: readonly Schema[]): Schema | undefined {
  const [first] = schemas;
  if (schemas.every((each) => each === first)) return first;
  const kinds = new Set(schemas.map(({ kind }) => kind));
  if ([...kinds].every((kind) => kind === 'string' || kind === 'enum') && !schemas.includes(anyValue))
    return string({ ...text, example: 'text' });
  if ([...kinds].every((kind) => kind === 'integer'))
    return integer(-Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER, 0);
  if ([...kinds].every((kind) => kind === 'integer' || kind === 'double')) return double(1.5);
  return kinds.size === 1 && (kinds.has('boolean') || kinds.has('binary')) ? first : undefined;
}

function integerOf({ format, example }: Shape): Schema {
  const max = format === 'int32' ? 2 ** 31 - 1 : Number.MAX_SAFE_INTEGER;
  const min = format === 'int32' ? -(2 ** 31) : -Number.MAX_SAFE_INTEGER;
  const found = numberIn(example);
  return integer(min, max, found !== undefined && Number.isInteger(found) && found >= min && found <= max ? found : 1);
}

function numberIn(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

function exampleText(value: unknown): string {
  const example = typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '';
  return example !== '' && example.length <= 100 && isPlainText(example) ? example : 'text';
}

/** One line that every format can carry. */
export function isPlainText(value: string): boolean {
  return value.length <= 200 && value.isWellFormed() && escapeUnprintable(value) === value;
}

function singular(hint: string): string {
  return hint.length > 3 && /[^su]s$/.test(hint) ? hint.slice(0, -1) : `${hint}Item`;
}

export { textOf };
