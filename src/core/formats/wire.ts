/** HTTP messages without an HTTP framework: what comes in and what goes out. */

import type { Buffer } from 'node:buffer';
import type { Sender } from '../contract/index.ts';
import { memoizeWeakly } from '../lib/index.ts';
import type { Spool } from '../spool/index.ts';
import { type Attached, packed } from './related.ts';

export interface WireRequest {
  readonly method: string;
  /** Path without query; as sent, not decoded. */
  readonly path: string;
  /** Without its question mark; empty if there is none. */
  readonly query: string;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Where the request came from; absent where there is no connection. */
  readonly sender?: Sender | undefined;
  /** The SHA-256 fingerprint of the certificate that the caller has proved: 64 lower-case hexadecimal digits. */
  readonly certificate?: string | undefined;
  /** The X-Request-Id that the caller sent, if it is well-formed. */
  readonly requestId?: string | undefined;
  /** The trace of the caller, or a new one; absent where there is no connection. */
  readonly traceparent?: string | undefined;
  /**
   * Throws a Problem for a head that must not be served: no host or two, a single header sent twice, an unknown encoding of
   * the body, a request from a page of another site. Called after the format is detected, so that the refusal has that format.
   */
  inspect(requiresHost: boolean): void;
  /**
   * Reads the body once, within limits, and inflates it; rejects with a Problem (tooLarge, timeout, badRequest). `bytesMax`: where
   * more or less is accepted than the limit of the server. `spooling`: where its large values go to a file; `bytesMax` then is of the rest.
   */
  body(bytesMax?: number, spooling?: LargeBody): Promise<Buffer>;
  /** Where large values of the request and of its answer are held until it is answered; absent where they are in memory. */
  readonly spool?: Spool | undefined;
  /** Whether a value of the request or of its answer is in a file; absent where none can be. */
  readonly hasLargeValues?: boolean | undefined;
}

/** Where a message at the path of an upstream has its bytes: in JSON, as the whole body, or in parts of these names. */
export type OwnBytes =
  | { readonly kind: 'json' | 'whole' }
  | { readonly kind: 'parts'; readonly names: ReadonlySet<string> };

/** Which values of a message go to a file. */
export interface Spooling {
  /** Smaller values stay in memory. */
  readonly valueBytesMin: number;
  /** Characters of base64 that no text of the message may have: shorter runs may be texts. */
  readonly charactersMin: number;
  /** Of a message that is passed on as it is. */
  readonly own?: OwnBytes;
}

/** A body with large values in a file. */
export interface LargeBody extends Spooling {
  /** Of the whole body, with what is in the file. */
  readonly bodyBytesMax: number;
}

/** A response. The HTTP server adds Content-Length and the headers of every response. */
export interface Message {
  readonly status: number;
  /** Media type with charset. */
  readonly contentType: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The text that is sent. In a binary format, its notation for people. */
  readonly body: string;
  /** What is sent in a binary format. */
  readonly bytes?: Buffer;
  /** The bytes are as another side has sent them: what was base64 in them is base64. */
  readonly isPassedOn?: true;
  /** What is sent beside the text, in parts of which it is the first. */
  readonly attached?: Attached;
}

/** What is sent of a message. */
export function sentBody(message: Pick<Message, 'body' | 'bytes' | 'attached'>): string | Buffer {
  return message.attached === undefined ? (message.bytes ?? message.body) : packageOf(message);
}

/** What is sent is asked for more than once. */
const packageOf = memoizeWeakly(({ body, attached }: Pick<Message, 'body' | 'attached'>) => packed(body, attached!));

/** The response to an operation without an answer. */
export function acceptedMessage(contentType: string): Message {
  return { status: 202, contentType, headers: {}, body: '' };
}

/** A response to an operation that succeeded. */
export function okMessage(contentType: string, body: string): Message {
  return { status: 200, contentType, headers: {}, body };
}
