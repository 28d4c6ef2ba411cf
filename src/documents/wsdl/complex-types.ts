/** Reads complex types as objects, lists and maps of the contract. */

import { mayEnd, recursive, self } from '../../contract/recursive.ts';
import {
  binary,
  documented,
  isMediaType,
  list,
  map,
  type ObjectSchema,
  object,
  oneOf,
  optional,
  polymorphic,
  required,
  type Schema,
  string,
} from '../../contract/schema.ts';
import type { LocatedElement } from '../../lib/xml/located.ts';
import { itemsMax } from '../imported-limits.ts';
import { capitalised } from '../names.ts';
import { ContentReader } from './content.ts';
import { type FindingCollector, Refused, TooLarge, TooManyParts } from './findings.ts';
import {
  childNamed,
  childrenNamed,
  encodingUri,
  keyOf,
  nameIn,
  nameOf,
  type QName,
  resolveName,
  UniqueNames,
  wsdlUri,
  xmlMimeUri,
  xmlSoapUri,
  xsdUri,
} from './names.ts';
import { type Content, elementChildren, limitOf, namespaceOfElement } from './particles.ts';
import type { Prefixes } from './prefixes.ts';
import type { Declared, SchemaIndex } from './schema-index.ts';
import { messageFieldsMax, sizeOf, typeDepthMax } from './schema-size.ts';
import { type ReadType, SimpleTypes } from './simple-types.ts';

/** Parts of all types, each as often as it is read. */
const partsMax = 500_000;
/** Readings of types that stand in a type that contains itself. */
const openReadsMax = 600;
/** Types that may stand in place of one. */
const variantsMax = 250;
/** Entries of a Map of xml-soap. */
const entriesMax = 1_000;
const namedMax = 20;

/** What is too much for an attempt to read the messages. */
export interface TypeBounds {
  /** Members of a type and of those that extend it; with more, and always for 0, these are refused in its place. */
  readonly variantFieldsMax: number;
  /** Members of the type of an element; with more, it is XML as text. Undefined: no operation is imported so. */
  readonly elementFieldsMax?: number;
}

export class ComplexTypes {
  readonly index: SchemaIndex;
  readonly findings: FindingCollector;
  readonly prefixes: Prefixes;
  readonly simpleTypes: SimpleTypes;
  readonly #known = new Map<LocatedElement, Schema>();
  readonly #reading = new Set<LocatedElement>();
  /** Those that are read a second time. */
  readonly #again = new Set<LocatedElement>();
  /** The objects that are read, with their names; those of types around. */
  readonly #around = new Map<LocatedElement, ObjectSchema>();
  /** The types around in which a part stands that is read. */
  #open = new Set<LocatedElement>();
  readonly #inlineNames = new Map<LocatedElement, string>();
  #openReads = 0;
  readonly #bounds: TypeBounds;
  #readsVariants = false;
  /** Whether an element has its bytes in an Include (XOP). */
  namesInclude = false;
  /** Types of which no value would end: what contains them in themselves is left out. */
  readonly #left = new Set<LocatedElement>();
  /** The names of objects by namespace: those of types come first. */
  readonly #names: UniqueNames;
  #parts = 0;

  constructor(
    index: SchemaIndex,
    findings: FindingCollector,
    prefixes: Prefixes,
    timeZone: string,
    bounds: TypeBounds,
  ) {
    this.#bounds = bounds;
    this.index = index;
    this.findings = findings;
    this.prefixes = prefixes;
    this.simpleTypes = new SimpleTypes(index, findings, timeZone);
    this.#names = new UniqueNames(index.complexTypes());
  }

  /** Whether types were read that may stand in place of another. */
  get readsVariants(): boolean {
    return this.#readsVariants;
  }

  /** The type that `type` names, or that stands in the element. `name`: for a type without one. */
  typeOf(element: LocatedElement, declared: Declared, name: string, attribute = 'type'): ReadType {
    const read = this.#typeOf(element, declared, name, attribute);
    const { schema } = read;
    const mediaType = schema.kind === 'binary' ? expectedType(element) : undefined;
    return schema.kind === 'binary' && mediaType !== undefined
      ? { ...read, schema: binary({ ...schema, mediaType }) }
      : read;
  }

