/** Parses and creates key files: wrapping keys, the index key for fingerprints and the pepper for credentials. */
import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs';

const keyBytes = 32;

export interface KeyRing {
  /** The id of the key that wraps the data keys of new records. */
  readonly current: string;
  readonly wrapping: ReadonlyMap<string, KeyObject>;
  /** Derives fingerprints and aliases. A new index key would require all of them to be computed again. */
  readonly index: KeyObject;
  /** Hashes the secrets of credentials. */
  readonly pepper: KeyObject;
}

/** A fault of the keys, with its correction. The message never contains a part of a key. */
export class KeyRingError extends Error {
  override readonly name = 'KeyRingError';
}

const keyIdPattern = /^[a-z0-9][a-z0-9-]{0,31}$/;
const keyPattern = new RegExp(`^[0-9a-fA-F]{${2 * keyBytes}}$`);
const purposes = ['index', 'pepper'] as const;

/**
 * Reads `<keyId>:<64 hex digits>` lines, the first of which is the current wrapping key, and the lines `index:<hex>` and
 * `pepper:<hex>`. Ignores blank lines and lines that begin with `#`. Throws `KeyRingError` naming the line.
 */
export function parseKeyRing(text: string): KeyRing {
  const keys = new Map<string, KeyObject>();
  const lineOf = new Map<string, number>();
  for (const [index, raw] of text.split(/\r?\n/).entries()) {
    const line = raw.trim();
    if (line === '' || line.startsWith('#')) continue;
    const number = index + 1;
    const { id, hex } = parseLine(line, number);
    for (const repeated of [`id ${id}`, `key ${hex}`]) {
      const earlier = lineOf.get(repeated);
      if (earlier !== undefined) throw new KeyRingError(`line ${number} repeats the id or the key of line ${earlier}`);
      lineOf.set(repeated, number);
    }
    keys.set(id, createSecretKey(hex, 'hex'));
  }
  const [index, pepper] = purposes.map((purpose) => take(keys, purpose));
  const [current] = keys.keys();
  if (current === undefined) throw new KeyRingError('a line <keyId>:<64 hex digits> for the wrapping key is missing');
  return Object.freeze({ current, wrapping: keys, index: index!, pepper: pepper! });
}

/** The line of a new wrapping key. Its id is random, so that no two keys have the same id. */
export function freshWrappingLine(): string {
  return `k-${randomBytes(4).toString('hex')}:${freshKey()}`;
}

/** The text of a new key file. */
export function freshKeys(): string {
  return `# Keep a copy of this file apart from the data: without it no card can be read again.\n${freshWrappingLine()}\nindex:${freshKey()}\npepper:${freshKey()}\n`;
}

/** Writes a new key file with mode 0600 and flushes it. Throws EEXIST where the file exists. */
export function createKeyFile(path: string): void {
  const file = openSync(path, 'wx', 0o600);
  try {
    writeSync(file, freshKeys());
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

function parseLine(line: string, number: number): { readonly id: string; readonly hex: string } {
  const colon = line.indexOf(':');
  if (colon < 0) throw new KeyRingError(`line ${number} has no colon: write <keyId>:<64 hex digits>`);
  const id = line.slice(0, colon).trim();
  const hex = line.slice(colon + 1).trim();
  // The message does not repeat the id: where the parts of a line are swapped, it is the key.
  if (!keyIdPattern.test(id)) {
    throw new KeyRingError(`line ${number}: a key id is 1 to 32 of a-z, 0-9 and -, and does not begin with -`);
  }
  if (!keyPattern.test(hex)) {
    throw new KeyRingError(`line ${number}: a key is ${2 * keyBytes} hex digits; here are ${hex.length} characters`);
  }
  return { id, hex: hex.toLowerCase() };
}

function take(keys: Map<string, KeyObject>, purpose: (typeof purposes)[number]): KeyObject {
  const key = keys.get(purpose);
  if (key === undefined) throw new KeyRingError(`the line ${purpose}:<64 hex digits> is missing`);
  keys.delete(purpose);
  return key;
}

function freshKey(): string {
  return randomBytes(keyBytes).toString('hex');
}
