/** Reads complex types as objects, lists and maps of the contract. */

import {
  asVariant,
  binary,
  documented,
  holdNothingElse,
  isMediaType,
  linkTypes,
  list,
  map,
  type ObjectSchema,
  object,
  objectsIn,
  polymorphic,
  type Schema,
  self,
  selfKey,
  string,
  withSelves,
  withTypeName,
} from '../../core/contract/index.ts';
import type { LocatedElement } from '../../core/xml/index.ts';
import { capitalised, itemsMax, UniqueNames } from '../../documents/index.ts';
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
  wsdlUri,
  xmlMimeUri,
  xmlSoapUri,
  xsdUri,
} from './names.ts';
import { type Content, elementChildren, limitOf, namespaceOfElement } from './particles.ts';
import type { Prefixes } from './prefixes.ts';
import type { Declared, SchemaIndex } from './schema-index.ts';
import { type ReadType, SimpleTypes } from './simple-types.ts';

/** Parts of all types. Each type is read once, and again where another one turns out to be refused. */
const partsMax = 500_000;
/** Types that are read in each other; others are read after these, so that no document is too deep for the stack. */
const nestedMax = 24;
/** Types in each other, and arrays of arrays: far deeper than messages are. */
const depthMax = 100;
/** Entries of a Map of xml-soap. */
const entriesMax = 1_000;

/** A record type of the messages that are being read. */
interface OpenType {
  readonly declared: Declared;
  /** Stands for its object in others, until all of them are read. */
  readonly self: ObjectSchema;
  template?: ObjectSchema;
}

export class ComplexTypes {
  readonly index: SchemaIndex;
  readonly findings: FindingCollector;
  readonly prefixes: Prefixes;
  readonly simpleTypes: SimpleTypes;
  /** The objects of types. */
  readonly #known = new Map<LocatedElement, ObjectSchema>();
  readonly #refused = new Map<LocatedElement, Refused>();
  /** Types that have no members but themselves and each other. */
  readonly #empty = new Set<LocatedElement>();
  /** Types that are read, or will be, with the messages that name them; undefined between messages. */
  #open: Map<LocatedElement, OpenType> | undefined;
  readonly #templates = new Map<ObjectSchema, OpenType>();
  #waiting: OpenType[] = [];
  #depth = 0;
  /** How many objects are in each other in the object of a type. */
  readonly #depths = new WeakMap<ObjectSchema, number>();
  /** The types that may be arrays, in each other. */
  readonly #arrays: LocatedElement[] = [];
  readonly #inlineNames = new Map<LocatedElement, string>();
  /** The member that names the type of an object: no type declares another one of its name. */
  readonly #typeField: string;
  /** Whether an element has its bytes in an Include (XOP). */
  namesInclude = false;
  /** The names of objects by namespace: those of types come first. */
  readonly #names: UniqueNames;
  #parts = 0;

  constructor(index: SchemaIndex, findings: FindingCollector, prefixes: Prefixes, timeZone: string) {
    this.index = index;
    this.findings = findings;
    this.prefixes = prefixes;
    this.simpleTypes = new SimpleTypes(index, findings, timeZone);
    this.#names = new UniqueNames(index.complexTypes());
    this.#typeField = index.unusedName('xsiType');
  }

  /** The type that `type` names, or that stands in the element. `name`: for a type without one. */
  typeOf(element: LocatedElement, declared: Declared, name: string, attribute = 'type'): ReadType {
    const read = this.#whole(() => this.#typeOf(element, declared, name, attribute));
    const { schema } = read;
    const mediaType = schema.kind === 'binary' ? expectedType(element) : undefined;
    return schema.kind === 'binary' && mediaType !== undefined
      ? { ...read, schema: binary({ ...schema, mediaType }) }
      : read;
  }

  /** As `typeOf`; what is too large for a message is XML as text, where it could only be left out. */
  elementType(declared: Declared, isOptional: boolean): ReadType {
    const { element } = declared;
    try {
      return this.typeOf(element, declared, capitalised(nameOf(element)));
    } catch (thrown) {
      if (!(thrown instanceof TooLarge) || !isOptional) throw thrown;
      this.findings.add('changed', element, `${thrown.message}: ${nameOf(element)} is XML as text`);
      return xmlText;
    }
  }

  /** Whether nothing is known of the content of a type: it is being read, or is still to be read. */
  isUnread(schema: Schema): boolean {
    if (schema.kind === 'list') return this.isUnread(schema.item);
    const open = schema.kind === 'object' ? this.#templates.get(schema) : undefined;
    return open !== undefined && open.template === undefined;
  }

