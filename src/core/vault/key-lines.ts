/** Reads the lines of key files: an id and a key, in the clear or wrapped by a key management service. */

export const keyBytes = 32;

/** A fault of the keys, with its correction. The message never contains a part of a key. */
export class KeyRingError extends Error {
  override readonly name = 'KeyRingError';
}

/** The purposes of keys that wrap no data keys. */
const purposes = ['index', 'pepper'] as const;
export type Purpose = (typeof purposes)[number];

/** `next`: servers know the key, and do not use it yet. `old`: what it has computed is replaced. */
export type OtherState = 'next' | 'old';

export interface KeyLine {
  readonly id: string;
  /** 64 hex digits, or the text of a key management service. */
  readonly key: string;
  readonly number: number;
}

const keyIdPattern = /^[a-z0-9][a-z0-9-]{0,31}$/;
const keyPattern = new RegExp(`^[0-9a-fA-F]{${2 * keyBytes}}$`);
const wrappedPattern = /^vault:v\d{1,9}:[A-Za-z0-9+/]{1,1000}={0,2}$/;

/** Whether the text is a key that a key management service has wrapped. */
export function isWrapped(key: string): boolean {
  return wrappedPattern.test(key);
}

export function isClear(key: string): boolean {
  return keyPattern.test(key);
}

/** Ignores blank lines and lines that begin with `#`. Throws `KeyRingError` naming the line. */
export function parseKeyLines(text: string): readonly KeyLine[] {
  const lines: KeyLine[] = [];
  const lineOf = new Map<string, number>();
  for (const [index, raw] of text.split(/\r?\n/).entries()) {
    const line = raw.trim();
    if (line === '' || line.startsWith('#')) continue;
    const number = index + 1;
    const { id, key } = parseLine(line, number);
    for (const repeated of [`id ${id}`, `key ${key}`]) {
      const earlier = lineOf.get(repeated);
      if (earlier !== undefined) throw new KeyRingError(`line ${number} repeats the id or the key of line ${earlier}`);
      lineOf.set(repeated, number);
    }
    lines.push({ id, key, number });
  }
  checkPurposes(lines);
  return lines;
}

/** Whether a line holds a wrapping key. */
export function isWrappingId(id: string): boolean {
  return !purposes.some((purpose) => [purpose, `${purpose}-next`, `${purpose}-old`].includes(id));
}

function checkPurposes(lines: readonly KeyLine[]): void {
  const has = (id: string) => lines.some((line) => line.id === id);
  for (const purpose of purposes) {
    if (!has(purpose)) throw new KeyRingError(`the line ${purpose}:<64 hex digits> is missing`);
    if (has(`${purpose}-next`) && has(`${purpose}-old`))
      throw new KeyRingError(`there are ${purpose}-next and ${purpose}-old: finish one rotation before the next`);
  }
  if (!lines.some(({ id }) => isWrappingId(id)))
    throw new KeyRingError('a line <keyId>:<64 hex digits> for the wrapping key is missing');
}

function parseLine(line: string, number: number): { readonly id: string; readonly key: string } {
  const colon = line.indexOf(':');
  if (colon < 0) throw new KeyRingError(`line ${number} has no colon: write <keyId>:<64 hex digits>`);
  const id = line.slice(0, colon).trim();
  const key = line.slice(colon + 1).trim();
  // The message does not repeat the id: where the parts of a line are swapped, it is the key.
  if (!keyIdPattern.test(id))
    throw new KeyRingError(`line ${number}: a key id is 1 to 32 of a-z, 0-9 and -, and does not begin with -`);
  if (isWrapped(key)) return { id, key };
  if (!isClear(key))
    throw new KeyRingError(`line ${number}: a key is ${2 * keyBytes} hex digits; here are ${key.length} characters`);
  return { id, key: key.toLowerCase() };
}
