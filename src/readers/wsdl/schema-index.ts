/** Finds the global components of all schemas by their qualified names. */

import type { LocatedElement } from '../../core/xml/index.ts';
import type { SchemaDocument } from './documents.ts';
import { Refused } from './findings.ts';
import { childNamed, keyOf, nameIn, nameOf, type QName, xsdUri } from './names.ts';

const kinds = ['element', 'complexType', 'simpleType', 'group', 'attribute', 'attributeGroup'] as const;
type ComponentKind = (typeof kinds)[number];

/** A declaration with the schema that it stands in. */
export interface Declared {
  readonly element: LocatedElement;
  readonly schema: SchemaDocument;
}

export class SchemaIndex {
  /** By kind and name. */
  readonly #components = new Map<string, Declared>();
  readonly #complexTypes: string[] = [];
  /** The types that extend or restrict a type, by the key of that. */
  readonly #derived = new Map<string, Declared[]>();

  /** The elements that may stand in place of one, by the key of that. */
  readonly #substitutes = new Map<string, Declared[]>();

  readonly #roots: readonly LocatedElement[];

  constructor(schemas: readonly SchemaDocument[]) {
    this.#roots = schemas.map(({ root }) => root);
    for (const schema of schemas)
      for (const element of schema.root.children) {
        const kind = kinds.find((each) => each === element.local);
        const local = element.attributes.get('name');
        if (kind === undefined || local === undefined || element.namespace !== xsdUri) continue;
        const key = keyOf({ uri: schema.targetNamespace, local });
        // A schema that several documents include is one.
        if (this.#components.has(`${kind} ${key}`)) continue;
        this.#components.set(`${kind} ${key}`, { element, schema });
        const head = kind === 'element' ? nameIn(element, 'substitutionGroup') : undefined;
        if (head !== undefined) push(this.#substitutes, keyOf(head), { element, schema });
        if (kind !== 'complexType') continue;
        this.#complexTypes.push(key);
        const base = baseOf({ element, schema });
        if (base !== undefined) push(this.#derived, keyOf(base), { element, schema });
      }
  }

  find(kind: ComponentKind, name: QName): Declared | undefined {
    return this.#components.get(`${kind} ${keyOf(name)}`);
  }

  /** The keys of the complex types of all schemas. */
  complexTypes(): readonly string[] {
    return this.#complexTypes;
  }

  /** Throws Refused where no element has the name. `from`: what names it. */
  requireElement(from: LocatedElement, name: QName): Declared {
    const found = this.find('element', name);
    if (found === undefined) throw new Refused(from, `no element ${name.local} is declared in ${name.uri}`);
    return found;
  }

  /** The types that extend or restrict a type, and those that extend these. */
  derivedFrom(type: Declared): readonly Declared[] {
    return allBelow(this.#derived, type, Number.POSITIVE_INFINITY);
  }

  /** The name, or the same with `_` behind it, which nothing in the schemas is called. */
  unusedName(wanted: string): string {
    const names = new Set<string>();
    const waiting = this.#roots.slice();
    for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
      names.add(nameOf(at));
      for (const each of at.children) waiting.push(each);
    }
    let name = wanted;
    while (names.has(name)) name += '_';
    return name;
  }

  /** The elements that may stand in place of an element, and in place of these; `countMax` at most. */
  substitutesOf(head: Declared, countMax: number): readonly Declared[] {
    return allBelow(this.#substitutes, head, countMax);
  }

  /** The nearest type that a type extends, among some. */
  nearestBase(type: Declared, among: (base: Declared) => boolean): Declared | undefined {
    let at: Declared | undefined = type;
    for (let steps = 0; at !== undefined && steps < 32; steps++) {
      const base: QName | undefined = baseOf(at);
      at = base && this.find('complexType', base);
      if (at !== undefined && among(at)) return at;
    }
    return undefined;
  }
}

function push(all: Map<string, Declared[]>, key: string, declared: Declared): void {
  const known = all.get(key);
  if (known === undefined) all.set(key, [declared]);
  else known.push(declared);
}

/** What is below a declaration, directly or through others; not itself. */
function allBelow(all: ReadonlyMap<string, readonly Declared[]>, top: Declared, countMax: number): readonly Declared[] {
  const found = new Set<Declared>();
  const waiting = [top];
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    const { element, schema } = at;
    for (const each of all.get(keyOf({ uri: schema.targetNamespace, local: nameOf(element) })) ?? []) {
      if (found.size >= countMax || found.has(each) || each.element === top.element) continue;
      found.add(each);
      waiting.push(each);
    }
  }
  return [...found];
}

/** The type that a complex type extends or restricts. */
function baseOf({ element }: Declared): QName | undefined {
  for (const content of ['complexContent', 'simpleContent']) {
    const found = childNamed(element, xsdUri, content);
    for (const derivation of ['extension', 'restriction']) {
      const base = found && childNamed(found, xsdUri, derivation);
      if (base !== undefined) return nameIn(base, 'base');
    }
  }
  return undefined;
}

/** Whether local elements of a schema have its namespace. */
export function qualifiesElements({ root }: SchemaDocument): boolean {
  return root.attributes.get('elementFormDefault') === 'qualified';
}