  /** The object as it is read so far. */
  contentOf(schema: ObjectSchema): ObjectSchema {
    return this.#templates.get(schema)?.template ?? schema;
  }

  /** What `read` returns, with all types that it names. What it finds to be refused is left out where it is named, so this is read again. */
  #whole(read: () => ReadType): ReadType {
    if (this.#open !== undefined) return read();
    for (;;) {
      const open = new Map<LocatedElement, OpenType>();
      this.#open = open;
      try {
        const { schema, ...others } = read();
        this.#readWaiting(open);
        return { ...others, schema: this.#linked(schema, [...open]) };
      } catch (thrown) {
        if (!(thrown instanceof RefusedLater)) throw thrown;
      } finally {
        this.#open = undefined;
        this.#templates.clear();
        this.#waiting = [];
      }
    }
  }

  #readWaiting(open: ReadonlyMap<LocatedElement, OpenType>): void {
    for (let next = this.#waiting.pop(); next !== undefined; next = this.#waiting.pop()) {
      if (open.get(next.declared.element) !== next) continue;
      try {
        this.#readContent(next);
      } catch (thrown) {
        if (thrown instanceof Refused) throw new RefusedLater();
        throw thrown;
      }
    }
  }

  #linked(schema: Schema, open: readonly (readonly [LocatedElement, OpenType])[]): Schema {
    const templates = open.flatMap(([, { template }]) => template ?? []);
    const objects = linkTypes(templates);
    const tooDeep = this.#tooDeep([...objects.values()]);
    const empty: LocatedElement[] = [];
    for (const [element, { self }] of open) {
      const object = objects.get(selfKey(self))!;
      if (tooDeep.has(object))
        this.#refused.set(element, new TooLarge(element, `types are more than ${depthMax} deep in each other`));
      const { recursion } = object;
      if (recursion !== undefined && holdNothingElse(recursion.group)) empty.push(element);
      this.#known.set(element, object);
    }
    if (tooDeep.size + empty.length > 0) {
      for (const element of empty) this.#empty.add(element);
      for (const [element] of open) this.#known.delete(element);
      throw new RefusedLater();
    }
    return withSelves(schema, (self) => {
      const type = this.#templates.get(self);
      return type && this.#known.get(type.declared.element);
    });
  }

  /** Those that have too many objects in each other; those that are in themselves do not count. `objects`: each after those in it. */
  #tooDeep(objects: readonly ObjectSchema[]): ReadonlySet<ObjectSchema> {
    const found = new Set<ObjectSchema>();
    for (const each of objects) {
      if (this.#depths.has(each)) continue;
      const group = each.recursion?.group ?? [each];
      const inside = group.flatMap((member) => [member, ...(member.variants ?? [])]).flatMap(objectsIn);
      const depth = inside.reduce((deepest, part) => Math.max(deepest, this.#depths.get(part) ?? 0), 0) + 1;
      for (const member of group) this.#depths.set(member, depth);
      if (depth === depthMax + 1) for (const member of group) found.add(member);
    }
    return found;
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
    return this.#whole(() => this.#namedType(from, type, name));
  }

  #namedType(from: LocatedElement, type: QName, name: string): ReadType {
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
    const hasOtherTypes = this.index.derivedFrom(declared).length > 0;
    const read = () => complex(this.#object(declared, name, this.#contentOf(declared)));
    // A message is an object, as what is read here.
    const { emptyObject: _, ...schema } = this.#whole(read).schema as ObjectSchema;
    return documented({ ...schema, ...(hasOtherTypes && { hasOtherTypes: true as const }) });
  }

  #read(declared: Declared, name: string): Schema {
    const { element } = declared;
    const self = this.#open?.get(element)?.self;
    if (self !== undefined && this.#empty.has(element)) {
      this.findings.addOnce('changed', element, 'the type contains nothing but itself: its members are XML as text');
      return xmlText.schema;
    }
    const known = this.#known.get(element) ?? self;
    if (known !== undefined) return known;
    if (this.#arrays.length > depthMax)
      throw new TooLarge(element, `types are more than ${depthMax} deep in each other`);
    // An array of objects with such arrays is read twice: the objects stand for themselves in it.
    if (this.#arrays.filter((each) => each === element).length > 1)
      throw new TooLarge(element, 'the type contains itself');
    this.#arrays.push(element);
    try {
      const array = this.#encodedArray(declared) ?? this.#map(declared) ?? this.#array(declared);
      if (array !== undefined) return array;
    } finally {
      this.#arrays.pop();
    }
    return this.#record(declared, name);
  }

  #record(declared: Declared, name: string): ObjectSchema {
    const { element, schema } = declared;
    const unique = element.attributes.has('name')
      ? name
      : (this.#inlineNames.get(element) ?? this.#uniqueName(schema.targetNamespace, name));
    this.#inlineNames.set(element, unique);
    const type = this.#openType(declared, unique);
    if (this.#depth < nestedMax) this.#readContent(type);
    else this.#waiting.push(type);
    return type.self;
  }

  /** Throws Refused for a type that was refused before. */
  #openType(declared: Declared, name: string): OpenType {
    const refused = this.#refused.get(declared.element);
    if (refused !== undefined) throw refused;
    const namespace = this.prefixes.prefixOf(declared.schema.targetNamespace);
    const type: OpenType = { declared, self: self(name, namespace === this.prefixes.own ? {} : namespace) };
    this.#open?.set(declared.element, type);
    this.#templates.set(type.self, type);
    return type;
  }

  #readContent(type: OpenType): void {
    const { declared, self } = type;
    this.#depth += 1;
    try {
      type.template = this.#withVariants(declared, this.#object(declared, self.name, this.#contentOf(declared)));
    } catch (thrown) {
      if (thrown instanceof Refused) this.#refuse(type, thrown);
      throw thrown;
    } finally {
      this.#depth -= 1;
    }
  }

  /** With the types that were read since, which may name it. */
  #refuse({ declared: { element } }: OpenType, thrown: Refused): void {
    this.#refused.set(element, thrown);
    const open = [...(this.#open?.keys() ?? [])];
    for (const each of open.slice(open.indexOf(element))) this.#open?.delete(each);
  }

  /** With the types that extend it, where an element of the type may have an `xsi:type`. */
  #withVariants(declared: Declared, own: ObjectSchema): ObjectSchema {
    const { element } = declared;
    const isAbstract = element.attributes.get('abstract') === 'true';
    const names = new Set([own.name]);
    const variants: Declared[] = [];
    for (const from of this.index.derivedFrom(declared)) {
      const name = nameOf(from.element);
      const refused = this.#refused.get(from.element);
      if (from.element.attributes.get('abstract') === 'true') continue;
      if (refused !== undefined)
        this.findings.add('refused', refused.place, `${refused.message}; ${name} is refused in place of ${own.name}`);
      else if (names.has(name))
        this.findings.add(
          'refused',
          from.element,
          `another type is called ${name}; this one is refused in place of ${own.name}`,
        );
      else variants.push(from);
      names.add(name);
    }
    if (variants.length === 0) {
      if (isAbstract)
        this.findings.add('changed', element, 'the type is abstract, and nothing that extends it is declared');
      return own;
    }
    const isThere = (base: Declared) =>
      base.element === element || variants.some((each) => each.element === base.element);
    const typed = withTypeName(own, this.#typeField, isAbstract);
    return polymorphic(
      typed,
      variants.map((each) => this.#variant(each, isThere)),
      { abstract: isAbstract },
    );
  }

  /** What stands for a type among those that may stand in place of another; it is read later. */
  #variant(from: Declared, isThere: (base: Declared) => boolean): ObjectSchema {
    const name = nameOf(from.element);
    const base = this.index.nearestBase(from, isThere);
    const isExtended = derivationOf(from.element) !== 'restriction';
    const known = this.#known.get(from.element);
    const extended = isExtended ? base && this.#nameOf(base) : undefined;
    if (known !== undefined) return asVariant(known, this.#typeField, extended);
    if (this.#open?.has(from.element) !== true) this.#waiting.push(this.#openType(from, name));
    const { namespace } = this.#open!.get(from.element)!.self;
    return self(name, {
      ...(namespace !== undefined && { namespace }),
      ...(extended !== undefined && { extends: extended }),
    });
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
      return object(name, fields, {
        choices,
        ...(namespace !== this.prefixes.own && { namespace }),
        ...(canBeEmpty && { emptyObject: 'present' }),
      });
    } catch (thrown) {
      if (thrown instanceof TypeError) throw new Refused(element, thrown.message);
      throw thrown;
    }
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

/** A type is refused that others name already. */
class RefusedLater extends Error {}

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
