/** Stores the reports read from a mail or a file for a domain, and records the outcome of each of them. */
import { alertsOfReport } from '../alerts/report-alerts.ts';
import { canonicalName, isLookupName } from '../protocol/domain-name.ts';
import { excerpt } from '../protocol/findings/excerpt.ts';
import { domainsOf, ownPart } from '../reports/own-part.ts';
import type { DmarcReading, DmarcRecordRow, ReportReading, TlsReading } from '../reports/report.ts';
import { describe } from '../reports/warnings.ts';
import type { DomainReference } from '../store/domains/domains.ts';
import { type CommitStatus, keyTime, reportUuid } from '../store/reports/commit.ts';
import type { MailOutcome, MailOutcomeKind } from '../store/reports/mail-outcomes.ts';
import type { ReportReference } from '../store/reports/withdrawal.ts';
import type { IngestContext, ReportStores } from './context.ts';
import { raiseWithinQuota } from './quotas.ts';

/** How many warnings an outcome keeps, and the length of its texts: all outcomes of a mail are one item. */
const MAX_WARNINGS = 10;
const MAX_REASON = 1_000;
const MAX_SOURCE = 500;

/**
 * Stores the reports. Idempotent: repeating it with the same mail gives the same outcomes, and nothing counts twice.
 * Undefined if the domain was removed.
 */
export async function ingestReports(
  readings: readonly ReportReading[],
  context: IngestContext,
  stores: ReportStores,
  now: Date,
): Promise<readonly MailOutcome[] | undefined> {
  const ingested = new Set<string>();
  const outcomes = new Map<ReportReading, MailOutcome>();
  // Of two reports with the same id, the one without records is stored second, whatever its position.
  for (const reading of [...readings.filter((one) => !isBare(one)), ...readings.filter(isBare)]) {
    const outcome = await ingestOne(reading, context, { stores, now, ingested });
    if (outcome === undefined) return undefined;
    outcomes.set(reading, outcome);
  }
  return readings.flatMap((reading) => outcomes.get(reading) ?? []);
}

/** A DMARC report without records. Does not apply to TLS reports, whose ids include the domains of their policies. */
function isBare(reading: ReportReading): boolean {
  return reading.outcome === 'dmarc' && reading.counts.records === 0;
}

interface Work {
  readonly stores: ReportStores;
  readonly now: Date;
  /** Ids of the reports of this mail that are already stored. */
  readonly ingested: Set<string>;
}

/** The result of storing a report. */
interface Stored {
  readonly status: CommitStatus;
  readonly passed: number;
  readonly failed: number;
  readonly reporter: string;
  /** The DKIM selectors that the domain's mail was signed with. */
  readonly selectors: ReadonlySet<string>;
}

async function ingestOne(
  reading: ReportReading,
  context: IngestContext,
  work: Work,
): Promise<MailOutcome | undefined> {
  const outcome = (kind: MailOutcomeKind, reason: string | null, report: ReportReference | null = null) => ({
    kind,
    source: reading.source.slice(0, MAX_SOURCE),
    reason: reason === null ? null : reason.slice(0, MAX_REASON),
    report,
  });
  if (reading.outcome === 'failure')
    return outcome('failure-report', 'it is a failure report about a single message');
  if (reading.outcome !== 'dmarc' && reading.outcome !== 'tls')
    return outcome(reading.outcome, reading.detail);

  const { domain, arrival, unauthenticated } = context;
  const own = ownPart(reading, domain.domain);
  if (own === undefined)
    return outcome('wrong-domain', `the report is about ${excerpt(domainsOf(reading)[0] ?? '', 255)}`);
  if (unauthenticated === 'set-aside' && arrival.authenticated !== true) {
    return outcome(
      'set-aside',
      arrival.authenticated === null
        ? 'the sender of the mail could not be authenticated, because a DNS lookup failed'
        : 'the sender of the mail is not authenticated',
    );
  }

  const report = referenceTo(own, domain);
  // A mail that is read again may replace its own reports; two reports in one mail never replace each other.
  const mayReplace = arrival.rawKey !== null && !work.ingested.has(report.id);
  const stored = await (own.outcome === 'dmarc'
    ? storeDmarc(own, mayReplace, context, work)
    : storeTls(own, mayReplace, context, work));
  if (stored.status === 'domain-gone') return undefined;
  if (stored.status === 'expired')
    return outcome('expired', 'the report period is older than the retention period');
  if (stored.status === 'duplicate') return outcome('duplicate', 'the same report is already stored', report);
  if (stored.status === 'conflict') {
    const reason = 'a different report with the same ID and period is already stored';
    return outcome('conflict', isBare(own) ? `it has no records, and ${reason}` : reason, report);
  }
  work.ingested.add(report.id);
  if (stored.selectors.size > 0 && arrival.authenticated !== false) {
    const day = own.report.dateRangeBegin.slice(0, 10);
    await work.stores.selectors.remember(domain, stored.selectors, day);
  }
  if (context.alerts) await raiseAlerts(own, { ...stored, id: report.id }, context, work);
  const { warnings } = own;
  return warnings.length === 0
    ? outcome('accepted', null, report)
    : outcome('accepted-with-warnings', warnings.slice(0, MAX_WARNINGS).map(describe).join('; '), report);
}

