import { describe, expect, test } from '@jest/globals';
import { seenAt } from '../../../shared/monitoring/seen-at.ts';
import { tlsFailures } from '../../../shared/monitoring/tls-failures.ts';
import type { TlsFailureDetail, TlsReportPolicy } from '../../../shared/reports/report.ts';
import type { ChecksEntry } from '../../../shared/store/check-runs/history.ts';
import { policy } from '../../kit/reports.ts';
import { mxHost, mxResult, perfectResults, unknownResults } from '../../kit/results.ts';

const expired = {
  id: 'mx-certificate-expired',
  subject: '192.0.2.25',
  severity: 'warning',
  arguments: { host: 'mx1.example.org', ip: '192.0.2.25', date: '2026-02-01' },
} as const;

const detail = (given: Partial<TlsFailureDetail> = {}): TlsFailureDetail => ({
  resultType: 'certificate-expired',
  sendingMtaIp: '198.51.100.1',
  receivingMxHostname: 'mx1.example.org',
  receivingMxHelo: null,
  receivingIp: null,
  failedSessionCount: 3,
  additionalInformation: null,
  failureReasonCode: null,
  ...given,
});

const report = (
  day: string,
  failureDetails: readonly TlsFailureDetail[],
  given: Partial<TlsReportPolicy> = {},
) => ({
  report: {
    organizationName: 'Sender',
    dateRangeBegin: `${day}T00:00:00.000Z`,
    dateRangeEnd: `${day}T23:59:59.000Z`,
  },
  policies: [policy({ failureDetails, ...given })],
});

const nothing = { recordsAdded: [], recordsRemoved: [], findingsAdded: [], findingsRemoved: [], omitted: 0 };

/** The certificate had expired until 10 March, when it was renewed and the MTA-STS record changed. */
const results = perfectResults('sends-and-receives');
const entries: readonly ChecksEntry[] = [
  {
    at: '2026-03-10T08:00:00.000Z',
    changes: [
      { ...nothing, check: 'mx', previousState: 'warning', newState: 'pass', findingsRemoved: [expired] },
      {
        ...{ ...nothing, check: 'mtaSts', previousState: 'pass', newState: 'pass' },
        recordsAdded: ['v=STSv1; id=20250101T000000'],
        recordsRemoved: ['v=STSv1; id=1'],
      },
    ],
  },
  { at: '2026-03-01T08:00:00.000Z', changes: [] },
];
const known = { results, entries };

describe('what checks saw', () => {
  test('is the latest results with later changes undone', () => {
    expect(seenAt('mx', '2026-03-11T00:00:00.000Z', known)?.findings).toEqual([]);
    expect(seenAt('mx', '2026-03-05T00:00:00.000Z', known)?.findings).toEqual([expired]);
    expect(seenAt('mtaSts', '2026-03-11T00:00:00.000Z', known)?.records).toEqual([
      'v=STSv1; id=20250101T000000',
    ]);
    expect(seenAt('mtaSts', '2026-03-05T00:00:00.000Z', known)?.records).toEqual(['v=STSv1; id=1']);
  });

  test('are no notices', () => {
    const findings = [expired, { ...expired, severity: 'notice' as const }];
    const warned = { entries, results: { ...results, mx: mxResult({ findings }) } };
    expect(seenAt('mx', '2026-03-11T00:00:00.000Z', warned)?.findings).toEqual([expired]);
  });

  test('is not known before the first check run', () => {
    expect(seenAt('mx', '2026-02-28T00:00:00.000Z', known)).toBeUndefined();
  });

  test('is not known while lookups fail', () => {
    const failing = { entries, results: { ...results, mx: unknownResults().mx } };
    expect(seenAt('mx', '2026-03-11T00:00:00.000Z', failing)).toBeUndefined();
    const [found] = tlsFailures([report('2026-03-12', [detail()], { mxHost: [] })], failing);
    expect(found?.published).toEqual({ mx: undefined, mtaSts: ['v=STSv1; id=20250101T000000'] });
  });
});

describe('failures of TLS reports', () => {
  test('are summed by type, host and sender, with the period and what the sender says', () => {
    const remark = detail({ additionalInformation: 'see our page', failureReasonCode: 'expired' });
    const found = tlsFailures(
      [report('2026-03-04', [remark]), report('2026-03-03', [detail(), remark])],
      known,
    );
    expect(found).toMatchObject([
      {
        ...{ resultType: 'certificate-expired', host: 'mx1.example.org', sender: 'Sender', sessions: 9 },
        ...{ from: '2026-03-03T00:00:00.000Z', to: '2026-03-04T23:59:59.000Z' },
        ...{ policyType: 'sts', remarks: ['expired', 'see our page'] },
        published: { mx: ['10 mx1.example.org', '20 mx2.example.org'], mtaSts: ['v=STSv1; id=1'] },
      },
    ]);
  });

  const causeOf = (day: string, given: Partial<TlsFailureDetail>, of: Partial<TlsReportPolicy> = {}) =>
    tlsFailures([report(day, [detail(given)], { mxHost: [], ...of })], known)[0]?.cause;

  test('name the finding of that time that explains them', () => {
    expect(causeOf('2026-03-04', {})).toEqual({ kind: 'finding', findings: [expired] });
    expect(causeOf('2026-03-12', {})).toEqual({ kind: 'unexplained' });
    expect(causeOf('2026-03-04', { resultType: 'starttls-not-supported' })).toEqual({ kind: 'unexplained' });
  });

  test('do not take a finding about another host for the cause', () => {
    expect(causeOf('2026-03-04', { receivingMxHostname: 'mx9.example.net' })).toEqual({
      kind: 'unexplained',
    });
    expect(
      causeOf('2026-03-04', { receivingMxHostname: 'mx9.example.net', receivingIp: '192.0.2.25' }),
    ).toEqual({ kind: 'finding', findings: [expired] });
  });

  test('name a policy that does not list the host', () => {
    const applied = { policyString: ['version: STSv1', 'mode: enforce', 'mx: *.mail.example.org'] };
    expect(causeOf('2026-03-12', { resultType: 'validation-failure' }, applied)).toEqual({
      kind: 'not-in-policy',
      patterns: ['*.mail.example.org'],
    });
    expect(causeOf('2026-03-12', {}, { ...applied, policyType: 'tlsa' })).toEqual({ kind: 'unexplained' });
  });

  test('name a certificate that had expired by then', () => {
    const hosts = [mxHost('mx1.example.org', 10, { certificateExpiry: '2026-03-11T00:00:00.000Z' })];
    const expiring = { entries, results: { ...results, mx: mxResult({ hosts }) } };
    const [found] = tlsFailures([report('2026-03-12', [detail()], { mxHost: [] })], expiring);
    expect(found?.cause).toEqual({ kind: 'certificate-expired', expiry: '2026-03-11T00:00:00.000Z' });
  });

  test('say so if no check ran then', () => {
    expect(causeOf('2026-02-01', {})).toEqual({ kind: 'unchecked' });
    expect(tlsFailures([report('2026-03-04', [detail()], { mxHost: [] })], undefined)[0]).toMatchObject({
      cause: { kind: 'unchecked' },
      published: { mx: undefined, mtaSts: undefined },
    });
  });
});
