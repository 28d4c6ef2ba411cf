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
  /** The types that extend a type, by the key of that. */
  readonly #derived = new Map<string, string[]>();

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
        this.#noteDerived(element, local);
      }
  }

  #noteDerived(type: LocatedElement, local: string): void {
    const content = childNamed(type, xsdUri, 'complexContent');
    const extension = content && childNamed(content, xsdUri, 'extension');
    const base = extension && nameIn(extension, 'base');
    if (base === undefined) return;
    const known = this.#derived.get(keyOf(base));
    if (known === undefined) this.#derived.set(keyOf(base), [local]);
    else known.push(local);
  }

  find(kind: ComponentKind, name: QName): Declared | undefined {
    return this.#components.get(`${kind} ${keyOf(name)}`);
  }

  /** The keys of the complex types of all schemas. */
  complexTypes(): readonly string[] {
    return this.#complexTypes;
  }

  derivedFrom(base: string): readonly string[] {
    return this.#derived.get(base) ?? [];
  }
}

/** Whether local elements of a schema have its namespace. */
export function qualifiesElements({ root }: SchemaDocument): boolean {
  return root.attributes.get('elementFormDefault') === 'qualified';
}
