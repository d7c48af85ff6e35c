import { describe, expect, test } from '@jest/globals';
import {
  decodeSummaries,
  encodeSummaries,
  fold,
  MAX_SUMMARY_BYTES,
} from '../../../shared/reports/dmarc/summary/encoding.ts';
import type { RecordSummary, ReportSummary } from '../../../shared/reports/dmarc/summary/shapes.ts';
import { summaryOf } from '../../../shared/reports/dmarc/summary/summarise.ts';
import { mergeSummaries } from '../../../shared/reports/dmarc/summary/sums.ts';
import type { DmarcRecordRow, DmarcReportHeader } from '../../../shared/reports/report.ts';
import { recorded } from '../../kit/recorded.ts';
import { dmarcReport, randomNumbers, row } from '../../kit/reports.ts';

const summaryOfRows = (rows: readonly DmarcRecordRow[], given: Partial<DmarcReportHeader> = {}) =>
  summaryOf(
    dmarcReport('2026-02-23', [], given).header,
    { authenticated: true, authenticatedDomain: 'reports.reporter.example' },
    rows,
  );

const onlyRecord = (given: Partial<DmarcRecordRow>): RecordSummary | undefined =>
  recorded(summaryOfRows([row(given)]).records[0], summaryOfRows([row()]).records[0]);

describe('the summary of a report', () => {
  test('has what decides DMARC, without selectors and comments', () => {
    const reasons = [
      { type: 'mailing_list', comment: 'arc=pass' },
      { type: 'forwarded', comment: null },
      { type: 'forwarded', comment: 'again' },
      { type: 'made_up', comment: null },
    ];
    expect(summaryOfRows([row({ count: 3, disposition: 'quarantine', spf: 'fail', reasons })])).toEqual({
      reports: 1,
      reporter: 'Reporter',
      specification: 'RFC 7489',
      discoveryMethod: null,
      authenticated: true,
      authenticatedDomain: 'reports.reporter.example',
      policy: {
        ...{ domain: 'example.org', p: 'reject', sp: null, np: null },
        ...{ adkim: 'r', aspf: 'r', pct: 100, testing: false },
      },
      records: [
        {
          sourceIp: '192.0.2.1',
          headerFrom: 'example.org',
          dkimDomains: ['example.org'],
          ...{ mailFrom: 'example.org', spfResult: 'pass', dkim: 'pass', spf: 'fail' },
          disposition: 'quarantine',
          overrides: ['forwarded', 'mailing_list', 'other'],
          count: 3,
        },
      ],
    });
  });

  test('counts messages of large receivers by the selectors of the domain', () => {
    const [own, other] = ['example.org', 'other.example'];
    const signatures = (...all: readonly (readonly [string, string, string])[]) => ({
      dkimResults: all.map(([selector, result, domain]) => ({ selector, result, domain })),
    });
    const rows = [
      row({ count: 3, ...signatures(['S1', 'fail', own], ['s1', 'pass', own], ['s2', 'fail', own]) }),
      row({ count: 4, ...signatures(['s1', 'permerror', own], ['s3', 'pass', other]) }),
      // Forged, or a message that was sent again.
      row({ count: 5, dkim: 'fail', spf: 'fail', ...signatures(['s1', 'fail', own]) }),
      row({ count: 6, dkim: 'pass', spf: 'fail', ...signatures(['s1', 'fail', own], ['s2', 'pass', own]) }),
    ];
    const { header } = dmarcReport('2026-02-23', []);
    const by = (authenticated: boolean, authenticatedDomain: string) =>
      summaryOf(header, { authenticated, authenticatedDomain }, rows, own).signed;
    expect(by(true, 'google.com')).toEqual({ s1: [3, 4], s2: [6, 3] });
    expect([by(true, 'reporter.example'), by(false, 'google.com')]).toEqual([undefined, undefined]);
  });

  test('sums rows that differ only in what it leaves out', () => {
    const dkimResults = (selector: string) => [{ domain: 'example.org', result: 'pass', selector }];
    const rows = ['a', 'b', 'c'].map((selector) => row({ count: 2, dkimResults: dkimResults(selector) }));
    const { records } = summaryOfRows([...rows, row({ sourceIp: '192.0.2.9' })]);
    expect(records.map(({ sourceIp, count }) => [sourceIp, count])).toEqual([
      ['192.0.2.1', 6],
      ['192.0.2.9', 1],
    ]);
  });

  test('names passing signers once, aligned ones first, and at most ten', () => {
    const signer = (domain: string, result = 'pass') => ({ domain, result, selector: null });
    const others = Array.from({ length: 12 }, (_, n) => signer(`esp${n}.example`));
    const dkimResults = [...others, signer('broken.example', 'fail'), signer('mail.example.org'), ...others];
    expect(onlyRecord({ headerFrom: 'news.example.org', dkimResults })?.dkimDomains).toEqual([
      'mail.example.org',
      ...others.slice(0, 9).map(({ domain }) => domain),
    ]);
  });

  test.each([
    [
      'MAIL FROM before HELO',
      { spfResults: [spf('helo', 'a.example'), spf('mfrom', 'b.example')] },
      'b.example',
    ],
    [
      'a result without a scope as MAIL FROM',
      { spfResults: [spf('helo', 'a.example'), spf(null, 'b.example')] },
      'b.example',
    ],
    ['HELO if only that is reported', { spfResults: [spf('helo', 'a.example')] }, 'a.example'],
    ['the stated envelope without a result', { spfResults: [], envelopeFrom: 'c.example' }, 'c.example'],
    ['nothing if nothing is stated', { spfResults: [] }, null],
  ] as const)('takes %s', (_which, given, mailFrom) => {
    expect(onlyRecord(given)?.mailFrom).toBe(mailFrom);
  });

  test.each([
    ['a disposition of RFC 9990', { disposition: 'pass' }, { disposition: 'none' }],
    ['an unknown disposition', { disposition: 'bounce' }, { disposition: 'none' }],
    ['an unknown SPF result', { spfResults: [spf('mfrom', 'a.example', 'maybe')] }, { spfResult: null }],
    ['a source that is no address', { sourceIp: 'unknown' }, { sourceIp: null }],
    ['a From domain that is too long', { headerFrom: 'a'.repeat(300) }, { headerFrom: null }],
  ])('reduces %s to what the RFCs define', (_what, given, expected) => {
    expect(onlyRecord(given)).toMatchObject(expected);
  });

  test.each(['RFC 9990', 'RFC 7489'] as const)(
    'keeps the specification of the report: %s',
    (specification) => {
      expect(summaryOfRows([row()], { specification }).specification).toBe(specification);
    },
  );
});

