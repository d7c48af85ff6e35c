/** What the check says about MX hosts. Recordings have the whole results; `usual` is what they leave out. */
import { X509Certificate } from 'node:crypto';
import { rootCertificates } from 'node:tls';
import { describe, expect, test } from '@jest/globals';
import { inspectMx } from '../../../../shared/checks/mx/inspect.ts';
import type { Authenticate } from '../../../../shared/checks/mx/tlsa.ts';
import { createNetwork } from '../../../../shared/network/network.ts';
import type { CertificateFacts, Network } from '../../../../shared/network/ports.ts';
import type { AuthenticationStatus } from '../../../../shared/protocol/dnssec/reasons.ts';
import { createAuthority } from '../../../kit/certificates.ts';
import { startDnsServer } from '../../../kit/dns-server.ts';
import { fakeSmtp, type Says } from '../../../kit/fake-smtp.ts';
import { messageOf, withMessages } from '../../../kit/findings.ts';
import { recorded, unlike } from '../../../kit/recorded.ts';
import { type SmtpHostOptions, startSmtpHost } from '../../../kit/smtp-host.ts';
import { use } from '../../../kit/use.ts';
import { withExtendedError, type ZoneLiteral, type ZoneNode, zone } from '../../../kit/zone.ts';
import { networkOf } from '../../protocol/findings/cases/example.ts';
import { daysFromNow, withTls } from '../../protocol/findings/cases/mx-world.ts';

const authority = createAuthority();
const shown = authority.issue(['mx1.example.org', 'mx2.example.org']);
const pinned = { usage: 3, selector: 1, matchingType: 1, certificate: shown.spkiSha256 };
const another = { ...pinned, certificate: authority.spkiSha256 };

type Reason<Status> = Extract<Says, { status: Status; reason: unknown }>['reason'];
type Starttls = ReturnType<typeof withTls>['starttls'];

const tls = (facts: Partial<CertificateFacts> = {}, protocol?: string, cipher?: string): Starttls =>
  withTls({ protocol, cipher }, { chain: [shown.der, authority.der], ...facts }).starttls;
const untrusted = tls({ trusted: false });
const noTls = { status: 'not-offered' } as const;

const host = (
  starttls: Starttls = tls(),
  recipient: 'accepted' | 'rejected' | 'deferred' | 'not-asked' = 'not-asked',
  reply = '250 ok',
): Says => ({ status: 'found', starttls, recipient, reply });
const unavailable = (reason: Reason<'unavailable'>, reply?: string): Says => ({
  ...{ status: 'unavailable', reason, detail: reason, reply },
});
const rejected = (reason: Reason<'rejected'>, reply = '554 no'): Says => ({
  ...{ status: 'rejected', reason, detail: reply, reply },
});

type Hosts = Readonly<Record<string, Says>>;

/** A network whose hosts behave as listed by address, and for probes `with anchors`; every other address times out. */
function world(literal: ZoneLiteral, says: Hosts = {}) {
  const smtp = fakeSmtp(
    ({ trustAnchors, address }) =>
      says[trustAnchors === undefined ? address : `${address} with anchors`] ?? unavailable('timeout'),
  );
  return { network: networkOf({ dns: zone(literal), smtp }), probes: smtp.probes };
}

const secure: Authenticate = async () => 'secure';
const everywhere =
  (status: AuthenticationStatus): Authenticate =>
  async () =>
    status;
/** The DNSSEC status of the records of one name; all others are secure. */
const stateOf =
  (name: string, status: AuthenticationStatus): Authenticate =>
  async (answer) =>
    answer.status === 'found' && answer.name === name ? status : 'secure';
const ofAbsence =
  (proof: AuthenticationStatus): Authenticate =>
  async ({ status }) =>
    status === 'absent' ? proof : 'secure';

/** What most rows have in common, which recordings leave out. */
const usualHost = {
  hostname: 'mx1.example.org',
  priority: 10,
  ip: '192.0.2.1',
  tlsSupported: true,
  starttlsSupported: true,
  tlsVersion: 'TLSv1.3',
  certificateExpiry: '2026-07-31T12:00:00.000Z',
  certificateIssuer: 'Test Authority',
  state: 'pass',
};
const usual = {
  findings: [],
  records: [{ priority: 10, exchange: 'mx1.example.org' }],
  hosts: [{}],
  tlsSupported: true,
  daneSupported: false,
  emailReceptionCapability: 'active',
  probes: ['192.0.2.1'],
};

