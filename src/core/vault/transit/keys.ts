/** Keys wrapped by a key management service that speaks the protocol of Vault's Transit engine. */
import { createSecretKey, type KeyObject } from 'node:crypto';
import { isClear, isWrapped, KeyRingError, keyBytes, parseKeyLines } from '../key-lines.ts';
import type { KeyProvider } from '../key-provider.ts';
import { keyRingOf } from '../key-ring.ts';
import { callTransit, type TransitOptions } from './client.ts';

/** The key file holds the wrapped keys. They are unwrapped at the start, and are in memory only from then on. */
export function createTransitKeys(options: TransitOptions): KeyProvider {
  /** Any wrapped key of the file: unwrapping it again shows whether the service would do so at a restart. */
  let sample: string | undefined;
  return Object.freeze<KeyProvider>({
    async open(text) {
      const lines = parseKeyLines(text);
      for (const { key, number } of lines)
        if (!isWrapped(key))
          throw new KeyRingError(`line ${number} holds a key in the clear: \`triglyph keys wrap FILE\` wraps it`);
      const keys = new Map<string, KeyObject>();
      for (const { id, key } of lines) keys.set(id, await unwrap(options, key));
      sample = lines[0]?.key;
      return keyRingOf(lines, keys);
    },
    // The answer has no key in the clear: this process need not know it.
    create: () => callTransit(options, 'datakey/wrapped', { bits: 8 * keyBytes }, 'ciphertext'),
    renew: (key) =>
      isClear(key)
        ? callTransit(options, 'encrypt', { plaintext: Buffer.from(key, 'hex').toString('base64') }, 'ciphertext')
        : callTransit(options, 'rewrap', { ciphertext: key }, 'ciphertext'),
    async check() {
      if (sample !== undefined) await unwrap(options, sample);
    },
  });
}

async function unwrap(options: TransitOptions, ciphertext: string): Promise<KeyObject> {
  const clear = Buffer.from(await callTransit(options, 'decrypt', { ciphertext }, 'plaintext'), 'base64');
  try {
    if (clear.length !== keyBytes)
      throw new KeyRingError(`a wrapped key has ${clear.length} bytes instead of ${keyBytes}`);
    return createSecretKey(clear);
  } finally {
    clear.fill(0);
  }
}
