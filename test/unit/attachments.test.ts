/** Bytes beside the envelope: MTOM, swaRef and SOAP with Attachments, as they are read and written, and hostile ones. */
import { Buffer } from 'node:buffer';
import { describe, expect, test } from '@jest/globals';
import type { Operation } from '../../src/core/contract/operation.ts';
import { Problem } from '../../src/core/contract/problem.ts';
import { readRelated } from '../../src/core/formats/multipart.ts';
import type { Reply } from '../../src/core/formats/protocol.ts';
import { sentBody } from '../../src/core/formats/wire.ts';
import { createProtocols } from '../../src/core/formats/wire-formats.ts';
import { charsetIn } from '../../src/core/lib/charset.ts';
import { binary, list, object, operation, optional, required, string } from '../../src/program/api/contract.ts';
import { madeUpService } from '../support/made-up-service.ts';

const bytes = (max = 100_000) => binary({ max, example: 'AA==' });
const files = object('Files', {
  name: optional(string(), ''),
  scan: optional(bytes(), ''),
  pages: optional(list(bytes(), 'pages', { max: 100, repeated: true }), ''),
  image: optional(binary({ max: 1_000, example: 'AA==', mediaType: 'image/png', attached: 'swaRef' }), ''),
  linked: optional(binary({ max: 1_000, example: 'AA==', attached: 'href' }), ''),
  photo: optional(bytes(), '', { xml: 'attachment' }),
  second: optional(bytes(), '', { xml: 'attachment' }),
  note: optional(
    object('Note', {
      value: optional(bytes(), '', { xml: 'text' }),
      kind: optional(string(), '', { xml: 'attribute' }),
    }),
    '',
  ),
  any: optional(list(string({ markup: 'any', example: '<a/>' }), 'any', { max: 10, repeated: true }), ''),
});
const plain = object('Plain', { scan: optional(bytes(), ''), text: optional(string(), '') });
const parts = { role: 'files', problems: [], doc: '', effect: 'writes' } as const;
const keep = operation({ ...parts, name: 'keep', input: files, output: files });
const put = operation({ ...parts, name: 'put', input: plain, output: plain });
const contract = madeUpService('Files', keep, put);
const protocols = createProtocols([contract]);
const { soap11, soap12 } = protocols;

const xop = 'http://www.w3.org/2004/08/xop/include';
const include = (id: string) => `<x:Include xmlns:x="${xop}" href="cid:${id}"/>`;
const envelope = (content: string, name = 'keep') =>
  `<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body><${name} xmlns="urn:files">${content}</${name}></s:Body></s:Envelope>`;

/** A body with an envelope and parts by Content-ID. */
function related(
  root: string,
  others: readonly (readonly [id: string, content: string | Buffer, headers?: string])[],
  isXop = true,
) {
  const type = isXop ? 'application/xop+xml; type="text/xml"' : 'text/xml';
  const pieces = [
    Buffer.from(`--b\r\nContent-Type: ${type}\r\nContent-ID: <root>\r\n\r\n${root}`),
    ...others.flatMap(([id, content, headers = '']) => [
      Buffer.from(`\r\n--b\r\n${headers}Content-Type: application/octet-stream\r\nContent-ID: <${id}>\r\n\r\n`),
      Buffer.from(content),
    ]),
    Buffer.from('\r\n--b--'),
  ];
  return { contentType: 'multipart/related; boundary=b; start="<root>"', body: Buffer.concat(pieces) };
}

interface Sent {
  readonly contentType: string;
  readonly body: Buffer;
}

/** `bodyLength`: instead of the true one, which bounds what may be read. */
function decode({ contentType, body }: Sent, headers: Record<string, string> = {}, bodyLength = body.length) {
  const root = readRelated(body, contentType);
  const attachments = { ...root.attachments, bodyLength };
  const media = { type: 'text/xml', charset: charsetIn(root.contentType), attachments };
  const target = { service: contract, version: 1, operation: undefined };
  const isNew = root.contentType.startsWith('application/soap+xml');
  return (isNew ? soap12 : soap11).decode(root.body, media, target, { query: '', headers });
}

const replyOf = ({ contentType, body }: Sent): Reply => ({
  status: 200,
  media: { type: 'multipart/related', charset: undefined },
  headers: { 'content-type': contentType },
  body,
});

const base64 = (text: string | Buffer) => Buffer.from(text).toString('base64');

