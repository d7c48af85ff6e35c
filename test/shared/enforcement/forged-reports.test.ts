import { describe, expect, test } from '@jest/globals';
import type { DaySummary, RecordSummary } from '../../../shared/reports/dmarc/summary/shapes.ts';
import {
  assessed,
  atQuarantine,
  broken,
  type Given,
  quarantineRecord as record,
  steady,
  TODAY,
} from '../../kit/readiness.ts';
import {
  dayNumber,
  history,
  newsletter,
  ownMail,
  policy,
  report,
  reportFrom,
  spoofed,
} from '../../kit/report-history.ts';

describe('what is not authenticated', () => {
  const failing = (share: number) => [
    ownMail({ count: 100 - share }),
    ownMail({ count: share, dkim: 'fail', spf: 'fail', dkimDomains: [], spfResult: 'fail' }),
  ];
  const forgeries: readonly (readonly [string, (n: number) => RecordSummary])[] = [
    ['100,000 passing messages a day', () => ownMail({ count: 100_000 })],
    ['11 failing messages of an address in SPF', () => spoofed({ count: 11, sourceIp: '192.0.2.77' })],
    ['mail that fails', () => ownMail({ count: 100_000, dkim: 'fail', spf: 'fail' })],
    ['mail of a sender that once passed', () => newsletter({ count: 5000, dkim: 'pass' })],
    [
      'forwarded mail that fails',
      () => ownMail({ count: 9000, dkim: 'fail', spf: 'fail', overrides: ['forwarded'] }),
    ],
    ['mail on some days', (n) => (n < 350 ? newsletter({ count: 100_000 }) : ownMail())],
  ];
  const worlds: readonly (readonly [string, readonly DaySummary[], Given])[] = [
    ['a domain that is ready', steady(() => [ownMail()]), {}],
    ['a domain with 9 % real failures', steady(() => failing(9)), {}],
    ['a domain at quarantine', steady(() => [ownMail()], atQuarantine), { record }],
    ['a domain without reports', [], {}],
    ['a domain without a check run', steady(() => [ownMail()]), { isChecked: false }],
    ['a parked domain', steady(() => [spoofed()]), { usageType: 'parked' }],
    ['a domain at its first day of quarantine', steady(() => [ownMail()]), { record }],
  ];
  /** What decides, and what is shown as a decision. */
  const decided = async (days: readonly DaySummary[], given: Given) => {
    const { stage, readiness, target, measures } = await assessed(days, given);
    return { stage, readiness, target, lastStep: measures.lastStep };
  };

  test.each(worlds)('changes nothing about %s', async (_, days, given) => {
    const without = await decided(days, given);
    for (const [at, [, record]] of forgeries.entries()) {
      const authenticated = at % 2 === 0 ? false : null;
      const p = (['none', 'quarantine', 'reject'] as const)[at % 3] ?? 'none';
      const forged = history(0, TODAY, (n) => [
        report([record(n)], { authenticated, authenticatedDomain: null, policy: policy({ p }) }),
        ...(days.find(({ day }) => day === dayNumber(n))?.summaries ?? []),
      ]);
      expect(await decided(forged, given)).toEqual(without);
    }
  });

  test('does not hide that 9 % fail, and neither do authenticated reports of anyone but large receivers', async () => {
    expect(await broken(steady(() => failing(9)))).toEqual(['Approved mail that passes']);
    const days = steady(() => failing(9)).map(({ day, summaries }) => ({
      day,
      summaries: [...summaries, reportFrom('forger.example', [ownMail({ count: 100_000 })])],
    }));
    expect(await broken(days)).toEqual(['Approved mail that passes']);
    const sign = newsletter({ dkim: 'pass', count: 1 });
    const hidden = days.map(({ day, summaries }) => ({
      day,
      summaries: [...summaries, report([newsletter({ count: 9 }), sign])],
    }));
    expect(await broken(hidden)).toContain('Senders without a decision that look legitimate');
  });
});
