/** Bundles every handler in the tables into the files of a Lambda function: its code, and what it loads on demand. */

import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { build } from 'esbuild';
import { buildOptions, root } from './build-options.ts';
import {
  buildApart,
  dropSchemas,
  dropUnused,
  inlineStyles,
  leaveUnused,
  loadOnDemand,
  packSuffixes,
  requireHttp,
  useStandIns,
} from './bundle-plugins.ts';
import { type Bundle, BundleError, type Bundles, handlers, sourceOf } from './handlers.ts';

/** Contains the bundles of all handlers, in a folder that is named by a hash of what they are made from. */
const built = join(root, 'dist/functions');

/** Bundles are made from these folders and the packages in package-lock.json. */
const sources = ['functions', 'lib', 'shared'];

/**
 * Bundles all handlers, unless the bundles of the same sources and dependencies are there from an earlier call.
 * @throws BundleError if a handler has no file or does not build.
 */
export async function bundleAll(): Promise<Bundles> {
  const name = await hashOfInputs();
  const folder = join(built, name);
  if (!existsSync(folder)) {
    await mkdir(built, { recursive: true });
    const unfinished = await mkdtemp(`${folder}-`);
    try {
      await bundle(handlers, unfinished);
      await rename(unfinished, folder);
    } catch (error) {
      await rm(unfinished, { recursive: true, force: true });
      // Another process may have finished the same bundles first.
      if (!existsSync(folder)) throw error;
    }
    for (const other of await readdir(built))
      if (!other.startsWith(name)) await rm(join(built, other), { recursive: true, force: true });
  }
  return describeAll(handlers, folder);
}

async function hashOfInputs(): Promise<string> {
  const found = await Promise.all(
    sources.map((folder) => readdir(join(root, folder), { recursive: true, withFileTypes: true })),
  );
  const files = found
    .flat()
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  const hash = createHash('sha256');
  for (const file of [join(root, 'package-lock.json'), ...files.toSorted()])
    hash.update(`${relative(root, file)}\n`).update(await readFile(file));
  return hash.digest('hex').slice(0, 16);
}

/**
 * Bundles `names` into `<folder>/<handler>/index.mjs`. The output depends only on the sources, not on their location.
 * @throws BundleError if a handler has no file or does not build.
 */
export async function bundle(names: readonly string[], folder: string): Promise<Bundles> {
  const missing = names.filter((name) => !existsSync(join(root, sourceOf(name))));
  if (missing.length > 0) {
    throw new BundleError(
      `these handlers in the tables of functions/ have no source file: ${missing.join(', ')}`,
    );
  }
  await bundleFiles(
    names.map((name) => ({ in: sourceOf(name), out: `${name}/index` })),
    folder,
  ).catch((error: Error) => {
    throw new BundleError(error.message, { cause: error });
  });
  return describeAll(names, folder);
}

async function describeAll(names: readonly string[], folder: string): Promise<Bundles> {
  return new Map(
    await Promise.all(names.map(async (name) => [name, await describe(join(folder, name))] as const)),
  );
}

async function describe(folder: string): Promise<Bundle> {
  const code = await readFile(join(folder, 'index.mjs'), 'utf8');
  return { folder, handler: 'index.handler', bytes: Buffer.byteLength(code) };
}

/**
 * Bundles source files into `<folder>/<out>.mjs`, with the files that they load on demand. `in` is absolute, or relative to
 * the project root.
 */
export async function bundleFiles(
  entries: readonly { readonly in: string; readonly out: string }[],
  folder: string,
): Promise<void> {
  const files = new Map<string, string>();
  const modules = new Map<string, string>();
  const { metafile } = await build({
    ...buildOptions,
    entryPoints: [...entries],
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    target: 'node24',
    legalComments: 'none',
    // For reading stack traces. The maps are not uploaded, because Node would load them at every cold start.
    sourcemap: 'external',
    plugins: [
      leaveUnused,
      dropUnused,
      dropSchemas,
      packSuffixes,
      useStandIns,
      inlineStyles,
      requireHttp,
      loadOnDemand(files),
      buildApart(modules),
    ],
    metafile: true,
  });
  const needed = Object.entries(metafile.outputs).flatMap(([file, { imports }]) =>
    imports.map(({ path }) => ({ path, to: join(root, dirname(file), path) })),
  );
  for (const { path, to } of needed) {
    const source = files.get(path);
    if (source === undefined) continue;
    await mkdir(dirname(to), { recursive: true });
    await copyFile(source, to);
  }
  const apart = needed.flatMap(({ path, to }) => {
    const source = modules.get(path);
    return source === undefined ? [] : [{ in: source, out: relative(folder, to).replace(/\.mjs$/, '') }];
  });
  if (apart.length > 0) await bundleFiles(apart, folder);
}
