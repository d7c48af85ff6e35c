/** Stores the reports read from a mail or a file for a domain, and records the outcome of each of them. */
import type { NotificationSettings } from '../alerts/notification.ts';
import { alertsOfReport } from '../alerts/report-alerts.ts';
import { canonicalName, isLookupName } from '../protocol/domain-name.ts';
import { excerpt } from '../protocol/findings/excerpt.ts';
import { isLargeReceiver } from '../reports/large-receivers.ts';
import { domainsOf, ownPart } from '../reports/own-part.ts';
import type { DmarcReading, DmarcRecordRow, ReportReading, TlsReading } from '../reports/report.ts';
import { describe } from '../reports/warnings.ts';
import type { AlertStore, AlertsAlongside } from '../store/alerts/alerts.ts';
import { eventWrites } from '../store/alerts/pending.ts';
import type { SeenSelectorStore } from '../store/check-runs/seen-selectors.ts';
import type { DomainReference } from '../store/domains/domains.ts';
import type { ItemStore } from '../store/items.ts';
import type { ReportKind } from '../store/keys.ts';
import type { RateStore } from '../store/rates/rates.ts';
import {
  type Arrival,
  type CommitOutcome,
  keyTime,
  type ReceivedReport,
  reportUuid,
  type StoredCounts,
} from '../store/reports/commit.ts';
import type { RollUp } from '../store/reports/days.ts';
import type { DmarcReportStore } from '../store/reports/dmarc-reports.ts';
import type {
  MailOutcome,
  MailOutcomeKind,
  MailOutcomeStore,
  ReportMail,
} from '../store/reports/mail-outcomes.ts';
import type { ReportReference } from '../store/reports/stored-report.ts';
import type { TlsReportStore } from '../store/reports/tls-reports.ts';
import { combine, type TransactionPart } from '../store/table.ts';
import { alertQuota } from './quotas.ts';

export interface ReportStores {
  readonly dmarcReports: DmarcReportStore;
  readonly tlsReports: TlsReportStore;
  readonly outcomes: MailOutcomeStore;
  readonly selectors: SeenSelectorStore;
  readonly alerts: AlertStore;
  readonly rates: RateStore;
  readonly items: Pick<ItemStore, 'getMany'>;
  /** Requests that reports are rolled up, now or later. If that never happens, reading them only costs more. */
  readonly rollUp: (domain: DomainReference, rollUp: RollUp) => Promise<void>;
}

/** How the reports arrived and how to handle them. */
export interface IngestContext {
  readonly domain: DomainReference;
  readonly arrival: Omit<Arrival, 'warnings'>;
  /** Whether reports from unauthenticated senders count. */
  readonly unauthenticated: 'count' | 'set-aside';
  /** Whether reports that the owner deleted are stored again; by default, they are not. */
  readonly restoresDeleted?: boolean;
  /** Whether to raise alerts; not for an archive of old reports. */
  readonly alerts: boolean;
  /** Where events about new reports are sent, if anywhere. */
  readonly notifications?: NotificationSettings;
  /** The mail, if its only outcome is to be stored together with its report. */
  readonly mail?: Omit<ReportMail, 'outcomes'>;
}

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
): Promise<Ingested | undefined> {
  const work: IngestSession = { stores, now, ingested: new Set(), isMailStored: false };
  const outcomes = new Map<ReportReading, MailOutcome>();
  // Of two reports with the same id, the one without records is stored second, whatever its position.
  for (const reading of [...readings.filter((one) => !isBare(one)), ...readings.filter(isBare)]) {
    const outcome = await ingestOne(reading, context, work);
    if (outcome === undefined) return undefined;
    outcomes.set(reading, outcome);
  }
  const inOrder = readings.flatMap((reading) => outcomes.get(reading) ?? []);
  return { outcomes: inOrder, isMailStored: work.isMailStored };
}

interface Ingested {
  readonly outcomes: readonly MailOutcome[];
  /** Whether the mail was stored with its outcome, which `context.mail` asks for. */
  readonly isMailStored: boolean;
}

/** A DMARC report without records. Does not apply to TLS reports, whose ids include the domains of their policies. */
export function isBare(reading: ReportReading): boolean {
  return reading.outcome === 'dmarc' && reading.counts.records === 0;
}

