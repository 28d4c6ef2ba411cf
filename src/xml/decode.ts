/** Bytes to XML text: UTF-8, or UTF-16 with its byte order mark (WS-I R1012, R4001). Refuses other encodings. */
import { type Buffer, isAscii, isUtf8 } from 'node:buffer';

/** The bytes are in an encoding that is not supported. */
export class UnknownEncoding extends Error {
  override readonly name = 'UnknownEncoding';
}

/** The bytes are not valid in their encoding. The message is one of a fixed set. */
export class Unreadable extends Error {
  override readonly name = 'Unreadable';
}

const utf16le = new TextDecoder('utf-16le', { fatal: true });
const utf16be = new TextDecoder('utf-16be', { fatal: true });

type Mark = 'utf-8' | 'utf-16le' | 'utf-16be';

/** `charset`: of the HTTP header, in lower case. It takes precedence over the XML declaration (WS-I R1019). */
export function decodeXml(bytes: Buffer, charset: string | undefined): string {
  const mark = byteOrderMark(bytes);
  if (charset !== undefined && !agrees(charset, mark)) throw new Unreadable('charset and byte order mark disagree');
  if (mark === 'utf-16le' || mark === 'utf-16be') {
    try {
      return (mark === 'utf-16le' ? utf16le : utf16be).decode(bytes);
    } catch {
      throw new Unreadable('not UTF-16');
    }
  }
  const start = mark === undefined ? 0 : 3;
  if (charset === undefined && mark === undefined) {
    const encoding = declared.exec(bytes.toString('latin1', 0, 200))?.[1]?.toLowerCase();
    if (encoding !== undefined && !isEight(encoding)) throw new UnknownEncoding(encoding);
  }
  // The parser would drop a second mark silently.
  if (bytes[start] === 0xef && bytes[start + 1] === 0xbb && bytes[start + 2] === 0xbf)
    throw new Unreadable('two byte order marks');
  if (isAscii(bytes)) return bytes.toString('latin1', start);
  if (!isUtf8(bytes)) throw new Unreadable('not UTF-8');
  return bytes.toString('utf8', start);
}

function byteOrderMark(bytes: Buffer): Mark | undefined {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return 'utf-8';
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  return bytes[0] === 0xfe && bytes[1] === 0xff ? 'utf-16be' : undefined;
}

function agrees(charset: string, mark: Mark | undefined): boolean {
  if (charset === 'utf-16') return mark !== undefined && mark !== 'utf-8';
  return mark === undefined || charset === mark || (charset === 'utf8' && mark === 'utf-8');
}

const declared = /^<\?xml\s[^>]*?encoding\s*=\s*["']([A-Za-z0-9._-]{1,40})["']/;

function isEight(encoding: string) {
  return encoding === 'utf-8' || encoding === 'us-ascii';
}
