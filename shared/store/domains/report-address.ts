import { isWithin } from '../../protocol/domain-name.ts';
import type { FindingAudience } from '../../protocol/findings/finding.ts';
import type { Domain } from './domain.ts';

/** The email address at which the service receives the reports for a domain. */
export const reportAddress = ({ mailbox }: Pick<Domain, 'mailbox'>, reportsDomain: string): string =>
  `${mailbox}@${reportsDomain}`;

/**
 * The same for records to publish; undefined if reporters cannot reach it: names below `localhost` exist only on this
 * machine (RFC 6761 section 6.3), as do the domains of the example internet, below `test`.
 */
export const publishedReportAddress = (
  domain: Pick<Domain, 'domain' | 'mailbox'>,
  reportsDomain: string,
): string | undefined =>
  isWithin(reportsDomain, 'localhost') && !isWithin(domain.domain, 'test')
    ? undefined
    : reportAddress(domain, reportsDomain);

/** The domain as the owner of findings, whose fixes name its report mailbox. */
export const findingAudienceOf = (
  domain: Pick<Domain, 'domain' | 'mailbox'>,
  reportsDomain: string,
): FindingAudience => ({
  domain: domain.domain,
  mailbox: publishedReportAddress(domain, reportsDomain),
});
