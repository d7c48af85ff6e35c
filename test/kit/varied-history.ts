/** Days of reports with every kind of record, reporter and policy, the same for the same seed. */
import type { DaySummary, RecordSummary, ReportSummary } from '../../shared/reports/dmarc/summary/shapes.ts';
import { random } from './random.ts';
import { forwarded, history, newsletter, ownMail, policy, reportFrom, spoofed } from './report-history.ts';

const reporters = [
  'google.com',
  'dmarc.yahoo.com',
  'microsoft.com',
  'fastmaildmarc.com',
  'mail.small.example',
];

/** @param last The number of the last day; the first is 0. On the days from `steps` on, the policy is stricter. */
export function variedHistory(
  seed: number,
  last: number,
  steps: readonly (readonly [day: number, policy: Parameters<typeof policy>[0]])[] = [],
): DaySummary[] {
  const next = random(seed);
  const one = <T>(...values: readonly T[]): T => values[next(values.length)] as T;
  const kinds: readonly ((n: number) => RecordSummary)[] = [
    () => ownMail({ count: 20 + next(200) }),
    () => ownMail({ count: 1 + next(9), spfResult: 'softfail', spf: 'fail' }),
    () => newsletter({ count: 1 + next(40), disposition: one('none', 'quarantine', 'reject') }),
    () => newsletter({ count: 1 + next(40), dkim: 'pass', dkimDomains: ['example.org', 'news.example.net'] }),
    () =>
      forwarded({ count: 1 + next(8), sourceIp: `203.0.${next(9)}.77`, overrides: one([], ['forwarded']) }),
    () => forwarded({ count: 1 + next(3), dkim: 'fail', overrides: ['mailing_list', 'other'] }),
    () => spoofed({ count: 1 + next(30), sourceIp: `198.18.${next(3)}.${next(40)}` }),
    () => spoofed({ count: 1 + next(5), sourceIp: null, disposition: 'reject' }),
    () =>
      spoofed({ count: 1 + next(5), headerFrom: one('news.example.org', 'x.example.org', 'other.example') }),
    () => ownMail({ count: 1 + next(9), headerFrom: 'news.example.org', sourceIp: '2001:db8::7' }),
    () =>
      ownMail({
        ...{ count: 1 + next(60), dkimDomains: ['amazonses.com'], mailFrom: 'eu-west-1.amazonses.com' },
        ...{ dkim: 'fail', spf: 'fail' },
      }),
    () =>
      ownMail({
        count: 1 + next(60),
        dkimDomains: ['amazonses.com', 'example.org'],
        mailFrom: null,
        spf: 'fail',
      }),
  ];
  const reportOf = (n: number, reporter: string): ReportSummary => {
    const published = steps.findLast(([day]) => day <= n)?.[1] ?? {};
    const changes = one<Partial<ReportSummary>>(
      {},
      {},
      { specification: 'RFC 9990', discoveryMethod: 'treewalk' },
      { reports: 2 },
    );
    const records = Array.from({ length: 1 + next(5) }, () => one(...kinds)(n));
    return reportFrom(reporter, records, { policy: policy(published), ...changes });
  };
  return history(0, last, (n) => {
    const sent = reporters.filter(() => next(5) > 0);
    const forged = reportFrom('forger.example', [spoofed({ count: 500 })], {
      ...{ authenticated: one(false, null), authenticatedDomain: null },
    });
    const below = reportFrom('google.com', [ownMail({ headerFrom: 'a.own.example.org', count: 3 })], {
      policy: policy({ domain: 'own.example.org', p: 'quarantine', sp: 'reject' }),
    });
    return [
      ...sent.map((reporter) => reportOf(n, reporter)),
      ...(next(4) === 0 ? [forged] : []),
      ...(next(4) === 0 ? [below] : []),
    ];
  });
}
