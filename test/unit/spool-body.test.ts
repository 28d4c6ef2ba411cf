/** Bodies whose large values go to a file while they arrive, in pieces of any length. */
import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { tmpdir } from 'node:os';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { readRelated } from '../../src/core/formats/multipart.ts';
import { streamedBody } from '../../src/core/formats/sent-body.ts';
import { readBodyTo } from '../../src/core/formats/spool-body.ts';
import type { OwnBytes } from '../../src/core/formats/wire.ts';
import { canonicalRequestText } from '../../src/core/idempotency/canonical-request.ts';
import { Spool, SpoolFull, SpoolSpace } from '../../src/core/spool/spool.ts';
import { bytesBehind, describeTokens, hasToken, spooledValue, withBytes } from '../../src/core/spool/tokens.ts';
import { bodyMsMax, cpuMs } from '../property/cpu-time.ts';
import { boundary, contentTypeOf, files } from '../support/large-values.ts';
import { seed } from '../support/seed.ts';

const valueBytesMin = 60;
const charactersMin = 80;
let space: SpoolSpace;
let spool: Spool;

beforeEach(() => {
  space = new SpoolSpace({ folder: tmpdir(), bytesMax: 10_000_000 });
  spool = new Spool(space);
});
afterEach(async () => {
  await spool.close();
  expect(space.bytes).toBe(0);
});

/** Reads a body in pieces of these lengths, again and again. */
async function read(body: Buffer, contentType: string, lengths: readonly number[], own?: OwnBytes): Promise<Buffer> {
  const spooling = { valueBytesMin, charactersMin, ...(own !== undefined && { own }) };
  const reader = readBodyTo(spool.file(), contentType, spooling);
  for (let at = 0, piece = 0; at < body.length; piece += 1) {
    const end = at + lengths[piece % lengths.length]!;
    await reader.write(body.subarray(at, end));
    at = end;
  }
  return await reader.end();
}

const lengths = fc.array(fc.integer({ min: 1, max: 200 }), { minLength: 1, maxLength: 8 });
const base64 = fc
  .oneof(fc.uint8Array({ maxLength: 30 }), fc.uint8Array({ minLength: valueBytesMin - 5, maxLength: 300 }))
  .map((bytes) => Buffer.from(bytes).toString('base64'));
/** Base64 that is in its normal form, that is not, and other texts. */
const text = fc
  .array(
    fc.oneof(
      base64,
      fc.string(),
      fc.constantFrom('=', '==', '====', 'A', '\\', '%', '&', '/', '+', '\u00e9', '_spooled_'),
    ),
    {
      maxLength: 5,
    },
  )
  .map((each) => each.join('').replace(/\p{Cc}/gu, ''));
const runs = { numRuns: 300, seed };

