/** Prints a tree as encoded stubs do: elements once outside the message and references to them, no namespaces, types by the look of a text. */
import { type Loose, splitAttributes } from './lenient.ts';

export interface EncodedStyle {
  /** The attribute of a reference to an id, and that of the element to which it refers. */
  readonly reference: (id: string) => string;
  readonly id: (id: string) => string;
  /** Draws whether the next element stands outside the message, and whether the next text has a type. */
  readonly draw: () => boolean;
}

export const soap11Style = {
  reference: (id: string) => `href="#${id}"`,
  id: (id: string) => `id="${id}"`,
};

export const soap12Style = {
  reference: (id: string) => `n:ref="${id}" xmlns:n="http://www.w3.org/2003/05/soap-encoding"`,
  id: (id: string) => `n:id="${id}" xmlns:n="http://www.w3.org/2003/05/soap-encoding"`,
};

/** Returns the content of the operation's element, and the elements outside the message. `part`: the element around the fields. */
export function printEncoded(
  part: string | undefined,
  tree: Loose,
  { reference, id, draw }: EncodedStyle,
): { content: string; referenced: string[] } {
  const referenced: string[] = [];
  const elementOf = (name: string, node: Loose): string => {
    if (node.kind === 'nothing') return `<${name} xsi:nil="true"/>`;
    const type = node.kind === 'text' && draw() ? ` xsi:type="xsd:${typeOf(node.text)}"` : '';
    const content = contentOf(node);
    const start = type + splitAttributes(node).attributes;
    if (!draw()) return `<${name}${start}>${content}</${name}>`;
    const own = `id${referenced.length}`;
    referenced.push(`<multiRef ${id(own)}${start}>${content}</multiRef>`);
    return `<${name} ${reference(own)}/>`;
  };
  const contentOf = (node: Loose): string => {
    switch (node.kind) {
      case 'text':
        return escapeText(node.text);
      case 'nothing':
        return '';
      case 'object':
        return splitAttributes(node)
          .elements.map(({ name, node }) => elementOf(name, node))
          .join('');
      case 'map':
        return node.members
          .map(({ name, node }) => `<entry><key>${escapeText(name)}</key>${elementOf('value', node)}</entry>`)
          .join('');
      case 'list':
        return node.items.map((item) => elementOf(node.itemName, item)).join('');
      default:
        return node satisfies never;
    }
  };
  return { content: part === undefined ? contentOf(tree) : elementOf(part, tree), referenced };
}

/** As SOAP::Lite types a text. */
function typeOf(text: string): string {
  if (/^0\d+$/.test(text)) return 'string';
  if (/^-?\d{1,9}$/.test(text)) return 'int';
  if (/^-?\d{1,18}$/.test(text)) return 'long';
  if (/^-?\d+(\.\d+)?$/.test(text)) return 'float';
  if (/^(true|false)$/.test(text)) return 'boolean';
  return /^\d{4}-\d\d-\d\dT/.test(text) ? 'dateTime' : 'string';
}

function escapeText(text: string): string {
  return text.replace(/[&<>\r]/g, (sign) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[sign] ?? '&#xD;');
}