interface IngestSession {
  readonly stores: ReportStores;
  readonly now: Date;
  /** Ids of the reports of this mail that are already stored. */
  readonly ingested: Set<string>;
  isMailStored: boolean;
}

async function ingestOne(
  reading: ReportReading,
  context: IngestContext,
  work: IngestSession,
): Promise<MailOutcome | undefined> {
  const judged = judge(reading, context);
  if (!('own' in judged)) return judged;
  // A mail that is read again may replace its own reports; two reports in one mail never replace each other.
  const mayReplace = context.arrival.rawKey !== null && !work.ingested.has(judged.report.id);
  const stored = await storeReport(judged, mayReplace, context, work);
  const outcome = outcomeOf(stored, judged);
  if (outcome === judged.accepted) work.ingested.add(judged.report.id);
  return outcome;
}

/** The part of a report that is about the domain, and its outcome if it is stored. */
export interface Judged {
  readonly own: DmarcReading | TlsReading;
  readonly report: ReportReference;
  readonly accepted: MailOutcome;
}

/** A report that is to be stored, or why it is not. */
export function judge(
  reading: ReportReading,
  { domain, arrival, unauthenticated }: Pick<IngestContext, 'domain' | 'arrival' | 'unauthenticated'>,
): Judged | MailOutcome {
  const outcome = outcomesOf(reading);
  if (reading.outcome === 'failure')
    return outcome('failure-report', 'it is a failure report about a single message');
  if (!('identity' in reading)) return outcome(reading.outcome, reading.detail);

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
  const { warnings } = own;
  const accepted =
    warnings.length === 0
      ? outcome('accepted', null, report)
      : outcome('accepted-with-warnings', warnings.slice(0, MAX_WARNINGS).map(describe).join('; '), report);
  return { own, report, accepted };
}

const outcomesOf =
  ({ source }: Pick<ReportReading, 'source'>) =>
  (kind: MailOutcomeKind, reason: string | null, report: ReportReference | null = null): MailOutcome => ({
    kind,
    source: source.slice(0, MAX_SOURCE),
    reason: reason === null ? null : reason.slice(0, MAX_REASON),
    report,
  });

/** What became of a report that was to be stored. Undefined if the domain was removed. */
export function outcomeOf(
  { status }: Pick<CommitOutcome, 'status'>,
  { own, report, accepted }: Judged,
): MailOutcome | undefined {
  const outcome = outcomesOf(own);
  if (status === 'domain-gone') return undefined;
  if (status === 'expired') return outcome('expired', 'the report period is older than the retention period');
  if (status === 'duplicate') return outcome('duplicate', 'the same report is already stored', report);
  if (status === 'deleted') return outcome('duplicate', 'the same report was deleted', report);
  if (status === 'conflict') {
    const reason = 'a different report with the same ID and period is already stored';
    return outcome('conflict', isBare(own) ? `it has no records, and ${reason}` : reason, report);
  }
  return accepted;
}

const kinds = { dmarc: 'DMARC', tls: 'TLS' } as const satisfies Record<
  (DmarcReading | TlsReading)['outcome'],
  ReportKind
>;

function referenceTo(
  { outcome, report, identity }: DmarcReading | TlsReading,
  domain: DomainReference,
): ReportReference {
  const kind = kinds[outcome];
  const id = reportUuid(kind, domain.id, identity);
  return { kind, id, begin: keyTime(report.dateRangeBegin), contentHash: identity.contentHash };
}

