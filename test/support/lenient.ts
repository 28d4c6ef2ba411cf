/** Prints requests that may be invalid in every wire format. */

import type { Operation } from '../../src/contract/operation.ts';
import type { ObjectSchema, Schema } from '../../src/contract/schema.ts';
import { operationAddress, ownUri, type Service, serviceAddress } from '../../src/contract/service.ts';
import type { NamedProtocol } from '../../src/formats/index.ts';
import type { Call } from '../../src/formats/protocol.ts';

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

const jsonOf = (node: Loose): string => {
  switch (node.kind) {
    case 'text':
      return JSON.stringify(node.text);
    case 'nothing':
      return 'null';
    case 'object':
    case 'map':
      return `{${node.members.map(({ name, node }) => `${JSON.stringify(name)}:${jsonOf(node)}`).join(',')}}`;
    case 'list': {
      const { itemName, wrapped, items } = node;
      return `[${items.map((item) => (wrapped ? `{${JSON.stringify(itemName)}:${jsonOf(item)}}` : jsonOf(item))).join(',')}]`;
    }
    default:
      return node satisfies never;
  }
};

const pairsOf = (node: Loose, key: string): string[] => {
  const below = (name: string) => (key === '' ? name : `${key}.${name}`);
  switch (node.kind) {
    case 'text':
      return [`${encodeURIComponent(key)}=${encodeURIComponent(node.text)}`];
    case 'nothing':
      return [];
    case 'object':
    case 'map':
      return node.members.flatMap(({ name, node }) => pairsOf(node, below(name)));
    case 'list':
      return node.items.flatMap((item, index) => pairsOf(item, below(String(index))));
    default:
      return node satisfies never;
  }
};

const escapeText = (text: string): string =>
  text.replace(/[&<>\r]/g, (sign) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[sign] ?? '&#xD;');

const xmlOf = (node: Loose): string => {
  switch (node.kind) {
    case 'text':
      return escapeText(node.text);
    case 'nothing':
      return '';
    case 'object':
      return node.members.map(({ name, node }) => elementOf(name, node)).join('');
    case 'map':
      return node.members
        .map(({ name, node }) => `<r:entry><r:key>${escapeText(name)}</r:key>${elementOf('value', node)}</r:entry>`)
        .join('');
    case 'list':
      return node.items.map((item) => elementOf(node.itemName, item)).join('');
    default:
      return node satisfies never;
  }
};

const elementOf = (name: string, node: Loose): string =>
  node.kind === 'nothing' ? `<r:${name} xsi:nil="true"/>` : `<r:${name}>${xmlOf(node)}</r:${name}>`;

const envelopeOf = (envelope: string, service: Service, operation: Operation, tree: Loose): string =>
  `<e:Envelope xmlns:e="${envelope}" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><e:Body>` +
  `<r:${operation.name} xmlns:r="${ownUri(service)}">${elementOf('request', tree)}</r:${operation.name}>` +
  '</e:Body></e:Envelope>';

const formType = 'application/x-www-form-urlencoded';

type Print = (service: Service, operation: Operation, tree: Loose) => Call;

/** A printer for each protocol, independent of the encoders under test. */
export const printLoose: Readonly<Record<NamedProtocol, Print>> = {
  soap11: (service, operation, tree) => ({
    path: serviceAddress(service),
    contentType: 'text/xml',
    body: envelopeOf('http://schemas.xmlsoap.org/soap/envelope/', service, operation, tree),
  }),
  soap12: (service, operation, tree) => ({
    path: serviceAddress(service),
    contentType: 'application/soap+xml',
    body: envelopeOf('http://www.w3.org/2003/05/soap-envelope', service, operation, tree),
  }),
  json: (service, operation, tree) => ({
    path: operationAddress(service, operation),
    contentType: 'application/json',
    body: jsonOf(tree),
  }),
  form: (service, operation, tree) => ({
    path: operationAddress(service, operation),
    contentType: formType,
    body: pairsOf(tree, '').join('&'),
  }),
  adapter: (service, operation, tree) => {
    const prefix = operation.input.name.replace(/^./, (letter) => letter.toLowerCase());
    const pairs = [`action=${service.name}.${operation.name}`, ...pairsOf(tree, prefix)];
    return { path: service.legacy!.adapter!, contentType: formType, body: pairs.join('&') };
  },
};
