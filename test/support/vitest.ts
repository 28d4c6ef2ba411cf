/** Stands for the package `vitest`, which the repository does not install: what its example uses, Jest has by the same names. */
export { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
