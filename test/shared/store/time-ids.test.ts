import { expect, test } from '@jest/globals';
import { newId } from '../../../shared/store/time-ids.ts';

test('IDs sort by their time, and those of a millisecond in the order in which they were made', () => {
  const [first, second] = [new Date('2026-03-01T00:00:00.000Z'), new Date('2026-03-01T00:00:00.001Z')];
  const later = newId(second);
  const ids = Array.from({ length: 1000 }, () => newId(first));
  expect([...ids, later].toSorted()).toEqual([...ids, later]);
  expect(new Set(ids).size).toBe(1000);
  expect(later).toMatch(/^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
});
