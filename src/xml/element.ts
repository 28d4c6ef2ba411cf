/** Elements: the tree that the strict reader builds; nothing of XML that the wire does not need. */

export interface Attribute {
  readonly namespace: string;
  readonly local: string;
  readonly value: string;
}

export interface Element {
  /** The URI, or empty. */
  readonly namespace: string;
  readonly local: string;
  /** Without the namespace declarations; prefixes in values are resolved for `xsi:type` alone. */
  readonly attributes: readonly Attribute[];
  readonly children: readonly Element[];
  /** All text and CDATA directly in the element, joined across comments. */
  readonly text: string;
}

export const attribute = (element: Element, namespace: string, local: string): string | undefined => {
  for (const each of element.attributes) if (each.local === local && each.namespace === namespace) return each.value;
  return undefined;
};
