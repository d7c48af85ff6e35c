import { expect, test } from '@jest/globals';
import * as z from 'zod/mini';
import { allOf, changing, having } from '../../../shared/store/changes.ts';
import { PRESENT } from '../../../shared/store/items.ts';
import { useTable } from '../../kit/use-table.ts';

const table = await useTable();

const key = { pk: 'ITEM', sk: 'ITEM' };

test('changes set, remove and add attributes of any name, on conditions about any attributes', async () => {
  await table.put({ ...key, 'a-b': 1, gone: 1, count: 1 });
  const isSame = allOf(PRESENT, having({ 'a-b': 1, none: undefined }));
  const change = changing({ 'c#d': 2, 'a-b': 2, gone: undefined }, isSame, { count: 2 });
  expect(await table.update(key, change)).toBe(true);
  expect(await table.update(key, change)).toBe(false);
  for (const other of [{ 'c#d': 1 }, { none: 1 }, { count: undefined }])
    expect(await table.update(key, changing({ 'c#d': 3 }, having(other)))).toBe(false);
  expect(await table.get(key, z.looseObject({}))).toEqual({ ...key, 'a-b': 2, 'c#d': 2, count: 3 });
});
