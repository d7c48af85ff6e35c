import type { Domain } from './domain.ts';

/** The email address at which the service receives the reports for a domain. */
export const reportAddress = ({ mailbox }: Pick<Domain, 'mailbox'>, reportsDomain: string): string =>
  `${mailbox}@${reportsDomain}`;
