/** Finds the global components of all schemas by their qualified names. */
import type { LocatedElement } from '../../lib/xml/located.ts';
import type { SchemaDocument } from './documents.ts';
import { keyOf, type QName, xsdUri } from './names.ts';

const kinds = ['element', 'complexType', 'simpleType', 'group', 'attribute', 'attributeGroup'] as const;
export type ComponentKind = (typeof kinds)[number];

/** A declaration with the schema that it stands in. */
export interface Declared {
  readonly element: LocatedElement;
  readonly schema: SchemaDocument;
}

export class SchemaIndex {
  readonly #components: Readonly<Record<ComponentKind, Map<string, Declared>>>;
  /** The types that extend or restrict a type, by the key of that. */
  readonly #derived = new Map<string, string[]>();

  constructor(schemas: readonly SchemaDocument[]) {
    this.#components = Object.fromEntries(kinds.map((kind) => [kind, new Map()])) as unknown as Record<
      ComponentKind,
      Map<string, Declared>
    >;
    for (const schema of schemas)
      for (const element of schema.root.children) {
        const kind = kinds.find((each) => each === element.local);
        const local = element.attributes.get('name');
        if (kind === undefined || local === undefined || element.namespace !== xsdUri) continue;
        const key = keyOf({ uri: schema.targetNamespace, local });
        // A schema that several documents include is one.
        if (!this.#components[kind].has(key)) this.#components[kind].set(key, { element, schema });
      }
  }

  find(kind: ComponentKind, name: QName): Declared | undefined {
    return this.#components[kind].get(keyOf(name));
  }

  /** `base`: the key of a type. */
  noteDerived(base: string, local: string): void {
    const known = this.#derived.get(base);
    if (known === undefined) this.#derived.set(base, [local]);
    else known.push(local);
  }

  /** The complex types of all schemas. */
  complexTypes(): Iterable<readonly [string, Declared]> {
    return this.#components.complexType;
  }

  derivedFrom(base: string): readonly string[] {
    return this.#derived.get(base) ?? [];
  }
}

/** Whether local elements of a schema have its namespace. */
export function qualifiesElements({ root }: SchemaDocument): boolean {
  return root.attributes.get('elementFormDefault') === 'qualified';
}
