/** Bytes to XML text. A byte order mark decides the encoding, then the HTTP header, then the declaration (RFC 7303, 3.2). */
import { type Buffer, isAscii, isUtf8 } from 'node:buffer';
import { type Charset, charsetOf, decodeSingleByte, firstInvalidByte } from '../lib/index.ts';

/** The bytes are in an encoding that is not supported. */
export class UnknownEncoding extends Error {
  override readonly name = 'UnknownEncoding';
}

/** The bytes are not valid in their encoding. The message is one of a fixed set. */
export class Unreadable extends Error {
  override readonly name = 'Unreadable';
  /** The index of the first invalid byte, where it is known. */
  readonly byte: number | undefined;
  constructor(message: string, byte?: number) {
    super(message);
    this.byte = byte;
  }
}

const utf16le = new TextDecoder('utf-16le', { fatal: true });
const utf16be = new TextDecoder('utf-16be', { fatal: true });

type Mark = 'utf-8' | 'utf-16le' | 'utf-16be';

/** `charset`: of the HTTP header. A header that contradicts a byte order mark is refused, since either could be wrong. */
export function decodeXml(bytes: Buffer, charset: Charset | undefined): string {
  const mark = byteOrderMark(bytes);
  if (mark === 'utf-16le' || mark === 'utf-16be') {
    if (charset !== undefined && charset !== 'utf-16') throw contradiction();
    try {
      return (mark === 'utf-16le' ? utf16le : utf16be).decode(bytes);
    } catch {
      throw new Unreadable('not UTF-16');
    }
  }
  // UTF-16 always has a byte order mark (WS-I R4001).
  if (charset === 'utf-16') throw contradiction();
  if (mark !== undefined && charset !== undefined && charset !== mark) throw contradiction();
  const encoding = charset ?? mark ?? declaredEncoding(bytes);
  if (encoding !== 'utf-8') {
    const text = decodeSingleByte(bytes, encoding);
    if (text === undefined) throw new Unreadable(`not ${encoding}`, firstInvalidByte(bytes, encoding));
    return text;
  }
  const start = mark === undefined ? 0 : 3;
  // The parser would drop a second mark silently.
  if (bytes[start] === 0xef && bytes[start + 1] === 0xbb && bytes[start + 2] === 0xbf)
    throw new Unreadable('two byte order marks');
  if (isAscii(bytes)) return bytes.toString('latin1', start);
  if (!isUtf8(bytes)) throw new Unreadable('not UTF-8', firstInvalidByte(bytes, 'utf-8'));
  return bytes.toString('utf8', start);
}

function byteOrderMark(bytes: Buffer): Mark | undefined {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return 'utf-8';
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  return bytes[0] === 0xfe && bytes[1] === 0xff ? 'utf-16be' : undefined;
}

function contradiction(): Unreadable {
  return new Unreadable('charset and byte order mark disagree');
}

/** The encoding in the XML declaration; UTF-8 without one. */
function declaredEncoding(bytes: Buffer): Eight {
  const label = declaration.exec(bytes.toString('latin1', 0, 200))?.[1];
  const encoding = label === undefined ? 'utf-8' : charsetOf(label);
  if (encoding === undefined || encoding === 'utf-16') throw new UnknownEncoding(label);
  return encoding;
}

/** Charsets in which a declaration can be read before it is known. */
type Eight = Exclude<Charset, 'utf-16'>;

/** Whether blanks may stand before it is for those to say who read the text. */
const declaration = /^[\t\n\r ]*<\?xml\s[^>]*?encoding\s*=\s*["']([A-Za-z0-9._-]{1,40})["']/;

/** Returns a document without the blanks and comments that scripts print before the XML declaration, where XML allows none. */
export function withoutLayout(bytes: Buffer): Buffer {
  let start = 0;
  while (bytes[start] === 0x0a || bytes[start] === 0x0d || bytes[start] === 0x20 || bytes[start] === 0x09) start += 1;
  const comments = commentsBeforeXml.exec(bytes.toString('latin1', start, start + commentsLengthMax));
  if (comments !== null) start += comments[0].length;
  return start === 0 ? bytes : bytes.subarray(start);
}

const commentsLengthMax = 4_096;
const commentsBeforeXml = /^(?:\xef\xbb\xbf)?(?:<!--(?:[^-]|-(?!-))*-->[\t\n\r ]*)+(?=<\?xml[\t\n\r ])/;
