/** The XSD types of a service. Schemas with the same name become one type that accepts each of them. */
import { membersOf, qualifiedName, type RecordMember, type RecordType, recordTypes } from '../contract/record-types.ts';
import type { EnumSchema, Field, ListSchema, ObjectSchema, ScalarSchema, Schema } from '../contract/schema.ts';
import { elementAround, namedOperations, namespacesOf, type Service } from '../contract/service.ts';
import { type Lengths, lengthsOf, widest } from './lengths.ts';

/** A type by its qualified name (`xsd:string`, `payment:Card`), with lengths for a text. */
export interface TypeUse {
  readonly name: string;
  readonly lengths?: Lengths | undefined;
}

export interface Element {
  readonly name: string;
  readonly type: TypeUse;
  /** Always there and never nil. */
  readonly isMandatory: boolean;
  readonly isNillable: boolean;
  readonly doc?: string;
}

export interface Attribute {
  readonly name: string;
  readonly type: TypeUse;
  readonly isRequired: boolean;
  readonly doc: string;
}

/** The content of the elements of a record type. */
export interface RecordContent {
  readonly elements: readonly Element[];
  readonly attributes: readonly Attribute[];
}

export interface Types {
  /** Elements in the order of the contract, by qualified name; sorted by name. */
  readonly records: ReadonlyMap<string, RecordContent>;
  readonly enumerations: ReadonlyMap<string, readonly string[]>;
  /** The content of each operation's element that holds the fields itself, by its local name. */
  readonly messages: ReadonlyMap<string, RecordContent>;
  /** The one element of each list type. */
  readonly lists: ReadonlyMap<string, Element>;
  /** The qualified name of the map type, where a map is used. */
  readonly map?: string | undefined;
}

const plainText: TypeUse = { name: 'xsd:string' };

/** The namespace of a qualified name. */
export function namespaceOf(qualified: string): string {
  return qualified.slice(0, qualified.indexOf(':'));
}

/** The name without its namespace. */
export function localName(qualified: string): string {
  return qualified.slice(qualified.indexOf(':') + 1);
}

/** All types that the operations of a service use. */
export function collectTypes(service: Service): Types {
  const { own } = namespacesOf(service);
  const enumerations = new Map<string, readonly string[]>();
  const lists = new Map<string, Element>();
  let map: string | undefined;

  const typeOf = (schema: Schema): TypeUse => {
    switch (schema.kind) {
      case 'list':
        return schema.joined ? plainText : listType(schema);
      case 'map':
        map = `${own}:anyType2anyTypeMap`;
        return { name: map };
      case 'object':
        return { name: qualifiedName(schema, service) };
      default:
        return scalarType(schema);
    }
  };

  const listType = ({ itemName, item }: ListSchema): TypeUse => {
    const name = `${own}:ArrayOf${capitalised(itemName)}`;
    lists.set(name, { name: itemName, type: typeOf(item), isMandatory: false, isNillable: true });
    return { name };
  };

  const fieldType = (namespace: string, field: Field): TypeUse => {
    const { schema } = field;
    if (schema.kind === 'string') return textType(field);
    if (schema.kind !== 'enum' || !isNamed(schema)) return typeOf(schema);
    const name = `${namespace}:${schema.name}`;
    enumerations.set(name, [...new Set([...(enumerations.get(name) ?? []), ...schema.values])]);
    return { name };
  };

  const memberType = (namespace: string, { name, fields }: RecordMember): TypeUse =>
    fields.map((field) => fieldType(namespace, field)).reduce((a, b) => either(name, a, b));

  const contentOf = ({ namespace, members }: Pick<RecordType, 'namespace' | 'members'>): RecordContent => ({
    elements: members
      .filter(({ isAttribute }) => !isAttribute)
      .map((member) => {
        const { name, isMandatory, isNillable } = member;
        return { name, type: memberType(namespace, member), isMandatory, isNillable, doc: docOf(member) };
      }),
    attributes: members
      .filter(({ isAttribute }) => isAttribute)
      .map((member) => {
        const { name, isMandatory: isRequired } = member;
        return { name, type: memberType(namespace, member), isRequired, doc: docOf(member) };
      }),
  });

  const records = new Map([...recordTypes(service)].map(([name, type]) => [name, contentOf(type)]));
  const messages = new Map<string, RecordContent>();
  const addMessage = (name: string, side: 'input' | 'output', schema: ObjectSchema) => {
    if (elementAround(service, side) === undefined)
      messages.set(name, contentOf({ namespace: own, members: membersOf(schema, service) }));
  };
  for (const { name, input, output } of namedOperations(service)) {
    addMessage(name, 'input', input);
    addMessage(`${name}Response`, 'output', output);
  }
  return { records, messages, enumerations: byName(enumerations), lists: byName(lists), map };
}

/** Stubs turn the values of an enumeration into constants, so an enumeration whose values are no names is text. */
function isNamed(schema: EnumSchema): boolean {
  return schema.values.every((value) => /^[A-Za-z_][\w.-]*$/.test(value));
}

function docOf({ fields }: RecordMember): string {
  return [...new Set(fields.map(({ doc }) => doc))].join(' ');
}

function scalarType(schema: ScalarSchema): TypeUse {
  switch (schema.kind) {
    case 'string':
    case 'enum':
      return plainText;
    case 'integer':
      return { name: schema.min >= -(2 ** 31) && schema.max < 2 ** 31 ? 'xsd:int' : 'xsd:long' };
    case 'boolean':
      return { name: 'xsd:boolean' };
    case 'dateTime':
      return { name: 'xsd:dateTime' };
    case 'decimal':
      return { name: 'xsd:decimal' };
    case 'date':
      return { name: 'xsd:date' };
    case 'binary':
      return { name: 'xsd:base64Binary' };
    default:
      return schema satisfies never;
  }
}

/** Texts are plain `xsd:string` unless the contract says otherwise, so that raising a limit breaks no caller that validates. */
function textType({ schema, lengthsInStubs, required }: Field): TypeUse {
  if (schema.kind !== 'string' || !lengthsInStubs) return plainText;
  const { min, max } = lengthsOf(schema);
  return { ...plainText, lengths: { min: required ? Math.max(min, 1) : min, max } };
}

function either(name: string, a: TypeUse, b: TypeUse): TypeUse {
  if (a.name !== b.name) throw new TypeError(`${name} is ${a.name} here and ${b.name} there`);
  return { name: a.name, lengths: a.lengths && b.lengths && widest(a.lengths, b.lengths) };
}

function capitalised(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}

function byName<T>(entries: ReadonlyMap<string, T>): ReadonlyMap<string, T> {
  return new Map([...entries].sort(([a], [b]) => (a < b ? -1 : 1)));
}
