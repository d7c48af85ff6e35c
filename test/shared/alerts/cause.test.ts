import { expect, test } from '@jest/globals';
import type { Alert } from '../../../shared/alerts/alert.ts';
import { groupByCause } from '../../../shared/alerts/cause.ts';
import { storedAlert } from '../../kit/alerts.ts';

const failure = { type: 'report_failure', severity: 'warning' } as const;
const counts = { day: '2026-02-28', messages: 100, failed: 50, failureRate: 50, previousFailureRate: 0 };
const report = {
  ...{ reportId: '018f0000-0000-8000-8000-000000000009', reporter: 'Reporter', passed: 1, failed: 1 },
  ...{ dateRangeBegin: '2026-02-28T00:00:00.000Z', dateRangeEnd: '2026-02-28T23:59:59.000Z' },
};
const sender = (senderId: string) => ({
  ...counts,
  about: 'sender' as const,
  senderId,
  sender: 'sender.example',
  status: null,
});
const change = (check: 'spf' | 'dmarc') => ({
  ...{ check, previousState: 'pass', newState: 'fail', omitted: 0 },
  ...{ recordsAdded: [], recordsRemoved: [], findingsAdded: [], findingsRemoved: [] },
});

const others: readonly (readonly [string, Partial<Alert>])[] = [
  ['another domain', { domainId: '018f0000-0000-7000-8000-00000000000a' }],
  ['another severity', { severity: 'critical' }],
  ['a share of failing mail', { ...failure, metadata: { about: 'share', ...counts } }],
  ['a sender', { ...failure, metadata: sender('a') }],
  ['another sender', { ...failure, metadata: sender('b') }],
  [
    'a TLS report',
    { ...failure, metadata: { about: 'tls-report', ...report, reportType: 'tls', failureRate: 50 } },
  ],
  ['a DMARC reporter', { type: 'new_report', metadata: { ...report, reportType: 'dmarc' } }],
  ['a TLS reporter', { type: 'new_report', metadata: { ...report, reportType: 'tls' } }],
  ['a check', { type: 'dns_change', metadata: change('spf') } as Partial<Alert>],
  ['another check', { type: 'dns_change', metadata: change('dmarc') } as Partial<Alert>],
];

test('alerts about different causes are apart, and about one cause together', () => {
  const all = [{}, ...others.map(([, given]) => given)].map((given) => storedAlert(given));
  expect(groupByCause(all)).toHaveLength(all.length);
  expect(groupByCause([...all, ...all]).map(({ count }) => count)).toEqual(all.map(() => 2));
});

test('a group has the newest alert, the number of alerts and of unread ones, and the time of the oldest', () => {
  const at = (n: number, read: boolean) =>
    storedAlert({
      id: `018f0000-0000-7000-8000-00000000000${n}`,
      createdAt: `2026-03-0${n}T10:00:00.000Z`,
      read,
    });
  expect(groupByCause([at(2, false), at(3, true), at(1, false)])).toEqual([
    { newest: at(3, true), count: 3, unread: 2, since: '2026-03-01T10:00:00.000Z' },
  ]);
  expect(groupByCause([])).toEqual([]);
});
