/** The seed of randomized tests. `SEED=n` repeats a run; without it each run has a fresh seed. */
import { randomInt } from 'node:crypto';

export const seed = Number(process.env.SEED ?? randomInt(2 ** 31 - 1));

/** `path`: of the test that printed the seed. */
export const repeatCommand = (path: string): string => `SEED=${seed} npm run jest -- ${path}`;
