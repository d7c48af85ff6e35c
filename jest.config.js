import { availableParallelism } from 'node:os';

/** Tests run the TypeScript as it stands: Node strips the types, jest loads the result as ES modules. */
const common = {
  testEnvironment: '<rootDir>/test/kit/environment.js',
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '\\.ts$': '<rootDir>/test/kit/strip-types.js' },
};

/** These test the local host, the operator's commands and the documents; handlers don't affect their results. */
const withoutHandlers = ['admin', 'documented-commands', 'inspect', 'kills', 'start'].map(
  (name) => `/test/end-to-end/${name}\\.test\\.ts$`,
);

export default {
  projects: [
    {
      ...common,
      displayName: 'source',
      testMatch: ['<rootDir>/test/**/*.test.ts'],
      testPathIgnorePatterns: ['/test/end-to-end/bundles/'],
    },
    {
      ...common,
      // What ships is what is tested: once more, of the bundles and templates that the CDK app makes.
      displayName: 'end-to-end (bundles)',
      testMatch: ['<rootDir>/test/end-to-end/**/*.test.ts'],
      testPathIgnorePatterns: [...withoutHandlers, '/test/end-to-end/aws/'],
      globals: { servesBundles: true },
      globalSetup: '<rootDir>/test/kit/assembly/make-assembly.ts',
      globalTeardown: '<rootDir>/test/kit/assembly/remove-assembly.ts',
    },
  ],
  // A busy machine takes a minute for what takes a second here, and some tests wait for several such things.
  testTimeout: 180_000,
  // Some tests wait for minutes, for schedules and servers: without a further worker, a core would be idle meanwhile.
  maxWorkers: availableParallelism() + 1,
  testSequencer: '<rootDir>/test/kit/sequencer.js',
  reporters: ['default', '<rootDir>/test/kit/count-reporter.js'],
};
