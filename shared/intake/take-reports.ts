/** From what was read in a mail or a file to what is stored about a domain, and the outcome of each thing in it. */
import { alertsOfReport } from '../alerts/report-alerts.ts';
import { canonicalName, isLookupName, isWithin } from '../protocol/domain-name.ts';
import type { DmarcReading, DmarcRecordRow, ReportOutcome, TlsReading } from '../reports/report.ts';
import { describe } from '../reports/warnings.ts';
import type { AlertStore } from '../store/alerts.ts';
import type { DmarcReportStore } from '../store/dmarc-reports.ts';
import type { DomainReference } from '../store/domains.ts';
import type { MailOutcome, MailOutcomeKind, MailOutcomeStore } from '../store/mail-outcomes.ts';
import type { Arrival, CommitStatus } from '../store/report-commit.ts';
import type { SeenSelectorStore } from '../store/seen-selectors.ts';
import type { TlsReportStore } from '../store/tls-reports.ts';

export interface ReportStores {
  readonly dmarcReports: DmarcReportStore;
  readonly tlsReports: TlsReportStore;
  readonly outcomes: MailOutcomeStore;
  readonly selectors: SeenSelectorStore;
  readonly alerts: AlertStore;
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

/** Sentences about deviations that an outcome keeps, and the length of any reason. */
const MAX_WARNINGS = 10;
const MAX_REASON = 2_000;

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
  const outcomes: MailOutcome[] = [];
  for (const reading of readings) {
    const outcome = await takeOne(reading, taking, { stores, now, taken });
    if (outcome === undefined) return undefined;
    outcomes.push(outcome);
  }
  return outcomes;
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
  readonly id: string;
  readonly passed: number;
  readonly failed: number;
  readonly reporter: string;
  /** DKIM selectors with which the domain's mail was signed. */
  readonly selectors: ReadonlySet<string>;
}

async function takeOne(reading: ReportOutcome, taking: Taking, work: Work): Promise<MailOutcome | undefined> {
  const outcome = (kind: MailOutcomeKind, reason: string | null, reportId: string | null = null) => ({
    kind,
    source: reading.source,
    reason: reason === null ? null : reason.slice(0, MAX_REASON),
    reportId,
  });
  if (reading.outcome === 'failure') return outcome('failure-report', 'it is about a single message');
  if (reading.outcome !== 'dmarc' && reading.outcome !== 'tls')
    return outcome(reading.outcome, reading.detail);

  const { domain, arrival, unauthenticated } = taking;
  const foreign = domainsOf(reading).find((name) => !isWithin(name, domain.domain));
  if (foreign !== undefined) return outcome('wrong-domain', `it is about ${foreign}`);
  if (unauthenticated === 'set-aside' && arrival.authenticated !== true) {
    return outcome(
      'set-aside',
      arrival.authenticated === null
        ? 'whether the mail is from whom it says could not be found out'
        : 'the mail is not proven to be from whom it says',
    );
  }

  const stored = await (reading.outcome === 'dmarc'
    ? storeDmarc(reading, taking, work)
    : storeTls(reading, taking, work));
  if (stored.status === 'domain-gone') return undefined;
  if (stored.status === 'expired') return outcome('expired', 'its period ended before what is kept');
  if (stored.status !== 'stored' && !(await isOwn(reading, stored.id, taking, work))) {
    const reason =
      stored.status === 'duplicate'
        ? 'the same report is stored already'
        : 'another report of the same id and period is stored';
    return outcome(stored.status, reason, stored.id);
  }
  work.taken.add(stored.id);
  if (stored.selectors.size > 0 && arrival.authenticated !== false) {
    const day = reading.report.dateRangeBegin.slice(0, 10);
    await work.stores.selectors.remember(domain, stored.selectors, day);
  }
  if (taking.alerts) await raiseAlerts(reading, stored, taking, work);
  const { warnings } = reading;
  return warnings.length === 0
    ? outcome('accepted', null, stored.id)
    : outcome('accepted-with-warnings', warnings.slice(0, MAX_WARNINGS).map(describe).join('; '), stored.id);
}

/** The domains that a report says it is about; one that does not say counts for the mailbox it came to. */
function domainsOf(reading: DmarcReading | TlsReading): readonly string[] {
  if (reading.outcome === 'dmarc') return [reading.report.policyDomain];
  return reading.report.policies.map(({ policyDomain }) => policyDomain).filter((name) => name !== '');
}

async function storeDmarc(
  { report, identity, warnings, eachRecords }: DmarcReading,
  { domain, arrival }: Taking,
  { stores, now }: Work,
): Promise<Stored> {
  const writer = stores.dmarcReports.begin(domain, report, {
    identity,
    arrival: { ...arrival, warnings: warnings.length },
  });
  const selectors = new Set<string>();
  await eachRecords((rows) => {
    writer.add(rows);
    for (const row of rows) collectSelectors(row, domain.domain, selectors);
  });
  const { status, id, counts } = await writer.commit(now);
  return {
    ...{ status, id, selectors, reporter: report.orgName },
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
  { domain, arrival }: Taking,
  { stores, now }: Work,
): Promise<Stored> {
  const { status, id, counts } = await stores.tlsReports.store(
    domain,
    report,
    { identity, arrival: { ...arrival, warnings: warnings.length } },
    now,
  );
  return {
    ...{ status, id, selectors: new Set<string>(), reporter: report.organizationName },
    passed: counts.successful,
    failed: counts.failed,
  };
}

/** Whether a report that is stored already came with this very mail, which is here a second time. */
async function isOwn(
  { outcome, report }: DmarcReading | TlsReading,
  id: string,
  { domain, arrival }: Taking,
  { stores, taken }: Work,
): Promise<boolean> {
  if (arrival.rawKey === null || taken.has(id)) return false;
  const kind = outcome === 'dmarc' ? 'DMARC' : 'TLS';
  const broughtBy = await stores.outcomes.broughtBy(kind, domain.id, { begin: report.dateRangeBegin, id });
  return broughtBy === arrival.rawKey;
}

async function raiseAlerts(
  { outcome, report }: DmarcReading | TlsReading,
  { id, passed, failed, reporter }: Stored,
  { domain, arrival }: Taking,
  { stores, now }: Work,
): Promise<void> {
  const { dateRangeBegin, dateRangeEnd } = report;
  const alerts = alertsOfReport({
    ...{ kind: outcome, id, reporter, dateRangeBegin, dateRangeEnd, passed, failed },
    domain: domain.domain,
    receivedAt: arrival.receivedAt.toISOString(),
  });
  for (const alert of alerts) await stores.alerts.raise(domain, alert, now);
}
