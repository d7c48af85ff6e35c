/** Where files are in the package that are found relative to a source file. */
import { readFile } from 'node:fs/promises';
import { relative } from 'node:path';
import type { Plugin } from 'esbuild';

/**
 * Chunks are in another folder than the sources that they are made from. This plugin gives each source file the URL that it
 * would have in the package, with `.js` in the names of files that it refers to.
 * @param root The folder of the sources; @param name the name of the package, which resolves itself (Node.js, "self-referencing").
 */
export const keepOrigins = (root: string, name: string): Plugin => ({
  name: 'keep-origins',
  setup({ onLoad }) {
    onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      if (path.includes('/node_modules/')) return undefined;
      const code = await readFile(path, 'utf8');
      if (!code.includes('import.meta.url')) return undefined;
      const place = relative(root, path).replace(/\.ts$/, '.js');
      const origin = `new URL('./${place}', import.meta.resolve('${name}/package.json')).href`;
      return {
        loader: 'ts',
        contents: code
          .replace(/\.ts(['`]), import\.meta\.url/g, '.js$1, import.meta.url')
          .replaceAll('import.meta.url', origin),
      };
    });
  },
});

/** An empty source map: stack traces name the file of the package instead. */
const NO_MAP = Buffer.from(
  '{"version":3,"sources":["package"],"sourcesContent":[""],"names":[],"mappings":"AAAA"}',
).toString('base64');

/** Leaves the code of other packages out of the source maps, half of which it would be. */
export const unmapped: Plugin = {
  name: 'unmapped',
  setup({ onLoad }) {
    onLoad({ filter: /\.[cm]?js$/ }, async ({ path }) => {
      if (!path.includes('/node_modules/')) return undefined;
      const map = `//# sourceMappingURL=data:application/json;base64,${NO_MAP}`;
      return { loader: 'js', contents: `${await readFile(path, 'utf8')}\n${map}` };
    });
  },
};