interface Options {
  readonly authenticate?: Authenticate | undefined;
  readonly recipient?: string;
  readonly probe?: boolean;
}

async function inspect(
  literal: ZoneLiteral,
  says: Hosts = {},
  { authenticate = secure, ...more }: Options = {},
) {
  const { network, probes } = world(literal, says);
  const result = await inspectMx('example.org', network, { authenticate, ...more });
  const hosts = result.hosts.map((found) => unlike(found, usualHost));
  recorded({ ...result, hosts, probes: probes.map(({ address }) => address) }, usual);
  return { ...result, probes };
}

type Row = readonly [what: string, literal: ZoneLiteral, says?: Hosts, options?: Options];
const rows = (table: readonly Row[]) =>
  test.each(table)('%s', async (_what, ...given) => {
    await inspect(...given);
  });

const records = (...MX: readonly (readonly [number, string])[]): ZoneLiteral => ({ 'example.org': { MX } });
/** One MX host, mx1, at 192.0.2.1 by default. */
const one = (node: ZoneNode | 'SERVFAIL' = { A: ['192.0.2.1'] }, more: ZoneLiteral = {}): ZoneLiteral => ({
  ...records([10, 'mx1.example.org']),
  ...{ 'mx1.example.org': node, ...more },
});
/** Two MX hosts at 192.0.2.1 and 192.0.2.2. */
const two = (more: ZoneLiteral = {}): ZoneLiteral => ({
  ...records([20, 'mx2.example.org'], [10, 'mx1.example.org']),
  'mx1.example.org': { A: ['192.0.2.1'] },
  'mx2.example.org': { A: ['192.0.2.2'] },
  ...more,
});
const both = (first: Says, second: Says): Hosts => ({ '192.0.2.1': first, '192.0.2.2': second });
const only = (says: Says = host()): Hosts => ({ '192.0.2.1': says });

describe('the MX records', () => {
  const many = Array.from({ length: 30 }, (_, i) => ({ name: `mx${i}.example.org`, ip: `192.0.2.${i}` }));
  rows([
    ['are unknown if the lookup fails', { 'example.org': 'SERVFAIL' }],
    ['are unknown if the lookup times out', { 'example.org': { MX: 'TIMEOUT' } }],
    ['are reported as missing with the domain if the name does not exist', {}],
    ['are absent if the name exists for other types only', { 'www.example.org': { A: ['192.0.2.1'] } }],
    ['may be missing if there is an IPv4 address to fall back to', { 'example.org': { A: ['192.0.2.1'] } }],
    ['may be missing if there is an IPv6 address', { 'example.org': { AAAA: ['2001:db8::1'] } }],
    ['may be missing while the address lookup fails', { 'example.org': { A: 'SERVFAIL' } }],
    ['may be a null MX', records([0, '.'])],
    ['may be a null MX with a preference', records([10, '.'])],
    [
      'may be reached through a CNAME',
      { 'example.org': { CNAME: ['elsewhere.test'] }, 'elsewhere.test': { MX: [[0, '']] } },
    ],
    ['are listed in order of preference', two(), both(host(), host())],
    [
      'with a null MX beside others are an error, and the others count',
      one(undefined, records([0, '.'], [10, 'mx1.example.org'])),
      only(),
    ],
    ['are an error with an address in brackets, and no host is dialled', records([10, '[192.0.2.1]'])],
    ['are an error with a space in a name', records([10, 'mx 1.example.org'])],
    ['are an error with a slash in a name', records([10, 'http://mx.example.org'])],
    [
      'that name one host twice cause one probe',
      one(undefined, records([10, 'mx1.example.org'], [20, 'MX1.example.org'])),
      only(),
    ],
    [
      'of many hosts have the first ten probed',
      {
        ...records(...many.map(({ name }, i) => [i, name] as const)),
        ...Object.fromEntries(many.map(({ name, ip }) => [name, { A: [ip] }])),
        ...Object.fromEntries(many.map(({ name }) => [`_25._tcp.${name}`, { TLSA: [pinned] }])),
      },
      Object.fromEntries(many.map(({ ip }) => [ip, host()])),
    ],
  ]);
});

