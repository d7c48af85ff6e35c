/** Whether files that documents name without their first folders exist. */
import { globSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

const paths = (pattern: string): readonly string[] =>
  globSync(pattern, { cwd: root }).map((path) => `/${path}`);

const tests = paths('test/**/*.test.ts').map((path) => path.replace(/(?:\.long)?\.test\.ts$/, ''));
const sources = ['functions', 'lib', 'shared'].flatMap((folder) => paths(`${folder}/**/*.ts`));

/** Whether a test has this name, or a folder of tests. */
export const isTest = (name: string): boolean =>
  tests.some((path) => path.endsWith(`/${name}`) || path.includes(`/${name}/`));

/** Whether a file of the product has this name, or a folder if the name ends with a slash. */
export const isSource = (name: string): boolean =>
  sources.some((path) => (name.endsWith('/') ? path.includes(`/${name}`) : path.endsWith(`/${name}`)));
