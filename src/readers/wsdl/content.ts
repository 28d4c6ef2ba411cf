/** Reads the content of a complex type: its elements in their order, its rules between them, its text and its attributes. */

import { isDeepStrictEqual } from 'node:util';
import {
  binary,
  type Choice,
  type Field,
  type FieldOptions,
  holdsAnyElement,
  list,
  oneOf,
  optional,
  required,
  type Schema,
  string,
} from '../../core/contract/index.ts';
import type { LocatedElement } from '../../core/xml/index.ts';
import { bytesMax, capitalised, itemsMax, textMax } from '../../documents/index.ts';
import { Refused } from './findings.ts';
import {
  childNamed,
  docOf,
  encodingUri,
  nameIn,
  nameOf,
  type QName,
  wsdlUri,
  xmlUri,
  xopUri,
  xsdUri,
} from './names.ts';
import { type Content, elementChildren, limitOf, namespaceOfElement, type TypeReader } from './particles.ts';
import type { Declared } from './schema-index.ts';
import { matchesEmpty, type ReadType } from './simple-types.ts';

/** Whether a group, or one around it, may be left out, and whether only one of its parts is there. */
interface GroupContext {
  readonly isOptional: boolean;
  readonly isInChoice: boolean;
  readonly depth: number;
  /** `maxOccurs` of a group around one element. */
  readonly repeats?: string;
}

/** How often an element is there. */
interface Occurs {
  readonly maxOccurs: string;
  readonly isOptional: boolean;
}

const always: GroupContext = { isOptional: false, isInChoice: false, depth: 0 };
const groupDepthMax = 16;
const typeFieldsMax = 5_000;
const textDoc = 'The texts between the elements.';
const orderDoc = 'The order of the elements, where it is another one than that of the members.';
/** Elements that stand for one. */
const substitutesMax = 250;

export class ContentReader {
  readonly #types: TypeReader;
  readonly #fields = new Map<string, Field>();
  readonly #choices: Choice[] = [];
  /** The namespace of the type that is read; base types may be in others. */
  #around = '';
  /** Members that a choice names again. */
  #alternatives = 0;
  /** Elements of groups that repeat, whose order says something. */
  readonly #ordered = new Set<string>();
  /** Such groups around what is read. */
  #repeating = 0;
  #isMixed = false;

  constructor(types: TypeReader) {
    this.#types = types;
  }