describe('the addresses of a host', () => {
  rows([
    ['may be missing, which makes delivery impossible', one({})],
    ['may be missing together with the name', records([10, 'mx1.example.org'])],
    ['may have a failed lookup', one('SERVFAIL')],
    [
      'may be known for one family only',
      one({ A: 'SERVFAIL', AAAA: ['2001:db8::1'] }),
      { '2001:db8::1': host() },
    ],
    [
      'may be reached through a CNAME, against the rules',
      one({ CNAME: ['real.example.org'] }, { 'real.example.org': { A: ['192.0.2.1'] } }),
      only(),
    ],
    ['may be reached through a CNAME to nothing', one({ CNAME: ['nothing.example.org'] })],
    ['may be private', one({ A: ['10.0.0.1'] }), { '10.0.0.1': rejected('address-not-public') }],
    [
      'are probed two per family at most, IPv4 first',
      one({
        A: ['192.0.2.1', '192.0.2.2', '192.0.2.3'],
        AAAA: ['2001:db8::1', '2001:db8::2', '2001:db8::3'],
      }),
      { ...both(host(), host()), '2001:db8::1': host(), '2001:db8::2': host() },
    ],
    [
      'are ignored for unreachable IPv6 if another one responded',
      one({ A: ['192.0.2.1'], AAAA: ['2001:db8::1'] }),
      { ...only(), '2001:db8::1': unavailable('unreachable') },
    ],
    [
      'are not ignored for IPv6 that does not answer',
      one({ A: ['192.0.2.1'], AAAA: ['2001:db8::1'] }),
      { ...only(), '2001:db8::1': unavailable('timeout') },
    ],
    [
      'are unknown if only unreachable IPv6 exists',
      one({ AAAA: ['2001:db8::1'] }),
      { '2001:db8::1': unavailable('unreachable') },
    ],
  ]);
});

test('failed lookups of hosts show the extended DNS errors that came with them', async () => {
  const messagesOf = async (literal: ZoneLiteral) => {
    const { network } = world(literal, only());
    const dns = withExtendedError(network.dns, 'DNSSEC Bogus: "no key"');
    const { findings } = await inspectMx('example.org', { ...network, dns }, { authenticate: secure });
    return findings.map((finding) => messageOf(finding));
  };
  const explained = expect.stringContaining('(server-failure, DNSSEC Bogus: "no key")');
  expect(await messagesOf({ 'example.org': { A: 'SERVFAIL' } })).toEqual([explained]);
  expect(await messagesOf(one('SERVFAIL'))).toContainEqual(explained);
  expect(await messagesOf(one(undefined, { '_25._tcp.mx1.example.org': 'SERVFAIL' }))).toEqual([explained]);
});

describe('mail acceptance', () => {
  const refused = unavailable('connection-refused');
  const silent = unavailable('timeout');
  const deferred = host(tls(), 'deferred', '450 grey');
  const denied = host(tls(), 'rejected');
  const listed = '554 5.7.1 Service unavailable; client [192.0.2.9] blocked using zen.spamhaus.org';
  const cases: readonly (readonly [what: string, first: Says, second: Says])[] = [
    ['active when all hosts greet', host(), host()],
    ['active when one greets and one refuses connections', host(), refused],
    ['active when one greets without TLS and one could not be probed', host(noTls), silent],
    ['active when one accepts the mailbox', host(tls(), 'accepted'), host(tls(), 'rejected', '550 no')],
    ['relay-denied when both refuse in the banner', rejected('greeting'), rejected('ehlo')],
    ['relay-denied when both refuse the mailbox', denied, denied],
    ['relay-denied when one refuses mail and one refuses connections', rejected('greeting'), refused],
    ['unreachable when both refuse connections', refused, refused],
    ['unknown when no host responds, which happens if port 25 is blocked here', silent, silent],
    ['unknown if port 25 cannot be dialled', unavailable('not-dialled'), unavailable('not-dialled')],
    ['unknown at the deadline', unavailable('deadline'), silent],
    ['unknown when deferred', unavailable('deferred', '421 busy'), unavailable('deferred', '450 later')],
    ['unknown when one refuses connections and one could not be probed', refused, silent],
    ['unknown when one refuses mail and one defers', rejected('greeting'), unavailable('deferred', '421')],
    ['unknown when the mailbox is greylisted, while TLS is known', deferred, deferred],
    [
      'unknown when the refusal is about our address',
      rejected('greeting', listed),
      host(tls(), 'rejected', '550 5.7.1 Poor reputation of your address'),
    ],
    [
      'relay-denied when the refusal is about the mailbox, whatever else it says',
      host(tls(), 'rejected', '550 5.1.1 No such user, see our block list page'),
      rejected('greeting', '554 5.7.1 Relay access denied'),
    ],
    ['unknown when hosts close the connection', unavailable('closed'), unavailable('malformed')],
  ];
  test.each(cases)('is %s', async (what, first, second) => {
    const recipient = 'postmaster@example.org';
    const { emailReceptionCapability } = await inspect(two(), both(first, second), { recipient });
    expect(what).toContain(emailReceptionCapability ?? 'unknown');
  });

  test('is tested with the report mailbox', async () => {
    const { probes } = await inspect(one(), only(), { recipient: 'me@example.org' });
    expect(probes).toMatchObject([
      { hostname: 'mx1.example.org', address: '192.0.2.1', recipient: 'me@example.org' },
    ]);
  });

  rows([['is not tested with probes disabled', one(), {}, { probe: false }]]);

  test('shows the reply of a host without control characters', async () => {
    const result = await inspect(one(), only(rejected('greeting', '554 no\u0007\u202eevil')));
    expect(withMessages(result).warnings[0]).toContain('554 no\\u{7}\\u{202e}evil');
  });
});

