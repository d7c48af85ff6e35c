import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';

const root = fileURLToPath(new URL('../..', import.meta.url));
const { dependencies, devDependencies, optionalDependencies } = JSON.parse(
  readFileSync(join(root, 'package.json'), 'utf8'),
);

/** Nothing imports these: scripts run them, and the compiler reads the types. */
const programs = [
  ...['@biomejs/biome', 'aws-cdk', 'jest', 'typescript'],
  ...['@types/aws-lambda', '@types/dns-packet', '@types/node', '@types/oidc-provider'],
];

/** What uses generated clients runs in another project, with other packages. */
const GENERATED_CLIENTS = join('end-to-end', 'clients');

/** The packages that the files in some folders import, without those of Node.js. */
function imported(...folders: readonly string[]): readonly string[] {
  const files = folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.[jt]s$/.test(name) && !name.startsWith(GENERATED_CLIENTS))
      .map((name) => readFileSync(join(root, folder, name), 'utf8')),
  );
  const statement =
    /^(?:(?:import|export) (?:.* from )?|\} from )'([^'.][^']*)'|\bimport\('([^'.][^']*)'\)/gm;
  const names = files.flatMap((text) => Array.from(text.matchAll(statement), ([, a, b]) => a ?? b ?? ''));
  const packages = names.map((name) => name.split('/', name.startsWith('@') ? 2 : 1).join('/'));
  return [...new Set(packages)].filter((name) => !name.startsWith('node:'));
}

const product = imported('bin', 'functions', 'lib', 'shared');
const all = [...product, ...imported('test')];

test('the product imports every dependency', () => {
  expect(Object.keys(dependencies).filter((name) => !product.includes(name))).toEqual([]);
});

test('something imports every development dependency, apart from programs and types', () => {
  const unused = Object.keys(devDependencies).filter((name) => !all.includes(name));
  expect(unused.sort()).toEqual(programs.toSorted());
});

test('every imported package is declared', () => {
  // Of `aws-lambda`, only the types exist.
  const declared = ['aws-lambda', ...Object.keys(dependencies), ...Object.keys(devDependencies)];
  expect(all.filter((name) => !declared.includes(name))).toEqual([]);
});

test('a Node.js 24 is installed on every platform', () => {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const platforms = Object.keys(optionalDependencies).map((name) => {
    const { version, os, cpu, bin } = packages[`node_modules/${name}`];
    return [os, cpu, version.split('.')[0], Object.keys(bin)].flat().join(' ');
  });
  const expected = ['darwin arm64', 'darwin x64', 'linux arm64', 'linux x64', 'win32 x64'];
  expect(platforms.toSorted()).toEqual(expected.map((platform) => `${platform} 24 node`));
});
