/** Labels and bytes of the single-byte charsets. */
import { Buffer } from 'node:buffer';
import { describe, expect, test } from '@jest/globals';
import { characterOf, charsetOf, decodeSingleByte, firstInvalidByte } from '../../src/core/lib/charset.ts';
import { encodeIn, repertoires, singleByteCharsets } from '../support/charsets.ts';

test.each([
  ['UTF-8', 'utf-8'],
  ['utf8', 'utf-8'],
  ['UTF-16', 'utf-16'],
  ['ISO-8859-1', 'iso-8859-1'],
  ['latin1', 'iso-8859-1'],
  ['ISO8859_1', 'iso-8859-1'],
  ['Windows-1252', 'windows-1252'],
  ['cp1252', 'windows-1252'],
  ['US-ASCII', 'us-ascii'],
  ['ascii', 'us-ascii'],
  ['utf-7', undefined],
  ['iso-8859-15', undefined],
  ['constructor', undefined],
  ['', undefined],
])('the label "%s" names %s', (label, charset) => {
  expect(charsetOf(label)).toBe(charset);
});

describe.each(singleByteCharsets)('%s', (charset) => {
  test('every character of it is read back', () => {
    const text = repertoires[charset];
    expect(decodeSingleByte(encodeIn(charset, text), charset)).toBe(text);
  });

  const refused: Readonly<Record<typeof charset, readonly number[]>> = {
    'us-ascii': Array.from({ length: 128 }, (_, at) => 0x80 + at),
    'iso-8859-1': [],
    'windows-1252': [0x81, 0x8d, 0x8f, 0x90, 0x9d],
  };
  test('it refuses exactly the bytes that it does not have', () => {
    const bytes = Array.from({ length: 256 }, (_, byte) => byte);
    const found = bytes.filter((byte) => decodeSingleByte(Buffer.of(0x41, byte), charset) === undefined);
    expect(found).toEqual(refused[charset]);
  });

  test('a byte alone is the same character, and the first that it does not have is found', () => {
    const bytes = Array.from({ length: 256 }, (_, byte) => byte);
    const alone = bytes.map((byte) => decodeSingleByte(Buffer.of(byte), charset));
    expect(bytes.map((byte) => characterOf(byte, charset))).toEqual(alone);
    const first = refused[charset][0];
    if (first !== undefined) expect(firstInvalidByte(Buffer.of(0x41, 0x42, first, first), charset)).toBe(2);
  });
});
