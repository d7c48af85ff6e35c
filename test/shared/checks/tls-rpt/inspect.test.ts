import { expect, test } from '@jest/globals';
import { inspectTlsRpt } from '../../../../shared/checks/tls-rpt/inspect.ts';
import { recorded } from '../../../kit/recorded.ts';
import { type ZoneLiteral, type ZoneNode, zone } from '../../../kit/zone.ts';

/** What most rows have in common, which recordings leave out. */
const usual = { state: 'pass', findings: [], version: 'TLSRPTv1', valid: true };
const GOOD = 'v=TLSRPTv1; rua=mailto:tls@example.org,https://r.example.org/tls';
const named = (rua: string) => [`v=TLSRPTv1; rua=${rua}`];
const sts: ZoneLiteral = { '_mta-sts.example.org': { TXT: ['v=STSv1; id=1'] } };
const mx: ZoneLiteral = {
  'example.org': {
    MX: [
      [10, 'mx1.example.org'],
      [20, 'mx2.example.org'],
    ],
  },
};
const hosts = (length: number): ZoneLiteral => ({
  'example.org': { MX: Array.from({ length }, (_, n) => [n, `mx${n}.example.org`] as const) },
});
const atSts = (node: ZoneLiteral[string]): ZoneLiteral => ({ ...mx, '_mta-sts.example.org': node });
const tlsa = { usage: 3, selector: 1, matchingType: 1, certificate: new Uint8Array(32) };
const MAILBOX = 'k3v9@reports.example';

test.each<[what: string, TXT: ZoneNode['TXT'], more?: ZoneLiteral, mailbox?: string]>([
  ['is in order', [GOOD]],
  ['is in two strings', [[GOOD.slice(0, 12), GOOD.slice(12)]]],
  ['is absent beside TXT records of other kinds', ['v=spf1 -all']],
  ['has an address of an unsupported scheme', named('mailto:a@b.example,ftp://c.example')],
  ['is not the only one', [GOOD, GOOD]],
  ['is broken', ['v=TLSRPTv1;']],
  ['is one that senders ignore', ['v=tlsrptv1; rua=mailto:a@b.example']],
  ['is shown with its readable fields, without a word about policies', named('a@b.example'), {}],
  ['is unknown if the lookup failed', 'SERVFAIL'],
  ['is unknown if the query timed out', 'TIMEOUT'],
  ['has nothing to report on', [GOOD], mx],
  ['is absent, and no policy is checked', [], mx],
  ['has nothing to report on if the domain receives no mail', [GOOD], {}],
  ['has nothing to report on with another TXT record at the name', [GOOD], atSts({ TXT: ['v=spf1'] })],
  ['has nothing to report on with another version of MTA-STS', [GOOD], atSts({ TXT: ['v=STSv10; id=1'] })],
  ['has something to report on with MTA-STS', [GOOD], { ...mx, ...sts }],
  [
    'has something to report on with DANE of one host',
    [GOOD],
    { ...mx, '_25._tcp.mx2.example.org': { TLSA: [tlsa] } },
  ],
  ['has nothing to report on with ten hosts', [GOOD], hosts(10)],
  ['may have something to report on with eleven hosts', [GOOD], hosts(11)],
  ['may have something to report on if the MTA-STS lookup failed', [GOOD], atSts('SERVFAIL')],
  [
    'may have something to report on if the DANE lookup failed',
    [GOOD],
    { ...mx, '_25._tcp.mx1.example.org': 'SERVFAIL' },
  ],
  ['may have something to report on if the MX lookup failed', [GOOD], { 'example.org': 'SERVFAIL' }],
  ['names the mailbox', named('mailto:K3v9@reports.example,https://example.org/tls'), sts, MAILBOX],
  ['does not name the mailbox', named('https://example.org/tls'), sts, MAILBOX],
  ['has a mistyped mailbox', named('mailto:k3v8@reports.example'), sts, MAILBOX],
  ['has the mailbox without its scheme', named('k3v9@reports.example'), sts, MAILBOX],
  ['is absent, and the mailbox is not checked', [], sts, MAILBOX],
])('the record %s', async (_, TXT, ...[more = sts, mailbox]) => {
  const dns = zone({ '_smtp._tls.example.org': { TXT }, ...more });
  recorded(await inspectTlsRpt('example.org', { dns }, mailbox === undefined ? {} : { mailbox }), usual);
});

test('a domain with a name that leaves no room for the name of the record has none', async () => {
  const domain = `${`${'a'.repeat(61)}.`.repeat(4)}test`;
  const result = await inspectTlsRpt(domain, { dns: zone({ [domain]: {} }) });
  expect(result).toMatchObject({ state: 'absent', findings: [{ id: 'tls-rpt-missing' }] });
});
