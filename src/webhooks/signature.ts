/** Signatures of webhook messages, by which a receiver verifies the sender and the content. */
import { createHmac } from 'node:crypto';

/** `key`: 64 hexadecimal digits. Returns HMAC-SHA256 in base64. */
export function signatureOf(key: string, text: string): string {
  return createHmac('sha256', Buffer.from(key, 'hex')).update(text).digest('base64');
}

/** The headers that sign a body. */
export function signatureHeaders(key: string, body: string): Readonly<Record<string, string>> {
  return { HmacSignature: signatureOf(key, body), Protocol: 'HmacSHA256' };
}
