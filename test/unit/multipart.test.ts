/** The one part of multipart/related bodies, as SOAP stacks write them, and hostile ones. */
import { Buffer } from 'node:buffer';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Problem } from '../../src/contract/problem.ts';
import { onlyPart } from '../../src/formats/multipart.ts';
import { seed } from '../support/seed.ts';

const header = 'multipart/related; type="application/xop+xml"; start="<root@x>"; start-info="text/xml"; boundary="b-1"';
const part = (headers: readonly string[], body: string) =>
  `--b-1\r\n${headers.map((each) => `${each}\r\n`).join('')}\r\n${body}\r\n`;
const end = '--b-1--\r\n';
const xml = '<a>é</a>';
const xop = 'Content-Type: application/xop+xml; charset=UTF-8; type="text/xml"';
const mtom = part([xop, 'Content-Transfer-Encoding: binary', 'Content-ID: <root@x>'], xml) + end;

const read = (text: string, contentType = header) => {
  const { contentType: found, body } = onlyPart(Buffer.from(text), contentType);
  return [found, body.toString()];
};

describe('read', () => {
  test.each([
    ['MTOM', mtom, 'text/xml; charset=UTF-8'],
    [
      'MTOM with SOAP 1.2',
      mtom.replace('"text/xml"', '"application/soap+xml; action=x"'),
      'application/soap+xml; charset=UTF-8',
    ],
    ['MTOM whose type is no XML', mtom.replace('"text/xml"', '"application/json"'), 'text/xml; charset=UTF-8'],
    ['SOAP with attachments', part(['content-type: text/xml'], xml) + end, 'text/xml'],
    ['SOAP 1.2', part(['Content-Type: application/soap+xml'], xml) + end, 'application/soap+xml'],
    ['a preamble', `This is MIME.\r\n${mtom}`, 'text/xml; charset=UTF-8'],
    ['an empty line in front', `\r\n${mtom}`, 'text/xml; charset=UTF-8'],
    ['an epilogue', `${mtom}rest`, 'text/xml; charset=UTF-8'],
    ['no line break at the end', mtom.trimEnd(), 'text/xml; charset=UTF-8'],
  ])('%s', (_, text, contentType) => {
    expect(read(text)).toEqual([contentType, xml]);
  });

  test('a boundary without quotes', () => {
    expect(read(mtom, 'multipart/related; boundary=b-1')[1]).toBe(xml);
  });
});

describe('refused', () => {
  const attachment = part(['Content-Type: image/png'], 'x');
  const hint = 'Unsupported media type: send multipart/related with one part, which is XML and not encoded';
  test.each([
    ['an attachment', mtom.replace(end, attachment + end), 'several parts'],
    ['an attachment in front', attachment + mtom, 'part is not XML'],
    ['two XML parts', mtom.replace(end, mtom), 'several parts'],
    ['a second body in the epilogue', mtom + mtom, 'several parts'],
    ['an image', attachment + end, 'part is not XML'],
    ['JSON', part(['Content-Type: application/json'], '{}') + end, 'part is not XML'],
    ['no Content-Type', part(['Content-ID: <root@x>'], xml) + end, 'part is not XML'],
    ['thousands of parts', mtom.replace(end, '').repeat(2_000) + end, 'several parts'],
    ['two Content-Types', part([xop, xop], xml) + end, 'part is not XML'],
    ['base64', part([xop, 'Content-Transfer-Encoding: base64'], 'PGEvPg==') + end, 'transfer encoding'],
    ['quoted-printable', part([xop, 'Content-Transfer-Encoding: Quoted-Printable'], xml) + end, 'transfer encoding'],
  ])('%s: 415, with what to send', (_, text, reason) => {
    expect(() => read(text)).toThrow(expect.objectContaining({ message: hint, reason, status: 415 }));
  });

  const message = 'Problem parsing request: malformed multipart';
  test.each([
    ['nothing', '', header],
    ['no part', end, header],
    ['no end', mtom.replace(end, ''), header],
    ['an end of another boundary', mtom.replace(end, '--b-2--\r\n'), header],
    ['another boundary', mtom, 'multipart/related; boundary=other'],
    ['no boundary', mtom, 'multipart/related'],
    ['an empty boundary', mtom, 'multipart/related; boundary=""'],
    ['a header that does not end', `--b-1\r\n${xop}`, header],
    ['no header', part([], xml) + end, header],
    ['a header without a colon', part(['Content-Type'], xml) + end, header],
    ['a header past 16 KiB', part([xop, `X: ${'x'.repeat(20_000)}`], xml) + end, header],
    ['too many headers', part([xop, ...Array.from({ length: 200 }, (_, at) => `X-${at}: x`)], xml) + end, header],
    [
      'a filename with wrong percent-encoding',
      part([xop, "Content-Disposition: a; filename*=u''%"], xml) + end,
      header,
    ],
  ])('%s: 400', (_, text, contentType) => {
    expect(() => read(text, contentType)).toThrow(
      expect.objectContaining({ message, reason: 'malformed multipart', status: 400 }),
    );
  });
});

test('whatever the bytes: one part that is in the body, or a Problem', () => {
  const pieces = fc.constantFrom(
    '--b-1',
    '--',
    '\r\n',
    '\r',
    '\n',
    xop,
    'Content-Type: text/xml',
    ':',
    ' ',
    xml,
    'é',
    '\0',
    end,
    mtom,
  );
  const bodies = fc.array(pieces, { maxLength: 12 }).map((all) => all.join(''));
  fc.assert(
    fc.property(bodies, (text) => {
      const bytes = Buffer.from(text);
      try {
        return bytes.includes(onlyPart(bytes, header).body);
      } catch (thrown) {
        return thrown instanceof Problem;
      }
    }),
    { seed, numRuns: 2_000 },
  );
});
