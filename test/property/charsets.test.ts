/** A request in a charset of older clients is decoded to what the same request in UTF-8 is decoded to. */
import { Buffer } from 'node:buffer';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createProtocols, type NamedProtocol, namedProtocols } from '../../src/core/formats/wire-formats.ts';
import type { SingleByteCharset } from '../../src/core/lib/charset.ts';
import { services } from '../../src/payments/index.ts';
import { recurringV25 } from '../../src/payments/recurring/versions.ts';
import { formats } from '../formats/index.ts';
import { repertoires, singleByteCharsets } from '../support/charsets.ts';
import { type Bytes, outcomeOf } from '../support/exchange.ts';
import { type Loose, textNode } from '../support/lenient.ts';
import { bodyMsMax, shortestMs } from './cpu-time.ts';
import { failure, runs, search } from './property.ts';

const protocols = createProtocols(services);
const operation = recurringV25.operations.get('listRecurringDetails')!;
/** Stands for the text in a printed request. It survives every escaping. */
const place = 'PLACE';

const requestOf = (shopperReference: string): Loose => ({
  kind: 'object',
  members: [
    { name: 'merchantAccount', node: textNode('DemoMerchant') },
    { name: 'shopperReference', node: textNode(shopperReference) },
  ],
});

const callIn = (name: NamedProtocol, charset: SingleByteCharset, text: string): Bytes => {
  const format = formats[name];
  const [before = '', after = ''] = format.print(recurringV25, operation, requestOf(place)).split(place);
  return {
    path: format.path(recurringV25, operation),
    contentType: `${format.contentType.split(';')[0]}; charset=${charset}`,
    body: Buffer.concat([Buffer.from(before), format.encodeText(charset, text), Buffer.from(after)]),
  };
};

const inUtf8 = (name: NamedProtocol, text: string): Bytes => ({
  path: formats[name].path(recurringV25, operation),
  contentType: formats[name].contentType,
  body: formats[name].print(recurringV25, operation, requestOf(text)),
});

const textsOf = (charset: SingleByteCharset) =>
  fc.string({ unit: fc.constantFrom(...repertoires[charset]), minLength: 1, maxLength: 40 });

const check = (name: NamedProtocol, charset: SingleByteCharset, sent = charset) =>
  search(textsOf(charset), { runs: Math.ceil(runs / 5) }, (text) => {
    const expected = JSON.stringify(outcomeOf(protocols, name, inUtf8(name, text)));
    const found = JSON.stringify(
      outcomeOf(protocols, name, {
        ...callIn(name, charset, text),
        contentType: callIn(name, sent, place).contentType,
      }),
    );
    return found === expected ? undefined : `${expected}\n${found}`;
  });

describe.each(namedProtocols)('%s', (name) => {
  test.each(singleByteCharsets)('in %s', (charset) => {
    expect(check(name, charset)).toBeUndefined();
  });

  test('a wrong charset is found', () => {
    expect(check(name, 'windows-1252', 'iso-8859-1')).toContain(failure('').split('\n').at(-1)!);
  });
});

describe.each(singleByteCharsets)('a large body in %s is decoded in time', (charset) => {
  const last = charset === 'us-ascii' ? '%41' : '%FC';
  const bodies: readonly (readonly [what: string, name: NamedProtocol, body: Buffer])[] = [
    ['percent-encoded bytes', 'form', Buffer.from(`shopperReference=${last.repeat(21_000)}`)],
    ['percent-encoded names', 'form', Buffer.from(`${last}=&`.repeat(190))],
    ['a last byte that is invalid', 'json', Buffer.concat([Buffer.alloc(65_000, 'a'), Buffer.of(0x81)])],
    ['a last byte that is invalid', 'soap11', Buffer.concat([Buffer.alloc(65_000, 'a'), Buffer.of(0x81)])],
  ];
  test.each(bodies)('%s in %s', (_, name, body) => {
    const { path } = inUtf8(name, '');
    const contentType = `${formats[name].contentType.split(';')[0]}; charset=${charset}`;
    expect(shortestMs(() => outcomeOf(protocols, name, { path, contentType, body }))).toBeLessThan(bodyMsMax);
  });
});
