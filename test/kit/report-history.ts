/** Days of record summaries as reporters would send them about `example.org`. */
import type {
  DaySummary,
  PublishedPolicy,
  RecordSummary,
  ReportSummary,
} from '../../shared/reports/dmarc/summary/shapes.ts';

export const owner = 'example.org';

/** A day, counted from 2026-01-01. */
export const dayNumber = (n: number): string => new Date(Date.UTC(2026, 0, 1 + n)).toISOString().slice(0, 10);

export const policy = (changes: Partial<PublishedPolicy> = {}): PublishedPolicy => ({
  domain: owner,
  p: 'none',
  sp: null,
  np: null,
  adkim: 'r',
  aspf: 'r',
  pct: 100,
  testing: false,
  ...changes,
});

/** Mail that the owner's own server sends and signs. */
export const ownMail = (changes: Partial<RecordSummary> = {}): RecordSummary => ({
  sourceIp: '192.0.2.1',
  headerFrom: owner,
  dkimDomains: [owner],
  mailFrom: owner,
  spfResult: 'pass',
  dkim: 'pass',
  spf: 'pass',
  disposition: 'none',
  overrides: [],
  count: 100,
  ...changes,
});

/** Mail of a newsletter service that signs as itself only. */
export const newsletter = (changes: Partial<RecordSummary> = {}): RecordSummary =>
  ownMail({
    sourceIp: '198.51.100.10',
    dkimDomains: ['news.example.net'],
    mailFrom: 'bounce.news.example.net',
    dkim: 'fail',
    spf: 'fail',
    ...changes,
  });

/** Mail that a forwarder relays: the signature survives, SPF does not. */
export const forwarded = (changes: Partial<RecordSummary> = {}): RecordSummary =>
  ownMail({ sourceIp: '203.0.113.77', mailFrom: 'forwarder.example', spf: 'fail', ...changes });

/** Mail of someone who only writes the domain into From. */
export const spoofed = (changes: Partial<RecordSummary> = {}): RecordSummary =>
  ownMail({
    sourceIp: '203.0.113.200',
    dkimDomains: [],
    mailFrom: 'spoofer.example',
    spfResult: 'fail',
    dkim: 'fail',
    spf: 'fail',
    ...changes,
  });

export const report = (
  records: readonly RecordSummary[],
  changes: Partial<ReportSummary> = {},
): ReportSummary => ({
  reporter: 'google.com',
  specification: 'RFC 7489',
  discoveryMethod: null,
  authenticated: true,
  authenticatedDomain: 'google.com',
  policy: policy(),
  reports: 1,
  records,
  ...changes,
});

/** A report that a mail from this domain brought, whatever it says about its author. */
export const reportFrom = (
  authenticatedDomain: string,
  records: readonly RecordSummary[],
  changes: Partial<ReportSummary> = {},
): ReportSummary => report(records, { reporter: authenticatedDomain, authenticatedDomain, ...changes });

/** One day for each number from `first` to `last`, with the summaries that `of` returns. */
export function history(
  first: number,
  last: number,
  of: (n: number) => readonly ReportSummary[],
): DaySummary[] {
  return Array.from({ length: last - first + 1 }, (_, index) => ({
    day: dayNumber(first + index),
    summaries: of(first + index),
  }));
}
