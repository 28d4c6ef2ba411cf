/** Elements of a parsed XML document: only what SOAP messages need. */

/** A part of a text, in UTF-16 units from 0. */
export interface Range {
  readonly start: number;
  /** After the last character. */
  readonly end: number;
}

export interface Attribute {
  readonly namespace: string;
  readonly local: string;
  readonly value: string;
  /** The place of its value between the quotes. Present if the document was parsed with places. */
  readonly place?: Range;
}

/** Namespaces that an element declares, with those around it. */
export interface Scope {
  /** URIs by prefix; the default namespace has the empty prefix. */
  readonly declared: ReadonlyMap<string, string>;
  readonly around: Scope | undefined;
}

/** Where an element is in its document. */
export interface ElementPlace {
  readonly document: string;
  /** What is between its tags; its start tag where it has elements or nothing inside. */
  readonly value: Range;
  /** Its start tag. */
  readonly name: Range;
  /** The namespaces that its start tag declares, by prefix. */
  readonly declared: Readonly<Record<string, string>>;
}

export interface Element {
  /** The URI, or empty. */
  readonly namespace: string;
  readonly local: string;
  /** Without namespace declarations. Prefixes in values are not resolved. */
  readonly attributes: readonly Attribute[];
  readonly children: readonly Element[];
  /** All text and CDATA directly in the element, joined across comments. */
  readonly text: string;
  /** Texts and elements in their order; only of an element with text between elements. */
  readonly mixed?: readonly (string | Element)[];
  /** What prefixes in its values mean; absent for an element that was not parsed. */
  readonly scope?: Scope | undefined;
  /**
   * Returns the bytes to which the element refers, in base64: a part of the message beside the document. The text of the element is
   * empty, or is the reference.
   */
  readonly attached?: () => string;
  /** Only of a document that was parsed with places. */
  readonly place?: ElementPlace;
}

export function attribute(element: Element, namespace: string, local: string): string | undefined {
  for (const each of element.attributes) if (each.local === local && each.namespace === namespace) return each.value;
  return undefined;
}

/** The URI of a prefix; undefined for an undeclared one. */
export function resolvePrefix(scope: Scope | undefined, prefix: string): string | undefined {
  for (let at = scope; at !== undefined; at = at.around) {
    const uri = at.declared.get(prefix);
    if (uri !== undefined) return uri;
  }
  return undefined;
}

/** Whether a text between elements is only layout. */
export function isBlank(text: string): boolean {
  return text.trim() === '';
}

/** The text of an element, or what stands in its place beside the document. */
export function textOf({ text, attached }: Element): string {
  return text === '' && attached !== undefined ? attached() : text;
}

/** Whether there is nothing in an element, blanks included. */
export function isWithoutContent({ text, children, attached }: Element): boolean {
  return text === '' && children.length === 0 && attached === undefined;
}
