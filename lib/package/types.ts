/** The types of the package. */
import { spawnSync } from 'node:child_process';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** Declares what a package without types exports. */
const ambient = ['shared/reports/mailparser.d.ts'];

/**
 * Writes the declarations of `sources`, without `.ts`, and of what these refer to into `folder`.
 * @throws Error if the compiler finds a mistake.
 */
export async function buildTypes(root: string, sources: readonly string[], folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const config = join(folder, 'tsconfig.json');
  const options = {
    ...{ declaration: true, emitDeclarationOnly: true, noEmit: false, rootDir: root, outDir: '.' },
    typeRoots: [join(root, 'node_modules/@types')],
  };
  const files = [...sources.map((source) => `${source}.ts`), ...ambient].map((file) => join(root, file));
  await writeFile(
    config,
    JSON.stringify({ extends: join(root, 'tsconfig.json'), compilerOptions: options, include: [], files }),
  );
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  const { stdout } = spawnSync(process.execPath, [compiler, '-p', config], {
    cwd: root,
    encoding: 'utf8',
  });
  const needed = await reachable(folder, sources);
  // Declarations that no entry leads to are removed, so what cannot be declared there does not matter.
  const wrong = stdout.split('\n').filter((line) => {
    const file = /^(\S+)\.ts\(\d+,\d+\): error/.exec(line)?.[1];
    return file === undefined ? /^error/.test(line) : needed.has(join(folder, `${file}.d.ts`));
  });
  if (wrong.length > 0) throw new Error(`the types do not build:\n${wrong.join('\n')}`);
  for (const file of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(file.parentPath, file.name);
    if (file.isFile() && !needed.has(path)) await rm(path);
  }
  for (const [path, text] of needed)
    await writeFile(
      path,
      text.replace(specifiers, (_, before, quote, name) => `${before}${quote}${name}.js${quote}`),
    );
}

/** The names of modules of our own in a declaration. */
const specifiers = /(\bfrom |\bimport\(|^import )(['"])(\.[^'"]*)\.ts\2/gm;

/** The texts of the declarations that those of `sources` lead to, by path. */
async function reachable(folder: string, sources: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  const waiting = sources.map((source) => join(folder, `${source}.d.ts`));
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (found.has(path)) continue;
    const text = await readFile(path, 'utf8');
    found.set(path, text);
    for (const [, , , name = ''] of text.matchAll(specifiers))
      waiting.push(join(dirname(path), `${name}.d.ts`));
  }
  return found;
}
