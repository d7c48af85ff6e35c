/** Plugins that make the bundles smaller, because Node parses all of a bundle at every cold start. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Plugin } from 'esbuild';
import { packTables } from './pack-tables.ts';

const require = createRequire(import.meta.url);

/**
 * Modules that the SDK imports on demand and this service never uses: credential providers other than the environment,
 * and event streams. They would be a third of a bundle.
 */
const unused =
  /^@aws-sdk\/credential-provider-(?:http|ini|process|sso|web-identity)$|^@smithy\/(?:credential-provider-imds|core\/event-streams)$/;

export const leaveUnused: Plugin = {
  name: 'leave-unused',
  setup({ onResolve }) {
    onResolve({ filter: unused }, ({ kind, path }) =>
      kind === 'dynamic-import' ? { path, external: true } : undefined,
    );
  },
};

/**
 * These packages do not declare that they have no side effects, so they would be in bundles that never use them: the
 * public suffix list (70 kB), and through lib-dynamodb the DynamoDB client (50 kB).
 */
export const dropUnused: Plugin = {
  name: 'drop-unused',
  setup({ onResolve, resolve }) {
    onResolve({ filter: /^(?:tldts|@aws-sdk\/lib-dynamodb)$/ }, async ({ path, pluginData, ...from }) => {
      if (pluginData === 'resolved') return undefined;
      const { importer, kind, resolveDir } = from;
      return {
        ...(await resolve(path, { importer, kind, resolveDir, pluginData: 'resolved' })),
        sideEffects: false,
      };
    });
  },
};

/**
 * The schemas of the S3 client have computed keys, so esbuild keeps schemas that nothing uses (59 kB). The keys are
 * constants of the same file.
 */
export const dropSchemas: Plugin = {
  name: 'drop-schemas',
  setup({ onLoad }) {
    onLoad({ filter: /\/@aws-sdk\/client-s3\/dist-es\/schemas\/schemas_0\.js$/ }, async ({ path }) => {
      const code = await readFile(path, 'utf8');
      const constants = new Map(
        Array.from(code.matchAll(/^const (\w+) = (".*");$/gm), ([, name, text]) => [name, text]),
      );
      return { contents: code.replace(/\[(_\w+)\]:/g, (_, name) => `${constants.get(name)}:`) };
    });
  },
};

/**
 * The public suffix list is 122 kB of tables, mostly digits and commas. Compressed they are 50 kB, and decompressing
 * takes less time than parsing them. Bundles of the API would be 18 to 21 % larger, and four of them over their limit.
 */
export const packSuffixes: Plugin = {
  name: 'pack-suffixes',
  setup({ onLoad }) {
    onLoad({ filter: /\/tldts\/dist\/es6\/src\/data\/trie\.js$/ }, async ({ path }) => ({
      contents: packTables(await import(pathToFileURL(path).href)),
    }));
  },
};

/**
 * Libraries whose results nothing here uses, each with only what its importer does with it. mailparser makes HTML of
 * texts and links, but reports are attachments, so it reads no part of a mail as a text. mailauth only asks joi whether
 * a public key is base64.
 */
const standIns: Readonly<Record<string, string>> = {
  he: 'module.exports = {};',
  'html-to-text': 'module.exports = {};',
  joi: "module.exports = require('./joi-stand-in.ts');",
  'linkify-it':
    'const linkify = { add: () => linkify, set: () => linkify, tlds: () => linkify }; module.exports = () => linkify;',
  tlds: 'module.exports = [];',
};

export const useStandIns: Plugin = {
  name: 'use-stand-ins',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^[a-z-]+$/ }, ({ path }) =>
      Object.hasOwn(standIns, path) ? { path, namespace: 'stand-in' } : undefined,
    );
    onLoad({ filter: /^/, namespace: 'stand-in' }, ({ path }) => ({
      contents: standIns[path] ?? '',
      resolveDir: fileURLToPath(new URL('.', import.meta.url)),
    }));
  },
};

/**
 * Leaves out tables that few mails need (500 kB): the characters of East Asian encodings, and the media types of file
 * names. A bundle loads them from files next to it when a mail needs them. `sources` gets the source of each file.
 */
export const loadOnDemand = (sources: Map<string, string>): Plugin => ({
  name: 'load-on-demand',
  setup({ onResolve, onLoad }) {
    // iconv-lite itself requires each table when it needs it.
    onResolve({ filter: /^\.\/tables\/[\w-]+\.json$/ }, ({ path, resolveDir }) => {
      sources.set(path, join(resolveDir, path));
      return { path, external: true };
    });
    onResolve({ filter: /^(?:encoding-japanese|\.\/mimetypes)$/ }, ({ path, resolveDir }) => {
      const file = `./${basename(path)}.cjs`;
      sources.set(
        file,
        path.startsWith('.') ? join(resolveDir, `${path}.js`) : require.resolve(`${path}/encoding.min.js`),
      );
      return { path: file, namespace: 'on-demand' };
    });
    onResolve({ filter: /^/, namespace: 'on-demand' }, ({ path }) => ({ path, external: true }));
    onLoad({ filter: /^/, namespace: 'on-demand' }, ({ path }) => ({
      contents: `module.exports = new Proxy({}, { get: (_, name) => require('${path}')[name] });`,
    }));
  },
});

/**
 * Makes a bundle of its own of each of our modules that is imported on demand. `sources` gets the source of each.
 */
export const buildApart = (sources: Map<string, string>): Plugin => ({
  name: 'build-apart',
  setup({ onResolve }) {
    onResolve({ filter: /^\.{1,2}\/.*\.ts$/ }, ({ kind, path, resolveDir }) => {
      if (kind !== 'dynamic-import') return undefined;
      const file = `./${basename(path, '.ts')}.mjs`;
      const source = join(resolveDir, path);
      if ((sources.get(file) ?? source) !== source) throw new Error(`two modules would be built as ${file}`);
      sources.set(file, source);
      return { path: file, external: true };
    });
  },
});

/** Puts the texts of style sheets into the bundle, which has no such files next to it. */
export const inlineStyles: Plugin = {
  name: 'inline-styles',
  setup({ onLoad }) {
    onLoad({ filter: /\/shared\/pages\/style\.ts$/ }, async ({ path }) => {
      const texts = Object.entries(await import(pathToFileURL(path).href));
      const lines = texts.map(([name, text]) => `export const ${name} = ${JSON.stringify(text)};`);
      return { contents: lines.join('\n') };
    });
  },
};

/**
 * Imported as an ES module, `node:http` loads the `fetch` of Node for some of its exports, which takes longer than all
 * the rest of it. Required, it does not.
 */
export const requireHttp: Plugin = {
  name: 'require-http',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^node:http$/ }, ({ kind, path }) =>
      kind === 'import-statement' ? { path, namespace: 'required', sideEffects: false } : undefined,
    );
    onLoad({ filter: /^/, namespace: 'required' }, ({ path }) => ({
      contents: `module.exports = require('${path}');`,
    }));
  },
};
