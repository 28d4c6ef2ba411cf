/** Random valid content of messages, from the schemas of a WSDL themselves: it knows nothing of contracts. */
import fc from 'fast-check';
import type { LocatedElement } from '../../src/core/xml/located.ts';
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
  xmlUri,
  xsdUri,
} from '../../src/readers/wsdl/names.ts';
import { type Declared, qualifiesElements, type SchemaIndex } from '../../src/readers/wsdl/schema-index.ts';
import { type Attribute, type Instance, type Meaning, type Value, xsiUri } from './instance.ts';
import type { Random } from './random.ts';

/** No valid content is known for a schema: it names what is not declared, or never ends. */
export class Unable extends Error {
  override readonly name = 'Unable';
}

type Part = Instance | Value;

interface Content {
  readonly attributes: Attribute[];
  readonly content: Part[];
}

const anyType: QName = { uri: xsdUri, local: 'anyType' };
const foreignUri = 'urn:foreign';

/** Elements of one message; with more, optional parts are left out. */
const elementsMax = 120;
const depthMax = 40;

export class MessageGenerator {
  readonly #index: SchemaIndex;
  readonly #random: Random;
  #elements = 0;
  #ids = 0;

  constructor(index: SchemaIndex, random: Random) {
    this.#index = index;
    this.#random = random;
  }

  /** The content of a Body. */
  message(style: string, wrapper: QName, parts: readonly LocatedElement[]): readonly Instance[] {
    this.#elements = 0;
    this.#ids = 0;
    const elements = parts.map((part) => {
      const element = nameIn(part, 'element');
      const type = nameIn(part, 'type');
      if (element !== undefined) return this.#global(element, 0);
      if (type === undefined) throw new Unable('a part without a type');
      return this.#filled({ uri: '', local: nameOf(part) }, this.#ofType(type, undefined, 1), 1);
    });
    return style === 'rpc' ? [{ ...wrapper, attributes: [], content: elements }] : elements;
  }

