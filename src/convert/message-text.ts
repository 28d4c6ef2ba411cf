/** The text of a message, in which places count. */
import { Buffer, isUtf8 } from 'node:buffer';

/** Every other charset than UTF-8 has one byte for each character. */
export function textOf(message: string | Uint8Array): string {
  if (typeof message === 'string') return message;
  const bytes = Buffer.from(message);
  return bytes.toString(isUtf8(bytes) ? 'utf8' : 'latin1');
}
