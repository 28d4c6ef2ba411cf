/** Seals bytes with AES-256-GCM, bound to their record by additional authenticated data. */
import { createCipheriv, createDecipheriv, type KeyObject } from 'node:crypto';

const algorithm = 'aes-256-gcm';
export const nonceBytes = 12;
const tagBytes = 16;

/** A ciphertext was changed, moved to another record, or sealed under another key than its id names. */
export class SealBroken extends Error {
  override readonly name = 'SealBroken';
}

/** The additional authenticated data of a ciphertext. JSON: joined texts could run into each other. */
export function binding(tenant: string, record: string, field: string, keyId: string): Buffer {
  return Buffer.from(JSON.stringify(['triglyph-1', tenant, record, field, keyId]));
}

/** Base64 of nonce, ciphertext and tag. The nonce must be twelve new random bytes: it is used once under a key. */
export function sealBytes(key: KeyObject | Buffer, nonce: Buffer, bound: Buffer, clear: Buffer | string): string {
  const cipher = createCipheriv(algorithm, key, nonce, { authTagLength: tagBytes });
  cipher.setAAD(bound);
  const body = typeof clear === 'string' ? cipher.update(clear, 'utf8') : cipher.update(clear);
  return Buffer.concat([nonce, body, cipher.final(), cipher.getAuthTag()]).toString('base64');
}

/** Throws `SealBroken` unless `sealBytes` created the text under the same key and binding. */
export function openBytes(key: KeyObject | Buffer, bound: Buffer, sealed: string): Buffer {
  const bytes = Buffer.from(sealed, 'base64');
  if (bytes.length < nonceBytes + tagBytes) throw new SealBroken('a ciphertext is too short');
  const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, nonceBytes), { authTagLength: tagBytes });
  decipher.setAAD(bound);
  decipher.setAuthTag(bytes.subarray(bytes.length - tagBytes));
  const body = decipher.update(bytes.subarray(nonceBytes, bytes.length - tagBytes));
  try {
    decipher.final();
  } catch {
    // The bytes were decrypted before the tag was compared: they may be a data key.
    body.fill(0);
    // Without the cause: it adds nothing, and no part of a ciphertext belongs in a log.
    throw new SealBroken('a ciphertext does not belong here or was changed');
  }
  return body;
}