function referenceTo(
  { outcome, report, identity }: DmarcReading | TlsReading,
  domain: DomainReference,
): ReportReference {
  const kind = outcome === 'dmarc' ? 'DMARC' : 'TLS';
  const id = reportUuid(kind, domain.id, identity);
  return { kind, id, begin: keyTime(report.dateRangeBegin), contentHash: identity.contentHash };
}

async function storeDmarc(
  { report, identity, warnings, eachRecords }: DmarcReading,
  mayReplace: boolean,
  { domain, arrival }: IngestContext,
  { stores, now }: Work,
): Promise<Stored> {
  const writer = stores.dmarcReports.begin(domain, report, {
    ...{ identity, mayReplace },
    arrival: { ...arrival, warnings: warnings.length },
  });
  const selectors = new Set<string>();
  await eachRecords((rows) => {
    writer.add(rows);
    for (const row of rows) collectSelectors(row, domain.domain, selectors);
  });
  const { status, counts } = await writer.commit(now);
  return {
    ...{ status, selectors, reporter: report.orgName },
    passed: counts.passed,
    failed: counts.messages - counts.passed,
  };
}

/** Collects the selectors of verified signatures by the domain itself. */
function collectSelectors({ dkimResults }: DmarcRecordRow, domain: string, into: Set<string>): void {
  for (const { domain: signer, selector, result } of dkimResults) {
    if (result !== 'pass' || signer !== domain || into.size >= MAX_SELECTORS_OF_REPORT) continue;
    const name = canonicalName(selector ?? '');
    if (/^[a-z0-9_][a-z0-9._-]*$/.test(name) && isLookupName(`${name}._domainkey.${domain}`)) into.add(name);
  }
}

const MAX_SELECTORS_OF_REPORT = 20;

async function storeTls(
  { report, identity, warnings }: TlsReading,
  mayReplace: boolean,
  { domain, arrival }: IngestContext,
  { stores, now }: Work,
): Promise<Stored> {
  const { status, counts } = await stores.tlsReports.store(
    domain,
    report,
    { identity, mayReplace, arrival: { ...arrival, warnings: warnings.length } },
    now,
  );
  return {
    ...{ status, selectors: new Set<string>(), reporter: report.organizationName },
    passed: counts.successful,
    failed: counts.failed,
  };
}

async function raiseAlerts(
  { outcome, report }: DmarcReading | TlsReading,
  { id, passed, failed, reporter }: Stored & { readonly id: string },
  context: IngestContext,
  { stores, now }: Work,
): Promise<void> {
  const { domain, arrival } = context;
  const { dateRangeBegin, dateRangeEnd } = report;
  const alerts = alertsOfReport({
    ...{ kind: outcome, id, reporter, dateRangeBegin, dateRangeEnd, passed, failed },
    domain: domain.domain,
    receivedAt: arrival.receivedAt.toISOString(),
    authenticated: arrival.authenticated,
  });
  for (const alert of alerts) await raiseWithinQuota(alert, context, stores, now);
}
