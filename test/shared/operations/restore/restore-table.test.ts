import { expect, test } from '@jest/globals';
import { restoreTable } from '../../../../shared/operations/restore/restore-table.ts';

test('a table is restored, and then set as the restore leaves it out', async () => {
  const steps: unknown[] = [];
  const recovery = {
    latestPoint: async () => undefined,
    restore: async (how: object) => void steps.push(how),
    protect: async (table: string) => void steps.push(`protect ${table}`),
    remove: async () => {},
  };
  const at = '2026-03-01T06:00:00.000Z';
  await restoreTable({ to: 'new', at }, { table: { name: 'old' }, recovery });
  expect(steps).toEqual([{ from: 'old', to: 'new', at: new Date(at) }, 'protect new']);
});
