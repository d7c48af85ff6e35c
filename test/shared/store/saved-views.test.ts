import { expect, test } from '@jest/globals';
import { MOST_VIEWS, savedViewStore } from '../../../shared/store/saved-views.ts';
import { useTable } from '../../kit/use-table.ts';

const views = savedViewStore(await useTable());

test('views are listed by name, replaced by removing them first, and no more than a page shows', async () => {
  const save = (name: string, query: string | null) => views.save('o', name, query);
  expect([await save('b', 'q=1'), await save('a', 'q=2')]).toEqual(['saved', 'saved']);
  expect([await save('a', 'q=3'), await save('a', 'q=2')]).toEqual(['taken', 'saved']);
  expect((await views.list('o')).map(({ name }) => name)).toEqual(['a', 'b']);
  for (let n = 2; n < MOST_VIEWS; n += 1) expect(await save(`c${n}`, 'q=1')).toBe('saved');
  expect([await save('z', 'q=1'), await save('a', null), await save('z', 'q=1')]).toEqual([
    'too-many',
    'saved',
    'saved',
  ]);
});
