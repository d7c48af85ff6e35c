import { expect, test } from '@jest/globals';
import { zoneOf } from '../../../shared/network/zone-of.ts';

test.each([
  ['example.org', 'example.org'],
  ['s1._domainkey.mail.example.org', 'example.org'],
  ['_dmarc.example.co.uk', 'example.co.uk'],
  ['mail.example.com.au', 'example.com.au'],
  ['mail.google.de', 'google.de'],
  ['2.0.0.127.zen.spamhaus.org', 'spamhaus.org'],
  ['7.2.0.192.in-addr.arpa', '0.192.in-addr.arpa'],
  [`${'1.'.repeat(24)}8.b.d.0.1.0.0.2.ip6.arpa`, '8.b.d.0.1.0.0.2.ip6.arpa'],
  ['victim.info.pl', 'victim.info.pl'],
  ['a.evil.gouv.fr', 'evil.gouv.fr'],
  ['x.abc.de', 'abc.de'],
  ['org', 'org'],
  ['', ''],
])('%s is in %s', (name, zone) => {
  expect(zoneOf(name)).toBe(zone);
});
