import { expect, test } from '@jest/globals';
import { publishedRecords } from '../../../shared/enforcement/published-records.ts';
import { simulateSummaries } from '../../../shared/enforcement/simulate-records.ts';
import type { Dns } from '../../../shared/protocol/dns.ts';
import type { DaySummary } from '../../../shared/reports/dmarc/summary/shapes.ts';
import { dayNumber, history, owner, ownMail, policy, report } from '../../kit/report-history.ts';
import { perfectResults } from '../../kit/results.ts';
import { zone } from '../../kit/zone.ts';

const results = perfectResults('sends-and-receives');

const simulated = (
  days: readonly DaySummary[],
  proposed: Parameters<typeof simulateSummaries>[1]['proposed'],
  dns: Dns,
  of = results,
) =>
  simulateSummaries(
    owner,
    {
      ...{ proposed, days: { from: dayNumber(0), to: dayNumber(0) }, decisions: new Map() },
      async *reports() {
        yield* days;
      },
      published: publishedRecords(owner, of, []),
    },
    { dns, clock: { now: () => new Date(`${dayNumber(1)}T00:00:00Z`) } },
  );

test('subdomains that send are looked up if it matters whether they exist, and no other names are', async () => {
  const dns = zone({ [`news.${owner}`]: { MX: [[10, `mx.${owner}`]] } });
  const names = [owner, `news.${owner}`, `ghost.${owner}`, 'other.example', null];
  const days = history(0, 0, () => [report(names.map((headerFrom) => ownMail({ headerFrom })))]);
  await simulated(days, { dmarc: 'v=DMARC1; p=reject' }, dns);
  expect(dns.questions).toEqual([]);
  await simulated(days, { dmarc: 'v=DMARC1; p=reject; sp=none; np=reject' }, dns);
  expect(new Set(dns.questions)).toEqual(new Set([`news.${owner} MX`, `ghost.${owner} MX`]));
});

test.each([
  ['absent', 0],
  ['unknown', 100],
] as const)(
  'a first SPF record is compared with none, unless a lookup failed: %s',
  async (state, messages) => {
    const of = { ...results, spf: { ...results.spf, state, record: null } };
    const days = history(0, 0, () => [report([ownMail({ spf: 'fail', spfResult: 'none' })])]);
    const answer = await simulated(days, { spf: 'v=spf1 ip4:192.0.2.0/24 -all' }, zone({}), of);
    expect(answer).toMatchObject({ simulation: { summary: { unpredictable: messages } } });
  },
);

test('an SPF record is unknown after a failed lookup, and missing only if there is none', () => {
  const spfOf = (state: 'unknown' | 'absent', record: string | null) =>
    publishedRecords(owner, { ...results, spf: { ...results.spf, state, record } }, []).spf;
  expect([spfOf('unknown', null), spfOf('absent', null)]).toEqual([undefined, null]);
  expect(spfOf('unknown', 'v=spf1 -all')).toBe('v=spf1 -all');
});

test('after a failed lookup, the policy that reports show last is the published one', () => {
  const unknown = { ...results, dmarc: { ...results.dmarc, state: 'unknown' as const, record: null } };
  const recordOf = (changes: Parameters<typeof policy>[0]) =>
    publishedRecords(
      owner,
      unknown,
      history(0, 0, () => [report([], { policy: policy(changes) })]),
    ).dmarc.text;
  expect([
    recordOf({}),
    recordOf({ p: 'reject', sp: 'none', np: 'quarantine', adkim: 's', aspf: 's', pct: 50, testing: true }),
  ]).toEqual([
    'v=DMARC1; p=none',
    'v=DMARC1; p=reject; sp=none; np=quarantine; adkim=s; aspf=s; pct=50; t=y',
  ]);
});
