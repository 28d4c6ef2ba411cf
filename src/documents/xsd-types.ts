/** The XSD types of a service. Schemas with the same name become one type that accepts each of them. */

import {
  contentTraits,
  type EnumSchema,
  elementAround,
  elementName,
  elementPrefix,
  type Field,
  faultsOf,
  headerBlocksOf,
  isRepeated,
  isTypedMessage,
  type ListSchema,
  membersOf,
  namedOperations,
  namespacesOf,
  type ObjectSchema,
  type Operation,
  qualifiedName,
  type RecordMember,
  type RecordType,
  recordTypes,
  type ScalarSchema,
  type Schema,
  type Service,
  sidesOf,
  uriOf,
} from '../core/contract/index.ts';
import { runToEnd, type Steps } from '../core/lib/index.ts';
import { type Lengths, lengthsOf, widest } from './lengths.ts';
import { capitalised } from './names.ts';
import { StubNames } from './unique-names.ts';

/** A type by its qualified name (`xsd:string`, `payment:Card`), with lengths for a text. */
export interface TypeUse {
  readonly name: string;
  readonly lengths?: Lengths | undefined;
}

/** The values of an enumeration, with the type that it restricts. */
export interface EnumerationType {
  readonly values: readonly string[];
  readonly base: string;
}

/** An element that other namespaces refer to. */
export interface GlobalElement {
  readonly type: TypeUse;
  readonly isNillable: boolean;
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
  /** The media type of its bytes. */
  readonly mediaType?: string;
  /** For elements of any name: their namespaces. */
  readonly wildcard?: Wildcard | undefined;
  /** The qualified name of a group that holds the element. */
  readonly group?: string;
  readonly doc?: string;
}

export interface Attribute {
  readonly name: string;
  readonly type: TypeUse;
  readonly isRequired: boolean;
  /** It is in the namespace of its type. */
  readonly isQualified?: true;
  /** The qualified name of a global attribute, for one of another namespace. */
  readonly reference?: string;
  readonly doc: string;
}

/** The namespaces of elements of any name: all, other ones than the target namespace, or none. */
type Wildcard = '##any' | '##other' | '##local';

/** The content of the elements of a record type. */
export interface RecordContent {
  /** The type of the text, in an element without others. */
  readonly text?: TypeUse;
  readonly elements: readonly Element[];
  readonly attributes: readonly Attribute[];
  /** The qualified name of the type that it extends: the first elements, and attributes, are those of that. */
  readonly base?: string;
  readonly isAbstract?: true;
  readonly hasOtherAttributes?: true;
  /** Elements that may be mixed in any order. */
  readonly ordered?: readonly string[];
  readonly isMixed?: true;
}

export interface Types {
  /** Elements in the order of the contract, by qualified name; sorted by name. */
  readonly records: ReadonlyMap<string, RecordContent>;
  readonly enumerations: ReadonlyMap<string, EnumerationType>;
  /** The content of each operation's element that holds the fields itself, by `messageKey`. */
  readonly messages: ReadonlyMap<string, RecordContent>;
  /** The elements of each message whose fields are the elements of the Body, by `messageKey`. */
  readonly bodies: ReadonlyMap<string, readonly string[]>;
  /** The one element of each list type. */
  readonly lists: ReadonlyMap<string, Element>;
  /** Elements that types of other namespaces, or faults, refer to, by qualified name. */
  readonly globals: ReadonlyMap<string, GlobalElement>;
  /** Attributes that types of other namespaces refer to, by qualified name. */
  readonly globalAttributes: ReadonlyMap<string, TypeUse>;
  /** The one element of each group, by qualified name. */
  readonly groups: ReadonlyMap<string, Element>;
  /** The qualified name of the map type, where a map is used. */
  readonly map?: string | undefined;
  /** That of maps whose entries are items. */
  readonly itemMap?: string | undefined;
  /** The type of an object, by its qualified name; that of the contract, unless another type has it. */
  typeOf(schema: ObjectSchema): string;
  readonly fault: FaultNames;
}

/** The qualified names of the types of a typed fault, and of its element. */
export interface FaultNames {
  readonly element: string;
  readonly record: string;
  readonly error: string;
  readonly type: string;
}

const plainText: TypeUse = { name: 'xsd:string' };

