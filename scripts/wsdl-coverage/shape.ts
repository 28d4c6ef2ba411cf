/** Expands the operations of WSDL documents into lines that two documents can be compared by, apart from the importer. */

import type { LocatedElement } from '../../src/core/xml/located.ts';
import { Definitions } from '../../src/readers/wsdl/definitions.ts';
import type { Loaded } from '../../src/readers/wsdl/documents.ts';
import {
  childNamed,
  childrenNamed,
  encodingUri,
  keyOf,
  nameIn,
  nameOf,
  type QName,
  soap12Uri,
  soapUri,
  wsdlUri,
  xsdUri,
} from '../../src/readers/wsdl/names.ts';
import { type Declared, qualifiesElements, SchemaIndex } from '../../src/readers/wsdl/schema-index.ts';

/** An operation of a port type that a SOAP port binds. */
export interface DeclaredOperation {
  readonly name: string;
  readonly isEncoded: boolean;
  /** Something that it names is not declared in the documents. */
  readonly isIncomplete: boolean;
  /** Its action, style and messages, to depth five; `in` and `out` lines. */
  readonly lines: readonly string[];
}

const depthMax = 5;
const linesMax = 20_000;

/** Each operation once, however many ports bind its port type: as the first one of SOAP 1.1 does, or else the first one. */
export function declaredOperations({ definitions: roots, schemas }: Loaded): readonly DeclaredOperation[] {
  const definitions = new Definitions(roots);
  const index = new SchemaIndex(schemas);
  const found = new Map<string, DeclaredOperation>();
  const ports = definitions.services().flatMap((service) => childrenNamed(service, wsdlUri, 'port'));
  const bindings =
    ports.length === 0 ? definitions.bindings() : ports.map((port) => definitions.named('binding', port, 'binding'));
  for (const soap of [soapUri, soap12Uri])
    for (const binding of bindings) {
      const portType = binding && definitions.named('portType', binding, 'type');
      if (binding === undefined || portType === undefined || childNamed(binding, soap, 'binding') === undefined)
        continue;
      const soapBinding = childNamed(binding, soap, 'binding');
      if (!/^$|\/http\/?$/i.test(soapBinding?.attributes.get('transport') ?? '')) continue;
      for (const bound of childrenNamed(binding, wsdlUri, 'operation')) {
        const name = nameOf(bound);
        const input = childNamed(bound, wsdlUri, 'input')?.attributes.get('name');
        const declared = childrenNamed(portType, wsdlUri, 'operation').filter((each) => nameOf(each) === name);
        const element =
          declared.find((each) => childNamed(each, wsdlUri, 'input')?.attributes.get('name') === input) ?? declared[0];
        if (element === undefined) continue;
        const key = `${nameOf(portType)} ${name} ${declared.indexOf(element)}`;
        if (found.has(key)) continue;
        const style =
          childNamed(bound, soap, 'operation')?.attributes.get('style') ??
          soapBinding?.attributes.get('style') ??
          'document';
        const action = childNamed(bound, soap, 'operation')?.attributes.get('soapAction') ?? '';
        found.set(key, new Expander(definitions, index, soap).operation(name, bound, element, style, action.trim()));
      }
    }
  return [...found.values()];
}

interface Group {
  readonly min: number;
  readonly max: number;
}

class Expander {
  readonly #definitions: Definitions;
  readonly #index: SchemaIndex;
  readonly #soap: string;
  #lines: string[] = [];
  #isIncomplete = false;
  /** Of the type that is read; attributes have no order among elements. */
  #attributes: string[] = [];

  constructor(definitions: Definitions, index: SchemaIndex, soap: string) {
    this.#definitions = definitions;
    this.#index = index;
    this.#soap = soap;
  }

