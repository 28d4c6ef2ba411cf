/** Builds the most expensive bodies of 64 KiB in each syntax, named after what they repeat. */
import { Buffer } from 'node:buffer';
import type { Operation } from '../../src/core/contract/operation.ts';

const bytesMax = 65_536;

/** Repeats a piece between a start and an end up to 64 KiB. */
const fill = (before: string, piece: string | ((at: number) => string), after = ''): string => {
  const pieces: string[] = [];
  let bytesLeft = bytesMax - Buffer.byteLength(before + after);
  for (let at = 0; ; at++) {
    const next = typeof piece === 'string' ? piece : piece(at);
    bytesLeft -= Buffer.byteLength(next);
    if (bytesLeft < 0) return before + pieces.join('') + after;
    pieces.push(next);
  }
};

type Bodies = Readonly<Record<string, string>>;

export const worstXml = (envelope: string, uri: string, { name }: Operation): Bodies => {
  const before = `<e:Envelope xmlns:e="${envelope}"><e:Body><${name} xmlns="${uri}"><request>`;
  const closing = `</request></${name}>`;
  const after = `${closing}</e:Body></e:Envelope>`;
  const attributes = (each: (at: number) => string) => fill(`${before}<a `, each, `/>${after}`);
  return {
    'depth, unclosed': fill(before, '<a>'),
    'depth, unclosed, all one name': fill('', '<a>'),
    siblings: fill(before, '<a/>', after),
    'siblings of a field': fill(before, '<shopperReference/>', after),
    'unknown fields': fill(before, (at) => `<u${at}/>`, after),
    attributes: attributes((at) => ` a${at}=""`),
    'one attribute again and again': attributes(() => ' a=""'),
    'namespace declarations': attributes((at) => ` xmlns:n${at}="u"`),
    'a long attribute': fill(`${before}<a b="`, 'x', `"/>${after}`),
    'a long name': fill(`${before}<`, 'x', `/>${after}`),
    'a long text': fill(`${before}<shopperReference>`, 'x', `</shopperReference>${after}`),
    'blank text': fill(before, ' \n', after),
    'entity references': fill(`${before}<shopperReference>`, '&amp;', `</shopperReference>${after}`),
    'character references': fill(`${before}<shopperReference>`, '&#65;', `</shopperReference>${after}`),
    'unknown entities': fill(`${before}<shopperReference>`, '&a;', `</shopperReference>${after}`),
    comments: fill(before, '<!---->', after),
    'CDATA sections': fill(`${before}<shopperReference>`, '<![CDATA[]]>', `</shopperReference>${after}`),
    'processing instructions': fill(before, '<?a?>', after),
    'entity declarations': fill('<!DOCTYPE a [', '<!ENTITY a "a">', `]>${before}${after}`),
    'opening brackets': fill('', '<'),
    'closing tags': fill(before, '</a>'),
    ...references(`${before}<recurring href="#a0"/>${closing}`, '</e:Body></e:Envelope>'),
    'map entries': fill(
      `${before}<additionalData>`,
      (at) => `<entry><key>${at}</key><value/></entry>`,
      `</additionalData>${after}`,
    ),
    'map entries of one key': fill(
      `${before}<additionalData>`,
      '<entry><key>k</key></entry>',
      `</additionalData>${after}`,
    ),
  };
};

/** References of encoded stubs; the first one is to `a0`. */
const references = (before: string, after: string): Bodies => ({
  'a chain of references': fill(before, (at) => `<m id="a${at}" href="#a${at + 1}"/>`, after),
  'a circle of references': fill(
    before,
    (at) => `<m id="a${at}"><x href="#a${at === 1_400 ? 0 : at + 1}"/></m>`,
    after,
  ),
  'references that multiply': fill(
    before,
    (at) => `<m id="a${at}">${`<x href="#a${at + 1}"/>`.repeat(100)}</m>`,
    `<m id="a30"/>${after}`,
  ),
  'references to a long text': fill(
    `${before}<m id="a0">`,
    '<x href="#t"/>',
    `</m><m id="t">${' '.repeat(32_000)}</m>${after}`,
  ),
  'references to one element': fill(`${before}<m id="a0">`, '<x href="#t"/>', `</m><m id="t"/>${after}`),
});

export const worstJson: Bodies = {
  arrays: fill('', '['),
  'closed arrays': '['.repeat(bytesMax / 2) + ']'.repeat(bytesMax / 2),
  objects: fill('', '{"a":'),
  'objects in a field': fill('{"card":', '{"card":'),
  'unknown fields': fill('{', (at) => `"u${at}":1,`, '"z":1}'),
  'index-like keys': fill('{', (at) => `"${at}":1,`, '"z":1}'),
  'one key again and again': fill('{', '"a":1,', '"a":1}'),
  'empty strings': fill('["', '","', '"]'),
  backslashes: fill('{"a":"', '\\\\', '"}'),
  'backslashes, unterminated': fill('{"a":"', '\\'),
  'escaped quotes': fill('{"a":"', '\\"', '"}'),
  'unicode escapes': fill('{"shopperReference":"', '\\u0041', '"}'),
  'unpaired surrogates': fill('{"shopperReference":"', '\\ud800', '"}'),
  'a long number': fill('{"shopperReference":', '9', '}'),
  numbers: fill('[', '1e5,', '1]'),
  'a long key': fill('{"', 'k', '":1}'),
  'commas in a set': fill('{"contract":"', ',', '"}'),
  'map entries': fill('{"additionalData":{', (at) => `"k${at}":"",`, '"z":""}}'),
  blanks: fill('{', ' ', '}'),
  colons: fill('{"a"', ':', '}'),
};

export const worstForm: Bodies = {
  ampersands: fill('', '&'),
  'equals signs': fill('a', '='),
  pairs: fill('', (at) => `p${at}&`),
  'one key again and again': fill('', 'a=1&'),
  'items of a list': fill('', (at) => `details.${at}.x=1&`),
  'dots in a key': fill('a', '.'),
  'steps in a key': fill('a', '.a'),
  'steps in each key': fill('', (at) => `${at}${'.a'.repeat(100)}=&`),
  'a long key': fill('', 'k', '=1'),
  'percent signs': fill('a=', '%'),
  'escaped percent signs': fill('a=', '%25'),
  'broken escapes': fill('a=', '%C3'),
  plusses: fill('shopperReference=', '+'),
  brackets: fill('a', '[b]', '=1'),
  'commas in a set': fill('contract=', ','),
  'map entries': fill('', (at) => `additionalData.k${at}=&`),
};
