/** Bundles every handler in the tables into the code of a Lambda function, in one esbuild pass. */

import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build, type Plugin, transform } from 'esbuild';
import { fallbackHandler, routes } from '../../functions/routes.ts';
import { triggers } from '../../functions/triggers.ts';
import { packData, packTables } from './pack-tables.ts';

export interface Bundle {
  /** Contains `index.mjs`, which exports `handler`, and its source map. */
  readonly folder: string;
  /** Size of `index.mjs`. */
  readonly bytes: number;
}

/** By handler name, such as `domains/list`. */
export type Bundles = ReadonlyMap<string, Bundle>;

/** A handler cannot be bundled; the message names it and gives the reason. */
export class BundleError extends Error {
  override readonly name = 'BundleError';
}

const root = fileURLToPath(new URL('../..', import.meta.url));
const require = createRequire(import.meta.url);

/** Handlers that only deployments need; their files are in `lib/cloud`. */
export const activationHandler = 'activation/handler';
export const watchHandler = 'activation/watch';
const ofDeployments: readonly string[] = [activationHandler, watchHandler];

/** Every handler of the service and of its deployment. */
export const handlers: readonly string[] = [
  ...[...Object.values(routes), ...Object.values(triggers)].map((row) => row.handler),
  fallbackHandler,
  ...ofDeployments,
];

/** The source file of a handler, relative to the project root. */
export const sourceOf = (name: string): string =>
  `${ofDeployments.includes(name) ? 'lib/cloud' : 'functions'}/${name}.ts`;

/**
 * Bundles `names` into `<folder>/<handler>/index.mjs`. The output depends only on the sources, not on their location.
 * @throws BundleError if a handler has no file or does not build.
 */
export async function bundle(
  names: readonly string[] = handlers,
  folder = join(root, 'dist/functions'),
): Promise<Bundles> {
  const missing = names.filter((name) => !existsSync(join(root, sourceOf(name))));
  if (missing.length > 0) {
    throw new BundleError(
      `these handlers in the tables of functions/ have no source file: ${missing.join(', ')}`,
    );
  }
  await build({
    absWorkingDir: root,
    entryPoints: names.map((name) => ({ in: sourceOf(name), out: `${name}/index` })),
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    platform: 'node',
    target: 'node24',
    format: 'esm',
    mainFields: ['module', 'main'],
    minify: true,
    legalComments: 'none',
    // UTF-8 instead of escapes, which are longer.
    charset: 'utf8',
    // For reading stack traces. The maps are not uploaded, because Node would load them at every cold start.
    sourcemap: 'external',
    plugins: [
      leaveUndemanded,
      leaveText,
      dropUnused,
      shortenManifests,
      shortenStyles,
      packSuffixes,
      packCharacterSets,
    ],
    // CommonJS dependencies load Node modules with `require`, which ES modules do not have.
    banner: { js: "import{createRequire}from'node:module';const require=createRequire(import.meta.url);" },
    logLevel: 'silent',
  }).catch((error: Error) => {
    throw new BundleError(error.message, { cause: error });
  });
  return new Map(
    await Promise.all(names.map(async (name) => [name, await describe(join(folder, name))] as const)),
  );
}

async function describe(folder: string): Promise<Bundle> {
  const code = await readFile(join(folder, 'index.mjs'), 'utf8');
  return { folder, bytes: Buffer.byteLength(code) };
}

/**
 * Modules that the SDK imports on demand and this service never uses: credential providers other than the environment,
 * and event streams. They would be half of a bundle.
 */
const undemanded =
  /^@aws-sdk\/credential-provider-(?:http|ini|process|sso|web-identity)$|^@smithy\/(?:credential-provider-imds|core\/event-streams)$/;

const leaveUndemanded: Plugin = {
  name: 'leave-undemanded',
  setup({ onResolve }) {
    onResolve({ filter: undemanded }, ({ kind, path }) =>
      kind === 'dynamic-import' ? { path, external: true } : undefined,
    );
  },
};

/** What mailparser converts HTML texts with (200 kB). Reports are attachments, so it reads no part of a mail as a text. */
const leaveText: Plugin = {
  name: 'leave-text',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^html-to-text$/ }, ({ path }) => ({ path, namespace: 'left' }));
    onLoad({ filter: /^/, namespace: 'left' }, () => ({ contents: 'module.exports = {};' }));
  },
};

/**
 * These packages do not declare that they have no side effects, so they would be in bundles that never use them: the
 * public suffix list (100 kB), and through lib-dynamodb the DynamoDB client (200 kB).
 */
const dropUnused: Plugin = {
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

/** SDK clients include their package.json, for the version in the user agent. */
const shortenManifests: Plugin = {
  name: 'shorten-manifests',
  setup({ onLoad }) {
    onLoad({ filter: /\/@aws-sdk\/client-[\w-]+\/package\.json$/ }, async ({ path }) => {
      const { version } = JSON.parse(await readFile(path, 'utf8'));
      return { contents: JSON.stringify({ version }), loader: 'json' };
    });
  },
};

/** Style sheets are strings in the code, so esbuild does not minify them. */
const shortenStyles: Plugin = {
  name: 'shorten-styles',
  setup({ onLoad }) {
    onLoad({ filter: /\/shared\/pages\/style[\w-]*\.ts$/ }, async ({ path }) => {
      const pieces = (await readFile(path, 'utf8')).split(/`([^`$\\]*)`/);
      const shortened = pieces.map(async (piece, at) => {
        if (at % 2 === 0) return piece;
        const { code } = await transform(piece, { loader: 'css', minify: true, charset: 'utf8' });
        return JSON.stringify(code);
      });
      return { contents: (await Promise.all(shortened)).join(''), loader: 'ts' };
    });
  },
};

/**
 * The public suffix list is 122 kB of tables, mostly digits and commas. Compressed they are 50 kB, and decompressing
 * takes less time than parsing them.
 */
const packSuffixes: Plugin = {
  name: 'pack-suffixes',
  setup({ onLoad }) {
    onLoad({ filter: /\/tldts\/dist\/es6\/src\/data\/trie\.js$/ }, async ({ path }) => ({
      contents: packTables(await import(pathToFileURL(path).href)),
    }));
  },
};

/** Tables of character sets and of media types: 700 kB of text. iconv-lite loads its tables only when it needs them. */
const packCharacterSets: Plugin = {
  name: 'pack-character-sets',
  setup({ onLoad }) {
    const tables =
      /\/(?:iconv-lite\/encodings\/tables\/[\w-]+\.json|encoding-japanese\/src\/utf8-to-jis(?:x0212)?-table\.js|libmime\/lib\/mimetypes\.js)$/;
    onLoad({ filter: tables }, ({ path }) => ({ contents: packData(require(path)), loader: 'js' }));
  },
};
