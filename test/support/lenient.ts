/** Trees of requests that may be invalid; `test/formats` prints them in every wire format. */
import type { ObjectSchema, Schema } from '../../src/contract/schema.ts';

export interface Member {
  name: string;
  node: Loose;
}

/** Mutable, because tests break these trees. */
export type Loose =
  | { kind: 'text'; text: string }
  /** null or xsi:nil; FORM has no null and omits the pair. */
  | { kind: 'nothing' }
  | { kind: 'object'; members: Member[] }
  | { kind: 'map'; members: Member[] }
  | { kind: 'list'; items: Loose[]; itemName: string; wrapped: boolean };

export const textNode = (text: string): Loose => ({ kind: 'text', text });

/** Returns the tree of a canonical value; dates in UTC with milliseconds, which every format accepts. */
export const loosen = (shape: Schema, value: unknown): Loose => {
  switch (shape.kind) {
    case 'string':
    case 'enum':
    case 'integer':
    case 'boolean':
      return textNode(String(value));
    case 'dateTime':
      return textNode(new Date(value as number).toISOString());
    case 'list': {
      if (shape.joined) return textNode((value as string[]).join(','));
      const items = (value as unknown[]).map((item) => loosen(shape.item, item));
      return { kind: 'list', items, itemName: shape.itemName, wrapped: shape.wrapped };
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
    .map(([name, field]) => ({ name, node: loosen(field.schema, value[name]) }));
