import { noReportedMail, type ReportedMail } from '../../shared/fixes/facts.ts';
import { type FixFormat, writeFixes } from '../../shared/fixes/formats.ts';
import { makePlan, type Plan } from '../../shared/fixes/plan.ts';
import type { DomainCheck } from './check-domain.ts';

export interface FixOptions {
  /** The address that aggregate reports are to be sent to. Without one, no change names an address. */
  readonly reportAddress?: string;
  /** What reports show of the mail of the domain. Default: nothing is known. */
  readonly mail?: ReportedMail;
}

/**
 * Plans the changes of DNS records that improve a domain. Each change is proven by a prediction over the lookups of the check, so
 * nothing is asked of the network. Only changes of the class `safe` cannot hurt mail.
 */
export function planFixes(
  { domain, usageType, evidence }: Pick<DomainCheck, 'domain' | 'usageType' | 'evidence'>,
  { reportAddress: mailbox, mail = noReportedMail }: FixOptions = {},
): Promise<Plan> {
  return makePlan({ domain, usageType, mailbox, mail, ...evidence });
}

/** Writes the safe changes of a plan as a zone file, a change batch of Route 53, or Terraform resources. */
export const writePlan = (plan: Plan, format: FixFormat): string => writeFixes(plan, format);
