/** Shared results, with those of the SPF checker as the example. */

import { randomBytes } from 'node:crypto';
import { beforeEach, describe, expect, test } from '@jest/globals';
import * as z from 'zod/mini';
import { expand } from '../../../shared/protocol/spf/expand.ts';
import { spfShareKey } from '../../../shared/store/keys.ts';
import { SHARE_ID } from '../../../shared/store/shares.ts';
import { type SpfCheck, spfShareStore } from '../../../shared/store/spf-shares.ts';
import { counted } from '../../kit/capacity.ts';
import type { EmptyTable } from '../../kit/table.ts';
import { useTable } from '../../kit/use-table.ts';
import { zone } from '../../kit/zone.ts';

const DAY = 86_400_000;
const checkedAt = '2026-11-21T10:31:07.000Z';
const saved = new Date(checkedAt);
const days = (number: number) => new Date(saved.getTime() + number * DAY);

let table: EmptyTable;
/** The bytes of each result that was stored. */
let stored: number[];

beforeEach(async () => {
  stored = [];
  table = await useTable();
});

async function spfCheck(record = 'v=spf1 ip4:192.0.2.0/24 -all', at = checkedAt): Promise<SpfCheck> {
  const expansion = await expand('example.org', zone({ 'example.org': { TXT: [record] } }));
  return { checkedAt: at, expansion };
}

async function save(check: SpfCheck, now = saved): Promise<string> {
  const count = async (bytes: number): Promise<undefined> => {
    stored.push(bytes);
  };
  return String((await spfShareStore(table).save(check, now, count)) ?? 'too large');
}

test('a check that is too large for an item even after compression is not saved', async () => {
  const check = await spfCheck();
  const withRecord = (record: string) => ({ ...check, expansion: { ...check.expansion, record } });
  expect(await save(withRecord(randomBytes(500_000).toString('latin1')))).toBe('too large');
  expect(stored).toEqual([]);
  expect(await save(withRecord('ip4:192.0.2.1 '.repeat(100_000)))).toMatch(SHARE_ID);
});

describe('the id', () => {
  test('is the same for a check of the same day that found the same, which is stored and counted once', async () => {
    const first = await spfCheck();
    const again = { ...first, checkedAt: '2026-11-21T23:59:59.999Z' };
    const id = await save(first);
    expect([await save(again), await save(first)]).toEqual([id, id]);
    expect(stored).toHaveLength(1);
    expect(await spfShareStore(table).get(id, saved)).toEqual(first);
  });

  test('is the same for two that are saved at once', async () => {
    const check = await spfCheck();
    const ids = await Promise.all([save(check), save(check)]);
    expect(new Set(ids).size).toBe(1);
  });

  test('is another one on another day and for another record', async () => {
    const ids = [
      await save(await spfCheck()),
      await save(await spfCheck(undefined, '2026-11-22T00:00:00.000Z')),
      await save(await spfCheck('v=spf1 -all')),
    ];
    expect(new Set(ids).size).toBe(3);
    expect(stored).toHaveLength(3);
  });

  test('is lower-case and safe in URLs', async () => {
    const checks = await Promise.all(
      Array.from({ length: 50 }, (_, n) => spfCheck(`v=spf1 ip4:192.0.2.${n} -all`)),
    );
    const ids = await Promise.all(checks.map((check) => save(check)));
    for (const id of ids) expect(id).toMatch(SHARE_ID);
    expect([new Set(ids).size, new Set(ids.join('')).size]).toEqual([50, 32]);
  });
});

describe('a shared result', () => {
  test('expires 400 days after the last visit, or up to 30 days later', async () => {
    const shares = spfShareStore(table);
    const id = await save(await spfCheck());
    expect(await shares.visit(id, days(400))).toBeDefined();
    expect(await shares.visit(id, days(800))).toBeDefined();
    expect(await shares.get(id, days(1229))).toBeDefined();
    expect(await shares.get(id, days(1230))).toBeUndefined();
    expect(await shares.visit(id, days(1230))).toBeUndefined();
  });

  test('is written at most once in 30 days, however often it is opened', async () => {
    const { table: meter, capacity } = counted(table);
    const id = await save(await spfCheck());
    const shares = spfShareStore(meter);
    const dates = Array.from({ length: 91 }, (_, day) => days(day));
    for (const date of dates) await shares.visit(id, date);
    expect(capacity.by.get('UpdateCommand')).toBe(2);
    for (const date of dates) await shares.get(id, date);
    expect(capacity.by.get('UpdateCommand')).toBe(2);
  });

  test('that an operator removed does not come back when it is opened at that moment', async () => {
    const id = await save(await spfCheck());
    const shares = spfShareStore({
      ...table,
      get: async (...read) => {
        const item = await table.get(...read);
        await table.delete(spfShareKey(id));
        return item;
      },
    });
    await shares.visit(id, days(100));
    expect(await table.get(spfShareKey(id), z.looseObject({}))).toBeUndefined();
    expect(await spfShareStore(table).remove(id)).toBe(false);
  });
});