describe('merged summaries', () => {
  const one = summaryOfRows([row({ count: 2 })]);
  const other = summaryOfRows([row({ count: 5 }), row({ sourceIp: '192.0.2.2' })]);

  test('of the same reporter and policy are one', () => {
    const [merged, ...more] = mergeSummaries([one, other]);
    expect(more).toEqual([]);
    expect(merged?.reports).toBe(2);
    expect(merged?.records.map(({ sourceIp, count }) => [sourceIp, count])).toEqual([
      ['192.0.2.1', 7],
      ['192.0.2.2', 1],
    ]);
  });

  test.each<[string, Partial<ReportSummary>]>([
    ['the reporter', { reporter: 'Another' }],
    ['the authentication', { authenticated: false }],
    ['the authenticated domain', { authenticatedDomain: 'another.example' }],
    ['the policy', { policy: { ...policyOf(one), p: 'none' } }],
  ])('are kept apart by %s', (_what, given) => {
    expect(mergeSummaries([one, { ...one, ...given }])).toHaveLength(2);
  });

  test('stay within safe integers', () => {
    const huge = {
      ...one,
      records: one.records.map((record) => ({ ...record, count: Number.MAX_SAFE_INTEGER })),
    };
    expect(mergeSummaries([huge, huge])[0]?.records[0]?.count).toBe(Number.MAX_SAFE_INTEGER);
  });
});

describe('the encoding', () => {
  test('keeps everything', () => {
    const summaries = [
      summaryOfRows([row({ sourceIp: '10.0.0.1' }), row({ sourceIp: '10.0.0.2', count: 8, spf: 'fail' })]),
      summaryOfRows([row({ sourceIp: '', dkimResults: [], spfResults: [] })], { orgName: 'Another' }),
    ];
    expect(decodeSummaries(encodeSummaries(summaries))).toEqual(summaries);
  });

  test.each([
    ['a usual day of 20 addresses', 20, 1_500],
    ['a day of 1,000 addresses', 1_000, 12_000],
  ])('needs few bytes for %s', (_size, addresses, most) => {
    expect(encodeSummaries([summaryOfRows(rowsFrom(addresses))]).length).toBeLessThan(most);
  });

  test('rejects anything else', () => {
    expect(() => decodeSummaries(Buffer.from('no summaries'))).toThrow();
  });
});

