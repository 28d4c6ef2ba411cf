/** FORM and the form adapter, as tests know them. */
import type { Operation } from '../../src/core/contract/operation.ts';
import { operationAddress, type Service } from '../../src/core/contract/service.ts';
import { percentEncodeIn } from '../support/charsets.ts';
import { worstForm } from '../support/largest-messages.ts';
import type { Loose } from '../support/lenient.ts';
import { deriveFormSchema } from './form-schema.ts';
import type { TestFormat } from './format.ts';
import { findInvalid } from './json-schema.ts';

export const form: TestFormat = {
  contentType: 'application/x-www-form-urlencoded; charset=utf-8',
  answerType: 'application/x-www-form-urlencoded;charset=utf-8',
  status422: 422,
  precisionMs: 1_000,
  encodeText: (charset, text) => Buffer.from(percentEncodeIn(charset, text)),
  problemText(body) {
    const members = new URLSearchParams(body);
    return `${members.get('errorType')} ${members.get('errorCode')} ${members.get('message')}`;
  },
  cardValues: /(?<=(?:number|cvc)=)[^&]*/g,
  meaning: (text) => decodeURIComponent(text.replaceAll('+', ' ')),
  spell: spellForm,
  charsets: { hasByteOrderMark: false, isUtf16: false },
  path: operationAddress,
  print: (_service, _operation, tree) => pairsOf(tree, '').join('&'),
  withKey: (body, key) => `${body}&idempotencyKey=${key}`,
  readRefusal: ({ body }) => {
    const pairs = [...new URLSearchParams(body)];
    const value = (name: string) => pairs.find(([each]) => each === name)?.[1];
    return {
      text: `${value('errorType')} ${value('errorCode')} ${value('message')}`,
      messages: pairs.flatMap(([name, text]) => (/^invalidFields\.\d+\.message$/.test(name) ? [text] : [])),
    };
  },
  findInvalid: (_service, operation, side, bodies) =>
    findInvalid(deriveFormSchema(operation[side], side), bodies, parsePairs, { coerceTypes: true }),
  largestBodies: () => worstForm,
};

export const adapter: TestFormat = {
  ...form,
  contentType: 'application/x-www-form-urlencoded',
  refusalType: 'text/plain;charset=utf-8',
  status422: 500,
  problemText: (body) => body,
  path: ({ legacy }) => legacy!.adapter!,
  print: (service, operation, tree) => [actionOf(service, operation), ...pairsOf(tree, prefixOf(operation))].join('&'),
  readRefusal: ({ body, headers: { invalidFields = '' } }) => ({
    text: body,
    messages: [...new URLSearchParams(invalidFields).values()],
  }),
  // It has no document of its own: its pairs are those of the form with a prefix.
  findInvalid: (_service, operation, side, bodies) =>
    findInvalid(deriveFormSchema(operation[side], side), bodies, parsePrefixedPairs, { coerceTypes: true }),
  largestBodies(service, operation) {
    const start = `${actionOf(service, operation)}&${prefixOf(operation)}.`;
    const prefixed = Object.entries(worstForm).map(([name, body]) => [name, `${start}${body}`.slice(0, 65_536)]);
    return Object.fromEntries(prefixed);
  },
};

function actionOf(service: Service, operation: Operation): string {
  return `action=${service.name}.${operation.name}`;
}

function prefixOf({ input }: Operation): string {
  return input.name.replace(/^./, (letter) => letter.toLowerCase());
}

function pairsOf(node: Loose, key: string): string[] {
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
}

/** Every value of a form is text; the validator converts it to the type of the schema (OpenAPI 3.1, urlencoded bodies). */
function parsePairs(body: string): Readonly<Record<string, string>> {
  return Object.fromEntries(new URLSearchParams(body));
}

function parsePrefixedPairs(body: string): Readonly<Record<string, string>> {
  const pairs = Object.entries(parsePairs(body)).filter(([key]) => key !== 'action');
  return Object.fromEntries(pairs.map(([key, value]) => [key.slice(key.indexOf('.') + 1), value]));
}

function spellForm(text: string, turn: () => number): string {
  return text
    .split('&')
    .map((pair) =>
      pair.replace(/%[\dA-F]{2}|[A-Za-z0-9.]/g, (sign) =>
        sign.length === 1 && turn() % 2 === 0 ? `%${sign.charCodeAt(0).toString(16).padStart(2, '0')}` : sign,
      ),
    )
    .join('&&');
}
