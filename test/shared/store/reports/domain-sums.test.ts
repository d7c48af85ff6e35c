/** The sums of a domain's reports: which ones replace others, and until when they are kept. */
import { expect, test } from '@jest/globals';
import { directoryStore } from '../../../../shared/store/domains/directory.ts';
import { changeItem, shardOf } from '../../../../shared/store/domains/directory-rows.ts';
import { type Domain, domainStore } from '../../../../shared/store/domains/domains.ts';
import { directoryChangesOf } from '../../../../shared/store/keys.ts';
import { startingWith } from '../../../../shared/store/query.ts';
import { domainSumsStore } from '../../../../shared/store/reports/domain-sums.ts';
import { counted } from '../../../kit/capacity.ts';
import { registeredDomain } from '../../../kit/reports.ts';
import { useTable } from '../../../kit/use-table.ts';

const table = await useTable();
const time = (text: string) => new Date(`2026-03-${text}Z`);
const second = (n: number) => time(`02T00:00:0${n}`);

const sumsOf = (...messages: readonly number[]) => ({
  days: messages.map((count, n) => ({ day: `2026-03-0${n + 1}`, messages: count, passed: count - 1 })),
  ...{ senders: [], reporters: [] },
});

async function shown({ organization }: Domain, now = second(9)) {
  const found: unknown[] = [];
  for await (const { sums } of domainSumsStore(table, { retentionDays: 0 }).each(organization, now))
    found.push(sums.days.map(({ messages }) => messages).join());
  const [row] = await directoryStore(table).rows(organization);
  return [found, row?.mail];
}

test('those of a later read replace earlier ones, of the directory, too', async () => {
  const domain = await registeredDomain(table);
  const { keep } = domainSumsStore(table, { retentionDays: 0 });
  const none = [[], null];
  await keep(domain, sumsOf(), second(0));
  expect(await shown(domain)).toEqual(none);
  await keep(domain, sumsOf(5, 3), second(2));
  const both = [['5,3'], { messages: 8, passed: 6, last: '2026-03-02' }];
  expect(await shown(domain)).toEqual(both);
  await keep(domain, sumsOf(4), second(1));
  await keep(domain, sumsOf(), second(1));
  expect(await shown(domain)).toEqual(both);
  await keep(domain, sumsOf(2), second(2));
  expect(await shown(domain)).toEqual([['2'], { messages: 2, passed: 1, last: '2026-03-01' }]);
  await keep(domain, sumsOf(), second(2));
  expect(await shown(domain)).toEqual(none);
  await keep(domain, sumsOf(2), second(3));
  await domainStore(table).remove(domain, second(4));
  await keep(domain, sumsOf(3), second(5));
  expect(await shown(domain)).toEqual([[], undefined]);
});

test('the directory is changed only with the totals, and every second change is moved into its shard', async () => {
  for (const compacts of [false, true]) {
    let domain = await registeredDomain(table);
    while (shardOf(domain.id).compacts !== compacts) domain = await registeredDomain(table);
    const { table: measured, capacity } = counted(table);
    const { keep } = domainSumsStore(measured, { retentionDays: 0 });
    await keep(domain, sumsOf(), second(0));
    expect(capacity.units().writes).toBe(0);
    const changes = [];
    for (const messages of [5, 5, 6]) {
      await keep(domain, sumsOf(messages), second(1));
      const waiting = await table.query(startingWith(directoryChangesOf(domain.organization)), changeItem);
      changes.push(...waiting.map((item) => item.changes));
    }
    // The first one is the registration.
    expect(changes).toEqual(compacts ? [] : [2, 2, 3]);
  }
});

test.each([
  [0, '31T23:59:59', '32'],
  [400, '31T23:59:59', '32'],
  [5, '07T23:59:59', '08'],
])(
  'they are kept as long as their last day counts, or reports are kept: %i days',
  async (retentionDays, last, end) => {
    const domain = await registeredDomain(table);
    await domainSumsStore(table, { retentionDays }).keep(domain, sumsOf(5, 3), second(2));
    const after = end === '32' ? new Date('2026-04-02T00:00:00Z') : time(`${end}T00:00:00`);
    expect([(await shown(domain, time(last)))[0], (await shown(domain, after))[0]]).toEqual([['5,3'], []]);
  },
);