describe('TLS', () => {
  const withFacts = (facts: Partial<CertificateFacts>) => only(host(tls(facts)));
  const root = new X509Certificate(rootCertificates[0] ?? '');
  rows([
    ['in good order', one(), only()],
    ['not offered', one(), only(host(noTls))],
    ['refused after the offer', one(), only(host({ status: 'failed', reason: 'reply', detail: '454 no' }))],
    [
      'with every fault at once',
      one(),
      only(host(tls({ validTo: daysFromNow(-1), trusted: false, matchesName: false }, 'TLSv1'))),
    ],
    ['with an unparsable date', one(), withFacts({ validTo: new Date(Number.NaN) })],
    ['of one of two hosts is not support', two(), both(host(), host(noTls))],
    [
      'with a certificate whose CA has no organization shows its common name',
      one(),
      withFacts({ chain: [shown.der] }),
    ],
    ['with a certificate whose CA has an organization shows it', one(), withFacts({ chain: [root.raw] })],
    ['with a certificate whose CA has no name', one(), withFacts({ chain: [createAuthority('').der] })],
    ['with no certificate', one(), withFacts({ chain: [] })],
  ]);
});

describe('DANE', () => {
  const name = '_25._tcp.mx1.example.org';
  const ta = { usage: 2, selector: 1, matchingType: 1, certificate: authority.spkiSha256 };
  const unusable = { ...pinned, usage: 1 };
  const having = (TLSA: ZoneNode['TLSA']) => one(undefined, { [name]: { TLSA } });
  const forOther = tls({ chain: [authority.issue(['mx.example.net']).der, authority.der] });
  const faulty = tls({ trusted: false, matchesName: false, validTo: new Date(0) });
  const cases: readonly (readonly [string, ZoneNode['TLSA'], Authenticate?, Says?])[] = [
    ['is supported by a record that matches the key', [pinned]],
    ['is supported by a record that matches the authority', [ta]],
    ['is supported when one of several records matches', [another, pinned]],
    ['needs no valid dates, names or authorities with a matching key', [pinned], secure, host(faulty)],
    ['needs no other authority than the pinned one', [ta], secure, host(untrusted)],
    [
      'is supported as far as known if the host could not be probed',
      [pinned],
      secure,
      unavailable('timeout'),
    ],
    ['is absent without records', []],
    ['is absent with records that SMTP cannot use', [unusable]],
    ['is broken by records for another certificate', [another]],
    ['is broken by a host without STARTTLS', [pinned], secure, host(noTls)],
    ['does not count in an unsigned zone', [pinned], everywhere('insecure')],
    ['does not count in a zone that is signed only with SHA-1', [pinned], everywhere('deprecated')],
    [
      'is broken there by records for another certificate, because deployed resolvers validate SHA-1',
      [another],
      everywhere('deprecated'),
    ],
    ['does not replace the CA there', [pinned], everywhere('deprecated'), host(untrusted)],
    ['is broken by bogus signatures', [pinned], stateOf(name, 'bogus')],
    ['is broken by bogus addresses', [pinned], stateOf('mx1.example.org', 'bogus')],
    ['is broken by bogus MX records', [pinned], stateOf('example.org', 'bogus')],
    ['is broken by a bogus proof of absence', [], ofAbsence('bogus')],
    ['is absent if the proof of absence is unknown', [], ofAbsence('unknown')],
    ['does not count if the addresses are not signed', [pinned], stateOf('mx1.example.org', 'insecure')],
    [
      'is absent if the addresses are not signed, even if the record lookup fails',
      'SERVFAIL',
      stateOf('mx1.example.org', 'insecure'),
    ],
    [
      'counts as signed only with SHA-1 if only the addresses are',
      [pinned],
      stateOf('mx1.example.org', 'deprecated'),
    ],
    ['still needs STARTTLS with records that SMTP cannot use', [unusable], secure, host(noTls)],
    ['is broken by a chain to the right authority with another name', [ta], secure, host(forOther)],
    ['is unknown if the signatures could not be validated', [pinned], everywhere('unknown')],
    ['is unknown if the record lookup failed', 'SERVFAIL'],
    ['is less useful if the MX records are not signed', [pinned], stateOf('example.org', 'insecure')],
  ];
  test.each(cases)('%s', async (_what, ...[tlsa, authenticate, says]) => {
    await inspect(having(tlsa), { ...only(says), '192.0.2.1 with anchors': host() }, { authenticate });
  });

  rows([
    ['counts only if every host has it', two({ [name]: { TLSA: [pinned] } }), both(host(), host())],
    ['is unknown if the lookup of the addresses failed', one('SERVFAIL', { [name]: { TLSA: [pinned] } })],
    ['is absent without any address', one({}, { [name]: { TLSA: [pinned] } })],
  ]);

  describe('with an authority in the records', () => {
    const shows = (again: Says): Hosts => ({ ...only(host(untrusted)), '192.0.2.1 with anchors': again });
    const refused = tls({ trusted: false, untrustedReason: 'PATH_LENGTH_EXCEEDED' });
    test('is decided by a handshake that trusts this authority alone, and tests no mailbox', async () => {
      const recipient = 'postmaster@example.org';
      const { probes } = await inspect(having([ta]), shows(host()), { recipient });
      expect(probes).toMatchObject([{ recipient }, {}]);
      expect(probes[1]).toEqual({
        hostname: 'mx1.example.org',
        address: '192.0.2.1',
        timeoutMilliseconds: 15_000,
        trustAnchors: [authority.der],
      });
    });

    rows([
      ['says why the chain to it is invalid', having([ta]), shows(host(refused))],
      ['is not disproven by no answer to this handshake', having([ta]), shows(unavailable('timeout'))],
      ['is not disproven by no TLS to this handshake', having([ta]), shows(host(noTls))],
    ]);
  });

  describe('with an MX host that is an alias (RFC 7672 section 2.2.3)', () => {
    const target = '_25._tcp.real.example.net';
    const own = { [name]: { TLSA: [pinned] } };
    const different = { [target]: { TLSA: [another] }, ...own };
    const insecure: Authenticate = async (answer) =>
      answer.status === 'found' && answer.name !== 'example.org' ? 'insecure' : 'secure';
    test.each<readonly [string, ZoneLiteral, Authenticate?]>([
      ['uses the records of its target', { [target]: { TLSA: [pinned] } }],
      ['prefers them to its own', different],
      ['uses its own if the target has none', own],
      ['is unknown if the lookup at the target fails', { [target]: 'SERVFAIL', ...own }],
      [
        'uses its own if the target is not signed and the alias is',
        different,
        stateOf('real.example.net', 'insecure'),
      ],
      ['uses none if the alias is not signed either', own, insecure],
      ['is broken by a bogus proof that the target has none', own, ofAbsence('bogus')],
      [
        'requires the name of the target of a certificate from an authority there',
        { [target]: { TLSA: [ta] } },
      ],
    ])('%s', async (_what, ...[literal, authenticate]) => {
      const aliased = { 'real.example.net': { A: ['192.0.2.1'] }, ...literal };
      const says = { ...only(), '192.0.2.1 with anchors': host() };
      await inspect(one({ CNAME: ['real.example.net'] }, aliased), says, { authenticate });
    });
  });
});