  /** As `typeOf`; what is too large for a message is XML as text, where it could only be left out. */
  elementType(declared: Declared, isOptional: boolean): ReadType {
    const { element } = declared;
    const { elementFieldsMax } = this.#bounds;
    try {
      const read = this.typeOf(element, declared, capitalised(nameOf(element)));
      // What a message consists of may be large.
      const isOuter = this.#reading.size <= 1;
      if (isOuter || sizeOf(read.schema).fields <= (elementFieldsMax ?? messageFieldsMax)) return read;
      throw new TooLarge(element, `the type has more than ${elementFieldsMax} members`);
    } catch (thrown) {
      if (!(thrown instanceof TooLarge) || !(isOptional || elementFieldsMax !== undefined)) throw thrown;
      this.findings.add('changed', element, `${thrown.message}: ${nameOf(element)} is XML as text`);
      return xmlText;
    }
  }

  #typeOf(element: LocatedElement, declared: Declared, name: string, attribute: string): ReadType {
    const inlineComplex = childNamed(element, xsdUri, 'complexType');
    if (inlineComplex !== undefined) return complex(this.#read({ ...declared, element: inlineComplex }, name));
    const inlineSimple = childNamed(element, xsdUri, 'simpleType');
    if (inlineSimple !== undefined) return this.simpleTypes.inline(inlineSimple, name);
    const type = nameIn(element, attribute);
    if (type === undefined) return this.#typeOfHead(element, name) ?? this.#anything(element);
    return this.namedType(element, type, name);
  }

