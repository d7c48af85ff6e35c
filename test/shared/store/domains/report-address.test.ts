import { expect, test } from '@jest/globals';
import { nextRecord } from '../../../../shared/protocol/dmarc/next-record.ts';
import { findingAudienceOf } from '../../../../shared/store/domains/report-address.ts';

test.each([
  ['example.org', 'reports.example.net', true],
  ['example.org', 'reports.localhost', false],
  ['example.org', 'localhost', false],
  ['good.test', 'reports.localhost', true],
  ['good.test.example.org', 'reports.localhost', false],
  ['example.org', 'notlocalhost', true],
])('records for %s name a mailbox at %s: %s', (domain, reportsDomain, isNamed) => {
  const { mailbox } = findingAudienceOf({ domain, mailbox: 'abc' }, reportsDomain);
  expect(mailbox).toBe(isNamed ? `abc@${reportsDomain}` : undefined);
  const record = nextRecord({ text: null, policyDomain: null }, { domain, mailbox, target: 'none' });
  expect(record).toBe(isNamed ? `v=DMARC1; p=none; rua=mailto:abc@${reportsDomain}` : 'v=DMARC1; p=none');
});