  #global(name: QName, depth: number): Instance {
    const found = this.#index.find('element', name);
    if (found === undefined) throw new Unable(`element ${keyOf(name)}`);
    const others = this.#index.substitutesOf(found, 250);
    const all = [found, ...others].filter(({ element }) => element.attributes.get('abstract') !== 'true');
    const chosen = found.element.attributes.get('abstract') !== 'true' && depth === 0 ? found : this.#random.pick(all);
    if (chosen === undefined) throw new Unable('an abstract element alone');
    return this.#element(chosen, true, depth);
  }

  #element(declared: Declared, isGlobal: boolean, depth: number): Instance {
    const { element, schema } = declared;
    this.#elements += 1;
    if (depth > depthMax) throw new Unable('too deep');
    const form = element.attributes.get('form') ?? (qualifiesElements(schema) ? 'qualified' : 'unqualified');
    const name = { uri: isGlobal || form === 'qualified' ? schema.targetNamespace : '', local: nameOf(element) };
    const isNillable = element.attributes.get('nillable') === 'true';
    const filled = this.#ofDeclaration(declared, depth);
    if (isNillable && depth > 0 && this.#random.chance(0.1) && !filled.attributes.some(({ uri }) => uri === xsiUri))
      return { ...name, attributes: filled.attributes, content: [], isNil: true };
    return this.#filled(name, filled, depth);
  }

  #filled(name: QName, { attributes, content }: Content, _depth: number): Instance {
    return { ...name, attributes, content };
  }

  #ofDeclaration(declared: Declared, depth: number): Content {
    const { element } = declared;
    const fixed = element.attributes.get('fixed');
    if (fixed !== undefined) return { attributes: [], content: [{ text: fixed, meaning: 'text' }] };
    const complex = childNamed(element, xsdUri, 'complexType');
    if (complex !== undefined) return this.#ofComplex({ ...declared, element: complex }, depth);
    const simple = childNamed(element, xsdUri, 'simpleType');
    if (simple !== undefined) return ofValue(this.#simple({ ...declared, element: simple }));
    const type = nameIn(element, 'type');
    // A part beside the message.
    if (type?.local === 'swaRef') throw new Unable('an attachment');
    if (element.attributes.has('type') && type === undefined) throw new Unable('an undeclared prefix');
    if (type !== undefined) return this.#ofType(type, undefined, depth);
    const head = nameIn(element, 'substitutionGroup');
    const found = head && this.#index.find('element', head);
    return found === undefined ? this.#anything(depth) : this.#ofDeclaration(found, depth);
  }

  /** `chosen`: the type is one that stands for another, and says so. */
  #ofType(name: QName, chosen: QName | undefined, depth: number): Content {
    if (name.uri === xsdUri && name.local === 'anyType') return this.#anything(depth);
    const complex = this.#index.find('complexType', name);
    if (complex === undefined) return ofValue(this.#named(name));
    if (chosen !== undefined) return this.#ofComplex(complex, depth);
    const isAbstract = complex.element.attributes.get('abstract') === 'true';
    const derived = this.#index
      .derivedFrom(complex)
      .filter(({ element }) => element.attributes.get('abstract') !== 'true');
    if (!isAbstract && (derived.length === 0 || this.#random.chance(0.7))) return this.#ofComplex(complex, depth);
    const other = this.#random.pick(derived);
    if (other === undefined) throw new Unable('an abstract type alone');
    const type = { uri: other.schema.targetNamespace, local: nameOf(other.element) };
    const { attributes, content } = this.#ofType(type, type, depth);
    return { attributes: [{ uri: xsiUri, local: 'type', value: { name: type } }, ...attributes], content };
  }

  #ofComplex(declared: Declared, depth: number): Content {
    const parts: Content = { attributes: [], content: [] };
    this.#addType(declared, parts, depth);
    if (this.#isMixed(declared.element)) return { ...parts, content: this.#mixed(parts.content) };
    return parts;
  }

  #isMixed(type: LocatedElement): boolean {
    const content = childNamed(type, xsdUri, 'complexContent');
    const isText = childNamed(type, xsdUri, 'simpleContent') !== undefined;
    return !isText && [type, content].some((each) => each?.attributes.get('mixed') === 'true');
  }

  #mixed(content: readonly Part[]): Part[] {
    const text = (): Value => ({ text: `text ${this.#random.between(1, 99)} `, meaning: 'text' });
    if (content.length === 0) return [text()];
    return content.flatMap((part) => (this.#random.chance(0.3) ? [text(), part] : [part]));
  }

  #addType(declared: Declared, to: Content, depth: number): void {
    if (depth > depthMax) throw new Unable('too deep');
    for (const child of elementsIn(declared.element)) {
      const at = { ...declared, element: child };
      if (child.local === 'complexContent') this.#addDerivation(at, to, depth);
      else if (child.local === 'simpleContent') this.#addSimpleContent(at, to);
      else this.#addParticle(at, to, depth);
    }
  }

  #addDerivation({ element, schema }: Declared, to: Content, depth: number): void {
    const [derivation] = elementsIn(element);
    const base = derivation && nameIn(derivation, 'base');
    if (derivation === undefined || base === undefined || base.uri === encodingUri) throw new Unable('no base');
    const found = this.#index.find('complexType', base);
    if (found === undefined && keyOf(base) !== keyOf(anyType)) throw new Unable(`type ${keyOf(base)}`);
    if (derivation.local === 'extension' && found !== undefined) this.#addType(found, to, depth + 1);
    for (const child of elementsIn(derivation)) this.#addParticle({ element: child, schema }, to, depth);
    if (derivation.local === 'restriction' && found !== undefined) this.#addInherited(found, derivation, to, depth);
  }

  /** The attributes of the base that a restriction does not name itself. */
  #addInherited(base: Declared, derivation: LocatedElement, to: Content, depth: number): void {
    const own = new Set(
      childrenNamed(derivation, xsdUri, 'attribute').map((each) => nameIn(each, 'ref')?.local ?? nameOf(each)),
    );
    const inherited: Content = { attributes: [], content: [] };
    const elements = this.#elements;
    this.#addType(base, inherited, depth + 1);
    this.#elements = elements;
    for (const each of inherited.attributes)
      if (!own.has(each.local) && !to.attributes.some((other) => keyOf(other) === keyOf(each)))
        to.attributes.push(each);
  }

  #addSimpleContent({ element, schema }: Declared, to: Content): void {
    const [derivation] = elementsIn(element);
    const base = derivation && nameIn(derivation, 'base');
    if (derivation === undefined || base === undefined) throw new Unable('no base');
    const found = this.#index.find('complexType', base);
    if (found !== undefined) this.#addType(found, to, 1);
    else to.content.push(derivation.local === 'restriction' ? this.#restricted(derivation, base) : this.#named(base));
    if (found !== undefined && derivation.local === 'restriction') {
      const facets = elementsIn(derivation).filter(({ local }) => local === 'enumeration');
      const value = this.#random.pick(facets)?.attributes.get('value');
      if (value !== undefined) to.content.splice(0, 1, { text: value, meaning: 'words' });
      for (const each of childrenNamed(derivation, xsdUri, 'attribute')) {
        const at = to.attributes.findIndex(({ local }) => local === nameOf(each));
        if (at !== -1) to.attributes.splice(at, 1);
      }
    }
    for (const child of elementsIn(derivation))
      if (/^attribute|^anyAttribute/.test(child.local)) this.#addParticle({ element: child, schema }, to, 1);
  }

  #times(element: LocatedElement, depth: number): number {
    const min = Number(element.attributes.get('minOccurs') ?? 1);
    const written = element.attributes.get('maxOccurs') ?? '1';
    const max = written === 'unbounded' ? min + 3 : Number(written);
    if (max <= min) return Math.min(min, max);
    const isLarge = this.#elements > elementsMax || depth > 8 + this.#random.between(0, 4);
    if (isLarge) return min;
    if (min === 0 && this.#random.chance(0.35)) return 0;
    return this.#random.between(Math.max(min, 1), Math.min(max, Math.max(min, 1) + 2));
  }

  #addGroup(kind: 'attributeGroup' | 'group', reference: LocatedElement, to: Content, depth: number): void {
    const name = nameIn(reference, 'ref');
    const found = name && this.#index.find(kind, name);
    if (found === undefined) throw new Unable(`a declared ${kind}`);
    for (const child of elementsIn(found.element)) this.#addParticle({ ...found, element: child }, to, depth + 1);
  }

  #addParticle(declared: Declared, to: Content, depth: number): void {
    const { element, schema } = declared;
    if (depth > depthMax) throw new Unable('too deep');
    switch (element.local) {
      case 'attribute':
        this.#addAttribute(declared, to);
        return;
      case 'attributeGroup':
        this.#addGroup('attributeGroup', element, to, depth);
        return;
      case 'anyAttribute':
        if (this.#random.chance(0.3))
          to.attributes.push({ uri: foreignUri, local: 'extra', value: { text: 'extra', meaning: 'text' } });
        return;
      default:
    }
    for (let left = this.#times(element, depth); left > 0; left -= 1)
      switch (element.local) {
        case 'sequence':
        case 'all': {
          const children = elementsIn(element);
          for (const child of children) this.#addParticle({ element: child, schema }, to, depth + 1);
          break;
        }
        case 'choice': {
          const options = elementsIn(element);
          const chosen =
            depth > 10
              ? (options.find((each) => each.attributes.get('minOccurs') === '0') ?? this.#random.pick(options))
              : this.#random.pick(options);
          if (chosen !== undefined) this.#addParticle({ element: chosen, schema }, to, depth + 1);
          break;
        }
        case 'group':
          this.#addGroup('group', element, to, depth);
          break;
        case 'element': {
          const reference = nameIn(element, 'ref');
          if (reference?.uri === xsdUri) throw new Unable('a schema in a message');
          to.content.push(
            reference === undefined ? this.#element(declared, false, depth + 1) : this.#global(reference, depth + 1),
          );
          break;
        }
        case 'any':
          to.content.push(...this.#any(declared));
          break;
        default:
          throw new Unable(element.local);
      }
  }

  #any({ element, schema }: Declared): readonly Instance[] {
    const allowed = element.attributes.get('namespace') ?? '##any';
    const mode = element.attributes.get('processContents') ?? 'strict';
    if (mode === 'strict' && allowed !== '##local') {
      if (element.attributes.get('minOccurs') === '0') return [];
      throw new Unable('a declared element of any name');
    }
    const [first = '##any'] = allowed.trim().split(/\s+/);
    const uri =
      first === '##local'
        ? ''
        : first === '##targetNamespace'
          ? schema.targetNamespace
          : /^##/.test(first)
            ? foreignUri
            : first;
    return [this.#foreign(uri)];
  }

  /** An element that no schema declares. */
  #foreign(uri: string): Instance {
    this.#elements += 1;
    const inner: Instance = { uri, local: 'inner', attributes: [], content: [{ text: 'in it', meaning: 'text' }] };
    const attributes: Attribute[] = this.#random.chance(0.3)
      ? [{ uri: '', local: 'kind', value: { text: 'a "b"', meaning: 'text' } }]
      : [];
    const named: Value = { name: { uri: 'urn:named', local: 'name' } };
    const content = this.#random.pick<readonly Part[]>([
      [{ text: 'text <&', meaning: 'text' }],
      [inner, inner],
      [],
      [named],
    ])!;
    return { uri, local: 'foreign', attributes, content };
  }

  #anything(depth: number): Content {
    const roll = this.#random.next();
    if (roll < 0.3) return ofValue({ text: 'any text', meaning: 'text' });
    if (roll < 0.7) {
      const type: QName = { uri: xsdUri, local: this.#random.pick(['int', 'string', 'dateTime', 'boolean', 'QName'])! };
      const { content } = ofValue(this.#named(type));
      return { attributes: [{ uri: xsiUri, local: 'type', value: { name: type } }], content };
    }
    if (depth > 12) return { attributes: [], content: [] };
    return { attributes: [], content: [this.#foreign(foreignUri)] };
  }

  #addAttribute({ element, schema }: Declared, to: Content): void {
    const use = element.attributes.get('use') ?? 'optional';
    if (use === 'prohibited' || (use === 'optional' && this.#random.chance(0.4))) return;
    const reference = nameIn(element, 'ref');
    if (reference?.uri === encodingUri || reference?.uri === wsdlUri) return;
    if (reference?.uri === xmlUri) {
      to.attributes.push({
        ...reference,
        value: { text: reference.local === 'lang' ? 'en' : 'preserve', meaning: 'text' },
      });
      return;
    }
    const found = reference === undefined ? { element, schema } : this.#index.find('attribute', reference);
    if (found === undefined) throw new Unable(`attribute ${reference?.local}`);
    const form =
      found.element.attributes.get('form') ?? found.schema.root.attributes.get('attributeFormDefault') ?? 'unqualified';
    const uri = reference !== undefined || form === 'qualified' ? found.schema.targetNamespace : '';
    const fixed = element.attributes.get('fixed') ?? found.element.attributes.get('fixed');
    const simple = childNamed(found.element, xsdUri, 'simpleType');
    const type = nameIn(found.element, 'type');
    const value: Value =
      fixed !== undefined
        ? { text: fixed, meaning: 'words' }
        : simple !== undefined
          ? this.#simple({ ...found, element: simple })
          : this.#named(type ?? { uri: xsdUri, local: 'string' });
    if (to.attributes.some((each) => each.local === nameOf(found.element) && each.uri === uri)) return;
    to.attributes.push({ uri, local: nameOf(found.element), value });
  }

  #named(name: QName): Value {
    if (name.uri === xsdUri || name.uri === encodingUri) return this.#builtIn(name.local, {});
    const found = this.#index.find('simpleType', name);
    if (found === undefined) {
      const complex = this.#index.find('complexType', name);
      if (complex !== undefined) throw new Unable('elements in an attribute');
      throw new Unable(`type ${keyOf(name)}`);
    }
    return this.#simple(found);
  }

  #simple({ element, schema }: Declared): Value {
    const [variety] = elementsIn(element);
    switch (variety?.local) {
      case 'restriction': {
        const base = nameIn(variety, 'base');
        const inline = childNamed(variety, xsdUri, 'simpleType');
        if (base === undefined && inline !== undefined)
          return this.#restrictedInline(variety, { element: inline, schema });
        if (base === undefined) throw new Unable('no base');
        return this.#restricted(variety, base);
      }
      case 'list': {
        const item = nameIn(variety, 'itemType');
        const inline = childNamed(variety, xsdUri, 'simpleType');
        const items = Array.from({ length: this.#random.between(1, 3) }, () =>
          inline === undefined ? this.#named(item!) : this.#simple({ element: inline, schema }),
        );
        if (items.some((each) => 'name' in each)) throw new Unable('a list of names');
        const texts = items.map((each) => ('text' in each ? each.text.trim().replace(/\s+/g, '_') : ''));
        return { text: texts.join(' '), meaning: 'words' };
      }
      case 'union': {
        const names = (variety.attributes.get('memberTypes') ?? '').split(/\s+/).filter((each) => each !== '');
        const members = [
          ...names.map((each) => () => this.#named(resolveName(variety, each) ?? anyType)),
          ...childrenNamed(variety, xsdUri, 'simpleType').map((each) => () => this.#simple({ element: each, schema })),
        ];
        const chosen = this.#random.pick(members);
        if (chosen === undefined) throw new Unable('a union of nothing');
        const value = chosen();
        return 'name' in value ? value : { text: value.text, meaning: 'words' };
      }
      default:
        throw new Unable('a simple type');
    }
  }

  #restrictedInline(restriction: LocatedElement, inline: Declared): Value {
    const value = this.#random.pick(childrenNamed(restriction, xsdUri, 'enumeration'))?.attributes.get('value');
    return value === undefined ? this.#simple(inline) : { text: value, meaning: 'words' };
  }

  /** Walks to the built-in type, with the narrowest facets. */
  #restricted(restriction: LocatedElement, base: QName): Value {
    let facets: Facets = facetsOf(restriction);
    let at = base;
    for (let steps = 0; at.uri !== xsdUri; steps += 1) {
      const found = this.#index.find('simpleType', at);
      const next = found && childNamed(found.element, xsdUri, 'restriction');
      const name = next && nameIn(next, 'base');
      if (found === undefined || steps > 16) throw new Unable(`type ${keyOf(at)}`);
      if (next === undefined || name === undefined) {
        if (facets.values !== undefined) return { text: this.#random.pick(facets.values)!, meaning: 'words' };
        return this.#simple(found);
      }
      facets = { ...facetsOf(next), ...facets };
      at = name;
    }
    return this.#builtIn(at.local, facets, restriction);
  }

  #builtIn(local: string, facets: Facets, from?: LocatedElement): Value {
    const random = this.#random;
    if (facets.values !== undefined) {
      const text = random.pick(facets.values)!;
      if (local === 'QName' || local === 'NOTATION') return this.#qualified(text, from);
      const isNumber = /int|long|short|byte|decimal|float|double|Integer/i.test(local);
      return { text, meaning: isNumber ? 'number' : local === 'string' ? 'text' : 'words' };
    }
    const bounded = (low: number, high: number): Value => {
      const digits = facets.digits === undefined ? Infinity : 10 ** Math.min(15, facets.digits) - 1;
      const min = Math.max(low, Math.ceil(facets.min ?? low), -digits);
      const max = Math.min(high, Math.floor(facets.max ?? high), digits);
      if (min > max) throw new Unable('a range');
      const text = String(random.between(min, Math.min(max, min + 1_000)));
      if (facets.pattern === undefined) return { text, meaning: 'number' };
      return { text: this.#matching(facets), meaning: 'number' };
    };
    if (facets.pattern !== undefined && /^(?:date|time|dateTime|duration|g[A-Z])/.test(local))
      throw new Unable('a pattern');
    const date = `20${random.between(10, 29)}-0${random.between(1, 9)}-1${random.between(0, 9)}`;
    const time = `1${random.between(0, 9)}:2${random.between(0, 9)}:3${random.between(0, 9)}`;
    switch (local) {
      case 'boolean':
        return { text: random.pick(['true', 'false'])!, meaning: 'boolean' };
      case 'byte':
        return bounded(-128, 127);
      case 'unsignedByte':
        return bounded(0, 255);
      case 'short':
        return bounded(-(2 ** 15), 2 ** 15 - 1);
      case 'unsignedShort':
        return bounded(0, 2 ** 16 - 1);
      case 'int':
        return bounded(-(2 ** 31), 2 ** 31 - 1);
      case 'unsignedInt':
        return bounded(0, 2 ** 32 - 1);
      case 'long':
      case 'integer':
        if (
          facets.pattern === undefined &&
          facets.min === undefined &&
          facets.max === undefined &&
          facets.digits === undefined
        )
          return { text: random.pick(['9223372036854775807', '-12', '0', '4503599627370497'])!, meaning: 'text' };
        return bounded(-(10 ** 15), 10 ** 15);
      case 'unsignedLong':
      case 'nonNegativeInteger':
        return bounded(0, 10 ** 15);
      case 'positiveInteger':
        return bounded(1, 10 ** 15);
      case 'negativeInteger':
        return bounded(-(10 ** 15), -1);
      case 'nonPositiveInteger':
        return bounded(-(10 ** 15), 0);
      case 'decimal': {
        if (facets.pattern !== undefined) return { text: this.#matching(facets), meaning: 'number' };
        const whole = bounded(-100_000, 100_000);
        const places = Math.min(facets.fraction ?? 2, 2, (facets.digits ?? 18) - 1);
        if (places <= 0 || facets.max !== undefined || facets.min !== undefined || facets.digits !== undefined)
          return whole;
        return { text: `${'text' in whole ? whole.text : '0'}.${'25'.slice(0, places)}`, meaning: 'number' };
      }
      case 'float':
      case 'double': {
        if (facets.max !== undefined || facets.min !== undefined) return bounded(-1_000, 1_000);
        return { text: random.pick(['1.5', '-0.25', '100', '1.0E10'])!, meaning: 'number' };
      }
      case 'dateTime':
        return { text: `${date}T${time}Z`, meaning: 'dateTime' };
      case 'date':
        return { text: date, meaning: 'text' };
      case 'time':
        return { text: time, meaning: 'text' };
      case 'duration':
        return { text: 'P1DT2H', meaning: 'text' };
      case 'gYear':
        return { text: '2024', meaning: 'text' };
      case 'gYearMonth':
        return { text: '2024-05', meaning: 'text' };
      case 'gMonth':
        return { text: '--05', meaning: 'text' };
      case 'gDay':
        return { text: '---05', meaning: 'text' };
      case 'gMonthDay':
        return { text: '--05-06', meaning: 'text' };
      case 'base64Binary':
      case 'base64':
        return { text: random.pick(['AAEC', 'SGVsbG8=', '/w=='])!, meaning: 'bytes' };
      case 'hexBinary':
        return { text: (facets.length ?? 2) === 2 ? 'CAFE' : 'CA'.repeat(facets.length ?? 2), meaning: 'text' };
      case 'QName':
      case 'NOTATION':
        return {
          name: random.pick([
            { uri: 'urn:named', local: 'thing' },
            { uri: xsdUri, local: 'int' },
          ])!,
        };
      case 'anySimpleType':
        return { text: 'anything', meaning: 'text' };
      case 'ID':
        this.#ids += 1;
        return { text: `id${this.#ids}`, meaning: 'words' };
      case 'IDREF':
      case 'IDREFS':
        throw new Unable('a reference to an element');
      case 'language':
        return { text: 'en', meaning: 'words' };
      case 'anyURI':
        if (facets.pattern !== undefined) return { text: this.#matching(facets), meaning: 'words' };
        return { text: 'http://example.org/a?b=1&c=2', meaning: 'words' };
      case 'NMTOKENS':
        return { text: 'one two', meaning: 'words' };
      case 'Name':
      case 'NCName':
      case 'NMTOKEN':
      case 'ENTITY':
        return {
          text: facets.pattern === undefined ? this.#ofLength('name', facets) : this.#matching(facets),
          meaning: 'words',
        };
      case 'token':
      case 'normalizedString':
      case 'string': {
        const meaning: Meaning = local === 'token' ? 'words' : 'text';
        if (facets.pattern !== undefined) return { text: this.#matching(facets), meaning };
        const text = random.pick(['text', 'a b', 'Zoë <&> "x"', '12', ' spaced ', ''])!;
        const usual = local === 'string' ? text : text.trim();
        return { text: this.#ofLength(usual, facets), meaning };
      }
      default:
        throw new Unable(`built-in type ${local}`);
    }
  }

  #ofLength(text: string, { length, minLength = length ?? 0, maxLength = length ?? Infinity }: Facets): string {
    const long = text.padEnd(minLength, 'x');
    return long.length > maxLength ? 'x'.repeat(Math.min(maxLength, Math.max(minLength, 1))) : long;
  }

  #matching({ pattern = '', length, minLength = length ?? 0, maxLength = length ?? Infinity }: Facets): string {
    const written = pattern
      .replaceAll('\\i', '[A-Za-z_]')
      .replaceAll('\\c', '[A-Za-z0-9._-]')
      .replace(/\\p\{Is\w+\}/g, '[a-z]');
    try {
      const expression = new RegExp(`^(?:${written})$`, 'u');
      const texts = fc.sample(fc.stringMatching(expression, { size: 'small' }), {
        numRuns: 10,
        seed: this.#random.between(0, 2 ** 30),
      });
      const text = texts.find(
        // biome-ignore lint/suspicious/noControlCharactersInRegex: XML has no such characters
        (each) => each.length >= minLength && each.length <= maxLength && !/[\0-\x1f\x7f-\uffff]/.test(each),
      );
      if (text !== undefined) return text;
    } catch {
      // A pattern that JavaScript has not.
    }
    throw new Unable('a pattern');
  }

  #qualified(text: string, from: LocatedElement | undefined): Value {
    const name = from && resolveName(from, text);
    if (name === undefined) throw new Unable('a name of an enumeration');
    return { name };
  }
}

interface Facets {
  readonly values?: readonly string[];
  readonly pattern?: string;
  readonly length?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly min?: number;
  readonly max?: number;
  readonly digits?: number;
  readonly fraction?: number;
}

function facetsOf(restriction: LocatedElement): Facets {
  const all = elementsIn(restriction);
  const writtenIn = (local: string) => all.find((each) => each.local === local)?.attributes.get('value');
  const numberOf = (local: string, add = 0) => {
    const value = writtenIn(local);
    return value === undefined || Number.isNaN(Number(value)) ? undefined : Number(value) + add;
  };
  const values = all
    .filter(({ local }) => local === 'enumeration')
    .map(({ attributes }) => attributes.get('value') ?? '');
  const patterns = all
    .filter(({ local }) => local === 'pattern')
    .map(({ attributes }) => attributes.get('value') ?? '');
  const facets = {
    length: numberOf('length'),
    minLength: numberOf('minLength'),
    maxLength: numberOf('maxLength'),
    min: numberOf('minInclusive') ?? numberOf('minExclusive', 1),
    max: numberOf('maxInclusive') ?? numberOf('maxExclusive', -1),
    digits: numberOf('totalDigits'),
    fraction: numberOf('fractionDigits'),
  };
  return {
    ...Object.fromEntries(Object.entries(facets).filter(([, value]) => value !== undefined)),
    ...(values.length > 0 && { values }),
    ...(patterns.length > 0 && { pattern: patterns.map((each) => `(?:${each})`).join('|') }),
  };
}

function ofValue(value: Value): Content {
  return { attributes: [], content: [value] };
}

function elementsIn(element: LocatedElement): readonly LocatedElement[] {
  return element.children.filter(({ namespace, local }) => namespace === xsdUri && local !== 'annotation');
}
