/** The XSD types of a service. Schemas with the same name become one type that accepts each of them. */
import type { EnumSchema, Field, ObjectSchema, ScalarSchema } from '../contract/schema.ts';
import { namedOperations, namespacesOf, type Service } from '../contract/service.ts';
import { type Member, walk } from '../contract/walk.ts';
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
  readonly mandatory: boolean;
}

export interface Types {
  /** Elements in the order of the contract, by qualified name; sorted by name. */
  readonly records: ReadonlyMap<string, readonly Element[]>;
  readonly enumerations: ReadonlyMap<string, readonly string[]>;
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

export function nameOfRecord({ namespace, name }: ObjectSchema, own: string): string {
  return `${namespace ?? own}:${name}`;
}

/** All types that the operations of a service use. */
export function collectTypes(service: Service): Types {
  const { own } = namespacesOf(service);
  const records = new Map<string, readonly Element[]>();
  const enumerations = new Map<string, readonly string[]>();
  const lists = new Map<string, Element>();
  let map: string | undefined;

  const fieldType = (owner: ObjectSchema, { field, part }: Member<TypeUse>): TypeUse => {
    const { schema } = field;
    if (schema.kind === 'string') return textType(field);
    if (schema.kind !== 'enum' || !isNamed(schema)) return part;
    const name = `${owner.namespace ?? own}:${schema.name}`;
    enumerations.set(name, [...new Set([...(enumerations.get(name) ?? []), ...schema.values])]);
    return { name };
  };

  const gather = (schema: ObjectSchema) =>
    walk<TypeUse>(schema, {
      scalar: scalarType,
      joined: () => plainText,
      list: ({ itemName }, item) => {
        const name = `${own}:ArrayOf${capitalised(itemName)}`;
        lists.set(name, { name: itemName, type: { name: item.name }, mandatory: false });
        return { name };
      },
      map: () => {
        map = `${own}:anyType2anyTypeMap`;
        return { name: map };
      },
      object: (object, members) => {
        const name = nameOfRecord(object, own);
        const elements = members.map((member) => ({
          name: member.name,
          type: fieldType(object, member),
          mandatory: member.field.mandatoryInStubs === true,
        }));
        const known = records.get(name);
        records.set(name, known ? merge(known, elements) : elements);
        return { name };
      },
    });

  for (const { input, output } of namedOperations(service)) {
    gather(input);
    gather(output);
  }
  return { records: byName(records), enumerations: byName(enumerations), lists: byName(lists), map };
}

/** Stubs turn the values of an enumeration into constants, so an enumeration whose values are no names is text. */
function isNamed(schema: EnumSchema): boolean {
  return schema.values.every((value) => /^[A-Za-z_][\w.-]*$/.test(value));
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
    default:
      return schema satisfies never;
  }
}

/**
 * Codes, and texts that stubs must send, get their lengths. Other texts are plain `xsd:string`, as in the stubs of callers, so
 * that raising a limit breaks no caller that validates.
 */
function textType({ schema, mandatoryInStubs, required }: Field): TypeUse {
  if (schema.kind !== 'string' || (schema.pattern === undefined && !mandatoryInStubs)) return plainText;
  const { min, max } = lengthsOf(schema);
  return { ...plainText, lengths: { min: required ? Math.max(min, 1) : min, max } };
}

function either(a: Element, b: Element): Element {
  if (a.type.name !== b.type.name) throw new TypeError(`${a.name} is ${a.type.name} here and ${b.type.name} there`);
  const lengths = a.type.lengths && b.type.lengths && widest(a.type.lengths, b.type.lengths);
  return { name: a.name, type: { name: a.type.name, lengths }, mandatory: a.mandatory && b.mandatory };
}

/** One sequence that keeps the order of both. Elements that only one of them has are optional. */
function merge(known: readonly Element[], added: readonly Element[]): readonly Element[] {
  const merged = known.map((element) => {
    const other = added.find(({ name }) => name === element.name);
    return other ? either(element, other) : { ...element, mandatory: false };
  });
  let at = 0;
  for (const element of added) {
    const position = merged.findIndex(({ name }) => name === element.name);
    if (position < 0) merged.splice(at, 0, { ...element, mandatory: false });
    at = position < 0 ? at + 1 : position + 1;
  }
  return merged;
}

function capitalised(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}

function byName<T>(entries: ReadonlyMap<string, T>): ReadonlyMap<string, T> {
  return new Map([...entries].sort(([a], [b]) => (a < b ? -1 : 1)));
}