  operation(
    name: string,
    bound: LocatedElement,
    element: LocatedElement,
    style: string,
    action: string,
  ): DeclaredOperation {
    this.#lines = [`style ${style}`, `action ${action}`];
    let isEncoded = false;
    for (const side of ['input', 'output'] as const) {
      const named = childNamed(element, wsdlUri, side);
      const message = named && this.#definitions.named('message', named, 'message');
      if (named === undefined) continue;
      if (message === undefined) {
        this.#isIncomplete = true;
        continue;
      }
      const inBinding = childNamed(bound, wsdlUri, side);
      const body = this.#body(inBinding);
      const attached = new Set(attachedParts(inBinding));
      isEncoded ||= body?.attributes.get('use') === 'encoded';
      const chosen = body?.attributes.get('parts')?.trim().split(/\s+/);
      const parts = childrenNamed(message, wsdlUri, 'part').filter(
        (each) => chosen?.includes(nameOf(each)) ?? (isEncoded || !attached.has(nameOf(each))),
      );
      this.#lines.push(side);
      if (style === 'rpc') this.#lines.push(`namespace ${body?.attributes.get('namespace') ?? ''}`);
      for (const part of parts) {
        const elementName = nameIn(part, 'element');
        const type = nameIn(part, 'type');
        if (elementName !== undefined) this.#global(elementName, 0);
        else if (type !== undefined) this.#typed(`/${nameOf(part)}`, type, 1);
        else this.#isIncomplete = true;
      }
    }
    return { name, isEncoded, isIncomplete: this.#isIncomplete, lines: this.#lines };
  }

  #body(side: LocatedElement | undefined): LocatedElement | undefined {
    if (side === undefined) return undefined;
    return (
      childNamed(side, this.#soap, 'body') ??
      side.children
        .filter(({ local }) => local === 'multipartRelated')
        .flatMap(({ children }) => children)
        .map((part) => childNamed(part, this.#soap, 'body'))
        .find((each) => each !== undefined)
    );
  }

  #line(text: string): void {
    if (this.#lines.length < linesMax) this.#lines.push(text);
  }

  #global(name: QName, depth: number): void {
    const found = this.#index.find('element', name);
    if (found === undefined) this.#isIncomplete = true;
    else this.#element(found, depth, { min: 1, max: 1 }, true);
  }

  #element(declared: Declared, depth: number, group: Group, isGlobal: boolean): void {
    if (this.#lines.length >= linesMax) return;
    const { attributes } = declared.element;
    const own = occurrence(declared.element);
    const min = Math.min(group.min, own.min);
    const max = Math.max(group.max, own.max);
    if (own.max === 0) return;
    const reference = nameIn(declared.element, 'ref');
    if (reference !== undefined) {
      const found = this.#index.find('element', reference);
      if (found === undefined) {
        this.#isIncomplete = true;
        return;
      }
      this.#named(found, depth, { min, max }, true);
      return;
    }
    if (attributes.has('name')) this.#named(declared, depth, { min, max }, isGlobal);
  }

  #named({ element, schema }: Declared, depth: number, { min, max }: Group, isGlobal: boolean): void {
    const form = element.attributes.get('form');
    const isQualified = isGlobal || form === 'qualified' || (form !== 'unqualified' && qualifiesElements(schema));
    const nil = element.attributes.get('nillable') === 'true' && depth > 0 ? ' nillable' : '';
    const occurs = depth === 0 ? '' : ` ${min}..${max === Number.POSITIVE_INFINITY ? '*' : max}`;
    const name = `${' '.repeat(depth)}{${isQualified ? schema.targetNamespace : ''}}${nameOf(element)}${occurs}${nil}`;
    const complex = childNamed(element, xsdUri, 'complexType');
    const simple = childNamed(element, xsdUri, 'simpleType');
    const type = nameIn(element, 'type');
    if (complex !== undefined) {
      this.#line(name);
      this.#content({ element: complex, schema }, depth + 1);
    } else if (simple !== undefined) this.#line(`${name} ${this.#simple({ element: simple, schema }, 0)}`);
    else if (type !== undefined) this.#typed(name, type, depth + 1);
    else {
      const head = nameIn(element, 'substitutionGroup');
      const found = head && this.#index.find('element', head);
      const headType = found && nameIn(found.element, 'type');
      if (headType === undefined) this.#line(`${name} anyType`);
      else this.#typed(name, headType, depth + 1);
    }
  }

  #typed(line: string, type: QName, depth: number): void {
    const found = this.#index.find('complexType', type);
    if (found === undefined) {
      this.#line(`${line} ${this.#builtIn(type, 0)}`);
      return;
    }
    this.#line(line);
    this.#content(found, depth);
  }

  #builtIn(type: QName, depth: number): string {
    if (type.uri === xsdUri || type.uri === encodingUri) return type.local;
    const simple = this.#index.find('simpleType', type);
    if (simple === undefined && this.#index.find('complexType', type) === undefined) this.#isIncomplete = true;
    return simple === undefined || depth > 30 ? 'undeclared' : this.#simple(simple, depth + 1);
  }

