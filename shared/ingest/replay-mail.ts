/** Reads a stored report mail again. */
import type { MailOutcome, ReportMail } from '../store/reports/mail-outcomes.ts';
import type { ReportStores } from './context.ts';
import { ingestReportMail, type MailContext, type MailDependencies, readReportMail } from './ingest-mail.ts';

/** `message-gone`: the message is no longer stored. `domain-gone`: the domain was removed. */
export type Replayed = readonly MailOutcome[] | 'message-gone' | 'domain-gone';

/** The new results of the mail replace its earlier ones. Can be repeated at any time. */
export async function replayReportMail(
  mail: ReportMail,
  { raw, dns }: Pick<MailDependencies, 'raw' | 'dns'>,
  context: MailContext,
  into: { readonly stores: ReportStores; readonly now: Date },
): Promise<Replayed> {
  const read = await readReportMail(mail, { raw, dns });
  if (read === undefined) return 'message-gone';
  return (await ingestReportMail(mail, read, context, into)) ?? 'domain-gone';
}
