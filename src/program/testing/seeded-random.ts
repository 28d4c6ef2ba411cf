/** Random bytes from a seed: the same seed gives the same identifiers. */
import { hash } from 'node:crypto';
import type { RandomByte } from '../../core/lib/index.ts';

export interface SeededRandom {
  readonly byte: RandomByte;
  /** Returns a number from 0 up to 1. */
  fraction(): number;
  /** Begins again, with another sequence than the first. */
  reset(): void;
}

export function createSeededRandom(seed: number): SeededRandom {
  // What was made before a reset is stored: identifiers after it are others.
  let part = `${seed}:start`;
  let block = 0;
  let pool: Buffer = Buffer.alloc(0);
  let next = 0;
  const byte: RandomByte = (max) => {
    for (;;) {
      if (next === pool.length) {
        pool = hash('sha512', `${part}:${block++}`, 'buffer');
        next = 0;
      }
      const value = pool[next++]!;
      if (value < max) return value;
    }
  };
  return {
    byte,
    fraction: () => (byte(256) * 256 + byte(256)) / 65_536,
    reset() {
      part = `${seed}`;
      block = 0;
      pool = Buffer.alloc(0);
      next = 0;
    },
  };
}
