/** Finds the global components of all schemas by their qualified names. */
import type { LocatedElement } from '../../lib/xml/located.ts';
import type { SchemaDocument } from './documents.ts';
import { childNamed, keyOf, nameIn, type QName, xsdUri } from './names.ts';

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

  constructor(schemas: readonly SchemaDocument[]) {
    for (const schema of schemas)
      for (const element of schema.root.children) {
        const kind = kinds.find((each) => each === element.local);
        const local = element.attributes.get('name');
        if (kind === undefined || local === undefined || element.namespace !== xsdUri) continue;
        const key = keyOf({ uri: schema.targetNamespace, local });
        // A schema that several documents include is one.
        if (this.#components.has(`${kind} ${key}`)) continue;
        this.#components.set(`${kind} ${key}`, { element, schema });
        if (kind !== 'complexType') continue;
        this.#complexTypes.push(key);
        this.#noteDerived({ element, schema });
      }
  }

  #noteDerived(declared: Declared): void {
    const base = baseOf(declared);
    if (base === undefined) return;
    const known = this.#derived.get(keyOf(base));
    if (known === undefined) this.#derived.set(keyOf(base), [declared]);
    else known.push(declared);
  }

  find(kind: ComponentKind, name: QName): Declared | undefined {
    return this.#components.get(`${kind} ${keyOf(name)}`);
  }

  /** The keys of the complex types of all schemas. */
  complexTypes(): readonly string[] {
    return this.#complexTypes;
  }

  /** The types that extend or restrict a type, and those that extend these, nearest first; `countMax` at most. */
  derivedFrom(type: Declared, countMax: number): readonly Declared[] {
    const found = new Set<Declared>();
    const visit = (each: Declared): void => {
      for (const derived of this.#derived.get(this.#keyOf(each)) ?? []) {
        if (found.size >= countMax || found.has(derived) || derived.element === type.element) continue;
        found.add(derived);
        visit(derived);
      }
    };
    visit(type);
    return [...found];
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

  #keyOf({ element, schema }: Declared): string {
    return keyOf({ uri: schema.targetNamespace, local: element.attributes.get('name') ?? '' });
  }
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
