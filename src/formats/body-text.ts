/** Decodes the bytes of JSON and FORM bodies. UTF-8 unless Content-Type names another charset. */
import { type Buffer, isUtf8 } from 'node:buffer';
import { type Charset, decodeSingleByte } from '../lib/charset.ts';

/** The charsets of every format. */
export const bodyCharsets: readonly Charset[] = Object.freeze(['utf-8', 'iso-8859-1', 'windows-1252', 'us-ascii']);

export type DecodedText = { readonly text: string } | { readonly fault: string };

/** Keeps a byte order mark. */
export function decodeText(bytes: Buffer, charset: Charset = 'utf-8'): DecodedText {
  if (charset === 'utf-8') return isUtf8(bytes) ? { text: bytes.toString('utf8') } : { fault: 'not UTF-8' };
  const text = charset === 'utf-16' ? undefined : decodeSingleByte(bytes, charset);
  return text === undefined ? { fault: `not ${charset}` } : { text };
}