describe('a backup host', () => {
  const flawed = host(tls({ matchesName: false }));
  const bare = host(noTls);
  rows([
    ['without TLS, as a backup for one with TLS', two(), both(host(), bare)],
    ['without TLS, as a backup for one with flaws', two(), both(flawed, bare)],
    ['with flaws, as a backup for one in good order', two(), both(host(), flawed)],
    ['with old TLS, as a backup for one in good order', two(), both(host(), host(tls({}, 'TLSv1')))],
    ['as good as the preferred one', two(), both(host(), host())],
    ['as bad as the preferred one', two(), both(bare, bare)],
    ['better than the preferred one', two(), both(flawed, host())],
    ['that could not be probed', two(), both(host(), unavailable('timeout'))],
    ['as a backup for one that could not be probed', two(), both(unavailable('timeout'), bare)],
    [
      'of the same preference does not count as one',
      two(records([10, 'mx1.example.org'], [10, 'mx2.example.org'])),
      both(host(), bare),
    ],
  ]);
});

describe('an MX host without an address', () => {
  const soa = { SOA: [{ mname: 'ns.example', rname: 'admin.example', serial: 1, minimum: 60 }] };
  const elsewhere = (more: ZoneLiteral = {}) => ({ ...records([10, 'mx.gone.example']), ...more });
  rows([
    ['in an unregistered domain is dangling', elsewhere({ example: soa })],
    ['in a registered domain is not', elsewhere({ example: soa, 'gone.example': soa })],
    ['in a domain whose lookup failed is not', elsewhere({ example: soa, 'gone.example': 'SERVFAIL' })],
    ['below a suffix that does not exist is not', elsewhere()],
    ['below a suffix whose lookup failed is not', elsewhere({ example: 'SERVFAIL' })],
    ['in the domain itself is not', { ...records([10, 'mx.example.org']), org: soa }],
    ['with a single label is not', records([10, 'mx'])],
  ]);
});

