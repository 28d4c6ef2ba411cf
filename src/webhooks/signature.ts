/** The signature of a delivery: by it a receiver knows who sent it, and that nobody changed it. */
import { createHmac } from 'node:crypto';

/** `key`: 64 hexadecimal digits. Base64 of HMAC-SHA256. */
export const signatureOf = (key: string, text: string): string =>
  createHmac('sha256', Buffer.from(key, 'hex')).update(text).digest('base64');

/** As headers beside the body that they are of. */
export const signedInHeader = (key: string, body: string): Readonly<Record<string, string>> => ({
  HmacSignature: signatureOf(key, body),
  Protocol: 'HmacSHA256',
});
