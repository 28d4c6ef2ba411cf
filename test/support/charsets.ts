/** Encodes text in the charsets of older clients, independent of the decoders under test. */
import { Buffer } from 'node:buffer';
import type { SingleByteCharset } from '../../src/core/lib/charset.ts';

/** The characters of bytes 0x80 to 0x9F of windows-1252 by the table of unicode.org; blanks for the five that it leaves open. */
const high = '€ ‚ƒ„…†‡ˆ‰Š‹Œ Ž  ‘’“”•–—˜™š›œ žŸ';
const latin1 = String.fromCharCode(...Array.from({ length: 96 }, (_, at) => 0xa0 + at));
const ascii = String.fromCharCode(...Array.from({ length: 95 }, (_, at) => 0x20 + at));

/** All printable characters of each charset. */
export const repertoires: Readonly<Record<SingleByteCharset, string>> = {
  'us-ascii': ascii,
  'iso-8859-1': ascii + latin1,
  'windows-1252': ascii + latin1 + high.replaceAll(' ', ''),
};

export const singleByteCharsets = Object.keys(repertoires) as readonly SingleByteCharset[];

/** Throws for a character that the charset does not have. */
export function encodeIn(charset: SingleByteCharset, text: string): Buffer {
  return Buffer.from(Array.from(text, (character) => byteOf(charset, character)));
}

/** As a form of this charset encodes a name or a value: every byte but letters and digits. */
export function percentEncodeIn(charset: SingleByteCharset, text: string): string {
  return Array.from(encodeIn(charset, text), (byte) => {
    const character = String.fromCharCode(byte);
    return /[A-Za-z0-9]/.test(character) ? character : `%${byte.toString(16).padStart(2, '0')}`;
  }).join('');
}

function byteOf(charset: SingleByteCharset, character: string): number {
  const code = character.charCodeAt(0);
  if (code < 0x80) return code;
  const at = charset === 'windows-1252' && character !== ' ' ? high.indexOf(character) : -1;
  if (at >= 0) return 0x80 + at;
  if (charset !== 'us-ascii' && latin1.includes(character)) return code;
  throw new RangeError(`${charset} has no ${character}`);
}
