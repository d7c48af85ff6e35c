import { describe, expect, test } from '@jest/globals';
import { inspectCaa } from '../../../../shared/checks/caa/inspect.ts';
import type { ServedCertificate } from '../../../../shared/checks/caa/served-certificates.ts';
import { inspectDomain } from '../../../../shared/checks/inspect.ts';
import { dialKey, type Endpoint } from '../../../../shared/network/dialer.ts';
import { createNetwork } from '../../../../shared/network/network.ts';
import type { CaaRecord } from '../../../../shared/protocol/dns.ts';
import { createAuthority, selfSigned } from '../../../kit/certificates.ts';
import { startDnsServer } from '../../../kit/dns-server.ts';
import { startHttpsHost } from '../../../kit/https-host.ts';
import { recorded } from '../../../kit/recorded.ts';
import { startSmtpHost } from '../../../kit/smtp-host.ts';
import { use } from '../../../kit/use.ts';
import { type ZoneLiteral, zone } from '../../../kit/zone.ts';

const record = (tag: string, value: string, flags = 0): CaaRecord => ({ flags, tag, value });
const issue = (...values: string[]) => values.map((value) => record('issue', value));

const LETS_ENCRYPT = "Let's Encrypt";

const serves = (
  host: string,
  issuer: string | null = LETS_ENCRYPT,
  isWildcard = false,
): ServedCertificate => ({
  ...{ host, issuer, isWildcard },
});

/** What most rows have in common, which recordings leave out. */
const usual = {
  recordsAt: 'example.org',
  certificates: [],
  findings: [],
  state: 'pass',
  questions: ['example.org CAA'],
};

async function inspect(literal: ZoneLiteral, ...served: readonly ServedCertificate[]) {
  const dns = zone(literal);
  const result = await inspectCaa('example.org', dns, Promise.resolve(served));
  return recorded({ ...result, questions: dns.questions }, usual);
}

type Row = readonly [what: string, literal: ZoneLiteral, ...served: readonly ServedCertificate[]];
const rows = (table: readonly Row[]) =>
  test.each(table)('%s', async (_what, ...given) => {
    await inspect(...given);
  });

describe('the records of a domain (RFC 8659 section 3)', () => {
  const alias = { 'example.org': { CNAME: ['www.host.example'] } };
  const above = { org: { CAA: issue('ca.example.net') } };
  rows([
    ['are absent after a search up to the top-level domain, not the root', { 'example.org': {} }],
    [
      'are those at the domain, and no others',
      {
        'example.org': { CAA: [...issue('ca.example.net'), record('iodef', 'mailto:a@example.org')] },
        org: { CAA: issue(';') },
      },
    ],
    ['are inherited from a name above, also if the domain does not exist', above],
    [
      'can be those of the target of an alias (RFC 6844)',
      { ...alias, 'www.host.example': { CAA: issue('ca.example.net') } },
    ],
    [
      'are not those of a name above the target',
      { ...alias, 'www.host.example': {}, 'host.example': { CAA: issue('ca.example.net') } },
    ],
    ['are unknown after SERVFAIL, whatever is above', { 'example.org': 'SERVFAIL', ...above }],
    ['are unknown after TIMEOUT, whatever is above', { 'example.org': 'TIMEOUT', ...above }],
    ['are unknown if a lookup above failed', { 'example.org': {}, org: 'SERVFAIL' }],
    [
      'are unknown with an alias that leads to itself',
      { 'example.org': { CNAME: ['b.example.org'] }, 'b.example.org': { CNAME: ['example.org'] } },
    ],
  ]);

  test('are shown as in a zone file, with quotes and control characters escaped', async () => {
    const { records } = await inspect({ 'example.org': { CAA: [record('iodef', 'a"b\\c\u0007', 128)] } });
    expect(records).toEqual(['128 iodef "a\\"b\\\\c\\\\u{7}"']);
  });
});

