/** Turns schemas of OpenAPI into those of a contract. What XSD 1.0 cannot say is JSON as text. */
import {
  binary,
  boolean,
  double,
  type Field,
  type Fields,
  isEntries,
  isRepeated,
  type ListSchema,
  list,
  map,
  mayEnd,
  type ObjectOptions,
  type ObjectSchema,
  object,
  oneOf,
  optional,
  recursive,
  required,
  type Schema,
  self,
  string,
} from '../../core/contract/index.ts';
import { bytesMax, capitalised, itemsMax, StubNames } from '../../documents/index.ts';
import { keyOf, type Node, type OpenApiDocuments, Refused } from './documents.ts';
import type { OpenApiFindings } from './findings.ts';
import { memberName, typeName } from './names.ts';
import {
  anyValue,
  asRequired,
  common,
  dateText,
  dateTimeText,
  exampleText,
  integerOf,
  isPlainText,
  mandatory,
  numberIn,
  repeatedList,
  textOptions,
  withName,
  xsdOf,
} from './scalars.ts';
import { sizeOf } from './schema-size.ts';
import { type JsonType, type Shape, Shapes, typesOf } from './shapes.ts';

/** Members of one object with all its parts, and how deep they are: JSON and FORM have 16 levels. */
const fieldsMax = 800;
const levelsMax = 12;
const enumValuesMax = 1_000;
/** Members of all types; what a document has beyond is JSON as text. */
const totalMax = 60_000;

const keyText = string({ max: 1_000, emptyString: 'invalid', example: 'key' });

/** A value of so many types may be anything. */
const openTypes = 5;
const alternativeNames: Readonly<Record<JsonType, string>> = {
  string: 'text',
  integer: 'number',
  number: 'number',
  boolean: 'boolean',
  array: 'item',
  object: 'object',
};

/** An object that is being read. */
interface OpenType {
  readonly name: string;
  readonly key: string;
  readonly mayHoldItself: boolean;
  /** The members that hold it again: `api.yaml#/components/schemas/Pet owner`. */
  readonly again: string[];
}

/** Members that are JSON as text, since their types would contain themselves too often; `all`: those of all types but their own. */
export type CutMembers = ReadonlySet<string> | 'all';

/** Schemas that are read more than once, since they mean something else in others that contain themselves. */
const readAgainMax = 1_000;
/** Types that contain themselves in each other. */
const openMax = 4;
const depthMax = 60;

/** How members of a message are read: those of files as bytes. */
export class SchemaReader {
  readonly documents: OpenApiDocuments;
  readonly findings: OpenApiFindings;
  readonly names = new StubNames();
  readonly #shapes: Shapes;
  readonly #known = new Map<string, Schema>();
  readonly #typeNames = new Map<string, string>();
  readonly #open: OpenType[] = [];
  /** The lists that are being read, each with the number of objects around it. */
  readonly #openLists = new Set<string>();
  /** The members that are being read. */
  readonly #members: string[] = [];
  /** The open types that what is read now depends on. */
  #free = new Set<string>();
  /** Whether each member is JSON as text. */
  readonly #isText = new Map<string, boolean>();
  readonly #cut: CutMembers;
  /** Further members to cut: those of a type are the same wherever it is, so all is read again with them. */
  readonly tooMany = new Set<string>();
  /** The fields that no answer has, as `Type.field`. */
  readonly writeOnly = new Set<string>();
  #depth = 0;
  #readAgain = 0;
  #total = 0;

  constructor(documents: OpenApiDocuments, findings: OpenApiFindings, cut: CutMembers) {
    this.documents = documents;
    this.findings = findings;
    this.#shapes = new Shapes(documents);
    this.#cut = cut;
  }

  /** Whether types contain each other in more ways than are tried. */
  get isTangled(): boolean {
    return this.#readAgain > readAgainMax;
  }

  shapeOf(node: Node): Shape {
    return this.#shapes.of(node);
  }

