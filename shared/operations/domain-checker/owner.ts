import type { UsageType } from '../../checks/state.ts';
import type { ReportedMail } from '../../fixes/facts.ts';
import type { Domain } from '../../store/domains/domain.ts';
import { publishedReportAddress } from '../../store/domains/report-address.ts';
import { type ReportedMailStores, reportedMail } from '../fixes/reported-mail.ts';

/** The owner of a registered domain, with what only the owner may see. */
export interface VerifiedOwner {
  readonly organization: string;
  readonly mailbox: string | undefined;
  readonly mail: ReportedMail;
}

/**
 * What the owner of `domain` may see, for a check of it with a token and for this usage type. Anybody can register a name:
 * only verification proves an owner, so there is none before.
 */
export async function verifiedOwnerOf(
  domain: Domain,
  usageType: UsageType,
  { reportsDomain, ...stores }: ReportedMailStores & { readonly reportsDomain: string },
  now: Date,
): Promise<VerifiedOwner | null> {
  if (!domain.verified) return null;
  return {
    organization: domain.organization,
    mailbox: publishedReportAddress(domain, reportsDomain),
    mail: await reportedMail({ ...domain, usageType }, stores, now),
  };
}
