/** Which tests can notice a change of a file: those that import it on the shortest way, and those that run it in another process. */
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { HOST_TESTS } from '../kit/jest/host-tests.ts';

const IMPORT = /\b(?:from|import)\s*\(?\s*'(\.[^']+)'/g;

/** The files that each file of `folders` imports, by path from `root`. */
function importsIn(root: string, folders: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const files = folders.flatMap((folder) => globSync(`${folder}/**/*.ts`, { cwd: root }));
  return new Map(
    files.map((file) => {
      const text = readFileSync(join(root, file), 'utf8');
      return [file, [...text.matchAll(IMPORT)].map(([, path = '']) => normalize(join(dirname(file), path)))];
    }),
  );
}

/** No tests of the product's behaviour: of its texts, of stacks and of bundles. */
const LEFT_OUT = /^test\/(?:architecture|contract|kit|lib\/cloud|end-to-end\/(?:aws|bundles))\//;

/** Long tests of handlers take seconds from the sources. */
const OF_HANDLERS = new RegExp(`^test/end-to-end/(?!${HOST_TESTS})`);

/** Whether a file tests the product's behaviour in seconds. */
export const isShortTest = (file: string): boolean =>
  file.endsWith('.test.ts') &&
  !LEFT_OUT.test(file) &&
  (!file.endsWith('.long.test.ts') || OF_HANDLERS.test(file));

/**
 * Returns a function that lists the test files for a source file, nearest first: by the number of imports between them, then
 * the one that mirrors its path, then those that import least.
 */
export function testsByDistance(root: string): (file: string) => readonly string[] {
  const imports = importsIn(root, ['functions', 'lib', 'shared', 'bin', 'test']);
  const distances = new Map<string, Map<string, number>>();
  for (const test of imports.keys()) if (isShortTest(test)) distances.set(test, distancesFrom(test));
  return (file) => {
    const mirror = `test/${file.replace(/\.ts$/, '.test.ts')}`;
    const found = [...distances].flatMap(([test, reached]) => {
      const distance = reached.get(file);
      return distance === undefined ? [] : [{ test, distance, imported: reached.size }];
    });
    return found
      .toSorted(
        (a, b) =>
          Number(b.test === mirror) - Number(a.test === mirror) ||
          a.distance - b.distance ||
          a.imported - b.imported,
      )
      .map(({ test }) => test);
  };

  function distancesFrom(start: string): Map<string, number> {
    const reached = new Map([[start, 0]]);
    // A map lists what is added while it is read.
    for (const [file, distance] of reached)
      for (const next of imports.get(file) ?? []) if (!reached.has(next)) reached.set(next, distance + 1);
    return reached;
  }
}
