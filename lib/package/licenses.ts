/** The licenses of the packages whose code the package contains. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A package in `node_modules`, from the path of a file in it. */
const packageOf = (file: string): string | undefined =>
  /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1];

/**
 * The texts of all licenses, each below the names and versions of the packages that have it.
 * @param inputs Paths of bundled files, relative to `root`.
 */
export function licensesOf(root: string, inputs: Iterable<string>): string {
  const folders = new Set([...inputs].flatMap((file) => packageOf(file) ?? []));
  const packages = [...folders].map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
    const file = readdirSync(join(root, folder)).find((one) => /^licen[cs]e/i.test(one));
    const text = file === undefined ? '' : readFileSync(join(root, folder, file), 'utf8').trim();
    return { title: `${name} ${version} (${license})`, text };
  });
  return [...Map.groupBy(packages, ({ text }) => text)]
    .map(([text, some]) => `${[...new Set(some.map(({ title }) => title))].sort().join('\n')}\n\n${text}\n`)
    .sort()
    .join(`\n${'-'.repeat(80)}\n\n`);
}