  read(declared: Declared): Content {
    this.#around = declared.schema.targetNamespace;
    this.#readType(declared, 0);
    const order = this.#orderField(declared.element);
    return { fields: Object.fromEntries([...this.#textBetween(), ...this.#fields, ...order]), choices: this.#choices };
  }

  /** The texts between elements. */
  #textBetween(): readonly (readonly [string, Field])[] {
    if (!this.#isMixed) return [];
    const name = this.#freeName(['text', 'texts', 'textBetween']);
    const item = string({ max: textMax, example: 'text' });
    return [
      [name, optional(list(item, name, { max: itemsMax, repeated: true, json: 'absent' }), textDoc, { xml: 'mixed' })],
    ];
  }

  /** Of a type whose elements may be mixed, so that lists do not say their order. */
  #orderField(element: LocatedElement): readonly (readonly [string, Field])[] {
    const names = [...this.#fields].flatMap(([name, { xml }]) =>
      xml === undefined && (this.#isMixed || this.#ordered.has(name)) ? [name] : [],
    );
    const all = [...this.#textBetween().map(([name]) => name), ...names];
    if (all.length < 2) return [];
    const name = this.#freeName(['order', 'elementOrder', 'orderOfElements']);
    this.#types.findings.addOnce('changed', element, `the order of elements is in ${name} where they are mixed`);
    const item = oneOf(`${capitalised(name)}Name`, ...all);
    return [[name, optional(list(item, name, { max: itemsMax, json: 'absent' }), orderDoc, { xml: 'order' })]];
  }

  #freeName(names: readonly string[]): string {
    return names.find((each) => !this.#fields.has(each)) ?? `${names[0]}_`;
  }

  #readType(declared: Declared, depth: number): void {
    if (depth > groupDepthMax)
      throw new Refused(declared.element, `the type extends itself, or more than ${groupDepthMax} others`);
    const content = childNamed(declared.element, xsdUri, 'complexContent');
    const isText = childNamed(declared.element, xsdUri, 'simpleContent') !== undefined;
    this.#isMixed ||= !isText && [declared.element, content].some((each) => each?.attributes.get('mixed') === 'true');
    for (const child of elementChildren(declared.element)) {
      const at = { ...declared, element: child };
      switch (child.local) {
        case 'complexContent':
          this.#readDerivation(at, depth);
          break;
        case 'simpleContent':
          this.#readText(at, depth);
          break;
        default:
          this.#readParticle(at, always);
      }
    }
  }

  #readDerivation({ element, schema }: Declared, depth: number): void {
    const [derivation] = elementChildren(element);
    const base = derivation && nameIn(derivation, 'base');
    if (derivation === undefined || base === undefined) throw new Refused(element, 'a type without its base');
    // The type that all others extend: anything may be in it.
    if (derivation.local === 'extension' && base.uri === xsdUri && base.local === 'anyType') {
      this.#readAny(derivation);
      this.#readOtherAttributes(derivation);
    } else if (derivation.local === 'extension') {
      const found = this.#types.index.find('complexType', base);
      if (found === undefined) throw new Refused(derivation, `no type ${base.local} is declared in ${base.uri}`);
      this.#readType(found, depth + 1);
    }
    if (base.uri === encodingUri && base.local === 'Array') throw new Refused(derivation, 'an array');
    // A restriction repeats the elements that it keeps, and need not repeat attributes.
    this.#readChildren({ element: derivation, schema }, always);
    if (derivation.local === 'restriction') this.#inheritAttributes(base, attributesIn(derivation), depth + 1);
  }

  /** The attributes of the base of a restriction, save those that it names itself. */
  #inheritAttributes(base: QName, named: ReadonlySet<string>, depth: number): void {
    const found = this.#types.index.find('complexType', base);
    if (found === undefined || depth > groupDepthMax) return;
    const [content] = elementChildren(found.element).filter(({ local }) => /^(?:complex|simple)Content$/.test(local));
    const [derivation] = content === undefined ? [] : elementChildren(content);
    const from = derivation ?? found.element;
    this.#addMissing({ ...found, element: from }, named, depth);
    const next = derivation && nameIn(derivation, 'base');
    const all = new Set([...named, ...attributesIn(from)]);
    if (next !== undefined) this.#inheritAttributes(next, all, depth + 1);
  }

  /** The attributes of a type or a group that have other names. */
  #addMissing(declared: Declared, named: ReadonlySet<string>, depth: number): void {
    for (const each of elementChildren(declared.element)) {
      if (each.local === 'attribute' && !named.has(attributeName(each)) && !this.#fields.has(attributeName(each)))
        this.#readParticle({ ...declared, element: each }, always);
      const group = each.local === 'attributeGroup' ? nameIn(each, 'ref') : undefined;
      const found = group && this.#types.index.find('attributeGroup', group);
      if (found !== undefined && depth <= groupDepthMax) this.#addMissing(found, named, depth + 1);
    }
  }

  #readText({ element, schema }: Declared, depth: number): void {
    const [derivation] = elementChildren(element);
    const base = derivation && nameIn(derivation, 'base');
    if (derivation === undefined || base === undefined) throw new Refused(element, 'a text without its type');
    const found = this.#types.index.find('complexType', base);
    if (found !== undefined) this.#readType(found, depth + 1);
    else this.#addText(derivation, this.#types.simpleTypes.named(derivation, base, 'Value'), docOf(element));
    // A restriction declares attributes of its base again, or prohibits them.
    if (derivation.local === 'restriction')
      for (const name of attributesIn(derivation))
        if (this.#fields.get(name)?.xml === 'attribute') this.#fields.delete(name);
    for (const child of elementChildren(derivation))
      if (child.local.startsWith('attribute') || child.local === 'anyAttribute')
        this.#readParticle({ element: child, schema }, always);
  }

  #addText(element: LocatedElement, { schema, xsd }: ReadType, doc: string): void {
    const isRequired = schema.kind !== 'string' || (schema.min ?? 0) > 0;
    this.#add(element, 'value', (isRequired ? required : optional)(schema, doc, { xml: 'text', ...(xsd && { xsd }) }));
  }

