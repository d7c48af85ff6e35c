/** All tests of sources, also long ones: the command names those that run. */
import { fileURLToPath } from 'node:url';
import base, { LONG_TESTS } from '../../jest.config.js';

const rootDir = fileURLToPath(new URL('../..', import.meta.url));

export default {
  ...base,
  rootDir,
  projects: base.projects.map((project) => ({
    ...project,
    rootDir,
    testPathIgnorePatterns: project.testPathIgnorePatterns.filter((pattern) => pattern !== LONG_TESTS),
  })),
};