describe('a request is read alike, however its bytes are sent', () => {
  const ways: readonly (readonly [string, Sent])[] = [
    ['MTOM', related(envelope(`<name>n</name><scan>${include('a%40b')}</scan>`), [['a@b', '\r\nraw\0']])],
    [
      'MTOM with a Content-ID that is not encoded',
      related(envelope(`<name>n</name><scan>${include('a@b')}</scan>`), [['a@b', '\r\nraw\0']]),
    ],
    ['a text that is a URL', related(envelope('<name>n</name><scan> cid:a </scan>'), [['a', '\r\nraw\0']], false)],
    ['href', related(envelope('<name>n</name><scan href="cid:a"/>'), [['a', '\r\nraw\0']], false)],
    [
      'a part in base64',
      related(
        envelope('<name>n</name><scan href="cid:a"/>'),
        [['a', 'DQpy\r\nYXcA', 'Content-Transfer-Encoding: base64\r\n']],
        false,
      ),
    ],
    ['in the envelope', related(envelope(`<name>n</name><scan>${base64('\r\nraw\0')}</scan>`), [])],
    [
      'by a reference to an element',
      related(
        `<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body><f:keep xmlns:f="urn:files"><f:name>n</f:name><f:scan href="#1"/></f:keep><x id="1" href="cid:a"/></s:Body></s:Envelope>`,
        [['a', '\r\nraw\0']],
        false,
      ),
    ],
  ];
  test.each(ways)('%s', (_, sent) => {
    const { input, issues } = decode(sent);
    expect(issues).toEqual([]);
    expect(input).toEqual({ name: 'n', scan: base64('\r\nraw\0') });
  });

  test('an answer of another server, too', () => {
    for (const [, sent] of ways) {
      const answer = {
        ...sent,
        body: Buffer.from(sent.body.toString('latin1').replaceAll('keep', 'keepResponse'), 'latin1'),
      };
      expect(soap11.decodeAnswer(keep, replyOf(answer))).toEqual({
        value: { name: 'n', scan: base64('\r\nraw\0') },
        issues: [],
        unknownMembers: [],
      });
    }
  });

  test('JSON and FORM', () => {
    const json = protocols.json.encodeRequest(contract, keep, { scan: base64('raw') }).body;
    expect(json).toBe('{"scan":"cmF3"}');
  });
});

test('items of a list, the text of an element, XML as text', () => {
  const content = `<pages>${include('1')}</pages><pages>${include('2')}</pages><note kind="k">${include('3')}</note><y xmlns="urn:y"><z>${include('4')}</z></y>`;
  const { input, issues } = decode(
    related(envelope(content), [
      ['1', 'one'],
      ['2', 'two'],
      ['3', 'three'],
      ['4', 'four'],
    ]),
  );
  expect(issues).toEqual([]);
  expect(input).toEqual({
    pages: [base64('one'), base64('two')],
    note: { kind: 'k', value: base64('three') },
    any: [`<y xmlns="urn:y"><z>${base64('four')}</z></y>`],
  });
});

describe('fields that are parts of their own', () => {
  test.each([
    ['by their Content-IDs, in any order', ['second=1@x', 'photo=2@x'], { photo: base64('1'), second: base64('0') }],
    ['by their order', ['q', ''], { photo: base64('0'), second: base64('1') }],
    ['one by its Content-ID', ['x', 'photo=2@x'], { photo: base64('1'), second: base64('0') }],
  ])('%s', (_, ids, expected) => {
    expect(
      decode(
        related(
          envelope('<name>n</name>'),
          ids.map((id, at) => [id, String(at)] as const),
          false,
        ),
      ).input,
    ).toEqual({
      name: 'n',
      ...expected,
    });
  });

  test('those to which something refers are no other field', () => {
    const sent = related(
      envelope('<image>cid:i</image>'),
      [
        ['i', 'image'],
        ['j', 'photo'],
      ],
      false,
    );
    expect(decode(sent).input).toEqual({ image: base64('image'), photo: base64('photo') });
  });
});

