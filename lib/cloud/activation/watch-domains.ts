/** Runs on a schedule and fails while mail to one of the domains does not reach SES. An alarm counts the failures. */
import { resolveMx } from 'node:dns/promises';
import { GetEmailIdentityCommand, SESv2Client } from '@aws-sdk/client-sesv2';
import { requireMailDomains } from './mail-domains.ts';

const NO_RECORDS = ['ENODATA', 'ENOTFOUND'];

export function handler(): Promise<void> {
  const { MAIL_DOMAINS = '', AWS_REGION = '' } = process.env;
  const ses = new SESv2Client();
  return requireMailDomains(MAIL_DOMAINS.split(','), AWS_REGION, {
    async verification(domain) {
      const { VerificationStatus } = await ses.send(new GetEmailIdentityCommand({ EmailIdentity: domain }));
      return VerificationStatus ?? 'UNKNOWN';
    },
    async mailHosts(domain) {
      try {
        return (await resolveMx(domain)).map(({ exchange }) => exchange.replace(/\.$/, ''));
      } catch (error) {
        if (NO_RECORDS.includes((error as NodeJS.ErrnoException).code ?? '')) return [];
        throw error;
      }
    },
  });
}
