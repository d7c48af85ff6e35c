/** What needs more time than `npm test` has: tests named `*.long.test.ts`. */
import base, { LONG_TESTS } from './jest.config.js';

export default {
  ...base,
  projects: base.projects
    .filter(({ displayName }) => displayName === 'source')
    .map((project) => ({
      ...project,
      testMatch: ['<rootDir>/test/**/*.long.test.ts'],
      testPathIgnorePatterns: project.testPathIgnorePatterns.filter((pattern) => pattern !== LONG_TESTS),
    })),
};
