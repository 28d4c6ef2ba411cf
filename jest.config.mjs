const ownPackage = {
  '^triglyph$': '<rootDir>/src/api/index.ts',
  '^triglyph/(.*)$': '<rootDir>/src/api/$1.ts',
  '^vitest$': '<rootDir>/test/support/vitest.ts',
};

/** Tests run the sources as Node does: types stripped, nothing compiled. */
const shared = {
  testEnvironment: '<rootDir>/test/support/plain-context.mjs',
  testRunner: '<rootDir>/test/support/runner.mjs',
  globalSetup: '<rootDir>/test/support/global-setup.mjs',
  extensionsToTreatAsEsm: ['.ts'],
  // Examples import the package by its name; tests run its sources.
  moduleNameMapper: ownPackage,
  transform: { '\\.ts$': '<rootDir>/test/support/strip-types.mjs' },
};

const tests = (...folders) => folders.map((folder) => `<rootDir>/test/${folder}/**/*.test.ts`);

/** `scripts/test.mjs` runs each project in a way of its own; every folder of tests belongs to one. */
export default {
  projects: [
    {
      ...shared,
      displayName: 'unit',
      testMatch: tests('unit'),
      // A process takes longer to start than most of these tests to run.
      moduleNameMapper: { ...ownPackage, '^(node:)?child_process$': '<rootDir>/test/support/no-child-processes.mjs' },
    },
    { ...shared, displayName: 'computing', testMatch: tests('property', 'simulation', 'types') },
    { ...shared, displayName: 'storing', testMatch: tests('integration', 'conformance') },
    {
      ...shared,
      displayName: 'serving',
      testMatch: [...tests('system', 'fault', 'browser'), '<rootDir>/examples/*/*.test.ts'],
    },
  ],
  testSequencer: '<rootDir>/test/support/sequencer.mjs',
  // A time limit ends a test that hangs. The slowest test of a machine with much else to do is far below it.
  testTimeout: 900_000,
};
