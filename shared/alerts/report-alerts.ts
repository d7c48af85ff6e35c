/** Which alerts a report that was stored is an occasion for. */
import { createHash } from 'node:crypto';
import { legible } from '../protocol/legible.ts';
import type { AlertDraft } from './alert.ts';

/** What the rules look at; times in ISO form. */
export interface ReportFacts {
  readonly kind: 'dmarc' | 'tls';
  /** The id under which the report is stored. */
  readonly id: string;
  /** The domain of the mailbox. */
  readonly domain: string;
  /** As the report names it: foreign text, of any script. */
  readonly reporter: string;
  readonly dateRangeBegin: string;
  readonly dateRangeEnd: string;
  readonly receivedAt: string;
  /** Messages of a DMARC report; sessions of a TLS report. */
  readonly passed: number;
  readonly failed: number;
  /** Whether the mail that brought it proved its sender; null where that could not be found out. */
  readonly authenticated: boolean | null;
}

/** Fewer messages than these tell nothing. */
const MIN_MESSAGES = 10;
/** Above this share of failures someone should look. */
const MAX_FAILING_SHARE = 0.05;
/** Characters of a reporter's name inside a sentence. */
const MAX_NAME = 80;

/** `new_report` for the first report of a reporter on a day, `report_failure` for a DMARC report with many failures. */
export function alertsOfReport(report: ReportFacts): readonly AlertDraft[] {
  return [newReport(report), ...(hasManyFailures(report) ? [reportFailure(report)] : [])];
}

function hasManyFailures({ kind, passed, failed }: ReportFacts): boolean {
  const messages = passed + failed;
  return kind === 'dmarc' && messages >= MIN_MESSAGES && failed / messages > MAX_FAILING_SHARE;
}

function newReport(report: ReportFacts): AlertDraft {
  const { kind, domain } = report;
  const reporter = legible(report.reporter, MAX_NAME);
  const day = report.receivedAt.slice(0, 10);
  const word = kind === 'dmarc' ? 'DMARC' : 'TLS';
  const counted = kind === 'dmarc' ? 'messages' : 'sessions';
  return {
    type: 'new_report',
    severity: 'info',
    title: `New ${word} report for ${domain}`,
    message: `${reporter} sent a ${word} report about ${report.passed + report.failed} ${counted}, ${report.failed} of which failed.${caveat(report)}`,
    metadata: metadataOf(report),
    occasion: `new_report#${kind}#${day}#${shortHash(report.reporter.toLowerCase())}`,
  };
}

function reportFailure(report: ReportFacts): AlertDraft {
  const { passed, failed, domain } = report;
  const messages = passed + failed;
  const share = ((100 * failed) / messages).toFixed(1);
  return {
    type: 'report_failure',
    severity: 'warning',
    title: `DMARC failures for ${domain}`,
    message: `${failed} of ${messages} messages (${share} %) that ${legible(report.reporter, MAX_NAME)} saw failed DMARC.${caveat(report)}`,
    metadata: { ...metadataOf(report), failureRate: Math.round((10_000 * failed) / messages) / 100 },
    occasion: `report_failure#${report.id}`,
  };
}

/** Anyone can mail a report in anyone's name, which counts unless such mail is set aside. */
function caveat({ authenticated }: ReportFacts): string {
  return authenticated === true ? '' : ' It is not proven who sent this report.';
}

/** Data, not text: the reporter is named as the list of reports names it. */
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