  #readParticle(declared: Declared, around: GroupContext): void {
    const { element } = declared;
    this.#types.countPart(element);
    if (around.depth > groupDepthMax)
      throw new Refused(element, `the group contains itself, or groups are more than ${groupDepthMax} deep`);
    const inner = { ...around, depth: around.depth + 1 };
    switch (element.local) {
      case 'sequence':
      case 'all':
        this.#readGroup(element, inner, (group) => this.#readChildren(declared, group));
        return;
      case 'choice':
        this.#readGroup(element, inner, (group) => this.#readChoice(declared, group));
        return;
      case 'group':
      case 'attributeGroup': {
        const name = nameIn(element, 'ref');
        const found = name && this.#types.index.find(element.local, name);
        if (found === undefined) throw new Refused(element, `no ${element.local} ${name?.local} is declared`);
        this.#readGroup(element, inner, (group) => this.#readChildren(found, group));
        return;
      }
      case 'element':
        this.#leaveOutIfOptional(element, around, () => this.#readElement(declared, around));
        return;
      case 'attribute':
        this.#leaveOutIfOptional(element, around, () => this.#readAttribute(declared));
        return;
      case 'any':
        this.#leaveOutIfOptional(element, around, () => this.#readAny(element));
        return;
      case 'anyAttribute':
        this.#readOtherAttributes(element);
        return;
      default:
        throw new Refused(element, `the contract language has no ${element.local}`);
    }
  }

  #readChildren(around: Declared, group: GroupContext): void {
    for (const element of elementChildren(around.element)) this.#readParticle({ ...around, element }, group);
  }

  /** `read`: reads what is in the group. */
  #readGroup(element: LocatedElement, around: GroupContext, read: (group: GroupContext) => void): void {
    const max = element.attributes.get('maxOccurs') ?? '1';
    const isOptional = around.isOptional || element.attributes.get('minOccurs') === '0';
    if (max === '1' || max === '0') {
      read({ ...around, isOptional });
      return;
    }
    const [only, ...others] = elementChildren(element);
    // One element alone has no order.
    const isOrdered = only?.local !== 'element' || others.length > 0;
    if (isOrdered) this.#repeating += 1;
    read({ ...around, isOptional, repeats: max });
    if (isOrdered) this.#repeating -= 1;
  }

  #readChoice({ element, schema }: Declared, around: GroupContext): void {
    const options: string[][] = [];
    const alternatives = this.#alternatives;
    let canBeEmpty = around.isOptional;
    for (const child of elementChildren(element)) {
      const before = this.#fields.size;
      this.#readParticle({ element: child, schema }, { ...around, isOptional: true, isInChoice: true });
      // What is nil is absent.
      const mayBeAbsent = child.attributes.get('minOccurs') === '0' || child.attributes.get('nillable') === 'true';
      if (mayBeAbsent || around.repeats !== undefined) canBeEmpty = true;
      const names = [...this.#fields.keys()].slice(before);
      // Those of a substitution group stand for one element.
      if (child.local === 'element') options.push(...names.map((name) => [name]));
      else if (names.length > 0) options.push(names);
    }
    const isPlain =
      this.#alternatives === alternatives &&
      elementChildren(element).every(
        (child) =>
          child.local === 'element' || (child.local === 'sequence' && elementChildren(child).every(isMandatoryElement)),
      );
    // A rule says which fields are there: one of optional ones does not say it.
    if (around.isInChoice || !isPlain || options.length < 2 || around.repeats !== undefined) {
      this.#types.findings.add(
        'changed',
        element,
        'the rule of the choice is not checked: each of its members is optional',
      );
      return;
    }
    this.#addChoice(options, canBeEmpty);
  }

  #addChoice(options: Choice['options'], canBeEmpty: boolean): void {
    const isUnread = (name: string) => this.#types.isUnread(this.#fields.get(name)!.schema);
    // Here, too, no value might end.
    canBeEmpty ||= options.every((names) => names.some(isUnread));
    const doc = `One of them: ${options.map((names) => names.join(' and ')).join(', or ')}.`;
    this.#choices.push({ options, exclusive: true, ...(canBeEmpty && { orNone: true }), problem: 'missingField', doc });
  }

  /** What may be absent can be left out, and the rest serves; a finding says so. */
  #leaveOutIfOptional(element: LocatedElement, around: GroupContext, read: () => void): void {
    try {
      read();
    } catch (thrown) {
      const isOptional =
        element.local === 'attribute'
          ? element.attributes.get('use') !== 'required'
          : around.isOptional || element.attributes.get('minOccurs') === '0';
      if (!(thrown instanceof Refused) || !isOptional) throw thrown;
      const place = thrown.place === element ? '' : `; ${element.local} ${nameOf(element)} is left out`;
      this.#types.findings.add('refused', thrown.place, `${thrown.message}${place || ', so it is left out'}`);
    }
  }

  #readElement(declared: Declared, around: GroupContext): void {
    const { element } = declared;
    const { attributes } = element;
    const written = attributes.get('maxOccurs') ?? '1';
    if (written === '0') return;
    const reference = nameIn(element, 'ref');
    // An element with an Include has bytes, which are sent beside the envelope (XOP).
    if (reference?.uri === xopUri && reference.local === 'Include') {
      this.#types.namesInclude = true;
      const bytes = binary({ max: bytesMax, example: 'AA==' });
      this.#add(element, 'value', optional(bytes, docOf(element), { xml: 'text' }));
      return;
    }
    // A DataSet of .NET: its schema, and elements of any name.
    if (reference?.uri === xsdUri) {
      this.#readAny(element);
      return;
    }
    const maxOccurs = written === '1' ? (around.repeats ?? written) : written;
    const found = reference === undefined ? declared : this.#types.index.requireElement(element, reference);
    const occurs = { maxOccurs, isOptional: around.isOptional || attributes.get('minOccurs') === '0' };
    const substitutes = reference === undefined ? [] : this.#types.index.substitutesOf(found, substitutesMax);
    const named = [found, ...substitutes].filter((each) => each.element.attributes.get('abstract') !== 'true');
    if (named.length === 0)
      throw new Refused(element, 'an abstract element, for which no other one stands (substitutionGroup)');
    if (named.length > 1) this.#readSubstitutes(element, named, { ...around, ...occurs });
    else this.#addElement(element, named[0]!, { ...around, ...occurs }, reference !== undefined);
  }

  /** One of the elements of a substitution group, each as an element of its own. */
  #readSubstitutes(element: LocatedElement, named: readonly Declared[], around: GroupContext & Occurs): void {
    if (named.length > substitutesMax)
      this.#types.findings.add(
        'refused',
        element,
        `more than ${substitutesMax} elements stand for ${nameOf(named[0]!.element)}`,
      );
    const before = this.#fields.size;
    for (const each of named)
      try {
        this.#addElement(element, each, { ...around, isOptional: true, isInChoice: true }, true);
      } catch (thrown) {
        if (!(thrown instanceof Refused)) throw thrown;
        const reason = `${thrown.message}; the element ${nameOf(each.element)} of a substitution group is left out`;
        this.#types.findings.add('refused', thrown.place, reason);
      }
    const names = [...this.#fields.keys()].slice(before);
    if (names.length === 0) throw new Refused(element, 'no element of a substitution group can be read');
    const isRepeated = around.maxOccurs !== '1';
    if (isRepeated) for (const name of names) this.#ordered.add(name);
    if (!isRepeated && !around.isInChoice)
      this.#addChoice(
        names.map((name) => [name]),
        around.isOptional,
      );
  }

  #addElement(
    element: LocatedElement,
    found: Declared,
    { maxOccurs, isOptional, isInChoice }: GroupContext & Occurs,
    isGlobal: boolean,
  ): void {
    const name = nameOf(found.element);
    const type = this.#types.elementType(found, isOptional);
    this.#noteDefault(found.element);
    const isNillable = found.element.attributes.get('nillable') === 'true';
    const namespace = this.#types.prefixes.fieldTrait(namespaceOfElement(found, isGlobal), this.#around);
    const isRepeated = maxOccurs !== '1';
    const { xsd } = type;
    const schema = isRepeated
      ? list(type.schema, name, {
          max: limitOf(maxOccurs),
          repeated: true,
          ...(isNillable && { nillableItems: true, nullItems: true }),
          ...(xsd !== undefined && { xsd }),
        })
      : type.schema;
    const options: FieldOptions = {
      ...(namespace !== undefined && { namespace }),
      ...(xsd !== undefined && !isRepeated && { xsd }),
      ...(type.hasInlineLengths && !isRepeated && { lengthsInStubs: true as const }),
    };
    const doc = docOf(element) || docOf(found.element);
    // An answer has one member of a choice, and no nil ones besides.
    const mayBeNil = isNillable && !isRepeated && !isInChoice;
    const optionally = () => optional(schema, doc, mayBeNil ? options : { nillable: false, ...options });
    const mandatory = () =>
      isRepeated ? required(schema, doc, options) : this.#mandatory(schema, doc, isNillable, options);
    // No value would end of types that must contain each other.
    const mayBeAbsent = isOptional || (isRepeated && this.#types.isUnread(schema));
    this.#add(element, name, mayBeAbsent ? optionally() : mandatory(), isInChoice);
  }

  /**
   * WSDL says what stubs send, and not what a server requires: an element that must be there may be empty, which is absent in the
   * contract, unless its type excludes that.
   */
  #mandatory(schema: Schema, doc: string, isNillable: boolean, options: FieldOptions): Field {
    if (isNillable) return optional(schema, doc, { mandatoryInStubs: 'nillable', ...options });
    if (this.#mayBeEmpty(schema)) return optional(schema, doc, { mandatoryInStubs: 'empty', ...options });
    return required(schema, doc, options);
  }

  #mayBeEmpty(schema: Schema): boolean {
    switch (schema.kind) {
      case 'string':
        return (schema.min ?? 0) === 0 && (schema.pattern === undefined || matchesEmpty(schema.pattern));
      case 'list':
      case 'map':
        return true;
      case 'object':
        return Object.values(this.#types.contentOf(schema).fields).every(({ required }) => !required);
      default:
        return false;
    }
  }

  /** An attribute that is declared elsewhere, in the namespace of that schema. */
  #readReference(element: LocatedElement, reference: QName): void {
    const use = element.attributes.get('use');
    if (reference.uri === xmlUri) {
      const { schema } = this.#textType(element, reference.local);
      const read = optional(schema, docOf(element), { xml: 'attribute', namespace: 'xml' });
      this.#add(element, reference.local, read);
      return;
    }
    const found = this.#types.index.find('attribute', reference);
    if (found === undefined) throw new Refused(element, `no attribute ${reference.local} is declared`);
    this.#readAttribute(found, use, true);
  }

  #textType(element: LocatedElement, name: string): ReadType {
    return this.#types.simpleTypes.named(element, { uri: element.namespace, local: 'string' }, name);
  }

  /** Elements of any name are XML as text, in one list for the whole object. */
  #readAny(element: LocatedElement): void {
    if ([...this.#fields.values()].some(({ schema }) => holdsAnyElement(schema))) return;
    const markup = element.attributes.get('namespace') === '##other' ? 'other' : 'any';
    const item = string({ markup, example: '<other xmlns="urn:other">text</other>' });
    const name = ['any', 'any2', 'anyElement'].find((each) => !this.#fields.has(each)) ?? 'any';
    this.#types.findings.addOnce('changed', element, `elements of any name are XML as text, in ${name}`);
    this.#add(
      element,
      name,
      optional(list(item, name, { max: itemsMax, repeated: true }), docOf(element), { nillable: false }),
    );
  }

  /** All of them are XML as text, once for the whole object. */
  #readOtherAttributes(element: LocatedElement): void {
    if ([...this.#fields.values()].some(({ xml }) => xml === 'attributes')) return;
    const name = ['anyAttribute', 'anyAttributes', 'otherAttributes'].find((each) => !this.#fields.has(each));
    this.#types.findings.addOnce('changed', element, `attributes of any name are XML as text, in ${name}`);
    const schema = string({ markup: 'attributes', example: '<attributes xmlns:a0="urn:any" a0:any="text"/>' });
    this.#add(element, name ?? 'anyAttribute', optional(schema, docOf(element), { xml: 'attributes' }));
  }

  #readAttribute({ element, schema }: Declared, use = element.attributes.get('use'), isGlobal = false): void {
    const { attributes } = element;
    if (use === 'prohibited') return;
    const reference = nameIn(element, 'ref');
    if (reference?.uri === encodingUri || reference?.uri === wsdlUri) return;
    if (reference !== undefined) {
      this.#readReference(element, reference);
      return;
    }
    const name = attributes.get('name') ?? '';
    const isQualified =
      isGlobal ||
      attributes.get('form') === 'qualified' ||
      (attributes.get('form') !== 'unqualified' && schema.root.attributes.get('attributeFormDefault') === 'qualified');
    const prefix = isQualified ? this.#types.prefixes.prefixOf(schema.targetNamespace) : '';
    const hasType = attributes.has('type') || childNamed(element, element.namespace, 'simpleType') !== undefined;
    let type = hasType
      ? this.#types.typeOf(element, { element, schema }, capitalised(name))
      : this.#textType(element, name);
    // An attribute holds no markup.
    if (type.schema.kind === 'string' && type.schema.markup !== undefined) type = this.#textType(element, name);
    this.#noteDefault(element);
    const options: FieldOptions = {
      xml: 'attribute',
      ...(prefix !== '' && { namespace: prefix }),
      ...(type.xsd !== undefined && { xsd: type.xsd }),
      ...(type.hasInlineLengths && { lengthsInStubs: true as const }),
    };
    this.#add(element, name, (use === 'required' ? required : optional)(type.schema, docOf(element), options));
  }

  /** `isAlternative`: another part of the choice may have the member, too. */
  #add(element: LocatedElement, name: string, read: Field, isAlternative = false): void {
    if (!/^[\p{L}_][\p{L}\p{N}._-]*$/u.test(name) || name === '__proto__')
      throw new Refused(element, `a field cannot be called ${name}: FORM has no such name`);
    if (this.#repeating > 0) this.#ordered.add(name);
    const other = this.#fields.get(name);
    if (other !== undefined) {
      if (!isAlternative || !isSameMember(other, read)) throw new Refused(element, `two members are called ${name}`);
      this.#alternatives += 1;
      return;
    }
    if (this.#fields.size >= typeFieldsMax) throw new Refused(element, `a type has more than ${typeFieldsMax} members`);
    this.#fields.set(name, read);
  }

  #noteDefault(element: LocatedElement): void {
    for (const kind of ['default', 'fixed']) {
      const value = element.attributes.get(kind);
      if (value !== undefined)
        this.#types.findings.add('changed', element, `the ${kind} value ${value} is not applied`);
    }
  }
}

function isSameMember(one: Field, other: Field): boolean {
  const isSameType = one.schema === other.schema || isDeepStrictEqual(one.schema, other.schema);
  return isSameType && one.xml === other.xml && one.namespace === other.namespace;
}

/** The names of the attributes that a type declares or prohibits itself. */
function attributesIn(type: LocatedElement): ReadonlySet<string> {
  const attributes = elementChildren(type).filter(({ local }) => local === 'attribute');
  return new Set(attributes.map(attributeName));
}

function attributeName(element: LocatedElement): string {
  return nameIn(element, 'ref')?.local ?? nameOf(element);
}

function isMandatoryElement(element: LocatedElement): boolean {
  return element.local === 'element' && element.attributes.get('minOccurs') !== '0';
}
