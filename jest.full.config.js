/** What needs more time than `npm test` has: tests named `*.long.test.ts`. */
import base, { LONG_TESTS } from './jest.config.js';

export default {
  ...base,
  projects: base.projects
    // The same tests of handlers run against the bundles.
    .filter(({ displayName }) => displayName !== 'end-to-end (source)')
    .map((project) => ({
      ...project,
      testMatch: project.testMatch.map((pattern) => pattern.replace('*.test.ts', '*.long.test.ts')),
      testPathIgnorePatterns: project.testPathIgnorePatterns.filter((pattern) => pattern !== LONG_TESTS),
    })),
};