describe('refused', () => {
  const some = '<name>n</name>';
  test.each<[string, Sent, string]>([
    [
      'a part to which nothing refers',
      related(envelope('<text>n</text>', 'put'), [['a', 'x']]),
      'attachment without a reference to it',
    ],
    [
      'one that a text names, which holds no bytes',
      related(envelope('<text>cid:a</text>', 'put'), [['a', 'x']]),
      'attachment without a reference to it',
    ],
    [
      'one more than there are fields',
      related(
        envelope(some),
        [
          ['1', 'x'],
          ['2', 'x'],
          ['3', 'x'],
        ],
        false,
      ),
      'attachment without a reference to it',
    ],
    [
      'a reference to no part',
      related(envelope(`<scan>${include('b')}</scan>`), [['a', 'x']]),
      'reference to no attachment',
    ],
    [
      'a reference out of the message',
      related(envelope(`<scan><x:Include xmlns:x="${xop}" href="http://localhost/x"/></scan>`), [['a', 'x']]),
      'reference to no attachment',
    ],
    [
      'a reference without a URL',
      related(envelope(`<scan><x:Include xmlns:x="${xop}"/></scan>`), [['a', 'x']]),
      'reference to no attachment',
    ],
    [
      'a reference to the envelope itself',
      related(envelope(`<scan>${include('root')}</scan>`), []),
      'reference to no attachment',
    ],
    ['an href to no part', related(envelope('<scan href="cid:b"/>'), [['a', 'x']]), 'reference to no attachment'],
    [
      'a reference beside content',
      related(envelope(`<scan>x${include('a')}</scan>`), [['a', 'x']]),
      'Include beside content',
    ],
    [
      'two references in one element',
      related(envelope(`<scan>${include('a')}${include('a')}</scan>`), [['a', 'x']]),
      'Include beside content',
    ],
    [
      'nil with bytes',
      related(
        envelope(`<scan xmlns:i="http://www.w3.org/2001/XMLSchema-instance" i:nil="true">${include('a')}</scan>`),
        [['a', 'x']],
      ),
      'nil with content',
    ],
    [
      'two parts of one name',
      related(envelope(`<scan>${include('a')}</scan>`), [
        ['a', 'x'],
        ['a', 'y'],
      ]),
      'Content-ID stands twice',
    ],
  ])('%s', (_, sent, reason) => {
    expect(() => decode(sent)).toThrow(expect.objectContaining({ reason, status: 400 }));
    const answer = {
      ...sent,
      body: Buffer.from(sent.body.toString('latin1').replace(/(keep|put)(?=[ >])/g, '$1Response'), 'latin1'),
    };
    const asked: Operation = sent.body.includes('<put') ? put : keep;
    expect(() => soap11.decodeAnswer(asked, replyOf(answer))).toThrow(expect.objectContaining({ reason }));
  });

  test('a text for bytes that names no part is no base64', () => {
    const { issues } = decode(related(envelope('<scan>cid:b</scan>'), []));
    expect(issues.map(({ message }) => message)).toEqual(['Problem parsing request: scan is not a valid binary']);
  });

  test('a part that holds a reference to itself is bytes', () => {
    const loop = `<scan>${include('a')}</scan>`;
    expect(decode(related(envelope(loop), [['a', loop]])).input).toEqual({ scan: base64(loop) });
  });

  test('the name of a part is shown as far as it is a name', () => {
    const messageOf = (id: string): string => {
      try {
        decode(related(envelope(`<scan>${include(id)}</scan>`), []));
      } catch (thrown) {
        return thrown instanceof Problem ? thrown.message : '';
      }
      return '';
    };
    expect(messageOf('logo.png@example.org')).toContain('reference to no attachment, logo.png@example.org');
    expect(messageOf('4111111111111111@x')).toContain('reference to no attachment, ?');
    expect(messageOf('a&lt;b&#10;')).toContain('reference to no attachment, ?');
  });

  test('one part for many elements: as much as twice the body, and no more', () => {
    const times = (count: number, size: number) =>
      related(envelope(`<pages>${include('a')}</pages>`.repeat(count)), [['a', 'x'.repeat(size)]]);
    expect(Object.keys(decode(times(2, 50_000)).input as object)).toEqual(['pages']);
    expect(Object.keys(decode(times(90, 10)).input as object)).toEqual(['pages']);
    const many = times(90, 50_000);
    expect(() => decode(many)).toThrow(expect.objectContaining({ reason: 'attachments too large' }));
    // The control: without the bound all of it is read.
    expect(decode(many, {}, Number.POSITIVE_INFINITY).input).toMatchObject({ pages: { length: 90 } });
  });

  test('more bytes than the field may have', () => {
    const { issues } = decode(related(envelope(`<scan>${include('a')}</scan>`), [['a', 'x'.repeat(100_001)]]));
    expect(issues.map(({ kind }) => kind.name)).toEqual(['tooLong']);
  });
});

