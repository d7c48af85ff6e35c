/** From what was read in a mail or a file to what is stored about a domain, and the outcome of each thing in it. */
import { alertsOfReport } from '../alerts/report-alerts.ts';
import { canonicalName, isLookupName, isWithin } from '../protocol/domain-name.ts';
import { excerpt } from '../protocol/findings/excerpt.ts';
import type { DmarcReading, DmarcRecordRow, ReportOutcome, TlsReading } from '../reports/report.ts';
import { describe } from '../reports/warnings.ts';
import type { AlertStore } from '../store/alerts/alerts.ts';
import type { DomainReference } from '../store/domains/domains.ts';
import type { SeenSelectorStore } from '../store/looks/seen-selectors.ts';
import type { RateStore } from '../store/rates/rates.ts';
import { type Arrival, type CommitStatus, keyTime, reportUuid } from '../store/reports/commit.ts';
import type { DmarcReportStore } from '../store/reports/dmarc-reports.ts';
import type { MailOutcome, MailOutcomeKind, MailOutcomeStore } from '../store/reports/mail-outcomes.ts';
import type { TlsReportStore } from '../store/reports/tls-reports.ts';
import type { ReportReference } from '../store/reports/withdrawal.ts';
import { raiseWithinQuota } from './quotas.ts';

export interface ReportStores {
  readonly dmarcReports: DmarcReportStore;
  readonly tlsReports: TlsReportStore;
  readonly outcomes: MailOutcomeStore;
  readonly selectors: SeenSelectorStore;
  readonly alerts: AlertStore;
  readonly rates: RateStore;
}

/** How the reports came, and what is to be done with them. */
export interface Taking {
  readonly domain: DomainReference;
  readonly arrival: Omit<Arrival, 'warnings'>;
  /** Whether reports in mails whose sender is not proven count. */
  readonly unauthenticated: 'count' | 'set-aside';
  /** Whether anyone wants to be told; nobody does of an archive of old reports. */
  readonly alerts: boolean;
}

/** Sentences about deviations that an outcome keeps, and the length of texts: the outcomes of a mail are one item. */
const MAX_WARNINGS = 10;
const MAX_REASON = 1_000;
const MAX_SOURCE = 500;

/**
 * Stores what was read. May be done again with the same mail at any time: it ends with the same outcomes and nothing
 * counts twice. Undefined where the domain is gone.
 */
export async function takeReports(
  readings: readonly ReportOutcome[],
  taking: Taking,
  stores: ReportStores,
  now: Date,
): Promise<readonly MailOutcome[] | undefined> {
  const taken = new Set<string>();
  const outcomes = new Map<ReportOutcome, MailOutcome>();
  // Of two reports that claim to be the same, one without records is the second, wherever it stands.
  for (const reading of [...readings.filter((one) => !isBare(one)), ...readings.filter(isBare)]) {
    const outcome = await takeOne(reading, taking, { stores, now, taken });
    if (outcome === undefined) return undefined;
    outcomes.set(reading, outcome);
  }
  return readings.flatMap((reading) => outcomes.get(reading) ?? []);
}

/** The key of a TLS report holds the domains of its policies, so that no other one has it where there are none. */
function isBare(reading: ReportOutcome): boolean {
  return reading.outcome === 'dmarc' && reading.counts.records === 0;
}

interface Work {
  readonly stores: ReportStores;
  readonly now: Date;
  /** Ids of reports that this mail brought already. */
  readonly taken: Set<string>;
}

/** What storing a report came to. */
interface Stored {
  readonly status: CommitStatus;
  readonly passed: number;
  readonly failed: number;
  readonly reporter: string;
  /** DKIM selectors with which the domain's mail was signed. */
  readonly selectors: ReadonlySet<string>;
}

async function takeOne(reading: ReportOutcome, taking: Taking, work: Work): Promise<MailOutcome | undefined> {
  const outcome = (kind: MailOutcomeKind, reason: string | null, report: ReportReference | null = null) => ({
    kind,
    source: reading.source.slice(0, MAX_SOURCE),
    reason: reason === null ? null : reason.slice(0, MAX_REASON),
    report,
  });
  if (reading.outcome === 'failure') return outcome('failure-report', 'it is about a single message');
  if (reading.outcome !== 'dmarc' && reading.outcome !== 'tls')
    return outcome(reading.outcome, reading.detail);

  const { domain, arrival, unauthenticated } = taking;
  const foreign = domainsOf(reading).find((name) => !isWithin(name, domain.domain));
  if (foreign !== undefined) return outcome('wrong-domain', `it is about ${excerpt(foreign, 255)}`);
  if (unauthenticated === 'set-aside' && arrival.authenticated !== true) {
    return outcome(
      'set-aside',
      arrival.authenticated === null
        ? 'whether the mail is from whom it says could not be found out'
        : 'the mail is not proven to be from whom it says',
    );
  }

  const report = referenceTo(reading, domain);
  // A mail that is here a second time brings what it brought; two reports in one mail are two.
  const mayReplace = arrival.rawKey !== null && !work.taken.has(report.id);
  const stored = await (reading.outcome === 'dmarc'
    ? storeDmarc(reading, mayReplace, taking, work)
    : storeTls(reading, mayReplace, taking, work));
  if (stored.status === 'domain-gone') return undefined;
  if (stored.status === 'expired') return outcome('expired', 'its period ended before what is kept');
  if (stored.status === 'duplicate') return outcome('duplicate', 'the same report is stored already', report);
  if (stored.status === 'conflict') {
    const reason = 'another report of the same id and period is stored';
    return outcome('conflict', isBare(reading) ? `it holds no records, and ${reason}` : reason, report);
  }
  work.taken.add(report.id);
  if (stored.selectors.size > 0 && arrival.authenticated !== false) {
    const day = reading.report.dateRangeBegin.slice(0, 10);
    await work.stores.selectors.remember(domain, stored.selectors, day);
  }
  if (taking.alerts) await raiseAlerts(reading, { ...stored, id: report.id }, taking, work);
  const { warnings } = reading;
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

/** The domains that a report says it is about; one that does not say counts for the mailbox it came to. */
function domainsOf(reading: DmarcReading | TlsReading): readonly string[] {
  if (reading.outcome === 'dmarc') return [reading.report.policyDomain];
  return reading.report.policies.map(({ policyDomain }) => policyDomain).filter((name) => name !== '');
}

async function storeDmarc(
  { report, identity, warnings, eachRecords }: DmarcReading,
  mayReplace: boolean,
  { domain, arrival }: Taking,
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

/** Selectors whose keys were there: a signature of the domain itself that verified. */
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
  { domain, arrival }: Taking,
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
  taking: Taking,
  { stores, now }: Work,
): Promise<void> {
  const { domain, arrival } = taking;
  const { dateRangeBegin, dateRangeEnd } = report;
  const alerts = alertsOfReport({
    ...{ kind: outcome, id, reporter, dateRangeBegin, dateRangeEnd, passed, failed },
    domain: domain.domain,
    receivedAt: arrival.receivedAt.toISOString(),
    authenticated: arrival.authenticated,
  });
  for (const alert of alerts) await raiseWithinQuota(alert, taking, stores, now);
}
