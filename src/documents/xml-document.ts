/** Builds XML documents from nested tags, with text and attributes escaped, and indents documents. */
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
  return `${library()
    .builder.build([declaration, node(root)])
    .trim()}\n`;
}

/** A document with each element on its own line. */
export function indentDocument(text: string): string {
  const { builder, parser } = library();
  return builder.build(parser.parse(text)).trim();
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

const shared = Object.freeze({ preserveOrder: true, ignoreAttributes: false, attributeNamePrefix: prefix });

interface Converters {
  readonly builder: Library.XMLBuilder;
  readonly parser: Library.XMLParser;
}

let converters: Converters | undefined;

/** Loads the library for the first document: many gateways print none. */
function library(): Converters {
  if (converters !== undefined) return converters;
  const { XMLBuilder, XMLParser } = createRequire(import.meta.url)('fast-xml-parser') as typeof Library;
  converters = {
    builder: new XMLBuilder({
      ...shared,
      suppressBooleanAttributes: false,
      suppressEmptyNode: true,
      format: true,
      indentBy: '  ',
    }),
    parser: new XMLParser({ ...shared, parseTagValue: false, parseAttributeValue: false, trimValues: false }),
  };
  return converters;
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};