describe('written', () => {
  const value = {
    name: 'n',
    scan: base64(Buffer.from([0, 1, 2, 255])),
    pages: [base64('one'), base64('two')],
    image: base64('image'),
    linked: base64('linked'),
    photo: base64('photo'),
    note: { value: base64('three'), kind: 'k' },
  };
  const sent = (message: Parameters<typeof sentBody>[0] & { readonly contentType: string }): Sent => ({
    contentType: message.contentType,
    body: Buffer.from(sentBody(message)),
  });

  test.each([
    ['soap11', true, 7],
    ['soap12', true, 7],
    ['soap11', false, 3],
    ['soap12', false, 3],
  ] as const)('%s, MTOM %s: is read as it was written', (format, isXop, count) => {
    const call = sent(protocols[format].encodeRequest(contract, keep, value, undefined, isXop));
    expect(call.contentType).toContain(isXop ? 'type="application/xop+xml"' : 'multipart/related; type="');
    expect(readRelated(call.body, call.contentType).attachments).toMatchObject({ isXop, parts: { length: count } });
    expect(decode(call)).toMatchObject({ input: value, issues: [] });
    const answer = sent(protocols[format].encode(keep, value, undefined, isXop));
    expect(protocols[format].decodeAnswer(keep, replyOf(answer))).toEqual({ value, issues: [], unknownMembers: [] });
  });

  test('as the profiles want it', () => {
    const text = sent(soap11.encodeRequest(contract, keep, value)).body.toString('latin1');
    expect(text).toMatch(/<image>cid:1\.[\w-]+@triglyph<\/image>|<image>cid:\d\.[\w-]+@triglyph<\/image>/);
    expect(text).toMatch(/<linked href="cid:\d\.[\w-]+@triglyph"><\/linked>/);
    expect(text).toMatch(/Content-ID: <photo=[\w-]+@triglyph>\r\n\r\nphoto\r\n/);
    expect(text).toContain('Content-Type: image/png\r\n');
    expect(text).toContain('<scan>AAEC/w==</scan>');
  });

  test('bytes stay in the envelope where the caller reads no parts, and so do those beyond 64 parts', () => {
    expect(soap11.encode(put, { scan: 'AA==' })).toMatchObject({ contentType: 'text/xml;charset=utf-8' });
    const pages = Array.from({ length: 80 }, (_, at) => base64(String(at)));
    const answer = sent(soap11.encode(keep, { pages }, undefined, true));
    expect(readRelated(answer.body, answer.contentType).attachments.parts).toHaveLength(64);
    expect(soap11.decodeAnswer(keep, replyOf(answer))).toMatchObject({ value: { pages } });
  });

  test('a message without bytes is a package where the caller speaks MTOM, and plain otherwise', () => {
    expect(soap11.encode(keep, { name: 'n' }, undefined, true).contentType).toContain('xop');
    expect(soap11.encode(keep, { name: 'n' }).contentType).toBe('text/xml;charset=utf-8');
  });
});

describe('who reads MTOM', () => {
  const package1 = related(envelope('<name>n</name>'), []);
  test.each<[string, Sent, string, boolean]>([
    ['sent it', package1, '', true],
    ['sent it, and accepts everything', package1, '*/*', true],
    ['sent it, and accepts it', package1, 'text/xml, multipart/related', true],
    ['sent it, and accepts plain XML', package1, 'text/xml', false],
    ['sent SOAP with Attachments', related(envelope('<name>n</name>'), [], false), '', false],
    [
      'asks for it',
      related(envelope('<name>n</name>'), [], false),
      'multipart/related; type="application/xop+xml"',
      true,
    ],
  ])('a caller that %s', (_, sent, accept, expected) => {
    expect(decode(sent, accept === '' ? {} : { accept }).acceptsXop ?? false).toBe(expected);
  });
});

test('the contract refuses an attachment that holds no bytes', () => {
  expect(() => object('A', { a: required(string(), '', { xml: 'attachment' }) })).toThrow(TypeError);
  expect(() => binary({ max: 1, example: 'AA==', mediaType: 'image/png\r\nX: y' })).toThrow(TypeError);
});
