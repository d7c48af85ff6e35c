import { expect, test } from '@jest/globals';
import { organizationSums } from '../../../shared/enforcement/organization-shapes.ts';
import { digestFacts } from '../../../shared/notify/digest-facts.ts';
import { daysBefore } from '../../../shared/reports/day.ts';
import { alertStore } from '../../../shared/store/alerts/alerts.ts';
import { attentionStore } from '../../../shared/store/attention.ts';
import { domainStore } from '../../../shared/store/domains/domains.ts';
import { attentionKey } from '../../../shared/store/keys.ts';
import { domainSumsStore, organizationSumsStore } from '../../../shared/store/reports/domain-sums.ts';
import { reportAlertDraft } from '../../kit/alerts.ts';
import { raiseAlert } from '../../kit/alongside.ts';
import { openItem } from '../../kit/attention.ts';
import { registeredDomain } from '../../kit/reports.ts';
import { useTable } from '../../kit/use-table.ts';

const now = new Date('2026-03-02T06:00:00.000Z');
const ago = (days: number): string => daysBefore('2026-03-02', days);
const period = { since: '2026-02-23T05:55:00.000Z', until: '2026-03-02T05:55:00.000Z' };

const table = await useTable({ now: () => now });

function facts(organization: string) {
  const domainSums = domainSumsStore(table, { retentionDays: 0 });
  const stores = {
    domains: domainStore(table),
    alerts: alertStore(table, { retentionDays: 0 }),
    attention: attentionStore(table),
    sums: { domainSums, organizationSums: organizationSumsStore(table, organizationSums) },
  };
  return digestFacts({ organization, period }, stores, now);
}

test('the weeks of a digest end two days ago, and reporters are new or silent in the last one', async () => {
  const domain = await registeredDomain(table, 'example.org');
  const reporter = (name: string, days: number, firstSeen: number, lastSeen: number) => ({
    ...{ name, days, firstSeen: ago(firstSeen), lastSeen: ago(lastSeen) },
  });
  const sums = {
    // Powers of two, so that a sum names its days.
    days: [16, 15, 9, 8, 2, 1].map((days, n) => ({ day: ago(days), messages: 2 ** n, passed: n % 2 })),
    senders: [],
    reporters: [
      reporter('steady', 20, 25, 2),
      reporter('new', 1, 8, 8),
      reporter('known', 2, 9, 2),
      reporter('silent', 10, 25, 9),
      reporter('rare', 9, 25, 9),
    ],
  };
  await domainSumsStore(table, { retentionDays: 0 }).keep(domain, sums, now);
  expect(await facts(domain.organization)).toMatchObject({
    week: { from: ago(8), to: ago(2), messages: 8 + 16, passRate: 4.17 },
    weekBefore: { from: ago(15), to: ago(9), messages: 2 + 4, passRate: 16.67 },
    newReporters: ['new'],
    silentReporters: ['silent'],
  });
});

test('a digest has the alerts of its period, and what is open and not put off', async () => {
  const domain = await registeredDomain(table, 'example.net');
  const alerts = alertStore(table, { retentionDays: 0 });
  const raise = (title: string, at: string, severity: 'info' | 'critical' = 'info') =>
    raiseAlert({ table, alerts }, domain, reportAlertDraft(title, severity), new Date(at));
  await raise('before', '2026-02-23T05:54:59.999Z');
  await raise('first', '2026-02-23T05:55:00.000Z');
  await raise('grave', '2026-02-25T00:00:00.000Z', 'critical');
  await raise('last', '2026-03-02T05:54:59.999Z');
  await raise('after', '2026-03-02T05:55:00.000Z');
  await openItem(table, domain, 'ownership-unproven', '2026-01-31T00:00:00.000Z');
  const found = await facts(domain.organization);
  expect(found?.alerts.alerts.map(({ title }) => title)).toEqual(['last', 'first', 'grave']);
  expect(found?.attention).toMatchObject({ items: [{ domain: 'example.net' }], hasMore: false });
  const key = attentionKey(domain.id, 'ownership-unproven');
  const item = await attentionStore(table).get(key);
  if (item === undefined) throw new Error('the item is not open');
  await attentionStore(table).putOff(key, item, { until: '2026-04-01', note: null }, now);
  expect((await facts(domain.organization))?.attention.items).toEqual([]);
});

test('a flood of alerts without weight hides no grave one in a digest', async () => {
  const domain = await registeredDomain(table, 'example.com');
  const alerts = alertStore(table, { retentionDays: 0 });
  const raise = (title: string, severity: 'info' | 'critical') =>
    raiseAlert(
      { table, alerts },
      domain,
      reportAlertDraft(title, severity),
      new Date('2026-03-01T00:00:00.000Z'),
    );
  await raise('grave', 'critical');
  for (let n = 0; n < 205; n += 1) await raise(`info ${n}`, 'info');
  const found = await facts(domain.organization);
  expect(found?.alerts.hasMore).toBe(true);
  expect(found?.alerts.alerts.filter(({ title }) => title === 'grave')).toHaveLength(1);
  expect(found?.alerts.alerts.length).toBeLessThanOrEqual(201);
});

test('there is no digest without a domain', async () => {
  expect(await facts('nobody')).toBeUndefined();
});