  /** The type of the element in whose place one stands, which has no type of its own. */
  #typeOfHead(element: LocatedElement, name: string): ReadType | undefined {
    let at: LocatedElement = element;
    for (let steps = 0; steps < 16; steps++) {
      const head = nameIn(at, 'substitutionGroup');
      const found = head && this.index.find('element', head);
      if (found === undefined) return undefined;
      at = found.element;
      const isTyped =
        nameIn(at, 'type') !== undefined || at.children.some(({ local }) => /^(?:complex|simple)Type$/.test(local));
      if (isTyped) return this.#typeOf(at, found, name, 'type');
    }
    return undefined;
  }

  namedType(from: LocatedElement, type: QName, name: string): ReadType {
    const isMap = type.uri === xmlSoapUri && type.local === 'Map';
    const declared = isMap ? undefined : this.index.find('complexType', type);
    if (declared !== undefined) return complex(this.#read(declared, type.local));
    if (type.uri === xsdUri && ['anyType', 'anySimpleType'].includes(type.local)) return this.#anything(from);
    if (isMap) {
      this.findings.addOnce('changed', from, 'the values of a Map are texts; one with parts of its own is refused');
      return complex(map(entriesMax, { key: 'value' }, { entryName: 'item', whenEmpty: 'present' }));
    }
    if (type.uri === xmlSoapUri && ['Element', 'Document'].includes(type.local)) return this.#anything(from);
    if (type.uri === encodingUri && type.local === 'Array')
      throw new Refused(from, 'an array without the type of its items');
    return this.simpleTypes.named(from, type, name);
  }

  /** XML as text. */
  #anything(from: LocatedElement): ReadType {
    this.findings.addOnce('changed', from, 'what may hold anything is XML as text');
    return xmlText;
  }

  countPart(element: LocatedElement): void {
    this.#parts += 1;
    if (this.#parts <= partsMax) return;
    throw new TooManyParts(element, `types and groups name each other too often: more than ${partsMax} parts`);
  }

  /** An object with the content of a type and the name of a message. */
  message(declared: Declared, name: string): ObjectSchema {
    const { emptyObject: _, ...schema } = this.#object(declared, name, this.#contentOf(declared));
    const hasOtherTypes = this.index.derivedFrom(declared, 1).length > 0;
    return documented({ ...schema, ...(hasOtherTypes && { hasOtherTypes: true as const }) });
  }

  #read(declared: Declared, name: string): Schema {
    const { element } = declared;
    const known = this.#known.get(element);
    const depth = this.#reading.size + (known === undefined ? 0 : sizeOf(known).depth);
    if (depth > typeDepthMax) throw new TooLarge(element, `types are more than ${typeDepthMax} deep in each other`);
    if (known !== undefined) return known;
    const around = this.#around.get(element);
    if (around !== undefined) {
      if (this.#left.has(element) || this.#openReads > openReadsMax)
        throw new TooLarge(element, 'the type contains itself');
      this.#open.add(element);
      return around;
    }
    // An array of objects with such arrays: the objects are read, and stand for themselves in it.
    const isFirst = !this.#reading.has(element);
    if (!isFirst && this.#again.has(element)) throw new TooLarge(element, 'the type contains itself');
    (isFirst ? this.#reading : this.#again).add(element);
    const outside = this.#open;
    this.#open = new Set();
    try {
      const schema =
        this.#encodedArray(declared) ?? this.#map(declared) ?? this.#array(declared) ?? this.#record(declared, name);
      // What stands for an object around it is right in that object alone.
      if (this.#open.size === 0) this.#known.set(element, schema);
      // Types that are in each other are read once for each way through them.
      else this.#openReads += 1;
      return schema;
    } finally {
      (isFirst ? this.#reading : this.#again).delete(element);
      for (const each of this.#open) outside.add(each);
      this.#open = outside;
    }
  }

  #record(declared: Declared, name: string): Schema {
    const unique = declared.element.attributes.has('name')
      ? name
      : (this.#inlineNames.get(declared.element) ?? this.#uniqueName(declared.schema.targetNamespace, name));
    this.#inlineNames.set(declared.element, unique);
    const { element, schema } = declared;
    const namespace = this.prefixes.prefixOf(schema.targetNamespace);
    this.#around.set(element, self(unique, namespace === this.prefixes.own ? undefined : namespace));
    try {
      const own = this.#object(declared, unique, this.#contentOf(declared));
      const read = this.#withVariants(declared, own);
      if (!this.#open.delete(element)) return read;
      if (mayEnd(read)) return recursive(read);
      this.#left.add(element);
      return this.#withVariants(declared, this.#object(declared, unique, this.#contentOf(declared)));
    } finally {
      this.#around.delete(element);
    }
  }

  /** With the types that extend it, where an element of the type may have an `xsi:type`. */
  #withVariants(declared: Declared, own: ObjectSchema): ObjectSchema {
    const { element } = declared;
    const isAbstract = element.attributes.get('abstract') === 'true';
    const derived = this.index.derivedFrom(declared, variantsMax);
    const concrete = derived.filter((each) => each.element.attributes.get('abstract') !== 'true');
    const names = new Set([own.name]);
    const read: { readonly from: Declared; readonly object: ObjectSchema }[] = [];
    const isLeftOut = this.#bounds.variantFieldsMax === 0 || derived.length >= variantsMax;
    this.#readsVariants ||= !isLeftOut && concrete.length > 0;
    for (const from of isLeftOut ? [] : concrete) {
      const name = nameOf(from.element);
      if (names.has(name)) {
        this.findings.add(
          'refused',
          from.element,
          `another type is called ${name}; this one is refused in place of ${own.name}`,
        );
        continue;
      }
      names.add(name);
      try {
        read.push({ from, object: this.#object(from, name, this.#contentOf(from)) });
      } catch (thrown) {
        if (!(thrown instanceof Refused)) throw thrown;
        this.findings.add('refused', thrown.place, `${thrown.message}; ${name} is refused in place of ${own.name}`);
      }
    }
    const schema = read.length === 0 ? own : this.#polymorphic(declared, own, read, isAbstract);
    const refused = isLeftOut || schema === undefined ? concrete.map((each) => nameOf(each.element)) : [];
    if (refused.length > 0) {
      this.#refuseVariants(element, own.name, refused);
      return documented<ObjectSchema>({ ...own, hasOtherTypes: true });
    }
    if (isAbstract && read.length === 0)
      this.findings.add('changed', element, 'the type is abstract, and nothing that extends it is declared');
    return schema ?? own;
  }

  #refuseVariants(element: LocatedElement, name: string, types: readonly string[]): void {
    const others = types.length > namedMax ? ` and ${types.length - namedMax} others` : '';
    const named = `${types.slice(0, namedMax).join(', ')}${others}`;
    this.findings.add(
      'refused',
      element,
      `types that extend ${name} have too many members, and are refused in its place: ${named}`,
    );
  }

  /** Undefined for more members than a message should have. */
  #polymorphic(
    declared: Declared,
    own: ObjectSchema,
    read: readonly { readonly from: Declared; readonly object: ObjectSchema }[],
    isAbstract: boolean,
  ): ObjectSchema | undefined {
    let member = 'xsiType';
    while ([own, ...read.map(({ object }) => object)].some(({ fields }) => Object.hasOwn(fields, member)))
      member += '_';
    const isThere = ({ element }: Declared) =>
      element === declared.element || read.some(({ from }) => from.element === element);
    const schema = polymorphic(
      withTypeName(own, member, isAbstract),
      read.map(({ from, object }) => {
        const base = this.index.nearestBase(from, isThere);
        const isRestricted = derivationOf(from.element) === 'restriction';
        return withTypeName(object, member, true, isRestricted ? undefined : base && this.#nameOf(base));
      }),
      { abstract: isAbstract },
    );
    if (sizeOf(schema).fields <= this.#bounds.variantFieldsMax) return schema;
    return undefined;
  }

  #nameOf({ element, schema }: Declared): NonNullable<ObjectSchema['extends']> {
    const namespace = this.prefixes.prefixOf(schema.targetNamespace);
    return { name: nameOf(element), ...(namespace !== this.prefixes.own && { namespace }) };
  }

  #object({ element, schema }: Declared, name: string, { fields, choices }: Content): ObjectSchema {
    const namespace = this.prefixes.prefixOf(schema.targetNamespace);
    const canBeEmpty =
      Object.values(fields).every(({ required }) => !required) && choices.every(({ orNone }) => orNone === true);
    try {
      const made = object(name, fields, {
        choices,
        ...(namespace !== this.prefixes.own && { namespace }),
        ...(canBeEmpty && { emptyObject: 'present' }),
      });
      if (sizeOf(made).fields <= messageFieldsMax) return made;
    } catch (thrown) {
      if (thrown instanceof TypeError) throw new Refused(element, thrown.message);
      throw thrown;
    }
    throw new TooLarge(element, `a message with it would have more than ${messageFieldsMax} members`);
  }

  #contentOf(declared: Declared): Content {
    return new ContentReader(this).read(declared);
  }

  #uniqueName(uri: string, name: string): string {
    return this.#names.take(keyOf({ uri, local: name })).slice(keyOf({ uri, local: '' }).length);
  }

  /** `<ArrayOfLine>` with nothing but lines. */
  #array(declared: Declared): Schema | undefined {
    const { element, schema } = declared;
    const particle = onlyParticle(element);
    const only = particle?.local === 'sequence' && onceOnly(particle) ? elementChildren(particle) : [];
    const [item] = only;
    if (item?.local !== 'element' || only.length !== 1) return undefined;
    const max = item.attributes.get('maxOccurs') ?? '1';
    if (max === '1' || max === '0') return undefined;
    const reference = nameIn(item, 'ref');
    const found = reference === undefined ? { element: item, schema } : this.index.find('element', reference);
    if (found === undefined) throw new Refused(item, `no element ${reference?.local} is declared`);
    // Elements of other names stand in its place.
    if (reference !== undefined && this.index.substitutesOf(found, 1).length > 0) return undefined;
    const itemName = nameOf(found.element);
    const type = this.typeOf(found.element, found, capitalised(itemName));
    const uri = namespaceOfElement(found, reference !== undefined);
    const namespace = this.prefixes.itemTrait(uri);
    return list(type.schema, itemName, {
      max: limitOf(max),
      ...(namespace !== undefined && { namespace }),
      ...(found.element.attributes.get('nillable') === 'true' ? { nullItems: true } : { nillableItems: false }),
      ...(item.attributes.get('minOccurs') !== '0' ? { mandatoryItem: true } : { whenEmpty: 'present' }),
      ...(type.xsd !== undefined && { xsd: type.xsd }),
    });
  }

  /** `<entry><key/><value/></entry>` of anything: a map, as this program declares it. */
  #map({ element }: Declared): Schema | undefined {
    const particle = onlyParticle(element);
    const [entry, ...others] = particle === undefined ? [] : elementChildren(particle);
    const type = entry && childNamed(entry, xsdUri, 'complexType');
    const inner = type && onlyParticle(type);
    const entryName = entry?.attributes.get('name') ?? '';
    if (!['entry', 'item'].includes(entryName) || others.length > 0 || inner === undefined) return undefined;
    const halves = elementChildren(inner);
    const isPair =
      halves.map(({ attributes }) => attributes.get('name')).join() === 'key,value' &&
      halves.every((each) => nameIn(each, 'type')?.local === 'anyType');
    if (!isPair) return undefined;
    const isOfItems = entryName === 'item';
    return map(
      isOfItems ? entriesMax : 100,
      { key: 'value' },
      { ...(isOfItems && { entryName }), whenEmpty: 'present' },
    );
  }

  /** A restriction of the array of SOAP encoding. The names of its items mean nothing. */
  #encodedArray(declared: Declared): Schema | undefined {
    const content = childNamed(declared.element, xsdUri, 'complexContent');
    const restriction = content && childNamed(content, xsdUri, 'restriction');
    const base = restriction && nameIn(restriction, 'base');
    if (restriction === undefined || base?.uri !== encodingUri || base.local !== 'Array') return undefined;
    const options = { max: itemsMax, anyItemName: true, nullItems: true, namespace: '' } as const;
    for (const attribute of childrenNamed(restriction, xsdUri, 'attribute')) {
      const written = attribute.qualified.find(
        ({ namespace, local }) => namespace === wsdlUri && local === 'arrayType',
      );
      const name = written && resolveName(attribute, written.value.replace(/\[[\d,]*\]$/, ''));
      if (name === undefined) continue;
      if (/\]$/.test(name.local)) throw new Refused(attribute, 'an array of arrays');
      const { schema, xsd } = this.namedType(attribute, name, name.local);
      return list(schema, 'item', { ...options, ...(xsd !== undefined && { xsd }) });
    }
    const particle = restriction.children.find(({ local }) => local === 'sequence' || local === 'all');
    const [item] = particle === undefined ? [] : elementChildren(particle);
    if (item === undefined) throw new Refused(restriction, 'an array without the type of its items');
    const itemName = item.attributes.get('name') ?? 'item';
    const { schema } = this.typeOf(item, declared, capitalised(itemName));
    return list(schema, itemName, options);
  }
}