/** The qualified name of the element of a message; that of the operation and the side where the fields are the elements of the Body. */
export function messageKey(operation: Operation, side: 'input' | 'output', service: Service): string {
  const name = elementName(operation, side);
  return name === ''
    ? `${operation.name} ${side}`
    : `${elementPrefix(operation, side) ?? namespacesOf(service).own}:${name}`;
}

const addressingUri = 'http://www.w3.org/2005/08/addressing';

/** The namespace of a qualified name. */
export function namespaceOf(qualified: string): string {
  return qualified.slice(0, qualified.indexOf(':'));
}

/** The name without its namespace. */
export function localName(qualified: string): string {
  return qualified.slice(qualified.indexOf(':') + 1);
}

const collected = new WeakMap<Service, Types>();

/** All types that the operations of a service use. They are collected once. */
export function collectTypes(service: Service): Types {
  return collected.get(service) ?? runToEnd(collectInSteps(service));
}

/** As `collectTypes`; each type is a step. */
export function* collectInSteps(service: Service): Steps<Types> {
  const types = yield* new TypeCollector(service).collect();
  collected.set(service, types);
  return types;
}

/** Collects the types of one service. */
class TypeCollector {
  readonly #service: Service;
  readonly #own: string;
  /** The namespaces whose elements have no namespace. */
  readonly #unqualified: readonly string[];
  readonly #declared: ReadonlyMap<string, RecordType>;
  readonly #names = new TypeNames();
  readonly #recordNames: ReadonlyMap<string, string>;
  readonly #records = new Map<string, RecordContent>();
  readonly #messages = new Map<string, RecordContent>();
  readonly #bodies = new Map<string, readonly string[]>();
  readonly #globals = new Map<string, GlobalElement>();
  readonly #globalAttributes = new Map<string, TypeUse>();
  readonly #groups = new Map<string, Element>();
  readonly #enumerations = new Map<string, EnumerationType>();
  readonly #enumerationNames = new Map<string, string>();
  readonly #lists = new Map<string, Element>();
  /** By their namespace and their printed item. */
  readonly #listNames = new Map<string, string>();
  #map: string | undefined;
  #itemMap: string | undefined;

  constructor(service: Service) {
    const { own, unqualified = [] } = namespacesOf(service);
    this.#service = service;
    this.#own = own;
    this.#unqualified = unqualified;
    this.#declared = recordTypes(service);
    this.#recordNames = nameRecords(service, this.#declared, this.#names);
  }

