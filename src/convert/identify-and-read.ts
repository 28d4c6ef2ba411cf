/** Reads a message of any format, which may say by itself what it is. */
import { Buffer } from 'node:buffer';
import { conventionsOf, Problem } from '../core/contract/index.ts';
import { malformed } from './conversion-error.ts';
import { type HttpMessage, splitHttpMessage } from './http-message.ts';
import { identifyMessage, type KnownServices, type MessageHints } from './identify-message.ts';
import { type ReadMessage, readMessage } from './read-message.ts';

export interface UnreadMessage extends MessageHints {
  /** As text or bytes: a body, or an HTTP message with its head. */
  readonly message: string | Uint8Array;
}

/** Throws ConversionError. */
export function identifyAndRead(options: UnreadMessage, known: KnownServices): ReadMessage {
  const { message } = options;
  const split = splitHttpMessage(Buffer.from(message));
  // A text has no bytes yet, so what it says of their charset does not hold.
  const http: HttpMessage = typeof message === 'string' ? { ...split, charset: 'utf-8' } : split;
  try {
    const read = readMessage(identifyMessage(http, options, known), http, known.protocols);
    return withReference(read, http.headers[conventionsOf(known.services).requestReference.toLowerCase()]);
  } catch (thrown) {
    throw thrown instanceof Problem ? malformed(thrown, http.body, http.linesBefore) : thrown;
  }
}

/** The reference of a request is in a header where the error of a format has no place for it. */
function withReference(message: ReadMessage, requestReference: string | undefined): ReadMessage {
  if (message.content.kind !== 'refusal' || requestReference === undefined) return message;
  return { ...message, content: { kind: 'refusal', refusal: { requestReference, ...message.content.refusal } } };
}
