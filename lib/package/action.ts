/** Builds the program of the GitHub Action: one file, since a runner installs nothing. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build, type Plugin } from 'esbuild';
import { buildOptions, root } from '../cloud/build-options.ts';
import { dropUnused, packSuffixes, useStandIns } from '../cloud/bundle-plugins.ts';

/** Where action.yml says it is. */
export const ACTION_FILE = 'dist/action/index.js';

/** The version, in place of the code that reads it from a package.json. */
const inlineRelease = (version: string): Plugin => ({
  name: 'inline-release',
  setup({ onLoad }) {
    onLoad({ filter: /\/lib\/local\/host\/release\.ts$/ }, () => ({
      contents: `export const release = () => ${JSON.stringify(version)};`,
    }));
  },
});

/** Writes it to `file`. */
export async function buildAction(file: string = join(root, ACTION_FILE)): Promise<void> {
  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  await build({
    ...buildOptions,
    entryPoints: ['bin/action.ts'],
    outfile: file,
    target: 'node24',
    legalComments: 'eof',
    plugins: [inlineRelease(version), useStandIns, dropUnused, packSuffixes],
  });
}