const xmlText: ReadType = {
  schema: string({ markup: 'content', example: '<value>text</value>' }),
  hasInlineLengths: false,
};

/** The member that names the type comes first. */
function withTypeName(
  { name, namespace, fields, choices, emptyObject }: ObjectSchema,
  member: string,
  isRequired: boolean,
  base?: ObjectSchema['extends'],
): ObjectSchema {
  const typeName = oneOf(`${name}TypeName`, name);
  const field = (isRequired ? required : optional)(typeName, 'The name of the type (`xsi:type`).', { xml: 'type' });
  return object(
    name,
    { [member]: field, ...fields },
    {
      choices,
      ...(namespace !== undefined && { namespace }),
      ...(base !== undefined && { extends: base }),
      ...(emptyObject !== undefined && !isRequired && { emptyObject }),
    },
  );
}

/** `extension` or `restriction`, where the type has content of its own. */
function derivationOf(type: LocatedElement): string | undefined {
  const content = type.children.find(({ local }) => local === 'complexContent' || local === 'simpleContent');
  return content && elementChildren(content)[0]?.local;
}

function complex(schema: Schema): ReadType {
  return { schema, hasInlineLengths: false };
}

/** The group of a type that has nothing else. */
function onlyParticle(type: LocatedElement): LocatedElement | undefined {
  const children = elementChildren(type);
  return children.length === 1 && ['sequence', 'all'].includes(children[0]!.local) ? children[0] : undefined;
}

function onceOnly({ attributes }: LocatedElement): boolean {
  return (attributes.get('maxOccurs') ?? '1') === '1' && (attributes.get('minOccurs') ?? '1') === '1';
}

/** The media type of bytes that an element announces, where it is one alone. */
function expectedType({ qualified }: LocatedElement): string | undefined {
  const text = qualified.find(({ namespace, local }) => namespace === xmlMimeUri && local === 'expectedContentTypes');
  const [only, ...others] = (text?.value ?? '').split(',').map((each) => each.trim());
  return only !== undefined && others.length === 0 && isMediaType(only) ? only : undefined;
}
