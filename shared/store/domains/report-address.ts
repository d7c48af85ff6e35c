import type { FindingAudience } from '../../protocol/findings/finding.ts';
import type { Domain } from './domain.ts';

/** The email address at which the service receives the reports for a domain. */
export const reportAddress = ({ mailbox }: Pick<Domain, 'mailbox'>, reportsDomain: string): string =>
  `${mailbox}@${reportsDomain}`;

/** The domain as the owner of findings, whose fixes name its report mailbox. */
export const findingAudienceOf = (
  domain: Pick<Domain, 'domain' | 'mailbox'>,
  reportsDomain: string,
): FindingAudience => ({
  domain: domain.domain,
  mailbox: reportAddress(domain, reportsDomain),
});
