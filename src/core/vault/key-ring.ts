/** The keys of a gateway: wrapping keys, the index key for fingerprints and the pepper for credentials. */
import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs';
import {
  isWrapped,
  isWrappingId,
  type KeyLine,
  KeyRingError,
  keyBytes,
  type OtherState,
  type Purpose,
  parseKeyLines,
} from './key-lines.ts';

export { KeyRingError };

/** The second key of a purpose, during its rotation. */
export interface OtherKey {
  readonly state: OtherState;
  readonly key: KeyObject;
}

export interface KeyRing {
  /** The id of the key that wraps the data keys of new records. */
  readonly current: string;
  readonly wrapping: ReadonlyMap<string, KeyObject>;
  /** Derives fingerprints and aliases. */
  readonly index: KeyObject;
  /** Hashes the secrets of credentials. */
  readonly pepper: KeyObject;
  readonly otherIndex?: OtherKey | undefined;
  readonly otherPepper?: OtherKey | undefined;
}

/**
 * Reads `<keyId>:<64 hex digits>` lines, the first of which is the current wrapping key, and the lines `index:<hex>` and
 * `pepper:<hex>`. Throws `KeyRingError` naming the line.
 */
export function parseKeyRing(text: string): KeyRing {
  const lines = parseKeyLines(text);
  for (const { key, number } of lines)
    if (isWrapped(key))
      throw new KeyRingError(`line ${number} is wrapped by a key management service: name it in KMS_URL`);
  return keyRingOf(lines, new Map(lines.map(({ id, key }) => [id, createSecretKey(key, 'hex')])));
}

/** `keys`: by the ids of the lines. */
export function keyRingOf(lines: readonly KeyLine[], keys: ReadonlyMap<string, KeyObject>): KeyRing {
  const ids = lines.map(({ id }) => id).filter(isWrappingId);
  return Object.freeze<KeyRing>({
    current: ids[0]!,
    wrapping: new Map(ids.map((id) => [id, keys.get(id)!])),
    index: keys.get('index')!,
    pepper: keys.get('pepper')!,
    otherIndex: otherKey('index', keys),
    otherPepper: otherKey('pepper', keys),
  });
}

/** A new id of a wrapping key. It is random, so that no two keys have the same. */
export function freshKeyId(): string {
  return `k-${randomBytes(4).toString('hex')}`;
}

/** A new key in the clear. */
export function freshKey(): string {
  return randomBytes(keyBytes).toString('hex');
}

/** The text of a new key file. */
export function freshKeys(): string {
  return keyFileText(freshKey(), freshKey(), freshKey());
}

export function keyFileText(wrapping: string, index: string, pepper: string): string {
  return `# Keep a copy of this file apart from the data: without it nothing sealed can be read again.\n${freshKeyId()}:${wrapping}\nindex:${index}\npepper:${pepper}\n`;
}

/** Writes a new key file with mode 0600 and flushes it. Throws EEXIST where the file exists. */
export function createKeyFile(path: string, text = freshKeys()): void {
  const file = openSync(path, 'wx', 0o600);
  try {
    writeSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

function otherKey(purpose: Purpose, keys: ReadonlyMap<string, KeyObject>): OtherKey | undefined {
  for (const state of ['next', 'old'] as const) {
    const key = keys.get(`${purpose}-${state}`);
    if (key !== undefined) return { state, key };
  }
  return undefined;
}
