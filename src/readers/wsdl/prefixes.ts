/** The prefixes of a contract: one for each namespace that its messages use, as the documents call it where that says something. */

import type { LocatedElement } from '../../core/xml/index.ts';
import { UniqueNames } from '../../documents/index.ts';
import type { SchemaDocument } from './documents.ts';
import { qualifiesElements } from './schema-index.ts';

/** Prefixes that tools choose. */
const meaningless =
  /^(?:|tns|ns\d*|s\d*|q\d+|xsd?|impl|intf|types?|targetNamespace|apachesoap|wsdl.*|soap.*|this|typens|mstns)$/;

export class Prefixes {
  readonly own: string;
  readonly #ownUri: string;
  readonly #byUri = new Map<string, string>();
  readonly #prefixes = new UniqueNames();
  readonly #written = new Map<string, string>();
  readonly #unqualified: ReadonlySet<string>;

  /** `ownUri`: the namespace of the elements of messages. */
  constructor(ownUri: string, roots: readonly LocatedElement[], schemas: readonly SchemaDocument[]) {
    for (const root of roots)
      for (const [prefix, uri] of Object.entries(root.prefixes))
        if (!meaningless.test(prefix) && /^[A-Za-z]\w*$/.test(prefix) && !this.#written.has(uri))
          this.#written.set(uri, prefix);
    this.#ownUri = ownUri;
    const qualified = new Set(schemas.filter(qualifiesElements).map(({ targetNamespace }) => targetNamespace));
    this.#unqualified = new Set(
      schemas.map(({ targetNamespace }) => targetNamespace).filter((uri) => uri !== '' && !qualified.has(uri)),
    );
    this.own = this.prefixOf(ownUri);
  }

  /** Empty for no namespace. */
  prefixOf(uri: string): string {
    if (uri === '') return '';
    const known = this.#byUri.get(uri);
    if (known !== undefined) return known;
    const prefix = this.#prefixes.take(this.#written.get(uri) ?? wordOf(uri));
    this.#byUri.set(uri, prefix);
    return prefix;
  }

  /** The trait of a field whose element has the namespace `uri`, in an object of the namespace `around`. */
  fieldTrait(uri: string, around: string): string | undefined {
    const byDefault = this.#unqualified.has(around) || around === '' ? '' : around;
    if (uri === byDefault) return undefined;
    return uri === '' ? '' : this.prefixOf(uri);
  }

  /** The trait of a list whose items have the namespace `uri`. */
  itemTrait(uri: string): string | undefined {
    return this.fieldTrait(uri, this.#ownUri);
  }

  /** The URIs by prefix that a contract uses, the own one first. */
  uris(used: ReadonlySet<string>): Readonly<Record<string, string>> {
    const entries = [...this.#byUri].map(([uri, prefix]) => [prefix, uri] as const);
    return Object.fromEntries(entries.filter(([prefix]) => prefix === this.own || used.has(prefix)));
  }

  unqualified(used: ReadonlySet<string>): readonly string[] {
    return [...this.#byUri]
      .filter(([uri, prefix]) => this.#unqualified.has(uri) && (prefix === this.own || used.has(prefix)))
      .map(([, prefix]) => prefix);
  }
}

/** `http://orders.example.com/2020/types` to `types`; a word of letters and digits. */
function wordOf(uri: string): string {
  const words = uri
    .split(/[^A-Za-z0-9]+/)
    .filter((word) => /^[A-Za-z]\w*$/.test(word) && !/^(?:v\d+|com|org|net|www|https?|urn|xsd|wsdl)$/i.test(word));
  return (words.at(-1) ?? 'ns').toLowerCase();
}