test('queries TLSA records with checking disabled, so that bogus signatures can be reported', async () => {
  const { network } = world(one(), only());
  const queryOptions: unknown[] = [];
  const dns: Network['dns'] = {
    lookup(name, type, options) {
      if (type === 'TLSA') queryOptions.push(options);
      return network.dns.lookup(name, type, options);
    },
  };
  await inspectMx('example.org', { ...network, dns }, { authenticate: secure });
  expect(queryOptions).toEqual([{ dnssec: true, checkingDisabled: true }]);
});

test('sends independent queries concurrently', async () => {
  const { network } = world({}, both(host(), host()));
  const dns = zone(two(), { delayMilliseconds: 200 });
  await inspectMx('example.org', { ...network, dns }, { authenticate: secure });
  // All but the MX records, which the others depend on.
  expect(dns.mostAtOnce).toBe(6);
  expect(dns.questions).toHaveLength(7);
});

test.each<[string, SmtpHostOptions, typeof pinned, object]>([
  [
    'in good order passes',
    { certificate: shown },
    pinned,
    { state: 'pass', findings: [], daneSupported: true, emailReceptionCapability: 'active' },
  ],
  [
    'with a new certificate and an old TLSA record fails',
    { certificate: shown },
    another,
    { state: 'fail', daneSupported: false, findings: [{ id: 'mx-tlsa-mismatch' }] },
  ],
  [
    'that refuses the mailbox is relay-denied',
    { certificate: shown, rcptTo: '550 5.1.1 unknown' },
    pinned,
    { state: 'fail', emailReceptionCapability: 'relay-denied' },
  ],
])('on a real loopback network, a host %s', async (_what, options, tlsa, expected) => {
  const mx = await use(startSmtpHost(options));
  const literal = one({ A: ['192.0.2.1'] }, { '_25._tcp.mx1.example.org': { TLSA: [tlsa] } });
  const network = createNetwork({
    dnsServers: [await use(startDnsServer(literal, { negativeTtl: 60 }))],
    dialMap: new Map([['192.0.2.1:25', mx]]),
    extraCa: authority.cert,
    ehloName: 'probe.test',
  });
  const recipient = 'postmaster@example.org';
  expect(await inspectMx('example.org', network, { authenticate: secure, recipient })).toMatchObject(
    expected,
  );
});
