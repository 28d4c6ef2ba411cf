/** Signatures of webhook messages, by which a receiver verifies the sender and the content. */
import { createHmac } from 'node:crypto';
import type { SigningKeys } from './signing-keys.ts';

/** `key`: 64 hexadecimal digits. Returns HMAC-SHA256 in base64. */
export function signatureOf(key: string, text: string): string {
  return createHmac('sha256', Buffer.from(key, 'hex')).update(text).digest('base64');
}

/** The headers that sign a body. Receivers read one signature in a header, so the second one has a header of its own. */
export function signatureHeaders({ key, nextKey }: SigningKeys, body: string): Readonly<Record<string, string>> {
  return {
    HmacSignature: signatureOf(key, body),
    ...(nextKey !== undefined && { HmacSignatureNext: signatureOf(nextKey, body) }),
    Protocol: 'HmacSHA256',
  };
}

interface SentMessage {
  readonly eventId: string;
  /** The time of this attempt, in milliseconds since the epoch. */
  readonly sentAt: number;
  readonly body: string;
}

/**
 * The headers of Standard Webhooks 1.0, which also sign the id and the time of the attempt. They have a signature for each key,
 * with blanks between them.
 */
export function standardHeaders(
  { key, nextKey }: SigningKeys,
  { eventId, sentAt, body }: SentMessage,
): Readonly<Record<string, string>> {
  // A dot ends the id in what is signed.
  const id = eventId.replaceAll('.', '-');
  const timestamp = String(Math.floor(sentAt / 1_000));
  const keys = nextKey === undefined ? [key] : [key, nextKey];
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': keys.map((each) => `v1,${signatureOf(each, `${id}.${timestamp}.${body}`)}`).join(' '),
  };
}