describe('folding', () => {
  test('keeps the selectors with most messages, those first that passed', () => {
    const forged = Array.from({ length: 100 }, (_, at) => [`forged${at}`, [0, 1000]] as const);
    const signed = { ...Object.fromEntries(forged), s1: [1, 0] } as NonNullable<ReportSummary['signed']>;
    const { encoded } = fold([{ ...summaryOfRows([]), signed }]);
    const [kept = {}] = decodeSummaries(encoded).map((one) => one.signed);
    expect([Object.keys(kept).length, kept.s1]).toEqual([50, [1, 0]]);
  });

  test('drops nothing below the bound', () => {
    const summary = summaryOfRows(rowsFrom(100));
    expect(fold([summary]).summaries).toEqual([summary]);
  });

  test('drops the addresses with the fewest messages first, and keeps all sums', () => {
    const bound = MAX_SUMMARY_BYTES / 8;
    const summary = summaryOfRows(rowsFrom(5_000));
    const { summaries, encoded } = fold([summary], bound);
    expect(encoded.length).toBeLessThanOrEqual(bound);
    expect(encoded.length).toBeGreaterThan(0.8 * bound);
    expect(totals(summaries)).toEqual(totals([summary]));
    const records = summaries.flatMap((one) => one.records);
    expect(new Set(records.map(({ headerFrom }) => headerFrom))).toEqual(new Set(['example.org']));
    const kept = records.filter(({ sourceIp }) => sourceIp !== null).map(({ count }) => count);
    const most = Math.max(...kept);
    expect(most).toBe(50);
    expect(kept.length).toBeGreaterThan(600);
    expect(kept.filter((count) => count === most).length).toBeGreaterThan(
      kept.filter((count) => count === Math.min(...kept)).length / 2,
    );
  });

  test('then drops foreign domains, and keeps what aligns', () => {
    const random = randomNumbers(1);
    const rows = Array.from({ length: 20_000 }, () =>
      row({
        dkimResults: [
          { domain: 'example.org', result: 'pass', selector: null },
          { domain: `esp${random(1e9)}.example`, result: 'pass', selector: null },
        ],
      }),
    );
    const { summaries, encoded } = fold([summaryOfRows(rows)]);
    expect(encoded.length).toBeLessThanOrEqual(MAX_SUMMARY_BYTES);
    const records = summaries.flatMap((one) => one.records);
    expect(records.every(({ dkimDomains }) => dkimDomains[0] === 'example.org')).toBe(true);
    const kept = new Set(records.map(({ headerFrom, mailFrom }) => `${headerFrom} ${mailFrom}`));
    expect(kept).toEqual(new Set(['example.org example.org']));
  });

  test('always reaches the bound, also for forged From domains and reporters', () => {
    const random = randomNumbers(2);
    const summaries = Array.from({ length: 3_000 }, () =>
      summaryOfRows(
        Array.from({ length: 3 }, () =>
          row({ headerFrom: `h${random(1e9)}.example.org`, count: 1 + random(9) }),
        ),
        { orgName: `Reporter ${random(1e9)}`, policyDomain: `p${random(1e9)}.example.org` },
      ),
    );
    const { summaries: left, encoded } = fold(summaries, 10_000);
    expect(encoded.length).toBeLessThanOrEqual(10_000);
    expect(totals(left)).toEqual(totals(summaries));
    expect(decodeSummaries(encoded)).toHaveLength(left.length);
  });
});

function spf(scope: string | null, domain: string, result = 'pass') {
  return { scope, domain, result };
}

function policyOf({ policy }: ReportSummary) {
  if (policy === null) throw new Error('the summary has no policy');
  return policy;
}

function rowsFrom(addresses: number): DmarcRecordRow[] {
  const random = randomNumbers(addresses);
  const results = ['pass', 'fail'];
  return Array.from({ length: addresses }, (_, n) =>
    row({
      sourceIp: `198.${18 + (n >> 16)}.${(n >> 8) & 255}.${n & 255}`,
      count: 1 + random(50),
      dkim: results[random(2)] ?? '',
      spf: results[random(2)] ?? '',
    }),
  );
}

function totals(summaries: readonly ReportSummary[]) {
  const records = summaries.flatMap((one) => one.records);
  const count = (some: readonly RecordSummary[]) => some.reduce((sum, record) => sum + record.count, 0);
  return {
    reports: summaries.reduce((sum, { reports }) => sum + reports, 0),
    messages: count(records),
    passed: count(records.filter(({ dkim, spf }) => dkim === 'pass' || spf === 'pass')),
    dkim: count(records.filter(({ dkim }) => dkim === 'pass')),
  };
}
