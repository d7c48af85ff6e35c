import { dirname, join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { productFiles as files, productText } from '../kit/product.ts';

/** From the lowest layer to the highest. A file may import from its own folder and from folders in earlier rows. */
const layers: readonly (readonly string[])[] = [
  ['shared/protocol', 'shared/design'],
  ['shared/network'],
  ['shared/checks', 'shared/reports'],
  ['shared/mail-test'],
  ['shared/score'],
  ['shared/compliance'],
  ['shared/alerts', 'shared/fixes', 'shared/mailboxes'],
  ['shared/attention', 'shared/evidence'],
  ['shared/store'],
  ['shared/enforcement', 'shared/ingest', 'shared/monitoring'],
  ['shared/notify'],
  ['shared/api'],
  ['shared/operations'],
  ['shared/views'],
  ['shared/mcp'],
  ['shared/runtime'],
  ['shared/openapi'],
  ['shared/pages'],
  ['lib/library'],
  ['functions'],
  ['lib/cloud', 'lib/local/stores'],
  ['lib/local/host'],
  ['lib/local/example-internet'],
  ['lib/terminal'],
  ['lib/admin'],
  ['lib/action'],
  ['lib/package'],
  ['bin'],
];

function layerOf(file: string): { level: number; folder: string } | undefined {
  for (const [level, folders] of layers.entries()) {
    const folder = folders.find((it) => file.startsWith(`${it}/`));
    if (folder !== undefined) return { level, folder };
  }
  return undefined;
}

function importsOf(file: string): string[] {
  const imported = productText(file).matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g);
  return Array.from(imported, ([, path = '']) => join(dirname(file), path));
}

function isReachable(from: string, goal: string, imports: ReadonlyMap<string, readonly string[]>): boolean {
  const seen = new Set<string>();
  const visit = (file: string): boolean =>
    (imports.get(file) ?? []).some((target) => {
      if (target === goal) return true;
      if (seen.has(target)) return false;
      seen.add(target);
      return visit(target);
    });
  return visit(from);
}

describe('the folders', () => {
  test('assign every source file to a layer', () => {
    expect(files.filter((file) => layerOf(file) === undefined)).toEqual([]);
  });

  test.each(files)('%s imports only downward', (file) => {
    const own = layerOf(file);
    const wrong = importsOf(file).filter((target) => {
      const other = layerOf(target);
      if (own === undefined || other === undefined) return true;
      return other.folder !== own.folder && other.level >= own.level;
    });
    expect(wrong).toEqual([]);
  });

  test('have no circles of imports', () => {
    const imports = new Map(files.map((file) => [file, importsOf(file).filter((it) => files.includes(it))]));
    // What imports nothing that is left is in no circle, and neither is what imports only that.
    for (let size = -1; size !== imports.size; ) {
      size = imports.size;
      for (const [file, targets] of imports)
        if (!targets.some((target) => imports.has(target))) imports.delete(file);
    }
    expect([...imports.keys()].filter((file) => isReachable(file, file, imports))).toEqual([]);
  });

  test('have no main files longer than 30 lines', () => {
    const long = files.filter((file) => file.startsWith('bin/') && productText(file).split('\n').length > 31);
    expect(long).toEqual([]);
  });

  test('import the local host only from lib/local and from what starts it', () => {
    const knowing = files.filter((file) => importsOf(file).some((target) => target.startsWith('lib/local')));
    expect(knowing.filter((file) => !/^(lib\/(local|terminal|admin)|bin)\//.test(file))).toEqual([]);
  });
});

describe('the table', () => {
  test('is written by operations: commands know none of its keys', () => {
    const knowing = files.filter((file) => importsOf(file).includes('shared/store/keys.ts'));
    expect(knowing).toContain('shared/operations/move/import-archive.ts');
    expect(knowing.filter((file) => file.startsWith('lib/admin/')).toSorted()).toEqual([
      // Scans, which nothing that serves requests does.
      'lib/admin/move/scan-shares.ts',
      // The name of the attribute that expires items.
      'lib/admin/restore/restored-table.ts',
    ]);
  });

  test('is described where nothing that runs imports it, so that no bundle has the texts', () => {
    expect(files).toContain('shared/store/entities.ts');
    expect(files.filter((file) => importsOf(file).includes('shared/store/entities.ts'))).toEqual([]);
  });

  test('is never scanned', () => {
    expect(
      files.filter((file) => /^(shared|functions)\//.test(file) && /\bScanCommand\b/.test(productText(file))),
    ).toEqual([]);
  });
});
