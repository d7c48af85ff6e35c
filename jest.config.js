import { availableParallelism } from 'node:os';
import { HOST_TESTS } from './test/kit/jest/host-tests.ts';

/** Node runs the tests as it runs the product: see the files there. */
const common = {
  testEnvironment: '<rootDir>/test/kit/jest/environment.js',
  runtime: '<rootDir>/test/kit/jest/runtime.js',
  injectGlobals: false,
  transform: {},
  // `npm run pack` builds there.
  modulePathIgnorePatterns: ['<rootDir>/dist/'],
};

const handlerTests = `/test/end-to-end/(?!${HOST_TESTS}|aws/|bundles/)`;
const bundlesOnly = '/test/end-to-end/bundles/';

/** `npm run test:full` runs them, those of handlers against the bundles: see jest.full.config.js. */
export const LONG_TESTS = '\\.long\\.test\\.ts$';

export default {
  projects: [
    {
      ...common,
      displayName: 'source',
      testMatch: ['<rootDir>/test/**/*.test.ts'],
      testPathIgnorePatterns: [handlerTests, bundlesOnly, LONG_TESTS],
    },
    {
      ...common,
      // What ships is what is tested: the bundles and templates that the CDK app makes.
      displayName: 'end-to-end (bundles)',
      testMatch: ['<rootDir>/test/end-to-end/**/*.test.ts'],
      testPathIgnorePatterns: [`/test/end-to-end/(${HOST_TESTS}|aws/)`, LONG_TESTS],
      globals: { servesBundles: true },
      globalSetup: '<rootDir>/test/kit/assembly/make-assembly.ts',
      globalTeardown: '<rootDir>/test/kit/assembly/remove-assembly.ts',
    },
    {
      ...common,
      // The same tests without bundles, for development: they start faster, and `npm test` leaves them out.
      displayName: 'end-to-end (source)',
      testMatch: ['<rootDir>/test/end-to-end/**/*.test.ts'],
      testPathIgnorePatterns: [`/test/end-to-end/(${HOST_TESTS}|aws/)`, bundlesOnly, LONG_TESTS],
    },
  ],
  // A busy machine takes a minute for what takes a second here, and some tests wait for several such things.
  testTimeout: 180_000,
  // Some tests wait for minutes, for schedules and servers: without further workers, cores would be idle meanwhile.
  maxWorkers: availableParallelism() + 2,
  // Node keeps the modules of each file: a worker that has many is replaced.
  workerIdleMemoryLimit: '1GB',
  testSequencer: '<rootDir>/test/kit/jest/sequencer.js',
  reporters: ['default', '<rootDir>/test/kit/jest/count-reporter.js'],
};
