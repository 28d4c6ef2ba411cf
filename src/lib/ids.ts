/** Creates random identifiers, unique without coordination (specification, section 8). */
import { randomFillSync } from 'node:crypto';
import type { IdGenerator } from './clock-and-ids.ts';

// Without vowels no offensive word comes out.
const alphabet = 'BCDFGHJKLMNPQRSTVWXYZ0123456789';
const decimals = '0123456789';

export const ids: IdGenerator = Object.freeze({
  requestReference: randomReference,
  reference: randomReference,
  prefixedId: (prefix: string) => prefix + randomText(alphabet, 23),
  randomDigits: (length: number) => randomText(decimals, length),
});

/** 79 random bits: at a million references a day, the first collision is expected after some 2,700 years. */
function randomReference(): string {
  return randomText(alphabet, 16);
}

function randomText(characters: string, length: number): string {
  // Higher bytes would make the first characters more likely than the others.
  const max = 256 - (256 % characters.length);
  let text = '';
  for (let count = 0; count < length; count++) text += characters[randomByte(max) % characters.length];
  return text;
}

/** One call to the system's generator serves some 500 references. */
const pool = Buffer.alloc(8192);
let next = pool.length;

/** Returns a random byte below `max`. */
function randomByte(max: number): number {
  for (;;) {
    if (next === pool.length) {
      randomFillSync(pool);
      next = 0;
    }
    const byte = pool[next++]!;
    if (byte < max) return byte;
  }
}
