/** Trees of requests that may be invalid; `test/formats` prints them in every wire format. */
import type { ObjectSchema, Schema } from '../../src/core/contract/schema.ts';

export interface Member {
  name: string;
  node: Loose;
  /** In XML, a text is an attribute. */
  isAttribute?: true;
  /** In XML, the text of the element. */
  isText?: true;
  /** In JSON, where it is another one. */
  json?: string;
}

/** Mutable, because tests break these trees. */
export type Loose =
  /** `isBare`: in JSON, without quotes. */
  | { kind: 'text'; text: string; isBare?: true }
  /** null or xsi:nil; FORM has no null and omits the pair. */
  | { kind: 'nothing' }
  | { kind: 'object'; members: Member[] }
  | { kind: 'map'; members: Member[] }
  | { kind: 'list'; items: Loose[]; itemName: string; wrapped: boolean; repeated?: true };

export const textNode = (text: string): Loose => ({ kind: 'text', text });

export const bareNode = (text: string): Loose => ({ kind: 'text', text, isBare: true });

/** Returns the tree of a canonical value; dates in UTC with milliseconds, which every format accepts. */
export const loosen = (shape: Schema, value: unknown): Loose => {
  switch (shape.kind) {
    case 'string':
    case 'enum':
    case 'integer':
    case 'boolean':
    case 'decimal':
    case 'double':
    case 'date':
    case 'binary':
      return textNode(String(value));
    case 'dateTime':
      return textNode(new Date(value as number).toISOString());
    case 'list': {
      if (shape.joined) return textNode((value as string[]).join(','));
      const items = (value as unknown[]).map((item) => loosen(shape.item, item));
      const repeated = shape.repeated && { repeated: true as const };
      return { kind: 'list', items, itemName: shape.itemName, wrapped: shape.wrapped, ...repeated };
    }
    case 'map': {
      const entries = Object.entries(value as Record<string, string>);
      return { kind: 'map', members: entries.map(([name, text]) => ({ name, node: textNode(text) })) };
    }
    case 'object':
      return { kind: 'object', members: membersOf(shape, value as Record<string, unknown>) };
    default:
      return shape satisfies never;
  }
};

const membersOf = (shape: ObjectSchema, value: Readonly<Record<string, unknown>>): Member[] =>
  Object.entries(shape.fields)
    .filter(([name]) => value[name] !== undefined)
    .map(([name, field]) => ({
      name,
      node: loosen(field.schema, value[name]),
      ...(field.xml === 'attribute' && { isAttribute: true }),
      ...(field.xml === 'text' && { isText: true }),
      ...(field.json !== undefined && { json: field.json }),
    }));

/** The attributes of an object as XML texts, with a blank before each, and its other members. Nil is no attribute. */
export const splitAttributes = (node: Loose): { readonly attributes: string; readonly elements: readonly Member[] } => {
  if (node.kind !== 'object') return { attributes: '', elements: [] };
  const isElement = ({ isAttribute, node }: Member) =>
    !isAttribute || (node.kind !== 'text' && node.kind !== 'nothing');
  const attributes = node.members.flatMap((member) =>
    isElement(member) || member.node.kind !== 'text' ? [] : [` ${member.name}="${escapeValue(member.node.text)}"`],
  );
  return { attributes: attributes.join(''), elements: node.members.filter(isElement) };
};

const escapeValue = (text: string): string => text.replace(/[&<"\t\n\r]/g, (sign) => `&#${sign.charCodeAt(0)};`);