describe('a text, with the bytes in place of its tokens, is the same', () => {
  const isSame = async (
    contentType: string,
    write: (value: string) => string,
    parse: (body: string) => unknown,
  ): Promise<void> => {
    let withTokens = 0;
    await fc.assert(
      fc.asyncProperty(text, lengths, async (value, pieces) => {
        const sent = write(value);
        const body = await read(Buffer.from(sent), contentType, pieces);
        if (hasToken(body.toString())) withTokens += 1;
        expect(parse(await withBytes(body.toString()))).toEqual(parse(sent));
      }),
      runs,
    );
    // The control: many of the texts are long enough.
    expect(withTokens).toBeGreaterThan(runs.numRuns / 5);
  };
  const escapes = ['\\/', '\\u002F', '/'];
  const asJson = (value: string) => {
    let count = 0;
    return JSON.stringify({ value, more: [value] }).replace(/\//g, () => escapes[count++ % 3]!);
  };
  const asXml = (value: string) =>
    `<a x="1">${value.replace(/[&<>]/g, (sign) => `&#${sign.charCodeAt(0)};`).replace(/\+/g, '&#x2B;')}</a>`;
  const fromXml = (body: string) =>
    body
      .replace(/&#(x?)(\w+);/g, (_, hex: string, digits: string) =>
        String.fromCharCode(Number.parseInt(digits, hex === '' ? 10 : 16)),
      )
      .replace(/\s+/g, '');

  test('JSON', () => isSame('application/json', asJson, (body) => JSON.parse(body)));
  test('FORM', () =>
    isSame(
      'application/x-www-form-urlencoded',
      (value) => `a=1&value=${encodeURIComponent(value)}&b=2`,
      (body) => [...new URLSearchParams(body.replaceAll('+', '%2B'))],
    ));
  test('XML', () => isSame('text/xml', asXml, fromXml));
});

describe('a body that is passed on is the same, byte for byte', () => {
  const bytes = fc.uint8Array({ maxLength: 400, size: 'max' }).map((each) => Buffer.from(each));
  const form = `multipart/form-data; boundary=${boundary}`;
  const part = (name: string, content: Buffer | string) =>
    Buffer.concat([
      Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="${name}"; filename="x"\r\n\r\n`),
      Buffer.from(content),
      Buffer.from('\r\n'),
    ]);
  const end = Buffer.from(`--${boundary}--\r\n`);
  const json = (value: string) => Buffer.from(JSON.stringify({ value: `${value}\n${value}`, more: [value] }));
  test.each<[string, OwnBytes, string, fc.Arbitrary<Buffer>]>([
    [
      'a form',
      { kind: 'parts', names: new Set(['file']) },
      form,
      fc.tuple(bytes, bytes).map(([one, other]) => Buffer.concat([part('text', one), part('file', other), end])),
    ],
    ['bytes', { kind: 'whole' }, 'image/png', bytes],
    ['JSON', { kind: 'json' }, 'application/json', text.map(json)],
    ['JSON that is none', { kind: 'json' }, 'image/png', text.map(json)],
  ])('%s', async (name, own, contentType, bodies) => {
    let inFile = 0;
    await fc.assert(
      fc.asyncProperty(bodies, lengths, async (body, pieces) => {
        const rest = await read(body, contentType, pieces, own);
        const streamed = streamedBody({ contentType, body: '', bytes: rest, isPassedOn: true });
        if (streamed !== undefined) inFile += 1;
        const sent: Buffer[] = [];
        for await (const piece of streamed?.read() ?? [rest]) sent.push(piece);
        expect(Buffer.concat(sent).equals(body)).toBe(true);
        if (streamed !== undefined) expect(streamed.length).toBe(body.length);
      }),
      runs,
    );
    // The control: many of the values are long enough, where the body is of the type of the operation.
    if (name === 'JSON that is none') expect(inFile).toBe(0);
    else expect(inFile).toBeGreaterThan(runs.numRuns / 5);
  });
});

test('the parts of a message are the same', () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.tuple(
          fc.uint8Array({ maxLength: 200, size: 'max' }),
          fc.constantFrom('binary', 'base64', 'quoted-printable'),
        ),
        {
          minLength: 1,
          maxLength: 4,
        },
      ),
      base64,
      lengths,
      fc.boolean(),
      async (values, inline, pieces, isClosed) => {
        const part = ([bytes, encoding]: (typeof values)[number], at: number) => [
          Buffer.from(`\r\n--${boundary}\r\nContent-ID: <${at}>\r\nContent-Transfer-Encoding: ${encoding}\r\n\r\n`),
          encoding === 'base64'
            ? Buffer.from(Buffer.from(bytes).toString('base64').replace(/.{76}/g, '$&\r\n'))
            : bytes,
        ];
        const body = Buffer.concat([
          Buffer.from(`--${boundary}\r\nContent-Type: text/xml\r\n\r\n<a>${inline}</a>`),
          ...values.flatMap(part),
          Buffer.from(isClosed ? `\r\n--${boundary}--` : ''),
        ]);
        const contentType = contentTypeOf('swa');
        const rest = await read(body, contentType, pieces);
        if (!isClosed) {
          expect(() => readRelated(rest, contentType)).toThrow('malformed multipart');
          return;
        }
        const [before, after] = [readRelated(body, contentType), readRelated(rest, contentType)];
        expect(await withBytes(after.body.toString())).toBe(before.body.toString());
        const bytesOf = async ({ bytes, spooled }: (typeof after.attachments.parts)[number]) =>
          spooled === undefined
            ? bytes.toString('latin1')
            : Buffer.from(await withBytes(spooled.token), 'base64').toString('latin1');
        expect(await Promise.all(after.attachments.parts.map(bytesOf))).toEqual(
          await Promise.all(before.attachments.parts.map(bytesOf)),
        );
        for (const [at, { spooled }] of after.attachments.parts.entries()) {
          const [bytes, encoding] = values[at]!;
          const isLong =
            encoding === 'binary'
              ? bytes.length >= valueBytesMin
              : Buffer.from(bytes).toString('base64').length >= charactersMin;
          expect(spooled !== undefined).toBe(isLong && encoding !== 'quoted-printable');
        }
      },
    ),
    runs,
  ));

describe('a token', () => {
  const bytes = Buffer.alloc(400_000, 'bytes');
  const body = Buffer.from(JSON.stringify({ data: bytes.toString('base64') }));
  const tokenIn = async () => JSON.parse((await read(body, 'application/json', [65_536])).toString()).data as string;

  test('stands for the bytes, and is shown as their length', async () => {
    const token = await tokenIn();
    expect(token).toMatch(/^_spooled_[a-p]{32}_$/);
    expect(spooledValue(token)).toMatchObject({
      length: 400_000,
      sha256: createHash('sha256').update(bytes).digest('base64url'),
    });
    expect([bytesBehind(`<a>${token}</a>`), describeTokens(`<a>${token}</a>`)]).toEqual([
      400_000,
      '<a>(400000 bytes)</a>',
    ]);
    expect(await withBytes(`<a>${token}</a>`)).toBe(`<a>${bytes.toString('base64')}</a>`);
  });

  test('is a text like others when its request is answered, and one that a caller makes up is', async () => {
    const token = await tokenIn();
    expect(hasToken(token.replace(/[a-p]_$/, 'z_'))).toBe(false);
    const value = spooledValue(token)!;
    await spool.close();
    expect([hasToken(token), spooledValue(token)]).toEqual([false, undefined]);
    await expect(value.read().next()).rejects.toThrow('closed');
  });

  test('is compared by its bytes: as the same bytes in memory, and never by its own text', async () => {
    const operation = files.operations.get('echo')!;
    const textOf = (data: string) => canonicalRequestText({ service: files, operation, input: { data } });
    const [one, other] = [await tokenIn(), await tokenIn()];
    expect(one).not.toBe(other);
    expect(new Set([one, other, bytes.toString('base64')].map(textOf)).size).toBe(1);
    // The controls: other bytes, and a short value, which is compared as it always was.
    expect(textOf(Buffer.alloc(400_000, 'other').toString('base64'))).not.toBe(textOf(one));
    expect(textOf('AAAA')).toBe('Files.echo {"data":"AAAA"}');
  });
});

test('a sender that does not wait for writes loses nothing', async () => {
  const values = Array.from({ length: 20 }, (_, at) => Buffer.alloc(50_000, `value ${at}`).toString('base64'));
  const body = Buffer.from(JSON.stringify(values));
  const reader = readBodyTo(spool.file(), 'application/json', { valueBytesMin, charactersMin });
  const writes = [];
  for (let at = 0; at < body.length; at += 10_000) writes.push(reader.write(body.subarray(at, at + 10_000)));
  const rest = (await reader.end()).toString();
  expect(JSON.parse(await withBytes(rest))).toEqual(values);
  await Promise.all(writes);
  // The control: the values were in the file.
  expect(rest.length).toBeLessThan(2_000);
});

test('a file that is full takes no more', async () => {
  space = new SpoolSpace({ folder: tmpdir(), bytesMax: 1_000 });
  spool = new Spool(space);
  await expect(read(Buffer.alloc(10_000, 'A'), 'application/json', [100])).rejects.toThrow(SpoolFull);
});

test('blanks in the head of a part take no time', async () => {
  const line = `Content-Transfer-Encoding:${' '.repeat(60_000)}!`;
  const body = `--${boundary}\r\n\r\n<a/>\r\n--${boundary}\r\n${line}\r\n\r\n${'x'.repeat(100)}\r\n--${boundary}--\r\n`;
  let startedAt = cpuMs();
  expect((await read(Buffer.from(body), `multipart/related; boundary="${boundary}"`, [body.length])).toString()).toBe(
    body,
  );
  expect(cpuMs() - startedAt).toBeLessThan(bodyMsMax);
  startedAt = cpuMs();
  expect(/^content-transfer-encoding:\s*([\w-]*)\s*$/im.exec(line.replace(' '.repeat(30_000), ''))).toBeNull();
  expect(cpuMs() - startedAt).toBeGreaterThan(bodyMsMax);
});
