import { expect, test } from '@jest/globals';
import { requireMailDomains } from '../../../../lib/cloud/activation/mail-domains.ts';

const MX = 'inbound-smtp.eu-west-1.amazonaws.com';

const check = (status: string, hosts: readonly string[]) =>
  requireMailDomains(['reports.example.org'], 'eu-west-1', {
    verification: async () => status,
    mailHosts: async () => hosts,
  });

test('mail arrives if SES has verified the domain, and its MX record leads to SES', async () => {
  await expect(check('SUCCESS', ['other.example', MX.toUpperCase()])).resolves.toBeUndefined();
});

test.each([
  ['PENDING', [MX], 'SES has not verified reports.example.org (PENDING): its DKIM records are missing'],
  ['SUCCESS', [], `the MX record of reports.example.org is not ${MX}`],
  ['SUCCESS', ['inbound-smtp.us-east-1.amazonaws.com'], `the MX record of reports.example.org is not ${MX}`],
  ['FAILED', [], 'is missing; the MX record'.replace('is missing', 'are missing')],
])('%s with %j says what is wrong', async (status, hosts, message) => {
  await expect(check(status, hosts)).rejects.toThrow(message);
});
