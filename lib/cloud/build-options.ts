/** What the builds of functions, of the package and of the GitHub Action have in common. */
import { fileURLToPath } from 'node:url';
import type { BuildOptions } from 'esbuild';

export const root = fileURLToPath(new URL('../..', import.meta.url));

export const buildOptions = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  format: 'esm',
  mainFields: ['module', 'main'],
  minify: true,
  // UTF-8 instead of escapes, which are longer.
  charset: 'utf8',
  // CommonJS packages load Node modules with `require`, which ES modules do not have.
  banner: { js: "import{createRequire}from'node:module';const require=createRequire(import.meta.url);" },
  logLevel: 'silent',
} satisfies BuildOptions;
