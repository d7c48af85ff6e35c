import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, test } from '@jest/globals';
import { checkStore } from '../../../../shared/store/check-runs/checks.ts';
import { deletionStore } from '../../../../shared/store/domains/deletions.ts';
import { directoryStore } from '../../../../shared/store/domains/directory.ts';
import { domainStore } from '../../../../shared/store/domains/domains.ts';
import { deletionKey, domainPartition } from '../../../../shared/store/keys.ts';
import { itemsOf, registeredDomain } from '../../../kit/reports.ts';
import { perfectResults } from '../../../kit/results.ts';
import { useTable } from '../../../kit/use-table.ts';

const table = await useTable();
const checks = checkStore(table);
const deletions = deletionStore(table);

const monday = '2026-01-05T00:00:00.000Z';
const tuesday = '2026-01-06T00:00:00.000Z';
const results = perfectResults('sends-and-receives');

const partition = (id: string) => itemsOf(table, { id });

describe('check results', () => {
  test('read back as they were stored, and the domain shows their time', async () => {
    const checked = await registeredDomain(table);
    expect(await checks.keep(checked, { checkedAt: monday, results })).toBe(true);
    expect(await checks.latest(checked.id)).toEqual({
      checkedAt: monday,
      results: JSON.parse(JSON.stringify(results)),
    });
    const read = await domainStore(table).get(checked.organization, checked.id);
    expect(read?.lastCheckedAt).toBe(monday);
  });

  test('are never replaced by older ones', async () => {
    const checked = await registeredDomain(table);
    await checks.keep(checked, { checkedAt: tuesday, results });
    expect(await checks.keep(checked, { checkedAt: monday, results })).toBe(false);
    expect((await checks.latest(checked.id))?.checkedAt).toBe(tuesday);
  });

  test('tell the directory of each change of the score, of which the last twelve are kept', async () => {
    const { organization, id } = await registeredDomain(table);
    for (let score = 0; score <= 14; score += 1) {
      const domain = await domainStore(table).get(organization, id);
      if (domain === undefined) throw new Error('gone');
      const of = await checks.latest(id);
      const checkedAt = new Date(Date.parse(monday) + score).toISOString();
      // The score of the usage type at that time; those of all usage types stay the same.
      await checks.keep(domain, { checkedAt, results, score }, of && { of, writes: [] });
    }
    const [row] = await directoryStore(table).rows(organization);
    expect(row?.week.map(({ score }) => score)).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13]);
  });

  test('are not stored for a domain that was deleted meanwhile', async () => {
    const checked = await registeredDomain(table);
    await domainStore(table).remove(checked, new Date(tuesday));
    expect(await checks.keep(checked, { checkedAt: tuesday, results })).toBe(false);
    expect(await partition(checked.id)).toEqual([]);
  });
});

describe('the deletion of a domain', () => {
  const plenty = () => 60_000;

  test('empties its partition, however many items it has', async () => {
    const removed = await registeredDomain(table);
    await checks.keep(removed, { checkedAt: monday, results });
    for (let n = 0; n < 60; n += 1) {
      await table.client.send(
        new PutCommand({ TableName: table.name, Item: { pk: domainPartition(removed.id), sk: `ITEM#${n}` } }),
      );
    }
    await domainStore(table).remove(removed, new Date(tuesday));
    expect(await deletions.unfinished(new Date('2026-02-01'))).toContain(removed.id);
    expect(await deletions.drain(removed.id, plenty)).toBe(true);
    expect(await partition(removed.id)).toEqual([]);
    expect(await deletions.unfinished(new Date('2026-02-01'))).not.toContain(removed.id);
  });

  test('is found however many others come first', async () => {
    // Removed too recently to be unfinished, and more than one response of DynamoDB holds.
    const recent = { requestedAt: '2030-01-01T00:00:00.000Z', padding: 'x'.repeat(390_000) };
    for (const id of ['0-1', '0-2', '0-3']) await table.put({ ...deletionKey(id), id, ...recent });
    const removed = await registeredDomain(table);
    await domainStore(table).remove(removed, new Date(tuesday));
    expect(await deletions.unfinished(new Date('2026-02-01'))).toContain(removed.id);
  });

  test('stops when time is short, and continues when called again', async () => {
    const removed = await registeredDomain(table);
    await checks.keep(removed, { checkedAt: monday, results });
    await domainStore(table).remove(removed, new Date(tuesday));
    expect(await deletions.drain(removed.id, () => 0)).toBe(false);
    expect(await deletions.drain(removed.id, plenty)).toBe(true);
    expect(await partition(removed.id)).toEqual([]);
  });

  test('never affects a domain that was not deleted', async () => {
    const kept = await registeredDomain(table);
    await checks.keep(kept, { checkedAt: monday, results });
    expect(await deletions.drain(kept.id, plenty)).toBe(true);
    expect(await partition(kept.id)).toHaveLength(1);
  });

  test('is not reported as unfinished before it had time', async () => {
    const removed = await registeredDomain(table);
    await domainStore(table).remove(removed, new Date(tuesday));
    expect(await deletions.unfinished(new Date(monday))).not.toContain(removed.id);
  });
});
