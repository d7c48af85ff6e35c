/** Alerts that a stored report raises. */
import { createHash } from 'node:crypto';
import { printable } from '../protocol/printable.ts';
import type { ReportAlertDraft } from './alert.ts';

/** The input of the rules; times in ISO form. */
export interface ReportFacts {
  readonly kind: 'dmarc' | 'tls';
  /** The id of the stored report. */
  readonly id: string;
  /** The domain of the mailbox. */
  readonly domain: string;
  /** As stated in the report: untrusted text in any script. */
  readonly reporter: string;
  readonly dateRangeBegin: string;
  readonly dateRangeEnd: string;
  readonly receivedAt: string;
  /** Messages of a DMARC report; sessions of a TLS report. */
  readonly passed: number;
  readonly failed: number;
  /** Whether the sender of the mail was authenticated; null if unknown. */
  readonly authenticated: boolean | null;
}

/** Reports with fewer messages raise no failure alert. */
const MIN_MESSAGES = 10;
/** A higher share of failures raises an alert. */
const MAX_FAILING_SHARE = 0.05;
/** The maximum number of characters of a reporter's name in a sentence. */
const MAX_NAME = 80;

/**
 * `new_report` for a reporter's first report of the day, `report_failure` for a DMARC report with many failures, and for the
 * first TLS report of the day in which sessions fail: mail that was not delivered, or that an attacker kept from TLS.
 */
export function alertsOfReport(report: ReportFacts): readonly ReportAlertDraft[] {
  if (report.kind === 'tls') return [newReport(report), ...(report.failed > 0 ? [tlsFailure(report)] : [])];
  return [newReport(report), ...(hasManyFailures(report) ? [reportFailure(report)] : [])];
}

function hasManyFailures({ passed, failed }: ReportFacts): boolean {
  const messages = passed + failed;
  return messages >= MIN_MESSAGES && failed / messages > MAX_FAILING_SHARE;
}

function newReport(report: ReportFacts): ReportAlertDraft {
  const { kind, domain } = report;
  const reporter = printable(report.reporter, MAX_NAME);
  const day = report.receivedAt.slice(0, 10);
  const word = kind === 'dmarc' ? 'DMARC' : 'TLS';
  const counted = kind === 'dmarc' ? 'messages' : 'sessions';
  return {
    type: 'new_report',
    severity: 'info',
    title: `New ${word} report: ${domain}`,
    message: `${reporter} sent a ${word} report about ${report.passed + report.failed} ${counted}, of which ${report.failed} failed.${caveat(report)}`,
    metadata: metadataOf(report),
    dedupeKey: `new_report#${kind}#${day}#${shortHash(report.reporter.toLowerCase())}`,
  };
}

function reportFailure(report: ReportFacts): ReportAlertDraft {
  return failure(report, {
    title: 'DMARC failures',
    failed: 'messages',
    means: 'failed DMARC',
    dedupeKey: `report_failure#${report.id}`,
  });
}

/** A forged report does not use up the alert of the day. */
function tlsFailure(report: ReportFacts): ReportAlertDraft {
  const share = report.authenticated === true ? 'authenticated' : 'other';
  return failure(report, {
    title: 'TLS failures',
    failed: 'sessions',
    means: 'could not use TLS as required',
    dedupeKey: `report_failure#tls#${report.receivedAt.slice(0, 10)}#${share}`,
  });
}

function failure(
  report: ReportFacts,
  text: Readonly<Record<'title' | 'failed' | 'means' | 'dedupeKey', string>>,
): ReportAlertDraft {
  const { passed, failed, domain } = report;
  const all = passed + failed;
  const percentage = ((100 * failed) / all).toFixed(1);
  return {
    type: 'report_failure',
    severity: 'warning',
    title: `${text.title}: ${domain}`,
    message: `${failed} of ${all} ${text.failed} (${percentage}%) reported by ${printable(report.reporter, MAX_NAME)} ${text.means}.${caveat(report)}`,
    metadata: { ...metadataOf(report), failureRate: Math.round((10_000 * failed) / all) / 100 },
    dedupeKey: text.dedupeKey,
  };
}

/** Anyone can forge a report mail, and such a report counts unless unauthenticated mail is set aside. */
function caveat({ authenticated }: ReportFacts): string {
  return authenticated === true ? '' : ' The sender of this report was not authenticated.';
}

/** Data, not text: the reporter is written as in the list of reports. */
function metadataOf(report: ReportFacts) {
  const { kind, id, reporter, dateRangeBegin, dateRangeEnd, passed, failed, authenticated } = report;
  return {
    reportType: kind,
    reportId: id,
    reporter,
    dateRangeBegin,
    dateRangeEnd,
    passed,
    failed,
    authenticated,
  };
}

const shortHash = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 32);
