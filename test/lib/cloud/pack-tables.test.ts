import { createRequire } from 'node:module';
import { expect, test } from '@jest/globals';
import { packData, packTables } from '../../../lib/cloud/pack-tables.ts';

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

test.each(['iconv-lite/encodings/tables/eucjp.json', 'encoding-japanese/src/utf8-to-jis-table.js'])(
  'the packed module %s is shorter and has the same content',
  (name) => {
    const require = createRequire(import.meta.url);
    const file = new URL(`../../../node_modules/${name}`, import.meta.url);
    const table = require(file.pathname);
    const source = packData(table);
    expect(Buffer.byteLength(source)).toBeLessThan(0.7 * Buffer.byteLength(JSON.stringify(table)));
    const module = { exports: {} };
    new Function('require', 'module', source)(require, module);
    expect(module.exports).toEqual(table);
  },
);
