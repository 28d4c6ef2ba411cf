/** Builds XML documents from nested tags, with text and attributes escaped. */
import { createRequire } from 'node:module';
import type * as Library from 'fast-xml-parser';

export interface Tag {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly (Tag | string)[];
}

export type Attributes = Readonly<Record<string, string | undefined>>;

/** An element. Attributes that are undefined are left out. */
export function tag(name: string, attributes: Attributes = {}, ...children: readonly (Tag | string)[]): Tag {
  return {
    name,
    attributes: Object.fromEntries(
      Object.entries(attributes).filter((each): each is [string, string] => each[1] !== undefined),
    ),
    children,
  };
}

const prefix = '@_';

type Node = Readonly<Record<string, unknown>>;

/** The document as text, with a newline at its end. */
export function printDocument(root: Tag): string {
  return `${builder()
    .build([declaration, node(root)])
    .trim()}\n`;
}

/** Escapes text for an attribute value in quotes. */
export function escapeAttribute(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => entities[sign] ?? sign);
}

function node({ name, attributes, children }: Tag): Node {
  return {
    [name]: children.map((child) => (typeof child === 'string' ? { '#text': child } : node(child))),
    ':@': Object.fromEntries(Object.entries(attributes).map(([key, value]) => [prefix + key, value])),
  };
}

const declaration: Node = { '?xml': [{ '#text': '' }], ':@': { '@_version': '1.0', '@_encoding': 'utf-8' } };

let known: Library.XMLBuilder | undefined;

/** Loads the library for the first document: many gateways print none. */
function builder(): Library.XMLBuilder {
  if (known !== undefined) return known;
  const { XMLBuilder } = createRequire(import.meta.url)('fast-xml-parser') as typeof Library;
  known = new XMLBuilder({
    preserveOrder: true,
    ignoreAttributes: false,
    attributeNamePrefix: prefix,
    suppressBooleanAttributes: false,
    suppressEmptyNode: true,
    format: true,
    indentBy: '  ',
  });
  return known;
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};
