/** The XSD types of a service. Schemas with the same name become one type that accepts each of them. */

import { elementName } from '../contract/operation.ts';
import {
  isRepeated,
  membersOf,
  qualifiedName,
  type RecordMember,
  type RecordType,
  recordTypes,
} from '../contract/record-types.ts';
import type { EnumSchema, Field, ListSchema, ScalarSchema, Schema } from '../contract/schema.ts';
import { elementAround, faultsOf, namedOperations, namespacesOf, type Service } from '../contract/service.ts';
import { type Lengths, lengthsOf, widest } from './lengths.ts';
import { capitalised } from './names.ts';

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
  /** The items of a list. */
  readonly isRepeated?: boolean;
  /** Where it is another than the default of its schema. */
  readonly form?: 'qualified' | 'unqualified';
  /** The qualified name of a global element, for one of another namespace. */
  readonly reference?: string;
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
  /** The type of the text, in an element without others. */
  readonly text?: TypeUse;
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
  /** Elements that types of other namespaces, or faults, refer to, by qualified name. */
  readonly globals: ReadonlyMap<string, TypeUse>;
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
  const { own, unqualified = [] } = namespacesOf(service);
  const globals = new Map<string, TypeUse>();
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

  /** How an element of a type in a namespace has another one. */
  const placeOf = (namespace: string, name: string, type: TypeUse, given: string | undefined) => {
    const isUnqualified = unqualified.includes(namespace);
    if (given === undefined) return {};
    if (given === '') return isUnqualified ? {} : { form: 'unqualified' as const };
    if (given === namespace) return isUnqualified ? { form: 'qualified' as const } : {};
    const reference = `${given}:${name}`;
    const known = globals.get(reference);
    if (known !== undefined && known.name !== type.name)
      throw new TypeError(`${reference} is ${known.name} here and ${type.name} there`);
    globals.set(reference, type);
    return { reference };
  };

  const listType = ({ itemName, item, namespace }: ListSchema): TypeUse => {
    const type = typeOf(item);
    const element = { name: itemName, type, isMandatory: false, isNillable: true };
    const placed: Element = { ...element, ...placeOf(own, itemName, type, namespace) };
    const names = [itemName, localName(type.name), ...Array.from({ length: 99 }, (_, at) => `${itemName}${at + 2}`)];
    const name = names
      .map((each) => `${own}:ArrayOf${capitalised(each)}`)
      .find((each) => JSON.stringify(lists.get(each) ?? placed) === JSON.stringify(placed))!;
    lists.set(name, placed);
    return { name };
  };

  const fieldType = (namespace: string, field: Field): TypeUse => {
    const { schema } = field;
    if (schema.kind === 'list' && !schema.joined && schema.repeated) return typeOf(schema.item);
    if (schema.kind === 'string') return textType(field);
    if (schema.kind !== 'enum' || !isNamed(schema)) return typeOf(schema);
    const name = `${namespace}:${schema.name}`;
    enumerations.set(name, [...new Set([...(enumerations.get(name) ?? []), ...schema.values])]);
    return { name };
  };

  const memberType = (namespace: string, { name, fields }: RecordMember): TypeUse =>
    fields.map((field) => fieldType(namespace, field)).reduce((a, b) => either(name, a, b));

  const textOf = (namespace: string, members: readonly RecordMember[]): Pick<RecordContent, 'text'> => {
    const member = members.find(({ isText }) => isText);
    return member === undefined ? {} : { text: memberType(namespace, member) };
  };

  const contentOf = ({ namespace, members }: Pick<RecordType, 'namespace' | 'members'>): RecordContent => ({
    ...textOf(namespace, members),
    elements: members
      .filter(({ isAttribute, isText }) => !isAttribute && !isText)
      .map((member) => {
        const { name, isMandatory, isNillable, fields } = member;
        const type = memberType(namespace, member);
        const place = placeOf(namespace, name, type, fields[0]?.namespace);
        const repeated = fields.some(({ schema }) => isRepeated(schema)) ? { isRepeated: true } : {};
        return { name, type, isMandatory, isNillable, ...repeated, ...place, doc: docOf(member) };
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
  for (const operation of namedOperations(service))
    for (const side of ['input', 'output'] as const)
      if (elementAround(service, operation, side) === undefined)
        messages.set(
          elementName(operation, side),
          contentOf({ namespace: own, members: membersOf(operation[side], service) }),
        );
  for (const { element, namespace = own, detail } of faultsOf(service))
    globals.set(`${namespace}:${element}`, { name: qualifiedName(detail, service) });
  return { records, messages, globals: byName(globals), enumerations: byName(enumerations), lists: byName(lists), map };
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
    case 'double':
      return { name: 'xsd:double' };
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

function byName<T>(entries: ReadonlyMap<string, T>): ReadonlyMap<string, T> {
  return new Map([...entries].sort(([a], [b]) => (a < b ? -1 : 1)));
}
