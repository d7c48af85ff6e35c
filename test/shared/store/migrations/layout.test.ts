import { beforeEach, describe, expect, test } from '@jest/globals';
import * as z from 'zod/mini';
import { layoutKey } from '../../../../shared/store/keys.ts';
import {
  layoutProblem,
  type Migration,
  migrate,
  migrations,
} from '../../../../shared/store/migrations/layout.ts';
import { organizationStore } from '../../../../shared/store/organizations.ts';
import type { Table } from '../../../../shared/store/table.ts';
import { counted } from '../../../kit/capacity.ts';
import type { EmptyTable } from '../../../kit/table.ts';
import { useTable } from '../../../kit/use-table.ts';

let table: EmptyTable;
beforeEach(async () => {
  table = await useTable();
});

const now = new Date('2026-01-05T08:00:00.000Z');
const version = async () => (await table.get(layoutKey(), z.object({ version: z.number() })))?.version;
const key = { pk: 'ORG#o', sk: 'ORG' };
const renamed = z.object({ steps: z.string() });

/** Adds a letter to an item, unless it did so before. */
const step =
  (letter: string): Migration =>
  async (on: Table) => {
    const { steps } = (await on.get(key, renamed)) ?? { steps: '' };
    if (!steps.endsWith(letter)) await on.put({ ...key, steps: steps + letter });
  };

describe('a table', () => {
  test('that is new gets the present version, once', async () => {
    expect(await layoutProblem(table)).toBeUndefined();
    expect(await version()).toBe(1 + migrations.length);
    await organizationStore(table).create('Org', now);
    expect(await layoutProblem(table)).toBeUndefined();
  });

  test.each([
    ['later', 2, [], /has layout 2, and this version needs layout 1: run the version that wrote it/],
    [
      'earlier',
      1,
      [step('a')],
      /has layout 1, and this version needs layout 2: .* make a backup, and migrate/,
    ],
  ] as const)('of a %s version is refused, unchanged', async (_, stored, known, problem) => {
    await organizationStore(table).create('Org', now);
    await table.put({ ...layoutKey(), version: stored });
    const { table: measured, capacity } = counted(table);
    expect(await layoutProblem(measured, known)).toMatch(problem);
    expect(capacity.units().writes).toBe(0);
  });

  test('with organizations and without a version is refused, unchanged', async () => {
    await organizationStore(table).create('Org', now);
    const { table: measured, capacity } = counted(table);
    expect(await layoutProblem(measured)).toMatch(/has no layout version/);
    expect([await version(), capacity.units().writes]).toEqual([undefined, 0]);
  });
});

describe('a migration', () => {
  const known = [step('a'), step('b')];

  test('leads to the present version, step by step, and is not repeated', async () => {
    await table.put({ ...layoutKey(), version: 1 });
    await migrate(table, known);
    expect([await version(), await table.get(key, renamed)]).toEqual([3, { steps: 'ab' }]);
    expect(await layoutProblem(table, known)).toBeUndefined();
    await migrate(table, known);
    expect(await table.get(key, renamed)).toEqual({ steps: 'ab' });
  });

  test('that is interrupted goes on with its step', async () => {
    await table.put({ ...layoutKey(), version: 1 });
    const broken: Migration = async (on) => {
      await step('b')(on);
      throw new Error('interrupted');
    };
    await expect(migrate(table, [step('a'), broken])).rejects.toThrow('interrupted');
    expect(await version()).toBe(2);
    await migrate(table, known);
    expect([await version(), await table.get(key, renamed)]).toEqual([3, { steps: 'ab' }]);
  });

  test('does not start from a version that it does not know', async () => {
    await expect(migrate(table, known)).rejects.toThrow('a table of layout unknown cannot be migrated');
    await table.put({ ...layoutKey(), version: 4 });
    await expect(migrate(table, known)).rejects.toThrow('a table of layout 4 cannot be migrated');
    expect(await table.get(key, renamed)).toBeUndefined();
  });

  test('does not go on if something else migrates the table', async () => {
    await table.put({ ...layoutKey(), version: 1 });
    const overtaken: Migration = async (on) => {
      await on.put({ ...layoutKey(), version: 2 });
    };
    await expect(migrate(table, [overtaken, step('b')])).rejects.toThrow('from layout 1');
    expect(await table.get(key, renamed)).toBeUndefined();
  });
});
