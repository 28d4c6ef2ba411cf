/** References: 16 random characters, unique without asking anyone (specification, section 8). */
import { randomFillSync } from 'node:crypto';
import type { IdGenerator } from './clock-and-ids.ts';

// Without vowels no word comes out that anyone would mind.
const alphabet = 'BCDFGHJKLMNPQRSTVWXYZ0123456789';
const decimals = '0123456789';

/** Bytes from here on would make the first characters likelier than the others. */
const fairMaxOf = (signs: string): number => 256 - (256 % signs.length);

/** One call to the system's generator serves some 500 references. */
const pool = Buffer.alloc(8192);
let at = pool.length;

const fairByte = (max: number): number => {
  for (;;) {
    if (at === pool.length) {
      randomFillSync(pool);
      at = 0;
    }
    const byte = pool[at++]!;
    if (byte < max) return byte;
  }
};

const drawn = (signs: string, length: number): string => {
  const max = fairMaxOf(signs);
  let text = '';
  for (let count = 0; count < length; count++) text += signs[fairByte(max) % signs.length];
  return text;
};

/** 79 random bits: at a million references a day, the first twins are due in some 2,700 years. */
const reference = (): string => drawn(alphabet, 16);

export const ids: IdGenerator = Object.freeze({
  pspReference: reference,
  recurringDetailReference: reference,
  resourceId: (kind: string) => kind + drawn(alphabet, 23),
  randomDigits: (length: number) => drawn(decimals, length),
});