  #simple({ element }: Declared, depth: number): string {
    const restriction = childNamed(element, xsdUri, 'restriction');
    // Values in one text.
    if (restriction === undefined) return 'string';
    const base = nameIn(restriction, 'base');
    const inner = childNamed(restriction, xsdUri, 'simpleType');
    if (base !== undefined) return this.#builtIn(base, depth);
    return inner === undefined || depth > 30 ? 'string' : this.#simple({ ...wrap(inner) }, depth + 1);
  }

  #content(declared: Declared, depth: number, derivations = 0): void {
    // Deeper parts need no lines, but what they name has to be declared.
    if (depth > depthMax || derivations > 30) return;
    if (derivations === 0) {
      const around = this.#attributes;
      this.#attributes = [];
      this.#parts(declared, depth, derivations);
      for (const each of this.#attributes.toSorted()) this.#line(each);
      this.#attributes = around;
    } else this.#parts(declared, depth, derivations);
  }

  #parts(declared: Declared, depth: number, derivations: number): void {
    for (const child of declared.element.children) {
      if (child.namespace !== xsdUri) continue;
      const at = { ...declared, element: child };
      if (child.local === 'complexContent' || child.local === 'simpleContent') {
        const derivation = child.children.find(({ local }) => local === 'extension' || local === 'restriction');
        const base = derivation && nameIn(derivation, 'base');
        if (derivation === undefined || base === undefined) continue;
        const found = this.#index.find('complexType', base);
        if (child.local === 'simpleContent' && found === undefined)
          this.#line(`${' '.repeat(depth)}text ${this.#builtIn(base, 0)}`);
        else if (found !== undefined && derivation.local === 'extension') this.#content(found, depth, derivations + 1);
        else if (found !== undefined) this.#restricted(found, derivation, depth, derivations + 1);
        else if (found === undefined && base.uri !== xsdUri && base.uri !== encodingUri) this.#isIncomplete = true;
        this.#content({ ...declared, element: derivation }, depth, derivations + 1);
      } else this.#particle(at, depth, { min: 1, max: 1 }, 0);
    }
  }

  /** A restriction repeats the elements of its base. It has the text of that, and the attributes that it does not name itself. */
  #restricted(base: Declared, restriction: LocatedElement, depth: number, derivations: number): void {
    if (derivations > 30) return;
    const named = restriction.children.map((each) => nameIn(each, 'ref')?.local ?? nameOf(each));
    const around = this.#attributes;
    const before = this.#lines.length;
    this.#attributes = [];
    this.#content(base, depth, derivations);
    const texts = this.#lines.splice(before).filter((line) => /^ *text /.test(line));
    this.#lines.push(...texts);
    const inherited = this.#attributes.filter((line) => !named.includes(/@(?:\{[^}]*\})?(\S+)/.exec(line)?.[1] ?? ''));
    this.#attributes = [...around, ...inherited];
  }

  #attribute(declared: Declared, reference: QName | undefined, start: string, use: string): void {
    const found = reference === undefined ? declared : this.#index.find('attribute', reference);
    if (found === undefined) {
      this.#attributes.push(`${start}${keyOf(reference!)}`);
      return;
    }
    const { element, schema } = found;
    const form = element.attributes.get('form') ?? schema.root.attributes.get('attributeFormDefault');
    const isQualified = reference !== undefined || form === 'qualified';
    const type = nameIn(element, 'type');
    const simple = childNamed(element, xsdUri, 'simpleType');
    const inline = simple === undefined ? 'string' : this.#simple({ element: simple, schema }, 0);
    const typeText = type === undefined ? inline : this.#builtIn(type, 0);
    this.#attributes.push(
      `${start}${isQualified ? `{${schema.targetNamespace}}` : ''}${nameOf(element)}${use} ${typeText}`,
    );
  }

  #particle(declared: Declared, depth: number, group: Group, groups: number): void {
    const { element, schema } = declared;
    if (groups > 30) return;
    const own = occurrence(element);
    const inner = { min: Math.min(group.min, own.min), max: Math.max(group.max, own.max) };
    switch (element.local) {
      case 'sequence':
      case 'all':
      case 'choice': {
        const each = element.local === 'choice' ? { ...inner, min: 0 } : inner;
        for (const child of element.children)
          if (child.namespace === xsdUri) this.#particle({ element: child, schema }, depth, each, groups + 1);
        return;
      }
      case 'group':
      case 'attributeGroup': {
        const name = nameIn(element, 'ref');
        const found = name && this.#index.find(element.local, name);
        if (found === undefined) this.#isIncomplete = true;
        else
          for (const child of found.element.children)
            if (child.namespace === xsdUri) this.#particle({ ...found, element: child }, depth, inner, groups + 1);
        return;
      }
      case 'element':
        this.#element(declared, depth, group, false);
        return;
      case 'any':
        this.#line(`${' '.repeat(depth)}any`);
        return;
      case 'attribute': {
        if (element.attributes.get('use') === 'prohibited') return;
        const reference = nameIn(element, 'ref');
        if (reference?.uri === encodingUri || reference?.uri === wsdlUri) return;
        const use = element.attributes.get('use') === 'required' ? ' required' : '';
        this.#attribute(declared, reference, `${' '.repeat(depth)}@`, use);
        return;
      }
      default:
    }
  }
}

function wrap(element: LocatedElement): Declared {
  return { element, schema: { root: element, targetNamespace: '' } };
}

function occurrence({ attributes }: LocatedElement): Group {
  const max = attributes.get('maxOccurs') ?? '1';
  return {
    min: Math.min(1, Number(attributes.get('minOccurs') ?? '1')),
    max: max === 'unbounded' || Number(max) > 1 ? Number.POSITIVE_INFINITY : Number(max),
  };
}

/** The names of the parts that a binding sends beside the envelope. */
function attachedParts(inBinding: LocatedElement | undefined): readonly string[] {
  const related = inBinding?.children.filter(({ local }) => local === 'multipartRelated') ?? [];
  const contents = related.flatMap(({ children }) => children).flatMap(({ children }) => children);
  return contents.filter(({ local }) => local === 'content').map(({ attributes }) => attributes.get('part') ?? '');
}
