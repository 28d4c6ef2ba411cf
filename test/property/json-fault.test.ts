/** Property: the tokens of a text end with a fault in exactly the texts that `JSON.parse` refuses, and no text beyond it matters. */
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { tokensOf } from '../../src/core/formats/json/tokens.ts';
import { runs, search } from './property.ts';

/** Pieces of JSON in any order, and JSON with one edit. */
const pieces = fc.array(
  fc.constantFrom(
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    '"a"',
    '"',
    '\\',
    '\\u00e9',
    '\\u00',
    '1',
    '-',
    '0',
    '.5',
    'e+1',
    'null',
    'tru',
    ' ',
    '\n',
    '\u0001',
    '\u00a0',
  ),
  { maxLength: 12 },
);
const edited = fc
  .record({
    text: fc.json(),
    at: fc.nat(),
    piece: fc.constantFrom('', ',', '"', '}', ']', '\\', '0', ' ', ':', '\t'),
    removed: fc.nat(1),
  })
  .map(({ text, at, piece, removed }) => {
    const start = at % (text.length + 1);
    return text.slice(0, start) + piece + text.slice(start + removed);
  });
const texts = fc.oneof(
  pieces.map((each) => each.join('')),
  edited,
  fc.json(),
);

test('it agrees with JSON.parse', () => {
  expect(search(texts, { runs: 5 * runs }, (text) => disagreement(text, findFault))).toBeUndefined();
});

test('the fault does not depend on what follows', () => {
  const check = (text: string) => {
    const at = findFault(text);
    if (at === undefined || at === text.length) return undefined;
    return findFault(text.slice(0, at + 1)) === at ? undefined : `another fault without what follows ${at}: ${text}`;
  };
  expect(search(texts, { runs }, check)).toBeUndefined();
});

test('control: a grammar with a trailing comma is found', () => {
  const lax = (text: string) => findFault(text.replace(/,(\s*[\]}])/g, '$1'));
  // The first one ends the search, which few values do not reach.
  const found = search(texts, { runs: 200_000, unshrunk: true }, (text) => disagreement(text, lax));
  expect(found).toContain('JSON.parse');
});

const findFault = (text: string): number | undefined => tokensOf(text).fault;

function disagreement(text: string, find: typeof findFault): string | undefined {
  return (find(text) === undefined) === isJson(text) ? undefined : `JSON.parse differs: ${JSON.stringify(text)}`;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
