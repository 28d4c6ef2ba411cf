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
