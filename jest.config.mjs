/** Tests run the sources as Node does: types stripped, nothing compiled. */
export default {
  testEnvironment: '<rootDir>/test/support/plain-context.mjs',
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '\\.ts$': '<rootDir>/test/support/strip-types.mjs' },
  testTimeout: 60_000,
};
