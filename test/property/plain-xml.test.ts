/** The fast XML reader accepts only documents that the strict reader parses to the same tree. */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { namedOperations } from '../../src/core/contract/service.ts';
import { createProtocols } from '../../src/core/formats/wire-formats.ts';
import type { Element } from '../../src/core/xml/element.ts';
import { type Limits, limits } from '../../src/core/xml/limits.ts';
import { parseStrictly } from '../../src/core/xml/parse.ts';
import { readPlain } from '../../src/core/xml/plain.ts';
import { exampleOf } from '../../src/documents/example.ts';
import { services } from '../../src/payments/index.ts';
import { invoicesV1 } from '../support/invoices.ts';
import { seed } from '../support/seed.ts';
import { failure, runs } from './property.ts';

const small: Limits = {
  depthMax: 3,
  elementsMax: 4,
  attributesMax: 2,
  allAttributesMax: 3,
  nameLengthMax: 7,
  textLengthMax: 5,
};

/** Names, prefixes and namespaces that clash, or that XML reserves. */
const soundName = fc.constantFrom('a', 'b', 'p:a', 'p:b');
const oddName = fc.constantFrom(
  'a',
  'b',
  'p:a',
  'q:a',
  'p:b',
  'xml:a',
  'xmlns:a',
  '_',
  'a.-1',
  '1a',
  ':a',
  'a:',
  'p:q:a',
  'longname',
  '__proto__',
);
const name = fc.oneof({ weight: 5, arbitrary: soundName }, { weight: 1, arbitrary: oddName });
const address = fc.constantFrom(
  'u',
  'v',
  '',
  ' u',
  'u ',
  'http://www.w3.org/XML/1998/namespace',
  'http://www.w3.org/2000/xmlns/',
);
const attribute = fc.oneof(
  fc
    .tuple(fc.constantFrom('xmlns', 'xmlns:p', 'xmlns:q', 'xmlns:xml', 'xmlns:xmlns', 'xmlns:'), address)
    .map(([key, uri]) => ` ${key}="${uri}"`),
  fc
    .tuple(name, fc.constantFrom('', 'x', ' x\n', '>', "'", '&lt;', '<', ']]>', 'é'))
    .map(([key, value]) => ` ${key}="${value}"`),
  fc.constantFrom(" a='x'", ' a', ' a = "x"', 'a="x"', '\n', ' /'),
);
const attributes = fc.array(attribute, { maxLength: 3, size: 'xsmall' }).map((all) => all.join(''));
const text = fc.constantFrom(
  '',
  '',
  ' ',
  'x',
  'x\ty\n',
  '\r\n',
  '&amp;',
  '&#65;',
  ']]>',
  '>',
  '<!-- x -->',
  '<![CDATA[x]]>',
  '<?x y?>',
  'é',
  '\u0000',
  '<',
  'seventy',
);
const lead = fc.constantFrom(
  '',
  '',
  '<?xml version="1.0"?>',
  '<?xml version="1.0" encoding="UTF-8"?>',
  '<?xml version="1.1"?>',
  '<!DOCTYPE a>',
  ' ',
  'x',
  '\ufeff',
);

const { tree } = fc.letrec<{ tree: string; inner: string }>((tie) => ({
  inner: fc.array(fc.oneof({ depthSize: 'small' }, text, tie('tree')), { maxLength: 3 }).map((parts) => parts.join('')),
  tree: fc
    .tuple(
      name,
      attributes,
      tie('inner'),
      fc.constantFrom('whole', 'whole', 'whole', 'empty', 'spaced', 'other', 'none'),
    )
    .map(([called, with_, inner, how]) => {
      if (how === 'empty') return `<${called}${with_}/>`;
      const end = { whole: `</${called}>`, spaced: `</${called} \n>`, other: '</b>', none: '' }[how];
      return `<${called} xmlns:p="u" ${with_}>${inner}${end}`;
    }),
}));
const anyDocument = fc
  .tuple(lead, tree, fc.constantFrom('', '', '\n', 'x', '<a/>', '</a>'))
  .map((parts) => parts.join(''));

/** A valid document with some characters removed or replaced. */
const sound = `<?xml version="1.0"?><p:a xmlns:p="u" xmlns="v"><b p:c="x" c="x">text</b><b/>\n</p:a>`;
const damaged = fc
  .array(
    fc.tuple(fc.nat(sound.length - 1), fc.constantFrom('', '"', '<', '>', '/', ':', '=', ' ', 'a', "'", '&', '\n')),
    { maxLength: 3 },
  )
  .map((changes) => {
    const signs = [...sound];
    for (const [at, sign] of changes) signs[at] = sign;
    return signs.join('');
  });

type Reads = (document: string, within: Limits) => Element | undefined;

const strictly: Reads = (document, within) => {
  try {
    return parseStrictly(document, within);
  } catch {
    return undefined;
  }
};

/** Counts the documents that the reader accepts; `wrong` is the first one that the strict reader parses differently. */
const compareReaders = (
  reads: Reads,
  within: Limits,
  numRuns = 5 * runs,
): { readonly accepted: number; readonly wrong?: string } => {
  let accepted = 0;
  for (const document of fc.sample(fc.oneof(anyDocument, damaged), { seed, numRuns })) {
    const tree = reads(document, within);
    if (tree === undefined) continue;
    accepted += 1;
    if (JSON.stringify(tree) !== JSON.stringify(strictly(document, within))) return { accepted, wrong: document };
  }
  return { accepted };
};

describe('the fast XML reader', () => {
  test.each([
    ['the limits of a request', limits],
    ['tight limits', small],
  ])('accepts only what the strict reader parses to the same tree, within %s', (_, within) => {
    const { accepted, wrong } = compareReaders(readPlain, within);
    expect(wrong && failure(wrong)).toBeUndefined();
    // A reader that accepts nothing would have every property.
    expect(accepted).toBeGreaterThan(runs / 50);
  });
  test.each<[string, Reads]>([
    ['that ignores the limits', (document) => readPlain(document, limits)],
    ['that accepts two roots', (document, within) => readPlain(document.replace(/<a\/>$/, ''), within)],
    ['that loses references', (document, within) => readPlain(document.replaceAll('&amp;', ''), within)],
  ])('seeded defect: a reader %s is found', (_, reads) =>
    expect(compareReaders(reads, small, 20_000).wrong).toBeDefined(),
  );
  test('accepts what our clients send', () => {
    for (const service of [...services, invoicesV1])
      for (const operation of namedOperations(service)) {
        const input = service === invoicesV1 ? exampleOf(operation.input, 'full') : {};
        const { body } = createProtocols([...services, invoicesV1]).soap11.encodeRequest(service, operation, input);
        expect(readPlain(body, limits)).toEqual(parseStrictly(body));
      }
  });
});
