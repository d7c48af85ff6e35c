import { expect, test } from '@jest/globals';
import { publishedRecords } from '../../../shared/enforcement/published-records.ts';
import { simulateSummaries } from '../../../shared/enforcement/simulate-records.ts';
import { dayNumber, history, owner, ownMail, report } from '../../kit/report-history.ts';
import { perfectResults } from '../../kit/results.ts';
import { zone } from '../../kit/zone.ts';

const results = perfectResults('sends-and-receives');

test('subdomains that send are looked up if it matters whether they exist, and no other names are', async () => {
  const dns = zone({ [`news.${owner}`]: { MX: [[10, `mx.${owner}`]] } });
  const names = [owner, `news.${owner}`, `ghost.${owner}`, 'other.example', null];
  const days = history(0, 0, () => [report(names.map((headerFrom) => ownMail({ headerFrom })))]);
  const simulated = (dmarc: string) =>
    simulateSummaries(
      owner,
      {
        ...{ proposed: { dmarc }, days: { from: dayNumber(0), to: dayNumber(0) }, decisions: new Map() },
        async *reports() {
          yield* days;
        },
        published: publishedRecords(owner, results, []),
      },
      { dns, clock: { now: () => new Date(`${dayNumber(1)}T00:00:00Z`) } },
    );
  await simulated('v=DMARC1; p=reject');
  expect(dns.questions).toEqual([]);
  await simulated('v=DMARC1; p=reject; sp=none; np=reject');
  expect(new Set(dns.questions)).toEqual(new Set([`news.${owner} MX`, `ghost.${owner} MX`]));
});

test('an SPF record is unknown after a failed lookup, and missing only if there is none', () => {
  const spfOf = (state: 'unknown' | 'absent', record: string | null) =>
    publishedRecords(owner, { ...results, spf: { ...results.spf, state, record } }, []).spf;
  expect([spfOf('unknown', null), spfOf('absent', null)]).toEqual([undefined, null]);
  expect(spfOf('unknown', 'v=spf1 -all')).toBe('v=spf1 -all');
});
