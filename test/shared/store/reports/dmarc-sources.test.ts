import { describe, expect, test } from '@jest/globals';
import type { ReportSummary } from '../../../../shared/reports/dmarc/summary/shapes.ts';
import { summaryOf } from '../../../../shared/reports/dmarc/summary/summarise.ts';
import type { DmarcRecordRow } from '../../../../shared/reports/report.ts';
import { sourcesOf } from '../../../../shared/store/reports/dmarc-sources.ts';
import { arrival, dmarcReport, randomNumbers, row } from '../../../kit/reports.ts';

const { header } = dmarcReport('2026-01-01');

const dayOf = (...reports: readonly (readonly DmarcRecordRow[])[]): ReportSummary[] =>
  reports.map((rows) => summaryOf(header, arrival, rows));

const over = (days: Readonly<Record<string, readonly ReportSummary[]>>) =>
  sourcesOf(
    'example.org',
    Object.entries(days).map(([day, summaries]) => ({ day, summaries })),
  );

describe('the sources of a window', () => {
  test('add up over rows, reports and days, with the first and the last day of each', async () => {
    const first = dayOf(
      [row({ count: 3 }), row({ count: 2, dkim: 'fail', spf: 'fail', disposition: 'reject' })],
      [row({ count: 5, spf: 'fail' })],
    );
    const { sources, others } = await over({
      '2026-01-01': first,
      '2026-01-03': dayOf([row({ disposition: 'quarantine' })]),
    });
    expect(sources).toEqual([
      {
        address: '192.0.2.1',
        messages: 11,
        passed: 9,
        dkimAligned: 9,
        spfAligned: 4,
        quarantined: 1,
        rejected: 2,
        authenticatedAs: null,
        firstSeen: '2026-01-01',
        lastSeen: '2026-01-03',
      },
    ]);
    expect(others.messages).toBe(0);
  });

  test('are sorted by messages, then by address', async () => {
    const day = dayOf([
      row({ sourceIp: '192.0.2.9' }),
      row({ sourceIp: '192.0.2.3' }),
      row({ sourceIp: '::1', count: 2 }),
    ]);
    expect((await over({ '2026-01-01': day })).sources.map(({ address }) => address)).toEqual([
      '::1',
      '192.0.2.3',
      '192.0.2.9',
    ]);
  });

  test.each([
    [
      'the signature of an operator',
      { dkimResults: [{ domain: 'sendgrid.net', result: 'pass', selector: 's' }] },
      'sendgrid.net',
    ],
    [
      'the envelope of an operator',
      { spfResults: [{ domain: 'amazonses.com', result: 'pass', scope: null }] },
      'amazonses.com',
    ],
    [
      'nothing, if only names of the domain itself occur',
      { spfResults: [{ domain: 'a.example.org', result: 'pass', scope: null }] },
      null,
    ],
    [
      'nothing, if only names above the domain occur',
      { dkimResults: [{ domain: 'org', result: 'pass', selector: 's' }] },
      null,
    ],
    [
      'nothing, if the signature failed',
      { dkimResults: [{ domain: 'sendgrid.net', result: 'fail', selector: 's' }] },
      null,
    ],
    [
      'nothing, if the name is absurdly long',
      { dkimResults: [{ domain: 'a'.repeat(500), result: 'pass', selector: 's' }] },
      null,
    ],
  ])('are named after %s', async (_what, given, name) => {
    expect((await over({ '2026-01-01': dayOf([row(given)]) })).sources[0]?.authenticatedAs).toBe(name);
  });

  test.each(['', 'not an address', '__proto__'])(
    'without a valid address (%j) are counted as others',
    async (sourceIp) => {
      const { sources, others } = await over({ '2026-01-01': dayOf([row({ sourceIp, count: 4 })]) });
      expect([sources, others.messages]).toEqual([[], 4]);
    },
  );

  test('beyond the number listed per day are counted as others, and nothing is lost', async () => {
    const random = randomNumbers(7);
    let sent = 0;
    const reports = Array.from({ length: 5 }, () =>
      Array.from({ length: 400 }, () => {
        const count = 1 + random(5);
        sent += count;
        return row({ sourceIp: `10.0.${random(8)}.${random(256)}`, count });
      }),
    );
    const loud = row({ sourceIp: '192.0.2.250', count: 1000 });
    const { sources, others } = await over({ '2026-01-01': dayOf(...reports, [loud]) });
    expect(sources.length).toBe(500);
    expect(sources[0]).toMatchObject({ address: '192.0.2.250', messages: 1000 });
    expect(sources.reduce((sum, { messages }) => sum + messages, others.messages)).toBe(sent + 1000);
  });
});