describe('a certificate', () => {
  const of = serves('mx.example.org');
  const wildcard = serves('mx.example.org', LETS_ENCRYPT, true);
  test.each<[what: string, readonly CaaRecord[], permitted: boolean | null, ServedCertificate?]>([
    ['of a CA that is named', issue('letsencrypt.org'), true],
    ['of a CA that is named in capitals', issue('LetsEncrypt.ORG'), true],
    [
      'of a CA that is named with parameters',
      issue('letsencrypt.org; accounturi=https://ca.example/1'),
      true,
    ],
    ['of one of several CAs', issue('pki.goog', 'letsencrypt.org'), true],
    ['beside a record that names none', issue(';', 'letsencrypt.org'), true],
    ['of a CA that is not named', issue('pki.goog'), false],
    ['if no CA is named', issue(';'), false],
    ['if the value is malformed', issue('letsencrypt.org validationmethods=dns-01'), false],
    ['without issue properties', [record('iodef', 'mailto:a@example.org')], true],
    ['beside an unknown property that is not critical', [record('tbs', 'x', 0x7f)], true],
    ['without a wildcard, whatever wildcards need', [record('issuewild', ';')], true],
    ['with a wildcard that issue permits', issue('letsencrypt.org'), true, wildcard],
    [
      'with a wildcard that issuewild forbids',
      [...issue('letsencrypt.org'), record('issuewild', ';')],
      false,
      wildcard,
    ],
    [
      'with a wildcard that only issuewild permits',
      [...issue(';'), record('issuewild', 'letsencrypt.org')],
      true,
      wildcard,
    ],
    ['of a CA by an earlier name', issue('comodoca.com'), true, serves('mx.example.org', 'Sectigo Limited')],
    ['of a brand of a CA', issue('digicert.com'), true, serves('mx.example.org', 'GeoTrust Inc.')],
    ['of Amazon', issue('awstrust.com'), true, serves('mx.example.org', 'Amazon')],
    ['of a CA that is not known', issue('pki.goog'), null, serves('mx.example.org', 'Example Private CA')],
    ['of a CA that begins like one', issue('pki.goog'), null, serves('mx.example.org', 'Amazonia CA')],
    ['of a CA without a name', issue('pki.goog'), null, serves('mx.example.org', null)],
    [
      'beside a critical property, which this CA may know',
      [...issue('pki.goog'), record('unheard', 'x', 128)],
      null,
    ],
  ])('%s', async (_, ...[CAA, permitted, served = of]) => {
    const result = await inspect({ 'mx.example.org': {}, 'example.org': { CAA } }, served);
    expect(result.certificates).toMatchObject([{ permitted }]);
  });

  rows([
    [
      'of another host is judged by the records of that host',
      {
        'example.org': { CAA: issue('letsencrypt.org') },
        'host.example': { CAA: issue('pki.goog') },
        'mx.host.example': {},
      },
      serves('mx.host.example'),
      serves('mx.host.example', 'Google Trust Services'),
    ],
    [
      'with a wildcard is judged by the records of the name without it, another one by those of the name',
      { 'mx.example.org': { CAA: issue(';') }, 'example.org': { CAA: issue('letsencrypt.org') } },
      wildcard,
      of,
    ],
    [
      'is not judged if a lookup failed, which leaves the records of the domain as they are',
      { 'example.org': { CAA: issue('pki.goog') }, 'mx.example.org': 'SERVFAIL' },
      of,
    ],
  ]);
});

describe('hostile zones', () => {
  test('cause forty lookups at most, and each name is looked up once', async () => {
    const hosts = Array.from({ length: 20 }, (_, at) => `${'a.'.repeat(100)}h${at}.example.org`);
    const dns = zone({});
    const served = Promise.resolve(hosts.map((host) => serves(host)));
    const result = await inspectCaa('example.org', dns, served);
    expect(dns.questions).toHaveLength(40);
    expect(new Set(dns.questions).size).toBe(40);
    expect(result.certificates).toHaveLength(20);
    expect(result.certificates.every(({ permitted }) => permitted === null)).toBe(true);
  });

  test('with a thousand records show fifty, and all of them count', async () => {
    const values = Array.from({ length: 1000 }, (_, at) => `ca${at}.example.net`);
    const records = issue(...values, 'letsencrypt.org');
    const dns = await use(startDnsServer({ 'example.org': { CAA: records }, 'mx.example.org': {} }));
    const network = createNetwork({ dnsServers: [dns], ehloName: 'checker.test' });
    const served = Promise.resolve([serves('mx.example.org')]);
    const result = await inspectCaa('example.org', network.dns, served);
    expect(result.records).toHaveLength(50);
    expect(result.certificates).toMatchObject([{ permitted: true }]);
  });
});

test('the certificates are those that MX hosts and the policy host serve, if they are trusted and match', async () => {
  const authority = createAuthority(LETS_ENCRYPT);
  const policy = 'version: STSv1\r\nmode: enforce\r\nmx: *.example.org\r\nmax_age: 604800\r\n';
  const mail = {
    'mx.example.org': authority.issue(['mx.example.org']),
    'wild.example.org': authority.issue(['*.example.org']),
    'other.example.org': authority.issue(['another.example.net']),
    'own.example.org': selfSigned(['own.example.org']),
  };
  const hosts = await Promise.all(
    Object.entries(mail).map(async ([name, certificate]) => ({
      name,
      endpoint: await use(startSmtpHost({ certificate })),
    })),
  );
  const served = { headers: { 'content-type': 'text/plain' }, body: policy };
  const web = await use(
    startHttpsHost(authority.issue(['mta-sts.example.org']), { '/.well-known/mta-sts.txt': served }),
  );
  const literal: ZoneLiteral = {
    'example.org': {
      MX: hosts.map(({ name }) => [10, name] as const),
      CAA: [...issue('letsencrypt.org'), record('issuewild', ';')],
    },
    ...Object.fromEntries(hosts.map(({ name }) => [name, { A: ['192.0.2.25'] }])),
    '_mta-sts.example.org': { TXT: ['v=STSv1; id=1'] },
    'mta-sts.example.org': { A: ['192.0.2.80'], CAA: issue('pki.goog') },
  };
  const dialMap = new Map<string, Endpoint>([
    ...hosts.map(({ name, endpoint }) => [dialKey(name, 25), endpoint] as const),
    [dialKey('mta-sts.example.org', 443), web],
  ]);
  const dnsServers = [await use(startDnsServer(literal))];
  const network = createNetwork({ dnsServers, dialMap, extraCa: authority.cert, ehloName: 'checker.test' });
  const domain = { domain: 'example.org', testEmailLocalPart: null, knownSelectors: [] };
  const { caa } = await inspectDomain(domain, { network, trustAnchors: [] });
  const judged = caa.certificates.map(({ host, recordsAt, permitted }) => [host, recordsAt, permitted]);
  expect(judged.toSorted()).toEqual([
    ['mta-sts.example.org', 'mta-sts.example.org', false],
    ['mx.example.org', 'example.org', true],
    ['wild.example.org', 'example.org', false],
  ]);
  expect(caa.state).toBe('warning');
});