  /** `hint`: the name of a type that has none. Each schema is read once. */
  schema(written: Node, hint: string): Schema {
    const node = this.#shapes.componentOf(written);
    const key = keyOf(node);
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    if (this.#open.some((each) => each.key === key)) return this.#again(key, node);
    if (this.#depth > depthMax) return this.#asText(node, 'schemas are too deep in each other');
    const around = this.#free;
    this.#free = new Set();
    this.#depth += 1;
    try {
      const schema = this.#read(node, key, hint);
      this.#free.delete(key);
      if (this.#free.size > 0) this.#readAgain += 1;
      // What stands for an object around it means nothing elsewhere.
      if (this.#free.size === 0 || this.#cut === 'all' || this.isTangled) this.#known.set(key, schema);
      return schema;
    } finally {
      this.#depth -= 1;
      for (const each of this.#free) around.add(each);
      this.#free = around;
    }
  }

  /** An object within itself. */
  #again(key: string, node: Node): Schema {
    const at = this.#open.findLastIndex((each) => each.key === key);
    const found = this.#open[at]!;
    const member = this.#members.at(-1) ?? '';
    this.#free.add(key);
    const distance = this.#open.length - at;
    if (this.#cut === 'all' ? distance > 1 || !found.mayHoldItself : distance > openMax) {
      this.tooMany.add(member);
      return this.#asText(node, 'the type contains itself through others');
    }
    found.again.push(member);
    return self(found.name);
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
    if (others.length > 0) return this.#alternatives(shape, types, key, hint);
    return this.#ofType(type, shape, key, hint);
  }

  #ofType(type: JsonType | undefined, shape: Shape, key: string, hint: string): Schema {
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
        return this.#list(shape, key, hint);
      case 'object':
        return this.#object(shape, key, hint);
      default:
        return this.#asText(shape.node, 'a value may be anything');
    }
  }

  #string({ node, format, values, example }: Shape, key: string, hint: string): Schema {
    if (format === 'date') return dateText;
    if (format === 'date-time') return dateTimeText;
    if (format === 'byte' || format === 'binary')
      return binary({ max: bytesMax, whenEmpty: 'present', example: 'aGVsbG8=' });
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
      ...textOptions,
      example: exampleText(example),
      ...(format === 'password' && { sensitive: true as const }),
    });
  }

  /** A choice of elements for values of several types, where one of these has parts. */
  #alternatives(shape: Shape, types: ReadonlySet<JsonType>, key: string, hint: string): Schema {
    const { node } = shape;
    const reason = `a value may be ${[...types].join(' or ')}`;
    const hasParts = types.has('object') || types.has('array');
    if (!hasParts || types.size >= openTypes) return this.#asText(node, reason);
    const names = [...types].filter((type) => type !== 'integer' || !types.has('number'));
    const one: Shape = { ...shape, isUnion: false };
    const fields = Object.fromEntries(
      names.map((type) => {
        const field = alternativeNames[type];
        return [field, optional(withName(this.#ofType(type, one, key, hint), field))];
      }),
    );
    const schemas = Object.values(fields).map(({ schema }) => schema);
    if (schemas.some((each) => each === anyValue || (each.kind === 'object' && each.json !== undefined)))
      return this.#asText(node, reason);
    const name = this.#nameOf(node, key, hint, 'Choice');
    this.findings.add('changed', node, `${reason}: ${name} has an element for each, of which one is there`);
    return object(name, fields, {
      json: 'value',
      choices: [
        {
          options: Object.keys(fields).map((name) => [name]),
          exclusive: true,
          orNone: true,
          problem: 'missingField',
          doc: 'One of these.',
        },
      ],
    });
  }

  #list({ node, items }: Shape, key: string, hint: string): Schema {
    if (items === undefined) return repeatedList(anyValue, 'item');
    // Objects between a list and itself have levels.
    const list = `${this.#open.length} ${key}`;
    if (this.#openLists.has(list)) {
      this.#free.add(key);
      return this.#asText(node, 'a list contains itself');
    }
    this.#openLists.add(list);
    try {
      return repeatedList(this.#withElement(this.schema(items, singular(hint)), node, key, hint), 'item');
    } finally {
      this.#openLists.delete(list);
    }
  }

  /** A list or a map in a list has an element of its own, which JSON does not have. */
  #withElement(schema: Schema, node: Node, key: string, hint: string): Schema {
    if (schema.kind === 'map')
      return this.#withElement(
        this.#entries(string({ ...textOptions, example: 'text' }), node, key, hint),
        node,
        key,
        hint,
      );
    if (schema.kind !== 'list' || schema.joined) return schema;
    const name = this.#nameOf(node, key, hint, 'Item');
    const field = isEntries(schema) ? 'entry' : 'item';
    return object(name, { [field]: optional(repeatedList(schema.item, field, {})) }, { json: 'value' });
  }

  /** A map is a list of entries, each with a key and a value. */
  #entries(value: Schema, node: Node, key: string, hint: string): ListSchema {
    const xsd = xsdOf(value);
    // Its key says that it is there.
    const named = isRepeated(value) ? repeatedList(value.item, 'value', {}) : value;
    const entry = object(
      this.#nameOf(node, key, hint, 'Entry'),
      { key: required(keyText), value: optional(named, '', { ...(xsd && { xsd }) }) },
      { json: 'entry' },
    );
    return list(entry, 'entry', { max: itemsMax, whenEmpty: 'present' });
  }

  #object(shape: Shape, key: string, hint: string): Schema {
    const { node, properties, additional } = shape;
    if (properties.size === 0) {
      if (additional === undefined || additional === true)
        return this.#asText(node, 'an object has members of any name');
      if ([...typesOf(this.#shapes.of(additional))].join() === 'string')
        return map(itemsMax, { key: 'text' }, { whenEmpty: 'present' });
      const value = this.schema(additional, `${hint}Value`);
      return value === anyValue
        ? this.#asText(node, 'an object has members of any name')
        : this.#entries(value, node, key, hint);
    }
    const name = this.#nameOf(node, key, hint);
    const read = (mayHoldItself: boolean): { readonly template: ObjectSchema; readonly again: readonly string[] } => {
      const open: OpenType = { name, key, mayHoldItself, again: [] };
      this.#open.push(open);
      try {
        const fields = this.fields(shape, name);
        return { template: object(name, fields, objectOptionsOf(fields)), again: open.again };
      } finally {
        this.#open.pop();
      }
    };
    const { template, again } = read(true);
    let found: Schema | undefined = template;
    if (again.length > 0) {
      found = mayEnd(template) ? recursive(template) : undefined;
      for (const each of found === undefined ? again : []) this.tooMany.add(each);
      found ??= this.#cut === 'all' ? read(false).template : anyValue;
    }
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

  /**
   * The fields of an object, under names that are unique among `names`. `mayBeLeftOut`: with all its members, where a caller in SOAP sends
   * none of them.
   */
  fields(
    { node, properties, required }: Shape,
    type: string,
    names = new StubNames(),
    { mayBeLeftOut = false } = {},
  ): Record<string, Field> {
    const fields: Record<string, Field> = {};
    let count = 0;
    for (const [name, nodes] of properties) {
      const field = names.take(memberName(name));
      const member = `${keyOf(node)} ${name}`;
      const isCut = this.#cut !== 'all' && this.#cut.has(member);
      const found = this.findings.attempt(`the member ${name} is left out`, () => {
        this.#members.push(member);
        try {
          return this.#member(nodes, `${type}${capitalised(field)}`, isCut);
        } finally {
          this.#members.pop();
        }
      });
      if (found === undefined) continue;
      let { schema } = found;
      const { fields: inner, depth } = sizeOf(schema);
      if (count + inner > fieldsMax || depth > levelsMax || this.#total > totalMax) {
        schema = this.#asText(nodes[0] ?? node, 'a type is too large, or too deep in others');
      }
      const isText = schema === anyValue;
      if (this.#isText.has(member) && this.#isText.get(member) !== isText) this.tooMany.add(member);
      this.#isText.set(member, isText);
      count += 1 + (schema === found.schema ? inner : 0);
      this.#total += 1;
      schema = withName(schema, field);
      if (nodes.some((each) => this.#isWriteOnly(each))) this.writeOnly.add(`${type}.${field}`);
      const isRequired = required.has(name) && !found.shape.isNullable;
      if (isRequired && !mayBeLeftOut && !nodes.some(isReadOnly)) schema = asRequired(schema);
      const xsd = xsdOf(schema);
      fields[field] = optional(schema, found.shape.doc, {
        ...(field !== name && { json: name }),
        ...(xsd !== undefined && { xsd }),
        ...(isRequired && mandatory(schema, xsd)),
      });
    }
    return fields;
  }

  /** Beside a reference, or in the schema that it leads to. */
  #isWriteOnly(node: Node): boolean {
    const isMarked = ({ value }: Node): boolean => Object(value).writeOnly === true;
    return isMarked(node) || isMarked(this.#shapes.componentOf(node));
  }

  /** A member that alternatives declare in different ways is what they have in common. */
  #member(nodes: readonly Node[], hint: string, isCut: boolean): { readonly schema: Schema; readonly shape: Shape } {
    const [first, ...others] = nodes;
    const shape = this.#shapes.of(first!);
    if (isCut) return { schema: this.#asText(first!, 'the type contains itself too often'), shape };
    const schema = this.schema(first!, hint);
    if (others.length === 0) return { schema, shape };
    const all = [schema, ...others.map((each) => this.schema(each, hint))];
    return { schema: common(all) ?? this.#asText(first!, 'a member has several types'), shape };
  }

  /** `suffix`: of a type that the document does not have. */
  #nameOf(node: Node, key: string, hint: string, suffix = ''): string {
    const known = this.#typeNames.get(key + suffix);
    if (known !== undefined) return known;
    const name = this.names.take(typeName(nameInPointer(node.pointer) ?? hint) + suffix);
    this.#typeNames.set(key + suffix, name);
    return name;
  }

  /** Throws Refused where a node is no object. */
  requireObject(node: Node): Readonly<Record<string, unknown>> {
    if (typeof node.value === 'object' && node.value !== null && !Array.isArray(node.value))
      return node.value as Readonly<Record<string, unknown>>;
    throw new Refused(node, 'no object');
  }
}

/** An object without members is a value where no member but lists and maps must be there. */
function objectOptionsOf(fields: Fields): ObjectOptions {
  const mayBeEmpty = Object.values(fields).every(({ mandatoryInStubs }) => mandatoryInStubs === undefined);
  return mayBeEmpty ? { emptyObject: 'present' } : {};
}

/** No request has it. */
function isReadOnly({ value }: Node): boolean {
  return typeof value === 'object' && value !== null && 'readOnly' in value && value.readOnly === true;
}

/** Of a component, or of what is declared in one: `Pet`, `PetStatus`. */
function nameInPointer(pointer: string): string | undefined {
  const [, own = '', within = ''] =
    /^\/(?:components\/(?:schemas|responses|requestBodies)|definitions)\/([^/]+)((?:\/(?:properties\/[^/]+|items|additionalProperties|(?:all|one|any)Of\/\d+))*)$/.exec(
      pointer,
    ) ?? [];
  if (own === '') return undefined;
  const members = [...within.matchAll(/\/properties\/([^/]+)|\/(items)/g)].map(
    ([, name, item]) => name ?? capitalised(item!.slice(0, -1)),
  );
  return [own, ...members].map((each) => each.replaceAll('~1', '/').replaceAll('~0', '~')).join(' ');
}

function singular(hint: string): string {
  return hint.length > 3 && /[^su]s$/.test(hint) ? hint.slice(0, -1) : `${hint}Item`;
}
