/** One esbuild pass that makes a Lambda's code of every handler that the tables name. */

import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build, type Plugin, transform } from 'esbuild';
import { fallbackHandler, routes } from '../../functions/routes.ts';
import { triggers } from '../../functions/triggers.ts';
import { type Config, environmentSchema } from '../../shared/runtime/config.ts';
import { packTables } from './pack-tables.ts';

export interface Bundle {
  /** Holds `index.mjs`, which exports `handler`, and its source map. */
  readonly folder: string;
  /** Size of `index.mjs`. */
  readonly bytes: number;
  /** The keys of the environment that its code reads. */
  readonly reads: ReadonlySet<keyof Config>;
}

/** By handler, as the tables name it: `domains/list`. */
export type Bundles = ReadonlyMap<string, Bundle>;

/** The tables name a handler that cannot be bundled; the message says which and why. */
export class BundleError extends Error {
  override readonly name = 'BundleError';
}

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Handlers that only a deployment needs; their files lie below `lib/cloud`. */
export const activationHandler = 'activation/handler';

/** Every handler of the service and of its deployment. */
export const handlers: readonly string[] = [
  ...[...Object.values(routes), ...Object.values(triggers)].map((row) => row.handler),
  fallbackHandler,
  activationHandler,
];

/** Where the source of a handler lies, from the root of the project. */
export const sourceOf = (name: string): string =>
  `${name === activationHandler ? 'lib/cloud' : 'functions'}/${name}.ts`;

/**
 * Bundles `names` into `<folder>/<handler>/index.mjs`. The same sources give the same bytes, wherever they lie.
 * @throws BundleError when a handler has no file or does not build.
 */
export async function bundle(
  names: readonly string[] = handlers,
  folder = join(root, 'dist/functions'),
): Promise<Bundles> {
  const missing = names.filter((name) => !existsSync(join(root, sourceOf(name))));
  if (missing.length > 0) {
    throw new BundleError(`the tables in functions/ name handlers without a file: ${missing.join(', ')}`);
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
    // As it stands, and not as escapes of twice the length.
    charset: 'utf8',
    // Beside the code for whoever reads a stack trace, but not uploaded: Node would read the map at every cold start.
    sourcemap: 'external',
    plugins: [leaveUndemanded, dropUnused, shortenManifests, shortenStyles, packSuffixes],
    // CommonJS dependencies ask for Node's modules with `require`, which an ES module has not.
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
  return { folder, bytes: Buffer.byteLength(code), reads: new Set(keys.filter((key) => reads(code, key))) };
}

const keys = Object.keys(environmentSchema.shape) as (keyof Config)[];

/** Names of properties stay as they are in minified code: the schema mentions each key once, and a reader again. */
function reads(code: string, key: string): boolean {
  return (code.match(new RegExp(`\\b${key}\\b`, 'g'))?.length ?? 0) > 1;
}

/**
 * What the SDK imports only on demand, and this service never demands: other sources of credentials than the
 * environment, where every Lambda has them, and answers that are streams of events. They would be half of a bundle.
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

/**
 * These do not say that importing them does nothing, and so would be in bundles that never ask them: the public
 * suffixes (100 kB), and by way of lib-dynamodb the client of DynamoDB (200 kB).
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

/** Clients of the SDK carry their package.json, for the version that they tell AWS. */
const shortenManifests: Plugin = {
  name: 'shorten-manifests',
  setup({ onLoad }) {
    onLoad({ filter: /\/@aws-sdk\/client-[\w-]+\/package\.json$/ }, async ({ path }) => {
      const { version } = JSON.parse(await readFile(path, 'utf8'));
      return { contents: JSON.stringify({ version }), loader: 'json' };
    });
  },
};

/** Style sheets are texts to the code that holds them, which is why they are not minified with it. */
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
 * The public suffixes are tables of 122 kB, most of it digits and commas. Packed they are 50 kB, and unpacked in less
 * time than it takes to parse the others.
 */
const packSuffixes: Plugin = {
  name: 'pack-suffixes',
  setup({ onLoad }) {
    onLoad({ filter: /\/tldts\/dist\/es6\/src\/data\/trie\.js$/ }, async ({ path }) => ({
      contents: packTables(await import(pathToFileURL(path).href)),
    }));
  },
};
