/** The parts of multipart/related bodies, as SOAP stacks write them, and hostile ones. */
import { Buffer } from 'node:buffer';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Problem } from '../../src/core/contract/problem.ts';
import { readRelated } from '../../src/core/formats/multipart.ts';
import { bodyMsMax, cpuMs, shortestMs } from '../property/cpu-time.ts';
import { seed } from '../support/seed.ts';

const header = 'multipart/related; type="application/xop+xml"; start="<root@x>"; start-info="text/xml"; boundary="b-1"';
const part = (headers: readonly string[], body: string) =>
  `--b-1\r\n${headers.map((each) => `${each}\r\n`).join('')}\r\n${body}\r\n`;
const end = '--b-1--\r\n';
const xml = '<a>é</a>';
const xop = 'Content-Type: application/xop+xml; charset=UTF-8; type="text/xml"';
const mtom = part([xop, 'Content-Transfer-Encoding: binary', 'Content-ID: <root@x>'], xml) + end;

const read = (text: string, contentType = header) => {
  const { contentType: found, body } = readRelated(Buffer.from(text), contentType);
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

  test('parts beside the envelope, which `start` names, in any order', () => {
    const others = [
      part(['Content-Type: image/png', 'Content-ID: <a@x>', 'Content-Transfer-Encoding: BINARY'], '\r\nraw'),
      part(['Content-Type: text/plain', 'Content-ID: b@x', 'Content-Transfer-Encoding: base64'], 'AAEC\r\nAwQ='),
      part(['Content-Type: text/plain', 'Content-Transfer-Encoding: quoted-printable'], 'a=3D=\r\nb  \r\nc=c3=A9'),
    ];
    const [first = '', ...rest] = others;
    for (const text of [mtom.replace(end, others.join('') + end), first + mtom.replace(end, rest.join('') + end)]) {
      const { body, attachments } = readRelated(Buffer.from(text), header);
      expect(body.toString()).toBe(xml);
      expect(attachments.parts.map(({ contentId, bytes }) => [contentId, bytes.toString('latin1')])).toEqual([
        ['a@x', '\r\nraw'],
        ['b@x', '\0\x01\x02\x03\x04'],
        ['', 'a=b\r\nc\xc3\xa9'],
      ]);
    }
  });

  test.each([
    ['binary SOAP', xop, true],
    ['an envelope', 'Content-Type: text/xml', false],
  ])('XOP: %s is %s', (_, type, isXop) => {
    expect(readRelated(Buffer.from(part([type], xml) + end), header).attachments.isXop).toBe(isXop);
  });

  test('a boundary without quotes', () => {
    expect(read(mtom.replaceAll('--b-1', '------=_P/1'), 'multipart/related;boundary=----=_P/1')[1]).toBe(xml);
    expect(read(mtom, 'multipart/related; boundary=b-1')[1]).toBe(xml);
  });
});

describe('refused', () => {
  const attachment = part(['Content-Type: image/png'], 'x');
  const hint = 'Unsupported media type: send multipart/related with a first part that is XML and not encoded';
  test.each([
    [
      'an attachment in front, and no part that `start` names',
      attachment + mtom.replace('root@x', 'r@x'),
      'part is not XML',
    ],
    ['an image', attachment + end, 'part is not XML'],
    ['JSON', part(['Content-Type: application/json'], '{}') + end, 'part is not XML'],
    ['no Content-Type', part(['Content-ID: <root@x>'], xml) + end, 'part is not XML'],
    [
      'an unknown encoding of an attachment',
      mtom.replace(end, part(['Content-Transfer-Encoding: x-gzip'], 'x') + end),
      'transfer encoding',
    ],
    ['two Content-Types', part([xop, xop], xml) + end, 'part is not XML'],
    ['base64', part([xop, 'Content-Transfer-Encoding: base64'], 'PGEvPg==') + end, 'transfer encoding'],
    ['quoted-printable', part([xop, 'Content-Transfer-Encoding: Quoted-Printable'], xml) + end, 'transfer encoding'],
  ])('%s: 415, with what to send', (_, text, reason) => {
    expect(() => read(text)).toThrow(expect.objectContaining({ message: hint, reason, status: 415 }));
  });

  test.each([
    ['a second body in the epilogue', mtom + mtom, 'parts behind the end'],
    ['a hundred parts more', mtom.replace(end, attachment.repeat(100) + end), 'too many parts'],
    [
      'two parts of one name',
      mtom.replace(end, attachment.replace('\r\n', '\r\nContent-ID: <root@x>\r\n') + end),
      'Content-ID stands twice',
    ],
    ['two names of one part', mtom.replace('Content-ID', 'Content-ID: <y@x>\r\nContent-ID'), 'two Content-IDs'],
  ])('%s: 400, with the reason', (_, text, reason) => {
    expect(() => read(text)).toThrow(expect.objectContaining({ reason, status: 400 }));
  });

  test('ninety-nine parts more are read, and a hundred where the limit allows them', () => {
    const hundred = mtom.replace(end, attachment.repeat(100) + end);
    expect(readRelated(Buffer.from(hundred), header, 200).attachments.parts).toHaveLength(100);
    expect(read(mtom.replace(end, attachment.repeat(99) + end))[1]).toBe(xml);
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
    ['two boundaries', mtom, 'multipart/related; boundary=b-1; boundary="b-2"'],
    ['a boundary with a quote', mtom, 'multipart/related; boundary="b-1\\""'],
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
        return bytes.includes(readRelated(bytes, header).body);
      } catch (thrown) {
        return thrown instanceof Problem;
      }
    }),
    { seed, numRuns: 2_000 },
  );
});

test('blanks in quoted-printable take no time', () => {
  const blanks = `${' '.repeat(60_000)}x`;
  const body = Buffer.from(mtom.replace(end, part(['Content-Transfer-Encoding: quoted-printable'], blanks) + end));
  expect(shortestMs(() => readRelated(body, header))).toBeLessThan(bodyMsMax);
  expect(readRelated(body, header).attachments.parts[0]?.bytes.toString()).toBe(blanks);
  const startedAt = cpuMs();
  expect(blanks.slice(30_000).replace(/[\t ]+(?=\r?\n|$)/g, '')).not.toBe('');
  expect(cpuMs() - startedAt).toBeGreaterThan(bodyMsMax);
});
