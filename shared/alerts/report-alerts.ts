/** Alerts that a stored report raises. */

import { createHash } from 'node:crypto';
import { organizationalDomain } from '../protocol/domain-name.ts';
import { printable } from '../protocol/printable.ts';
import { formatNumber, pluralize } from '../protocol/quantity.ts';
import { type ReportAlertDraft, SILENCE_DAYS } from './alert.ts';

/** The input of the rules; times in ISO form. */
export interface ReportFacts {
  readonly reportType: 'dmarc' | 'tls';
  /** The id of the stored report. */
  readonly reportId: string;
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
  /** The domain of that sender; null if it was not authenticated. */
  readonly authenticatedDomain: string | null;
}

/** The maximum number of characters of a reporter's name in a sentence. */
const MAX_NAME = 80;

/**
 * `new_report` for a reporter's first report of a kind, and `report_failure` for the first TLS report of the day in which
 * sessions fail: mail that was not delivered, or that an attacker kept from TLS. Failing mail in DMARC reports raises
 * alerts when days are rolled up (`enforcement/sender-alerts.ts`), because one report does not show a cause.
 */
export function alertsOfReport(report: ReportFacts): readonly ReportAlertDraft[] {
  const hasFailedSessions = report.reportType === 'tls' && report.authenticated === true && report.failed > 0;
  return [newReport(report), ...(hasFailedSessions ? [tlsFailure(report)] : [])];
}

function newReport(report: ReportFacts): ReportAlertDraft {
  const { reportType: kind, domain, authenticatedDomain, passed, failed } = report;
  const word = kind === 'dmarc' ? 'DMARC' : 'TLS';
  const counted = pluralize(passed + failed, kind === 'dmarc' ? 'message' : 'session');
  // Anyone can state the name of a known reporter, so names and authenticated domains are kept apart.
  const who =
    authenticatedDomain === null
      ? `name ${report.reporter.toLowerCase()}`
      : `domain ${organizationalDomain(authenticatedDomain)}`;
  return {
    type: 'new_report',
    severity: 'info',
    title: `New ${word} reporter: ${domain}`,
    message: `${reporterOf(report)} sent a ${word} report for the first time in ${SILENCE_DAYS} days, about ${counted}, of which ${formatNumber(failed)} failed.${caveat(report)}`,
    metadata: { ...metadataOf(report), reporterDomain: authenticatedDomain },
    dedupeKey: `new_report#${kind}#${shortHash(who)}`,
    againAfterSilence: true,
  };
}

function tlsFailure(report: ReportFacts): ReportAlertDraft {
  const { passed, failed, domain } = report;
  const all = passed + failed;
  const rate = Math.round((10_000 * failed) / all) / 100;
  return {
    type: 'report_failure',
    severity: 'warning',
    title: `TLS failures: ${domain}`,
    message: `${formatNumber(failed)} of ${pluralize(all, 'session')} (${rate === 0 ? '< 0.01' : rate} %) reported by ${reporterOf(report)} could not use TLS as required.`,
    metadata: { about: 'tls-report', ...metadataOf(report), failureRate: rate },
    dedupeKey: `report_failure#tls#${report.receivedAt.slice(0, 10)}#authenticated`,
  };
}

const reporterOf = ({ reporter }: ReportFacts): string => printable(reporter, MAX_NAME);

/** Anyone can forge a report mail, and such a report counts unless unauthenticated mail is set aside. */
function caveat({ authenticated }: ReportFacts): string {
  return authenticated === true ? '' : ' The sender of this report was not authenticated.';
}

/** Data, not text: the reporter is written as in the list of reports. */
function metadataOf(report: ReportFacts) {
  const { domain: _domain, receivedAt: _receivedAt, authenticatedDomain: _from, ...metadata } = report;
  return metadata;
}

const shortHash = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 32);