/** Stores a report together with its alerts, the selectors that it names, and the outcome of its mail. */
async function storeReport(
  { own, accepted }: Judged,
  mayReplace: boolean,
  context: IngestContext,
  work: IngestSession,
): Promise<CommitOutcome> {
  const { domain, arrival } = context;
  const { stores } = work;
  let alerts: AlertsAlongside | undefined;
  let isWithMail = false;
  const selectors = new SelectorsOfReport(domain.domain, own.report.dateRangeBegin.slice(0, 10));
  const alongside = (counts: StoredCounts): TransactionPart => {
    const ofAlerts = alertsAlongside(own, counts, context, work);
    alerts = ofAlerts;
    isWithMail = counts.isWhole && context.mail !== undefined;
    const isProven = isLargeReceiver(arrival.authenticatedDomain ?? null);
    return combine([
      ofAlerts,
      eventAlongside(own, counts, context, work),
      stores.selectors.alongsideReports(domain, selectors.seen, {
        isProven,
        // That a reporter still sends is noted first.
        mayWait: ofAlerts.hasWrites,
      }),
      ...(context.mail === undefined || !isWithMail
        ? []
        : [stores.outcomes.alongsideReport(domain, { ...context.mail, outcomes: [accepted] })]),
    ]);
  };
  const { identity, warnings } = own;
  const { restoresDeleted = false } = context;
  const received = {
    identity,
    mayReplace,
    restoresDeleted,
    alongside,
    arrival: { ...arrival, warnings: warnings.length },
  };
  const committed = await (own.outcome === 'dmarc'
    ? storeDmarc(own, received, selectors, context, work)
    : stores.tlsReports.store(domain, own.report, received, work.now));
  if (committed.isWritten) {
    alerts?.raised();
    work.isMailStored ||= isWithMail;
  }
  if (committed.rollUp !== null) await stores.rollUp(domain, committed.rollUp);
  return committed;
}

async function storeDmarc(
  { report, eachRecords }: DmarcReading,
  received: ReceivedReport,
  selectors: SelectorsOfReport,
  { domain, arrival }: IngestContext,
  { stores, now }: IngestSession,
): Promise<CommitOutcome> {
  const writer = stores.dmarcReports.begin(domain, report, received);
  await eachRecords((rows) => {
    writer.add(rows);
    if (arrival.authenticated !== false) selectors.add(rows);
  });
  return writer.commit(now);
}

const MAX_SELECTORS_OF_REPORT = 20;

/** The selectors of verified signatures by the domain itself. */
export class SelectorsOfReport {
  /** With the day of the report. */
  readonly seen = new Map<string, string>();
  readonly #domain: string;
  readonly #day: string;

  constructor(domain: string, day: string) {
    this.#domain = domain;
    this.#day = day;
  }

  add(rows: readonly DmarcRecordRow[]): void {
    for (const { domain, selector, result } of rows.flatMap(({ dkimResults }) => dkimResults)) {
      if (result !== 'pass' || domain !== this.#domain || this.seen.size >= MAX_SELECTORS_OF_REPORT) continue;
      const name = canonicalName(selector ?? '');
      if (/^[a-z0-9_][a-z0-9._-]*$/.test(name) && isLookupName(`${name}._domainkey.${domain}`))
        this.seen.set(name, this.#day);
    }
  }
}

/** The event that a report was stored, if the organization's webhook receives such events. */
function eventAlongside(
  own: DmarcReading | TlsReading,
  counts: StoredCounts,
  { domain, notifications }: IngestContext,
  { now }: IngestSession,
): TransactionPart {
  const draft = { type: 'report.received', ...factsOf(own, counts) } as const;
  return {
    reads: [],
    writes: () => (notifications === undefined ? [] : eventWrites(domain, draft, notifications, now)),
  };
}

/** What an event and alerts say about a report. */
const factsOf = ({ outcome, report }: DmarcReading | TlsReading, { id, passed, failed }: StoredCounts) => ({
  reportType: outcome,
  reportId: id,
  reporter: report.kind === 'dmarc' ? report.orgName : report.organizationName,
  dateRangeBegin: report.dateRangeBegin,
  dateRangeEnd: report.dateRangeEnd,
  passed,
  failed,
});

/** The alerts that a report raises, unless those of its kind are used up for the day. */
function alertsAlongside(
  own: DmarcReading | TlsReading,
  counts: StoredCounts,
  context: IngestContext,
  { stores, now }: IngestSession,
): AlertsAlongside {
  const { domain, arrival } = context;
  const receivedAt = arrival.receivedAt.toISOString();
  const drafts = alertsOfReport({
    ...factsOf(own, counts),
    receivedAt,
    domain: domain.domain,
    authenticated: arrival.authenticated,
    authenticatedDomain: arrival.authenticatedDomain ?? null,
  });
  return stores.alerts.alongsideReport(
    domain,
    context.alerts ? drafts : [],
    { day: receivedAt.slice(0, 10), quota: alertQuota(arrival.authenticated) },
    now,
  );
}
