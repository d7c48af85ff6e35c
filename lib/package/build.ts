/** Builds the package: JavaScript with source maps, types, and what a reader of it needs. */
import { chmod, cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { build, type Metafile } from 'esbuild';
import { buildOptions, root } from '../cloud/build-options.ts';
import { dropUnused, inlineStyles, useStandIns } from '../cloud/bundle-plugins.ts';
import { handlers, sourceOf } from '../cloud/handlers.ts';
import { licensesOf } from './licenses.ts';
import { entries, type Manifest, packageManifest, peers } from './manifest.ts';
import { keepOrigins, unmapped } from './origins.ts';
import { buildTypes } from './types.ts';

const OUTDIR = 'dist/package';

/** What threads run, besides the handlers: files that the programs start by name. */
const threads = [
  'lib/admin/reading-thread',
  'lib/local/host/data-check-thread',
  'lib/local/host/threads/thread',
];

/** What stands for built-ins that Node.js 20 lacks, in `es2024.ts`. */
const substitutes = {
  'Map.groupBy': 'mapGroupBy',
  'Object.groupBy': 'objectGroupBy',
  'Promise.withResolvers': 'promiseWithResolvers',
};

/** Documents of the repository that the package contains, and their names there. */
const documents = {
  // The feature flags of the CDK.
  'cdk.json': 'cdk.json',
  'docs/package.md': 'README.md',
  LICENSE: 'LICENSE',
  'CHANGELOG.md': 'CHANGELOG.md',
  'SECURITY.md': 'SECURITY.md',
};

/**
 * Builds the package into `folder`, which is emptied first. The output depends only on the sources and their packages.
 * @throws Error if something does not build.
 */
export async function buildPackage(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const manifest: Manifest = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  const { inputs } = await buildCode(folder, manifest.name);
  await buildTypes(root, Object.values(entries), join(folder, 'types'));
  await chmod(join(folder, 'bin/main.js'), 0o755);
  await writeFile(join(folder, 'package.json'), `${JSON.stringify(packageManifest(manifest), null, 2)}\n`);
  await writeFile(join(folder, 'LICENSES.txt'), licensesOf(root, Object.keys(inputs)));
  for (const [from, to] of Object.entries(documents)) await cp(join(root, from), join(folder, to));
}

/** One build for everything, so that what programs, handlers and the library share is in the package once. */
async function buildCode(folder: string, name: string): Promise<Metafile> {
  const sources = ['bin/main', 'bin/synth', ...Object.values(entries), ...threads];
  const { metafile, outputFiles } = await build({
    ...buildOptions,
    entryPoints: [
      ...sources.map((source) => ({ in: `${source}.ts`, out: source })),
      ...[...new Set(handlers)].map((name) => ({ in: sourceOf(name), out: `functions/${name}` })),
    ],
    // Source maps have paths from here, so the output does not depend on the folder.
    outdir: OUTDIR,
    write: false,
    chunkNames: 'chunks/[hash]',
    splitting: true,
    target: 'node20',
    legalComments: 'none',
    sourcemap: 'linked',
    // The repository has the sources; with them, the package would be twice as large.
    sourcesContent: false,
    external: peers.map(([name]) => name),
    inject: [join(root, 'lib/package/es2024.ts')],
    define: substitutes,
    plugins: [inlineStyles, keepOrigins(root, name), unmapped, useStandIns, dropUnused],
    metafile: true,
  });
  const unused = unusedChunks(metafile);
  for (const { path, contents } of outputFiles) {
    if (unused.has(relative(root, path).replace(/\.map$/, ''))) continue;
    const file = join(folder, relative(join(root, OUTDIR), path));
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, contents);
  }
  return metafile;
}

/** Chunks that nothing imports: those of a dynamic import in code that was dropped. */
function unusedChunks({ outputs }: Metafile): ReadonlySet<string> {
  const imported = new Set(Object.values(outputs).flatMap(({ imports }) => imports.map(({ path }) => path)));
  const chunks = Object.keys(outputs).filter((file) => /\/chunks\/\w+\.js$/.test(file));
  return new Set(chunks.filter((file) => !imported.has(file)));
}
