/** Elements of a parsed XML document: only what SOAP messages need. */

export interface Attribute {
  readonly namespace: string;
  readonly local: string;
  readonly value: string;
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
}

export function attribute(element: Element, namespace: string, local: string): string | undefined {
  for (const each of element.attributes) if (each.local === local && each.namespace === namespace) return each.value;
  return undefined;
}

/** Whether a text between elements is only layout. */
export function isBlank(text: string): boolean {
  return text.trim() === '';
}
