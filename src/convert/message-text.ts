/** The text of a message, in which places count. */
import { Buffer, isUtf8 } from 'node:buffer';
import type { LocatedText } from './locate/locate.ts';

/** `body`: the last bytes of the message. */
export function textOf(message: string | Uint8Array, body: Buffer): Pick<LocatedText, 'text' | 'bodyStart'> {
  const text = typeof message === 'string' ? message : decode(Buffer.from(message));
  const bodyText = typeof message === 'string' || isUtf8(body) ? body.toString('utf8') : body.toString('latin1');
  // A file ends with a line break, and the last part of a multipart body with its boundary.
  const start = text.lastIndexOf(bodyText);
  return { text, bodyStart: start === -1 ? text.length : start };
}

/** Every other charset has one byte for each character. */
function decode(bytes: Buffer): string {
  return bytes.toString(isUtf8(bytes) ? 'utf8' : 'latin1');
}
