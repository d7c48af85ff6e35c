/** What reports of the days before a check run said, with hashes of the mails that brought them. */
import type { ReportFigures } from '../../evidence/document.ts';
import { daysBefore } from '../../reports/day.ts';
import type { DmarcReportStore } from '../../store/reports/dmarc-reports.ts';
import type { MailOutcomeStore } from '../../store/reports/mail-outcomes.ts';

const DAYS = 30;
/** More than most domains get in that time. */
const MAX_MAILS = 200;

export async function reportFigures(
  domainId: string,
  checkedAt: string,
  { reports, mails }: { reports: Pick<DmarcReportStore, 'timeline'>; mails: Pick<MailOutcomeStore, 'list'> },
  now: Date,
): Promise<ReportFigures> {
  const to = checkedAt.slice(0, 10);
  const from = daysBefore(to, DAYS);
  const window = { from, until: checkedAt };
  const [days, found] = await Promise.all([
    reports.timeline(domainId, { from, to }, now),
    mails.list(domainId, { window, page: 1, limit: MAX_MAILS }, now),
  ]);
  const listed = found === 'too-many' ? { mails: [], hasMore: true } : found;
  return {
    ...{ from, to, days, isPartial: listed.hasMore },
    mails: listed.mails.map(({ receivedAt, sha256 = null, authentication }) => ({
      receivedAt: receivedAt.toISOString(),
      sha256,
      isAuthenticated: authentication?.authenticated ?? null,
    })),
  };
}
