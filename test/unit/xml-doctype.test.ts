/** Tests that a DOCTYPE is removed, as the parser finds it, and in a time that grows with its length alone. */
import { expect, test } from '@jest/globals';
import { SaxesParser } from 'saxes';
import { withoutDoctype } from '../../src/core/xml/doctype.ts';
import { parse } from '../../src/core/xml/parse.ts';

/** Where the parser ends it. */
function endBySaxes(text: string): number {
  const parser = new SaxesParser();
  let end = -1;
  parser.on('doctype', () => {
    end = parser.position;
  });
  parser.write(text).close();
  return end;
}

const internal = `<!-- ]> ' --><?p ]> "?><!ENTITY a "]>"><!ENTITY b ']>"'>`;
test.each([
  '<!DOCTYPE a>',
  '<!DOCTYPE a SYSTEM ">">',
  `<!DOCTYPE a PUBLIC '"' "]>[">`,
  `<!DOCTYPE a [${internal}]>`,
  `<!DOCTYPE a SYSTEM "x" [${internal}] >`,
])('%s ends where the parser ends it', (doctype) => {
  const text = `<?xml version="1.0"?>\n<!-- <!DOCTYPE b> -->\n${doctype}\n<a>&lt;!DOCTYPE></a>`;
  expect(withoutDoctype(text)).toBe(text.replace(doctype, ' '.repeat(doctype.length)));
  expect(text.indexOf(doctype) + doctype.length).toBe(endBySaxes(text));
  expect(parse(withoutDoctype(text))).toMatchObject({ local: 'a', text: '<!DOCTYPE>' });
  expect(() => parse(text)).toThrow('doctype');
});

test.each(['<a><!-- <!DOCTYPE a> --></a>', '<a><![CDATA[<!DOCTYPE a>]]></a>', '<!-- <!DOCTYPE a> --><a/>', ''])(
  '%j has none',
  (text) => {
    expect(withoutDoctype(text)).toBe(text);
  },
);

test.each(['<'.repeat(1_000_000), `<!ENTITY a "${'b'.repeat(1_000_000)}">`, '"\n'.repeat(300_000)])(
  'a long one is removed at once',
  (declarations) => {
    const before = process.cpuUsage();
    for (const end of [']><a/>', '']) withoutDoctype(`<!DOCTYPE a [${declarations}${end}`);
    expect(process.cpuUsage(before).user / 1_000).toBeLessThan(2_000);
  },
);
