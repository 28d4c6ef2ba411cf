/** JSON, as tests know it. */
import { operationAddress } from '../../src/core/contract/service.ts';
import { deriveJsonSchema } from '../../src/documents/json-schema.ts';
import { encodeIn } from '../support/charsets.ts';
import { worstJson } from '../support/largest-messages.ts';
import type { Loose } from '../support/lenient.ts';
import type { TestFormat } from './format.ts';
import { findInvalid } from './json-schema.ts';

export const json: TestFormat = {
  contentType: 'application/json',
  answerType: 'application/json;charset=utf-8',
  status422: 422,
  precisionMs: 1_000,
  encodeText: (charset, text) => encodeIn(charset, JSON.stringify(text).slice(1, -1)),
  problemText(body) {
    const { errorType, errorCode, message, detail = message } = JSON.parse(body);
    return `${errorType} ${errorCode} ${detail}`;
  },
  cardValues: /(?<="(?:number|cvc)":)"[^"]*"/g,
  meaning: (text) => String(JSON.parse(text)),
  spell: spellJson,
  charsets: { hasByteOrderMark: true, isUtf16: false },
  path: operationAddress,
  print: (_service, _operation, tree) => textOf(tree),
  readRefusal: ({ body }) => {
    const { errorType, errorCode, message, detail = message, invalidFields = [] } = JSON.parse(body);
    return {
      text: `${errorType} ${errorCode} ${detail}`,
      messages: invalidFields.map(({ message }: { readonly message: string }) => message),
    };
  },
  findInvalid: (_service, operation, side, bodies) =>
    findInvalid(deriveJsonSchema(operation[side], side), bodies, (body) => JSON.parse(body)),
  largestBodies: () => worstJson,
};

function textOf(node: Loose): string {
  switch (node.kind) {
    case 'text':
      return node.isBare ? node.text : JSON.stringify(node.text);
    case 'nothing':
      return 'null';
    case 'object':
    case 'map':
      return `{${node.members.map(({ name, json = name, node }) => `${JSON.stringify(json)}:${textOf(node)}`).join(',')}}`;
    case 'list': {
      const { itemName, wrapped, items } = node;
      return `[${items.map((item) => (wrapped ? `{${JSON.stringify(itemName)}:${textOf(item)}}` : textOf(item))).join(',')}]`;
    }
    default:
      return node satisfies never;
  }
}

function spellJson(text: string, turn: () => number): string {
  return text.replace(/"((?:[^"\\]|\\.)*)"/g, (sent) => {
    const plain = JSON.parse(sent) as string;
    const units = Array.from({ length: plain.length }, (_, at) => plain.charCodeAt(at).toString(16).padStart(4, '0'));
    return `"${units.map((hex, at) => (turn() % 2 === 0 ? `\\u${hex}` : JSON.stringify(plain[at]).slice(1, -1))).join('')}"`;
  });
}
