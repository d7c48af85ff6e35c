import { expect, test } from '@jest/globals';
import { packTables } from '../../../lib/cloud/pack-tables.ts';

const unpacked = (source: string) =>
  import(`data:text/javascript;base64,${Buffer.from(source).toString('base64')}`);

test('a packed module of tables has the same exports', async () => {
  const tables = {
    flags: Uint8Array.of(0, 1, 255),
    // The previous array has an odd number of bytes.
    edges: Uint16Array.of(0, 256, 65_535),
    none: new Uint16Array(0),
    part: new Uint16Array(Uint16Array.of(1, 2, 3).buffer, 2, 1),
    labels: 'comпіл𐍈\0\'"',
    root: 663,
  };
  expect({ ...(await unpacked(packTables(tables))) }).toEqual(tables);
});

test('the packed public suffixes are a third as long', async () => {
  const suffixes = await import(
    new URL('../../../node_modules/tldts/dist/es6/src/data/trie.js', import.meta.url).href
  );
  const source = packTables(suffixes);
  expect(source.length).toBeLessThan(60_000);
  expect({ ...(await unpacked(source)) }).toEqual({ ...suffixes });
});
