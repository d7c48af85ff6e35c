/** What needs more time than `npm test` has: tests named `*.long.test.ts`, and the whole of tests that have a short form. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import base, { LONG_TESTS } from './jest.config.js';

const root = import.meta.dirname;
const hasShortForm = (path) => readFileSync(join(root, path), 'utf8').includes("kit/amount.ts'");
const files = globSync('test/**/*.test.ts', { cwd: root }).filter(
  (path) => path.endsWith('.long.test.ts') || hasShortForm(path),
);

export default {
  ...base,
  projects: base.projects.map((project) => ({
    ...project,
    globals: { ...project.globals, isFull: true },
    testMatch: project.testMatch.flatMap((pattern) => {
      const [folder] = pattern.replace('<rootDir>/', '').split('**');
      return files.filter((path) => path.startsWith(folder)).map((path) => `<rootDir>/${path}`);
    }),
    testPathIgnorePatterns: project.testPathIgnorePatterns.filter((pattern) => pattern !== LONG_TESTS),
  })),
};