  *collect(): Steps<Types> {
    yield* this.#collectRecords();
    yield* this.#collectMessages();
    this.#collectRoots();
    const { prefix } = namespacesOf(this.#service).fault ?? { prefix: this.#own };
    const elements = new TypeNames();
    for (const each of [...this.#globals.keys(), ...this.#messages.keys()])
      elements.reserve(namespaceOf(each), localName(each));
    return {
      records: this.#records,
      typeOf: (schema) => this.#nameOf(schema),
      fault: {
        element: elements.take(this.#own, 'ServiceException'),
        record: this.#names.take(prefix, 'ServiceException'),
        error: this.#names.take(prefix, 'Error'),
        type: this.#names.take(prefix, 'Type'),
      },
      messages: this.#messages,
      bodies: this.#bodies,
      groups: byName(this.#groups),
      globalAttributes: byName(this.#globalAttributes),
      globals: byName(this.#globals),
      enumerations: byName(this.#enumerations),
      lists: byName(this.#lists),
      map: this.#map,
      itemMap: this.#itemMap,
    };
  }

  *#collectRecords(): Steps<void> {
    const contents = new Map<string, RecordContent>();
    for (const [qualified, { namespace, name: _, isNamed: __, members, base, ...traits }] of this.#declared) {
      const extended = base === undefined ? {} : { base: this.#recordNames.get(base) ?? base };
      const content = { ...this.#contentOf({ namespace, members }), ...traits, ...extended };
      contents.set(this.#recordNames.get(qualified)!, withUniqueWildcards(content, namespace, this.#unqualified));
      yield;
    }
    for (const [name, content] of contents) this.#records.set(name, withBase(content, contents));
  }

  *#collectMessages(): Steps<void> {
    const service = this.#service;
    for (const operation of namedOperations(service)) {
      yield;
      for (const side of sidesOf(operation)) {
        if (elementAround(service, operation, side) !== undefined || isTypedMessage(operation, side, service)) continue;
        const { namespace = this.#own } = operation[side];
        const members = membersOf(operation[side], service);
        const key = messageKey(operation, side, service);
        if (elementName(operation, side) === '') {
          this.#bodies.set(
            key,
            members.map((each) => this.#bodyElement(namespace, each)),
          );
          continue;
        }
        const parts = this.#partsOf(this.#contentOf({ namespace, members }), members);
        const content = { ...parts, ...contentTraits([operation[side]]) };
        this.#messages.set(key, withUniqueWildcards(content, namespace, this.#unqualified));
      }
    }
  }

  /** Elements of faults and headers. */
  #collectRoots(): void {
    const service = this.#service;
    for (const { element, namespace = this.#own, detail } of faultsOf(service))
      this.#addRoot(`${namespace}:${element}`, this.#nameOf(detail));
    for (const operation of namedOperations(service))
      for (const side of sidesOf(operation))
        for (const { name, namespace = this.#own, schema } of headerBlocksOf(operation[side]))
          this.#addRoot(`${namespace}:${name}`, this.#nameOf(schema));
    // JAX-WS maps the type of addresses by the element of its namespace.
    for (const prefix of new Set([...this.#records.keys()].map(namespaceOf)))
      if (
        prefix !== '' &&
        uriOf(service, prefix) === addressingUri &&
        this.#records.has(`${prefix}:EndpointReferenceType`)
      )
        this.#addRoot(`${prefix}:EndpointReference`, `${prefix}:EndpointReferenceType`);
  }

  #nameOf(schema: ObjectSchema): string {
    return this.#recordNames.get(qualifiedName(schema, this.#service))!;
  }

  #typeOf(schema: Schema): TypeUse {
    switch (schema.kind) {
      case 'list':
        return schema.joined ? plainText : this.#listType(schema);
      case 'map':
        if (schema.entryName === 'item') {
          this.#itemMap ??= this.#names.take(this.#own, 'Map');
          return { name: this.#itemMap };
        }
        this.#map ??= this.#names.take(this.#own, 'anyType2anyTypeMap');
        return { name: this.#map };
      case 'object':
        return { name: this.#nameOf(schema) };
      default:
        return scalarType(schema);
    }
  }

  /** How an element of a type in a namespace has another one. */
  #placeOf(namespace: string, element: Element, given: string | undefined) {
    const isUnqualified = this.#unqualified.includes(namespace);
    if (given === undefined) return {};
    if (given === '') return isUnqualified ? {} : { form: 'unqualified' as const };
    if (given === namespace) return isUnqualified ? { form: 'qualified' as const } : {};
    const reference = `${given}:${element.name}`;
    return this.#addGlobal(reference, element.type, element.isNillable)
      ? { reference }
      : { group: this.#groupOf(given, element) };
  }

  /** Of elements that have one name and several types, all but the first stand in groups of their namespace. */
  #groupOf(namespace: string, element: Element): string {
    const isUnqualified = this.#unqualified.includes(namespace);
    const placed: Element = isUnqualified ? { ...element, form: 'qualified' } : element;
    for (let number = 2; ; number += 1) {
      const name = `${namespace}:${element.name}${number}`;
      const known = this.#groups.get(name);
      if (known !== undefined && JSON.stringify(known) !== JSON.stringify(placed)) continue;
      this.#groups.set(name, placed);
      return name;
    }
  }

  /** Returns false for a name that an element of another type has. */
  #addGlobal(reference: string, type: TypeUse, isNillable: boolean): boolean {
    const known = this.#globals.get(reference);
    if (known === undefined) this.#globals.set(reference, { type, isNillable });
    return known === undefined || (known.type.name === type.name && known.isNillable === isNillable);
  }

  /** An element of a fault or a header, to which members of types may refer, too. */
  #addRoot(reference: string, name: string): void {
    this.#globals.set(reference, { type: { name }, isNillable: this.#globals.get(reference)?.isNillable ?? true });
  }

  #listType(list: ListSchema): TypeUse {
    const { itemName, item, namespace, xsd, mandatoryItem = false, nillableItems = true } = list;
    const type = xsd === undefined ? this.#typeOf(item) : { name: `xsd:${xsd}` };
    const element = { name: itemName, type, isMandatory: mandatoryItem, isNillable: nillableItems };
    // The type of items of another namespace belongs to that.
    const home = namespace === undefined || namespace === '' ? this.#own : namespace;
    const placed: Element = { ...element, ...this.#placeOf(home, element, namespace) };
    const printed = JSON.stringify(placed);
    const known = this.#listNames.get(`${home} ${printed}`);
    if (known !== undefined) return { name: known };
    const wanted = [itemName, localName(type.name)].map((each) => `ArrayOf${capitalised(each)}`);
    const name = this.#names.take(home, wanted.find((each) => this.#names.isFree(home, each)) ?? wanted[0]!);
    this.#listNames.set(`${home} ${printed}`, name);
    this.#lists.set(name, placed);
    return { name };
  }

  #fieldType(namespace: string, field: Field): TypeUse {
    const { schema } = field;
    if (isRepeated(schema)) return schema.xsd === undefined ? this.#typeOf(schema.item) : { name: `xsd:${schema.xsd}` };
    if (field.xsd !== undefined && schema.kind !== 'enum') return { name: `xsd:${field.xsd}` };
    if (schema.kind === 'string') return textType(field);
    if (schema.kind !== 'enum' || !isNamed(schema)) return this.#typeOf(schema);
    const wanted = `${namespace}:${schema.name}`;
    const name = this.#enumerationNames.get(wanted) ?? this.#names.take(namespace, schema.name);
    this.#enumerationNames.set(wanted, name);
    const values = [...new Set([...(this.#enumerations.get(name)?.values ?? []), ...schema.values])];
    this.#enumerations.set(name, { values, base: `xsd:${field.xsd ?? 'string'}` });
    return { name };
  }

  #memberType(namespace: string, { name, fields }: RecordMember): TypeUse {
    return fields.map((field) => this.#fieldType(namespace, field)).reduce((a, b) => either(name, a, b));
  }

  #textOf(namespace: string, members: readonly RecordMember[]): Pick<RecordContent, 'text'> {
    const member = members.find(({ isText }) => isText);
    return member === undefined ? {} : { text: this.#memberType(namespace, member) };
  }

  #contentOf({ namespace, members }: Pick<RecordType, 'namespace' | 'members'>): RecordContent {
    return {
      ...this.#textOf(namespace, members),
      elements: members
        .filter(({ isAttribute, isText }) => !isAttribute && !isText)
        .map((member) => {
          const { name, isMandatory, isNillable, fields } = member;
          const type = this.#memberType(namespace, member);
          const repeated = fields.some(({ schema }) => isRepeated(schema)) ? { isRepeated: true } : {};
          const element = { name, type, isMandatory, isNillable, ...repeated, doc: docOf(member) };
          const wildcard = wildcardOf(fields[0]!);
          if (wildcard !== undefined) return { ...element, wildcard };
          return { ...element, ...mediaTypeOf(fields), ...this.#placeOf(namespace, element, fields[0]?.namespace) };
        }),
      attributes: members
        .filter(({ isAttribute }) => isAttribute)
        .map((member) => {
          const { name, isMandatory: isRequired } = member;
          const type = this.#memberType(namespace, member);
          const attribute = { name, type, isRequired, doc: docOf(member) };
          const given = member.fields[0]?.namespace ?? '';
          if (given === '') return attribute;
          if (given === namespace) return { ...attribute, isQualified: true as const };
          const reference = `${given}:${name}`;
          if (given !== 'xml') this.#globalAttributes.set(reference, type);
          return { ...attribute, reference };
        }),
    };
  }

  /** The qualified name of a global element. */
  #bodyElement(namespace: string, member: RecordMember): string {
    const reference = `${member.fields[0]?.namespace ?? namespace}:${member.name}`;
    const type = this.#memberType(namespace, member);
    if (!this.#addGlobal(reference, type, member.isNillable))
      throw new TypeError(`${reference} has two types, one of them ${type.name}`);
    return reference;
  }

  /** Parts of the style rpc have types, and are in no namespace; those with a namespace are elements. */
  #partsOf(content: RecordContent, members: readonly RecordMember[]): RecordContent {
    if (this.#service.soapStyle !== 'rpc') return content;
    const elements = content.elements.map((element, at) => {
      const namespace = members[at]?.fields[0]?.namespace;
      return !namespace ? element : { ...element, reference: this.#bodyElement(namespace, members[at]!) };
    });
    return { ...content, elements };
  }
}

/** The names of types in each namespace. Generators of stubs make classes of them, which differ in more than case and signs. */
class TypeNames {
  readonly #taken = new Map<string, StubNames>();

  /** Returns the qualified name: the wanted one, or the same with a number behind it. */
  take(namespace: string, wanted: string): string {
    return `${namespace}:${this.#in(namespace).take(wanted)}`;
  }

  reserve(namespace: string, name: string): void {
    if (this.isFree(namespace, name)) this.take(namespace, name);
  }

  isFree(namespace: string, name: string): boolean {
    return this.#in(namespace).isFree(name);
  }

  #in(namespace: string): StubNames {
    const found = this.#taken.get(namespace) ?? new StubNames();
    this.#taken.set(namespace, found);
    return found;
  }
}

/** The names of the record types by those in the contract. One that messages name (`xsi:type`) stays. */
function nameRecords(
  service: Service,
  declared: ReadonlyMap<string, RecordType>,
  names: TypeNames,
): ReadonlyMap<string, string> {
  const { own } = namespacesOf(service);
  // JAXB makes a method of the name of a class and that of a member that may be nil or absent.
  const methods = new TypeNames();
  const methodsOf = (name: string, members: readonly RecordMember[]): readonly string[] =>
    members.flatMap((each) =>
      each.isNillable && !each.isMandatory && !each.fields.some(({ schema }) => isRepeated(schema))
        ? [`${name} ${each.name}`]
        : [],
    );
  const reserve = (namespace: string, name: string, members: readonly RecordMember[]): void => {
    names.reserve(namespace, name);
    for (const each of methodsOf(name, members)) methods.reserve(namespace, each);
  };
  for (const { namespace, name, members, isNamed } of declared.values()) if (isNamed) reserve(namespace, name, members);
  // The element of a message has a type without a name, of which stubs make a class, too.
  if (service.soapStyle !== 'rpc')
    for (const operation of namedOperations(service))
      for (const side of sidesOf(operation))
        if (!isTypedMessage(operation, side, service)) {
          const members = elementAround(service, operation, side) ? [] : membersOf(operation[side], service);
          reserve(elementPrefix(operation, side) ?? own, elementName(operation, side), members);
        }
  return new Map(
    [...declared].map(([qualified, { namespace, name, members, isNamed }]) => {
      if (isNamed) return [qualified, qualified];
      let taken = names.take(namespace, name);
      while (methodsOf(localName(taken), members).some((each) => !methods.isFree(namespace, each)))
        taken = names.take(namespace, name);
      for (const each of methodsOf(localName(taken), members)) methods.reserve(namespace, each);
      return [qualified, taken];
    }),
  );
}

/** What its bytes are in each of the schemas that have the element. */
function mediaTypeOf(fields: readonly Field[]): Pick<Element, 'mediaType'> {
  const types = new Set(fields.map(({ schema }) => mediaTypeIn(schema)));
  const [only] = types;
  return types.size === 1 && only !== undefined ? { mediaType: only } : {};
}

function mediaTypeIn(schema: Schema): string | undefined {
  if (isRepeated(schema)) return mediaTypeIn(schema.item);
  return schema.kind === 'binary' && schema.attached === undefined ? schema.mediaType : undefined;
}

/** The type of the text that names a part (WS-I Attachments Profile 1.0, section 4.4). */
export const swaRef = 'wsi-swa:swaRef';
export const swaRefUri = 'http://ws-i.org/profiles/basic/1.1/xsd';

/** Without its base where that is no type of the service, or does not begin in the same way. */
function withBase(content: RecordContent, all: ReadonlyMap<string, RecordContent>): RecordContent {
  const { base: name, ...plain } = content;
  const base = name === undefined ? undefined : all.get(name);
  if (base === undefined) return plain;
  // An element of another namespace is where the base has it.
  const withoutPlace = (each: Element | Attribute | undefined) =>
    JSON.stringify({ ...each, doc: '', reference: undefined, group: undefined, form: undefined });
  const isSame = (one: Element | Attribute, other: Element | Attribute | undefined) =>
    withoutPlace(one) === withoutPlace(other);
  const extendsBase =
    base.text === undefined &&
    content.text === undefined &&
    base.elements.every((each, at) => isSame(each, content.elements[at])) &&
    base.attributes.every((each) => content.attributes.some((own) => isSame(each, own)));
  return extendsBase ? content : plain;
}

/** The namespaces of elements of any name; undefined for other fields. */
function wildcardOf({ schema }: Field): Element['wildcard'] {
  if (schema.kind !== 'list' || schema.joined || schema.item.kind !== 'string') return undefined;
  const { markup } = schema.item;
  if (markup === 'any') return '##any';
  return markup === 'other' ? '##other' : undefined;
}

/**
 * Narrows wildcards, or leaves them out: the name of an element must say whether it is one of a wildcard or the declared one beside it (XSD 1.0,
 * "unique particle attribution"). Documents are found whose schemas break this rule.
 */
function withUniqueWildcards(content: RecordContent, namespace: string, unqualified: readonly string[]): RecordContent {
  const { elements, ordered = [] } = content;
  const placeOf = ({ form, reference, group, wildcard }: Element): readonly Place[] => {
    if (wildcard !== undefined) return placesOf[wildcard];
    const given = reference ?? group;
    if (given !== undefined) return [namespaceOf(given) === namespace ? 'own' : 'other'];
    return [(form ?? (unqualified.includes(namespace) ? 'unqualified' : 'qualified')) === 'qualified' ? 'own' : 'none'];
  };
  const isMixable = ({ name }: Element) => ordered.includes(name);
  const maySkip = (each: Element) => !each.isMandatory || isMixable(each);
  const mayRepeat = (each: Element) => each.isRepeated === true || isMixable(each);
  /** Returns the elements that may come next where the wildcard may come. */
  const competing = (at: number): readonly Element[] => {
    const found: Element[] = [];
    for (let before = at - 1; before >= 0; before -= 1) {
      const each = elements[before]!;
      if (maySkip(each) || mayRepeat(each)) found.push(each);
      if (!maySkip(each)) break;
    }
    if (maySkip(elements[at]!) || mayRepeat(elements[at]!))
      for (const each of elements.slice(at + 1)) {
        found.push(each);
        if (!maySkip(each)) break;
      }
    return found;
  };
  const fitting = (each: Element, at: number): readonly Element[] => {
    const { wildcard } = each;
    if (wildcard === undefined) return [each];
    const taken = new Set(competing(at).flatMap(placeOf));
    const candidates = wildcard === '##any' ? (['##any', '##other', '##local'] as const) : [wildcard];
    const free = candidates.find((candidate) => !placesOf[candidate].some((place) => taken.has(place)));
    return free === undefined ? [] : [{ ...each, wildcard: free }];
  };
  return elements.some(({ wildcard }) => wildcard !== undefined)
    ? { ...content, elements: elements.flatMap(fitting) }
    : content;
}

/** Where the name of an element is: in the target namespace, in another one, or in none. */
type Place = 'own' | 'other' | 'none';

const placesOf: Readonly<Record<Wildcard, readonly Place[]>> = {
  '##any': ['own', 'other', 'none'],
  '##other': ['other'],
  '##local': ['none'],
};

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
      return schema.markup === undefined ? plainText : { name: 'xsd:anyType' };
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
      return { name: schema.attached === 'swaRef' ? swaRef : 'xsd:base64Binary' };
    default:
      return schema satisfies never;
  }
}

/** Texts are plain `xsd:string` unless the contract says otherwise, so that raising a limit breaks no caller that validates. */
function textType({ schema, lengthsInStubs, required }: Field): TypeUse {
  if (schema.kind === 'string' && schema.markup !== undefined) return { name: 'xsd:anyType' };
  if (schema.kind !== 'string' || !lengthsInStubs) return plainText;
  const { min, max } = lengthsOf(schema);
  return { ...plainText, lengths: { min: required ? Math.max(min, 1) : min, max } };
}

/** What is XML as text in one place, since it is too large there, has its type where another place reads it. */
function either(name: string, a: TypeUse, b: TypeUse): TypeUse {
  if (a.name === 'xsd:anyType') return b;
  if (b.name === 'xsd:anyType') return a;
  if (a.name !== b.name) throw new TypeError(`${name} is ${a.name} here and ${b.name} there`);
  return { name: a.name, lengths: a.lengths && b.lengths && widest(a.lengths, b.lengths) };
}

function byName<T>(entries: ReadonlyMap<string, T>): ReadonlyMap<string, T> {
  return new Map([...entries].sort(([a], [b]) => (a < b ? -1 : 1)));
}
