/** Decodes the bytes of JSON and FORM bodies. UTF-8 unless Content-Type names another charset. */
import { type Buffer, isUtf8 } from 'node:buffer';
import { type Charset, decodeSingleByte, firstInvalidByte } from '../lib/index.ts';
import type { Fault } from './malformed-body.ts';

/** The charsets of every format. */
export const bodyCharsets: readonly Charset[] = Object.freeze(['utf-8', 'iso-8859-1', 'windows-1252', 'us-ascii']);

export type DecodedText = { readonly text: string } | Fault;

/** Keeps a byte order mark. */
export function decodeText(bytes: Buffer, charset: Charset = 'utf-8'): DecodedText {
  if (charset === 'utf-16') return { fault: 'not utf-16' };
  if (charset === 'utf-8' && isUtf8(bytes)) return { text: bytes.toString('utf8') };
  const text = charset === 'utf-8' ? undefined : decodeSingleByte(bytes, charset);
  if (text !== undefined) return { text };
  const fault = charset === 'utf-8' ? 'not UTF-8' : `not ${charset}`;
  return { fault, where: `byte ${firstInvalidByte(bytes, charset)}` };
}
