/** Creates random identifiers, unique without coordination (specification, section 8). */
import { randomFillSync } from 'node:crypto';
import type { IdGenerator } from './clock-and-ids.ts';

// Without vowels no offensive word comes out.
const alphabet = 'BCDFGHJKLMNPQRSTVWXYZ0123456789';
const decimals = '0123456789';

/** Returns a random integer from 0 to `max` - 1; `max` is at most 256. */
export type RandomByte = (max: number) => number;

export function createIds(randomByte: RandomByte): IdGenerator {
  /** 79 random bits: at a million references a day, the first collision is expected after some 2,700 years. */
  const randomReference = () => randomText(randomByte, alphabet, 16);
  return Object.freeze({
    requestReference: randomReference,
    reference: randomReference,
    prefixedId: (prefix: string) => prefix + randomText(randomByte, alphabet, 23),
    randomDigits: (length: number) => randomText(randomByte, decimals, length),
  });
}

function randomText(randomByte: RandomByte, characters: string, length: number): string {
  // Higher bytes would make the first characters more likely than the others.
  const max = 256 - (256 % characters.length);
  let text = '';
  for (let count = 0; count < length; count++) text += characters[randomByte(max) % characters.length];
  return text;
}

/** One call to the system's generator serves some 500 references. */
const pool = Buffer.alloc(8192);
let next = pool.length;

/** The identifiers of a server, from the generator of the system. */
export const ids = createIds((max) => {
  for (;;) {
    if (next === pool.length) {
      randomFillSync(pool);
      next = 0;
    }
    const byte = pool[next++]!;
    if (byte < max) return byte;
  }
});
