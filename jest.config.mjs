const isWatching = process.argv.some((each) => each.startsWith('--watch'));

/** Node loads the tests and the sources, without Jest's module registries: types stripped, nothing compiled. */
const shared = {
  // Jest looks at every file below these when it starts. A change of any other runs tests again while it watches.
  roots: isWatching ? ['<rootDir>'] : ['<rootDir>/test', '<rootDir>/examples/jest'],
  runtime: '<rootDir>/test/support/runtime.mjs',
  testEnvironment: '<rootDir>/test/support/process-environment.mjs',
  testRunner: '<rootDir>/test/support/runner.mjs',
  globalSetup: '<rootDir>/test/support/global-setup.mjs',
  moduleNameMapper: {
    '^@jest/globals$': '<rootDir>/test/support/jest-globals.mjs',
    // Examples import the package by its name; tests run its sources.
    '^triglyph$': '<rootDir>/src/program/api/index.ts',
    '^triglyph/(.*)$': '<rootDir>/src/program/api/$1.ts',
  },
  transform: {},
};

const tests = (...folders) => folders.map((folder) => `<rootDir>/test/${folder}/**/*.test.ts`);

// A process loads a module once: after a change the tests need new processes. Jest has none of its own without this limit.
const watching = isWatching ? { workerIdleMemoryLimit: '8GB' } : {};

/** `scripts/test.mjs` runs each project in a way of its own; every folder of tests belongs to one. */
export default {
  ...watching,
  projects: [
    {
      ...shared,
      displayName: 'unit',
      testMatch: tests('unit'),
      // A process takes longer to start than most of these tests to run.
      testEnvironmentOptions: { childProcesses: 'refused' },
    },
    { ...shared, displayName: 'computing', testMatch: tests('property', 'simulation', 'types') },
    { ...shared, displayName: 'storing', testMatch: tests('integration', 'conformance') },
    {
      ...shared,
      displayName: 'serving',
      testMatch: [...tests('system', 'fault', 'browser'), '<rootDir>/examples/jest/*.test.ts'],
    },
  ],
  testSequencer: '<rootDir>/test/support/sequencer.mjs',
  // A time limit ends a test that hangs. The slowest test of a machine with much else to do is far below it.
  testTimeout: 1_200_000,
  // After its last test a worker writes its compile cache and its coverage. What it left open would hold it for longer.
  workerGracefulExitTimeout: 30_000,
};
