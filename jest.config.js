/** Tests run the TypeScript as it stands: Node strips the types, jest loads the result as ES modules. */
export default {
  testEnvironment: 'node',
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '\\.ts$': '<rootDir>/test/kit/strip-types.js' },
  testTimeout: 60_000,
  reporters: ['default', '<rootDir>/test/kit/count-reporter.js'],
};
