import { X509Certificate } from 'node:crypto';
import { rootCertificates } from 'node:tls';
import { describe, expect, test } from '@jest/globals';
import { inspectMx } from '../../../../shared/checks/mx/inspect.ts';
import type { EmailReceptionCapability } from '../../../../shared/checks/mx/result.ts';
import type { Authenticate } from '../../../../shared/checks/mx/tlsa.ts';
import { createNetwork } from '../../../../shared/network/network.ts';
import type {
  CertificateFacts,
  Network,
  SmtpAnswer,
  SmtpProbeRequest,
} from '../../../../shared/network/ports.ts';
import type { AuthenticationStatus } from '../../../../shared/protocol/dnssec/reasons.ts';
import { createAuthority } from '../../../kit/certificates.ts';
import { startDnsServer } from '../../../kit/dns-server.ts';
import { messageOf, withMessages } from '../../../kit/findings.ts';
import { recorded, unlike } from '../../../kit/recorded.ts';
import { type SmtpHostOptions, startSmtpHost } from '../../../kit/smtp-host.ts';
import { use } from '../../../kit/use.ts';
import { withExtendedError, type ZoneLiteral, type ZoneNode, zone } from '../../../kit/zone.ts';

const DAY = 86_400_000;
const NOW = new Date('2026-06-01T12:00:00Z');
const authority = createAuthority();
const shown = authority.issue(['mx1.example.org', 'mx2.example.org']);
const pinned = { usage: 3, selector: 1, matchingType: 1, certificate: shown.spkiSha256 };
const another = { ...pinned, certificate: authority.spkiSha256 };

function certificate(changes: Partial<CertificateFacts> = {}): CertificateFacts {
  return {
    validFrom: new Date(NOW.getTime() - DAY),
    validTo: new Date(NOW.getTime() + 60 * DAY),
    chain: [shown.der, authority.der],
    trusted: true,
    matchesName: true,
    ...changes,
  };
}

type WithoutEvidence<T> = T extends unknown ? Omit<T, 'evidence'> : never;
type Says = WithoutEvidence<SmtpAnswer> & { readonly reply?: string };
type Starttls = Extract<SmtpAnswer, { status: 'found' }>['starttls'];

function tls(
  facts: Partial<CertificateFacts> = {},
  protocol = 'TLSv1.3',
  cipher = 'TLS_AES_256_GCM_SHA384',
): Starttls {
  return { status: 'established', protocol, cipher, certificate: certificate(facts) };
}

function host(
  starttls: Starttls = tls(),
  recipient: 'accepted' | 'rejected' | 'deferred' | 'not-asked' = 'not-asked',
  reply = '250 ok',
): Says {
  return { status: 'found', starttls, recipient, reply };
}

const unavailable = (
  reason: Extract<SmtpAnswer, { status: 'unavailable' }>['reason'],
  reply?: string,
): Says => ({
  status: 'unavailable',
  reason,
  detail: reason,
  ...(reply === undefined ? {} : { reply }),
});
const rejected = (reason: 'greeting' | 'ehlo' | 'address-not-public', reply = '554 no'): Says => ({
  status: 'rejected',
  reason,
  detail: reply,
  reply,
});

/** A network whose hosts behave as listed by address, and for probes `with anchors`; every other address times out. */
function world(literal: ZoneLiteral, says: Readonly<Record<string, Says>> = {}) {
  const probes: SmtpProbeRequest[] = [];
  const refuse = () => Promise.reject(new Error('unexpected request'));
  const network: Network = {
    dns: zone(literal),
    web: { get: refuse },
    smtp: {
      async probe(request) {
        probes.push(request);
        const { trustAnchors, address } = request;
        const { reply, ...answer } =
          says[trustAnchors === undefined ? address : `${address} with anchors`] ?? unavailable('timeout');
        const evidence = { hostname: request.hostname, address: request.address, milliseconds: 1 };
        return { ...answer, evidence: reply === undefined ? evidence : { ...evidence, reply } };
      },
    },
    clock: { now: () => NOW },
  };
  return { network, probes };
}

const secure: Authenticate = async () => 'secure';
/** The DNSSEC status of the records of one name; all others are secure. */
const stateOf =
  (name: string, status: AuthenticationStatus): Authenticate =>
  async (answer) =>
    answer.status === 'found' && answer.name === name ? status : 'secure';

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

async function inspect(
  literal: ZoneLiteral,
  says: Readonly<Record<string, Says>> = {},
  options: { authenticate?: Authenticate; recipient?: string; probe?: boolean } = {},
) {
  const { network, probes } = world(literal, says);
  const result = await inspectMx('example.org', network, { authenticate: secure, ...options });
  const hosts = result.hosts.map((found) => unlike(found, usualHost));
  recorded({ ...result, hosts, probes: probes.map(({ address }) => address) }, usual);
  return { ...result, ids: result.findings.map(({ id }) => id), probes };
}

/** One MX host, mx1, at 192.0.2.1 by default. */
function one(node: ZoneNode | 'SERVFAIL' = { A: ['192.0.2.1'] }, more: ZoneLiteral = {}): ZoneLiteral {
  return { 'example.org': { MX: [[10, 'mx1.example.org']] }, 'mx1.example.org': node, ...more };
}

/** Two MX hosts at 192.0.2.1 and 192.0.2.2. */
function two(more: ZoneLiteral = {}): ZoneLiteral {
  return {
    'example.org': {
      MX: [
        [20, 'mx2.example.org'],
        [10, 'mx1.example.org'],
      ],
    },
    'mx1.example.org': { A: ['192.0.2.1'] },
    'mx2.example.org': { A: ['192.0.2.2'] },
    ...more,
  };
}

describe('the MX records', () => {
  const cases: [string, ZoneLiteral][] = [
    ['are unknown if the lookup fails', { 'example.org': 'SERVFAIL' }],
    ['are unknown if the lookup times out', { 'example.org': { MX: 'TIMEOUT' } }],
    ['are reported as missing with the domain if the name does not exist', {}],
    ['are absent if the name exists for other types only', { 'www.example.org': { A: ['192.0.2.1'] } }],
    [
      'may be missing if there is an IPv4 address, which senders fall back to',
      { 'example.org': { A: ['192.0.2.1'] } },
    ],
    ['may be missing if there is an IPv6 address', { 'example.org': { AAAA: ['2001:db8::1'] } }],
    ['may be missing while the address lookup fails', { 'example.org': { A: 'SERVFAIL' } }],
    ['may be a null MX', { 'example.org': { MX: [[0, '.']] } }],
    ['may be a null MX with a preference', { 'example.org': { MX: [[10, '.']] } }],
    [
      'may be reached through a CNAME',
      { 'example.org': { CNAME: ['elsewhere.test'] }, 'elsewhere.test': { MX: [[0, '']] } },
    ],
  ];
  test.each(cases)('%s', async (_title, literal) => {
    await inspect(literal);
  });

  test('are listed in order of preference', async () => {
    const result = await inspect(two(), { '192.0.2.1': host(), '192.0.2.2': host() });
    expect(result.records).toEqual([
      { priority: 10, exchange: 'mx1.example.org' },
      { priority: 20, exchange: 'mx2.example.org' },
    ]);
    expect(result.hosts.map(({ hostname }) => hostname)).toEqual(['mx1.example.org', 'mx2.example.org']);
  });

  test('with a null MX beside others are an error, and the others count', async () => {
    const literal = {
      ...one(),
      'example.org': {
        MX: [
          [0, '.'],
          [10, 'mx1.example.org'],
        ],
      },
    } as const;
    const result = await inspect(literal, { '192.0.2.1': host() });
    expect(result).toMatchObject({
      state: 'fail',
      ids: ['mx-null-mixed'],
      emailReceptionCapability: 'active',
      hosts: { length: 1 },
    });
  });

  test.each([
    ['an IPv4 address', '192.0.2.1', 'mx-address-literal'],
    ['an address in brackets', '[192.0.2.1]', 'mx-address-literal'],
    ['a name with a space', 'mx 1.example.org', 'mx-invalid-name'],
    ['a name with a slash', 'http://mx.example.org', 'mx-invalid-name'],
    ['a name that ends with a hyphen', 'mx-.example.org', 'mx-invalid-name'],
  ])('that name %s are an error, and no host is dialled', async (_title, exchange, id) => {
    const result = await inspect({ 'example.org': { MX: [[10, exchange]] } });
    expect(result).toMatchObject({
      state: 'fail',
      ids: [id],
      emailReceptionCapability: 'unreachable',
      probes: [],
    });
  });

  test('that name one host twice cause one probe', async () => {
    const literal = {
      ...one(),
      'example.org': {
        MX: [
          [10, 'mx1.example.org'],
          [20, 'MX1.example.org'],
        ],
      },
    } as const;
    expect((await inspect(literal, { '192.0.2.1': host() })).probes).toHaveLength(1);
  });

  test('of many hosts have the first ten probed', async () => {
    const names = Array.from({ length: 30 }, (_, i) => `mx${i}.example.org`);
    const literal: ZoneLiteral = {
      'example.org': { MX: names.map((name, i) => [i, name] as const) },
      ...Object.fromEntries(names.map((name, i) => [name, { A: [`192.0.2.${i}`] }])),
    };
    const says = Object.fromEntries(names.map((_, i) => [`192.0.2.${i}`, host()]));
    const pinnedHosts = Object.fromEntries(names.map((name) => [`_25._tcp.${name}`, { TLSA: [pinned] }]));
    const result = await inspect({ ...literal, ...pinnedHosts }, says);
    expect(result.probes).toHaveLength(10);
    expect(result).toMatchObject({ tlsSupported: null, daneSupported: null, ids: ['mx-many-hosts'] });
  });
});

describe('the addresses of a host', () => {
  const cases: [string, ZoneLiteral, Readonly<Record<string, Says>>][] = [
    ['may be missing, which makes delivery impossible', one({}), {}],
    ['may be missing together with the name', { 'example.org': { MX: [[10, 'mx1.example.org']] } }, {}],
    ['may have a failed lookup', one('SERVFAIL'), {}],
    [
      'may be known for one family only',
      one({ A: 'SERVFAIL', AAAA: ['2001:db8::1'] }),
      { '2001:db8::1': host() },
    ],
    [
      'may be reached through a CNAME, against the rules',
      one({ CNAME: ['real.example.org'] }, { 'real.example.org': { A: ['192.0.2.1'] } }),
      { '192.0.2.1': host() },
    ],
    ['may be reached through a CNAME to nothing', one({ CNAME: ['nothing.example.org'] }), {}],
    ['may be private', one({ A: ['10.0.0.1'] }), { '10.0.0.1': rejected('address-not-public') }],
    [
      'are probed two per family at most, IPv4 first',
      one({
        A: ['192.0.2.1', '192.0.2.2', '192.0.2.3'],
        AAAA: ['2001:db8::1', '2001:db8::2', '2001:db8::3'],
      }),
      { '192.0.2.1': host(), '192.0.2.2': host(), '2001:db8::1': host(), '2001:db8::2': host() },
    ],
    [
      'are ignored for unreachable IPv6 if another one responded',
      one({ A: ['192.0.2.1'], AAAA: ['2001:db8::1'] }),
      { '192.0.2.1': host(), '2001:db8::1': unavailable('unreachable') },
    ],
    [
      'are unknown if only unreachable IPv6 exists',
      one({ AAAA: ['2001:db8::1'] }),
      { '2001:db8::1': unavailable('unreachable') },
    ],
  ];
  test.each(cases)('%s', async (_title, literal, says) => {
    await inspect(literal, says);
  });
});

test('failed lookups of hosts show the extended DNS errors that came with them', async () => {
  const messagesOf = async (literal: ZoneLiteral) => {
    const { network } = world(literal, { '192.0.2.1': host() });
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
  const cases: [string, EmailReceptionCapability | null, Says, Says][] = [
    ['active when all hosts greet', 'active', host(), host()],
    ['active when one greets and one refuses connections', 'active', host(), refused],
    ['active when one greets and one could not be probed', 'active', host(), silent],
    [
      'active when one greets without TLS and one could not be probed',
      'active',
      host({ status: 'not-offered' }),
      silent,
    ],
    [
      'active when one accepts the mailbox',
      'active',
      host(tls(), 'accepted'),
      host(tls(), 'rejected', '550 no'),
    ],
    ['relay-denied when both refuse in the banner', 'relay-denied', rejected('greeting'), rejected('ehlo')],
    [
      'relay-denied when both refuse the mailbox',
      'relay-denied',
      host(tls(), 'rejected'),
      host(tls(), 'rejected'),
    ],
    [
      'relay-denied when one refuses mail and one refuses connections',
      'relay-denied',
      rejected('greeting'),
      refused,
    ],
    ['unreachable when both refuse connections', 'unreachable', refused, refused],
    ['unknown when no host responds, which happens if port 25 is blocked here', null, silent, silent],
    [
      'unknown if port 25 cannot be dialled from here',
      null,
      unavailable('not-dialled'),
      unavailable('not-dialled'),
    ],
    ['unknown at the deadline', null, unavailable('deadline'), silent],
    [
      'unknown when deferred',
      null,
      unavailable('deferred', '421 busy'),
      unavailable('deferred', '450 later'),
    ],
    ['unknown when one refuses connections and one could not be probed', null, refused, silent],
    [
      'unknown when one refuses mail and one defers',
      null,
      rejected('greeting'),
      unavailable('deferred', '421'),
    ],
    [
      'unknown when the mailbox is greylisted, while TLS is known',
      null,
      host(tls(), 'deferred', '450 grey'),
      host(tls(), 'deferred', '450 grey'),
    ],
    [
      'unknown when the refusal is about our address',
      null,
      rejected(
        'greeting',
        '554 5.7.1 Service unavailable; client [192.0.2.9] blocked using zen.spamhaus.org',
      ),
      host(tls(), 'rejected', '550 5.7.1 Poor reputation of your address'),
    ],
    [
      'relay-denied when the refusal is about the mailbox, whatever else it says',
      'relay-denied',
      host(tls(), 'rejected', '550 5.1.1 No such user, see our block list page'),
      rejected('greeting', '554 5.7.1 Relay access denied'),
    ],
    ['unknown when hosts close the connection', null, unavailable('closed'), unavailable('malformed')],
  ];
  test.each(cases)('is %s', async (_title, emailReceptionCapability, first, second) => {
    expect(
      await inspect(
        two(),
        { '192.0.2.1': first, '192.0.2.2': second },
        { recipient: 'postmaster@example.org' },
      ),
    ).toMatchObject({ emailReceptionCapability });
  });

  test('is tested with the report mailbox', async () => {
    const { probes } = await inspect(one(), { '192.0.2.1': host() }, { recipient: 'me@example.org' });
    expect(probes).toMatchObject([
      { hostname: 'mx1.example.org', address: '192.0.2.1', recipient: 'me@example.org' },
    ]);
  });

  test('is not tested with probes disabled', async () => {
    const result = await inspect(one(), {}, { probe: false });
    expect(result).toMatchObject({
      state: 'pass',
      emailReceptionCapability: null,
      tlsSupported: null,
      ids: [],
      probes: [],
      hosts: [{ ip: '192.0.2.1', state: 'unknown' }],
    });
  });

  test('shows the reply of a host without control characters', async () => {
    const result = await inspect(one(), { '192.0.2.1': rejected('greeting', '554 no\u0007\u202eevil') });
    expect(withMessages(result).warnings[0]).toContain('554 no\\u{7}\\u{202e}evil');
  });
});

describe('TLS', () => {
  const date = (days: number) => new Date(NOW.getTime() + days * DAY);
  const cases: [string, Starttls, string[]][] = [
    ['in good order', tls(), []],
    ['not offered', { status: 'not-offered' }, ['mx-no-starttls']],
    [
      'refused after the offer',
      { status: 'failed', reason: 'reply', detail: '454 no' },
      ['mx-starttls-failed'],
    ],
    [
      'broken in the handshake',
      { status: 'failed', reason: 'handshake', detail: 'EPROTO' },
      ['mx-starttls-failed'],
    ],
    ['of version 1.1', tls({}, 'TLSv1.1'), ['mx-tls-old']],
    ['of version 1.0', tls({}, 'TLSv1'), ['mx-tls-old']],
    ['with a weak cipher', tls({}, 'TLSv1.2', 'DES-CBC3-SHA'), ['mx-tls-weak']],
    [
      'with an expired certificate',
      tls({ validTo: date(-1), trusted: false, untrustedReason: 'CERT_HAS_EXPIRED' }),
      ['mx-certificate-expired'],
    ],
    [
      'with a certificate that is not valid yet',
      tls({ validFrom: date(1), trusted: false }),
      ['mx-certificate-not-yet-valid'],
    ],
    [
      'with a certificate that expires soon',
      tls({ validFrom: date(-80), validTo: date(2) }),
      ['mx-certificate-expiring'],
    ],
    ['with one that is valid for 6 days, 2 of them left', tls({ validFrom: date(-4), validTo: date(2) }), []],
    [
      'with one that is valid for 6 days, 1 of them left',
      tls({ validFrom: date(-5), validTo: date(1) }),
      ['mx-certificate-expiring'],
    ],
    ['with a certificate for another name', tls({ matchesName: false }), ['mx-certificate-name']],
    [
      'with a certificate from an unknown authority',
      tls({ trusted: false, untrustedReason: 'SELF_SIGNED_CERT_IN_CHAIN' }),
      ['mx-certificate-untrusted'],
    ],
    [
      'with every fault at once',
      tls({ validTo: date(-1), trusted: false, matchesName: false }, 'TLSv1'),
      ['mx-tls-old', 'mx-certificate-expired', 'mx-certificate-name'],
    ],
    ['with an unparsable date', tls({ validTo: new Date(Number.NaN) }), []],
  ];
  test.each(cases)('%s', async (_title, starttls, ids) => {
    const result = await inspect(one(), { '192.0.2.1': host(starttls) });
    expect(result.ids).toEqual(ids);
  });

  test('is not supported if one of two hosts lacks it', async () => {
    const result = await inspect(two(), {
      '192.0.2.1': host(),
      '192.0.2.2': host({ status: 'not-offered' }),
    });
    expect(result).toMatchObject({ tlsSupported: false, state: 'warning' });
    expect(result.ids).toEqual(['mx-no-starttls', 'mx-backup-weaker']);
    expect(result.findings[0]).toMatchObject({ subject: '192.0.2.2' });
  });

  test('shows who issued the certificate: the organization of the CA, or its common name', async () => {
    const issued = async (chain: Uint8Array[]) =>
      (await inspect(one(), { '192.0.2.1': host(tls({ chain })) })).hosts[0]?.certificateIssuer;
    const { subject } = new X509Certificate(authority.der);
    expect(await issued([shown.der])).toBe(subject.slice('CN='.length));
    const [root = ''] = rootCertificates;
    const { issuer } = new X509Certificate(root).toLegacyObject();
    expect(await issued([new X509Certificate(root).raw])).toBe(issuer.O);
    expect(await issued([createAuthority('').der])).toBeNull();
    expect(await issued([])).toBeNull();
  });

  test('shows when the certificate expires', async () => {
    const validTo = new Date('2040-01-02T03:04:05Z');
    const result = await inspect(one(), { '192.0.2.1': host(tls({ validTo })) });
    expect(result.hosts[0]?.certificateExpiry).toBe('2040-01-02T03:04:05.000Z');
  });
});

describe('DANE', () => {
  const name = '_25._tcp.mx1.example.org';
  const ta = { usage: 2, selector: 1, matchingType: 1, certificate: authority.spkiSha256 };
  const everywhere =
    (status: AuthenticationStatus): Authenticate =>
    async () =>
      status;
  const ofAbsence =
    (proof: AuthenticationStatus): Authenticate =>
    async ({ status }) =>
      status === 'absent' ? proof : 'secure';
  const cases: [string, ZoneNode['TLSA'], boolean | null, string[], Authenticate?, Says?][] = [
    ['is supported by a record that matches the key', [pinned], true, []],
    ['is supported by a record that matches the authority', [ta], true, []],
    ['is supported when one of several records matches', [another, pinned], true, []],
    [
      'needs no valid dates, names or authorities with a matching key',
      [pinned],
      true,
      [],
      secure,
      host(tls({ trusted: false, matchesName: false, validTo: new Date(0) })),
    ],
    ['needs no other authority than the pinned one', [ta], true, [], secure, host(tls({ trusted: false }))],
    [
      'is supported as far as known if the host could not be probed',
      [pinned],
      true,
      ['mx-none-asked'],
      secure,
      unavailable('timeout'),
    ],
    ['is absent without records', undefined, false, []],
    ['is absent with records that SMTP cannot use', [{ ...pinned, usage: 1 }], false, ['mx-tlsa-unusable']],
    ['is broken by records for another certificate', [another], false, ['mx-tlsa-mismatch']],
    [
      'is broken by a host without STARTTLS',
      [pinned],
      false,
      ['mx-no-starttls', 'mx-tlsa-without-tls'],
      secure,
      host({ status: 'not-offered' }),
    ],
    ['does not count in an unsigned zone', [pinned], false, ['mx-tlsa-not-signed'], everywhere('insecure')],
    [
      'does not count in a zone that is signed only with SHA-1',
      [pinned],
      false,
      ['mx-tlsa-sha1'],
      everywhere('deprecated'),
    ],
    [
      'is broken there by records for another certificate, because deployed resolvers validate SHA-1',
      [another],
      false,
      ['mx-tlsa-sha1', 'mx-tlsa-mismatch'],
      everywhere('deprecated'),
    ],
    [
      'does not replace the CA there',
      [pinned],
      false,
      ['mx-tlsa-sha1', 'mx-certificate-untrusted'],
      everywhere('deprecated'),
      host(tls({ trusted: false })),
    ],
    [
      'is broken by bogus signatures',
      [pinned],
      false,
      ['mx-tlsa-bogus'],
      stateOf('_25._tcp.mx1.example.org', 'bogus'),
    ],
    [
      'is broken by bogus addresses',
      [pinned],
      false,
      ['mx-address-bogus'],
      stateOf('mx1.example.org', 'bogus'),
    ],
    ['is broken by bogus MX records', [pinned], false, ['mx-records-bogus'], stateOf('example.org', 'bogus')],
    ['is broken by a bogus proof of absence', undefined, false, ['mx-tlsa-denial-bogus'], ofAbsence('bogus')],
    ['is absent if the proof of absence is unknown', undefined, false, [], ofAbsence('unknown')],
    [
      'does not count if the addresses are not signed',
      [pinned],
      false,
      ['mx-tlsa-not-signed'],
      stateOf('mx1.example.org', 'insecure'),
    ],
    [
      'is absent if the addresses are not signed, even if the record lookup fails',
      'SERVFAIL',
      false,
      [],
      stateOf('mx1.example.org', 'insecure'),
    ],
    [
      'counts as signed only with SHA-1 if only the addresses are',
      [pinned],
      false,
      ['mx-tlsa-sha1'],
      stateOf('mx1.example.org', 'deprecated'),
    ],
    [
      'still needs STARTTLS with records that SMTP cannot use',
      [{ ...pinned, usage: 1 }],
      false,
      ['mx-tlsa-unusable', 'mx-no-starttls', 'mx-tlsa-without-tls'],
      secure,
      host({ status: 'not-offered' }),
    ],
    [
      'is broken by a chain to the right authority with another name',
      [ta],
      false,
      ['mx-tlsa-mismatch'],
      secure,
      host(tls({ chain: [authority.issue(['mx.example.net']).der, authority.der] })),
    ],
    [
      'is unknown if the signatures could not be validated',
      [pinned],
      null,
      ['mx-tlsa-unavailable'],
      everywhere('unknown'),
    ],
    ['is unknown if the record lookup failed', 'SERVFAIL', null, ['mx-tlsa-unavailable']],
  ];
  test.each(cases)('%s', async (_title, tlsa, supported, ids, authenticate = secure, says = host()) => {
    const result = await inspect(
      one(undefined, tlsa === undefined ? {} : { [name]: { TLSA: tlsa } }),
      { '192.0.2.1': says, '192.0.2.1 with anchors': host() },
      { authenticate },
    );
    expect(result.daneSupported).toBe(supported);
    expect(result.ids).toEqual(ids);
  });

  test('is not proven by an answer without a signature', async () => {
    const { network } = world({}, { '192.0.2.1': host() });
    const dns = zone(one(undefined, { [name]: { TLSA: [pinned] } }));
    const result = await inspectMx(
      'example.org',
      { ...network, dns },
      { authenticate: async () => 'insecure' },
    );
    expect(result.daneSupported).toBe(false);
  });

  test('counts only if every host has it', async () => {
    const result = await inspect(two({ [name]: { TLSA: [pinned] } }), {
      '192.0.2.1': host(),
      '192.0.2.2': host(),
    });
    expect(result).toMatchObject({ daneSupported: false, ids: ['mx-dane-partial'], state: 'pass' });
  });

  test('is less useful if the MX records are not signed', async () => {
    const result = await inspect(
      one(undefined, { [name]: { TLSA: [pinned] } }),
      { '192.0.2.1': host() },
      { authenticate: stateOf('example.org', 'insecure') },
    );
    expect(result).toMatchObject({ daneSupported: true, ids: ['mx-dane-records-not-signed'] });
  });

  test('is unknown if the lookup of the addresses failed, and absent without any', async () => {
    const records = { [name]: { TLSA: [pinned] } };
    expect((await inspect(one('SERVFAIL', records))).daneSupported).toBe(null);
    expect((await inspect(one({}, records))).daneSupported).toBe(false);
  });

  describe('with an authority in the records', () => {
    const records = { [name]: { TLSA: [ta] } };
    const shows = host(tls({ trusted: false }));
    test('is decided by a handshake that trusts this authority alone, and tests no mailbox', async () => {
      const says = { '192.0.2.1': shows, '192.0.2.1 with anchors': host() };
      const result = await inspect(one(undefined, records), says, { recipient: 'postmaster@example.org' });
      expect(result).toMatchObject({ daneSupported: true, ids: [] });
      const [first, second] = result.probes;
      expect(first).toMatchObject({ recipient: 'postmaster@example.org' });
      expect(second).toEqual({
        hostname: 'mx1.example.org',
        address: '192.0.2.1',
        timeoutMilliseconds: 15_000,
        trustAnchors: [authority.der],
      });
    });

    test('says why the chain to it is invalid', async () => {
      const refused = host(tls({ trusted: false, untrustedReason: 'PATH_LENGTH_EXCEEDED' }));
      const says = { '192.0.2.1': shows, '192.0.2.1 with anchors': refused };
      const { daneSupported, findings } = await inspect(one(undefined, records), says);
      expect(daneSupported).toBe(false);
      const mismatch = findings.find(({ id }) => id === 'mx-tlsa-mismatch');
      expect(mismatch?.arguments).toEqual({
        host: 'mx1.example.org',
        ip: '192.0.2.1',
        reason: 'PATH_LENGTH_EXCEEDED',
      });
    });

    test.each<[string, Says, string]>([
      ['no answer', unavailable('timeout'), 'timeout'],
      ['no TLS', host({ status: 'not-offered' }), 'STARTTLS failed'],
    ])('is not disproven by %s to this handshake', async (_title, again, reason) => {
      const says = { '192.0.2.1': shows, '192.0.2.1 with anchors': again };
      const { ids, findings, daneSupported } = await inspect(one(undefined, records), says);
      expect(ids).toEqual(['mx-not-asked']);
      expect(findings[0]?.arguments).toMatchObject({ reason });
      expect(daneSupported).toBe(true);
    });
  });

  describe('with an MX host that is an alias (RFC 7672 section 2.2.3)', () => {
    const target = '_25._tcp.real.example.net';
    const aliased = (records: ZoneLiteral) =>
      one({ CNAME: ['real.example.net'] }, { 'real.example.net': { A: ['192.0.2.1'] }, ...records });
    const insecureTarget: Authenticate = async (answer) =>
      answer.status === 'found' && answer.name === 'real.example.net' ? 'insecure' : 'secure';
    const insecure: Authenticate = async (answer) =>
      answer.status === 'found' && answer.name !== 'example.org' ? 'insecure' : 'secure';
    test.each<[string, ZoneLiteral, Authenticate, boolean | null, string[]]>([
      ['uses the records of its target', { [target]: { TLSA: [pinned] } }, secure, true, []],
      [
        'prefers them to its own',
        { [target]: { TLSA: [another] }, [name]: { TLSA: [pinned] } },
        secure,
        false,
        ['mx-tlsa-mismatch'],
      ],
      ['uses its own if the target has none', { [name]: { TLSA: [pinned] } }, secure, true, []],
      [
        'is unknown if the lookup at the target fails',
        { [target]: 'SERVFAIL', [name]: { TLSA: [pinned] } },
        secure,
        null,
        ['mx-tlsa-unavailable'],
      ],
      [
        'uses its own if the target is not signed and the alias is',
        { [target]: { TLSA: [another] }, [name]: { TLSA: [pinned] } },
        insecureTarget,
        true,
        [],
      ],
      [
        'uses none if the alias is not signed either',
        { [name]: { TLSA: [pinned] } },
        insecure,
        false,
        ['mx-tlsa-not-signed'],
      ],
      [
        'is broken by a bogus proof that the target has none',
        { [name]: { TLSA: [pinned] } },
        async ({ status }) => (status === 'absent' ? 'bogus' : 'secure'),
        false,
        ['mx-tlsa-denial-bogus'],
      ],
      [
        'requires the name of the target of a certificate from an authority there',
        { [target]: { TLSA: [ta] } },
        secure,
        false,
        ['mx-tlsa-mismatch'],
      ],
    ])('%s', async (_title, records, authenticate, supported, ids) => {
      const says = { '192.0.2.1': host(), '192.0.2.1 with anchors': host() };
      const result = await inspect(aliased(records), says, { authenticate });
      expect(result.daneSupported).toBe(supported);
      expect(result.ids).toEqual(['mx-alias', ...ids]);
    });
  });
});

describe('a backup host', () => {
  const flawed = host(tls({ matchesName: false }));
  const bare = host({ status: 'not-offered' });
  const cases: [string, Says, Says, string | undefined][] = [
    ['without TLS, as a backup for one with TLS', host(), bare, 'no TLS'],
    ['without TLS, as a backup for one with flaws', flawed, bare, 'no TLS'],
    ['with flaws, as a backup for one in good order', host(), flawed, 'TLS problems'],
    ['with old TLS, as a backup for one in good order', host(), host(tls({}, 'TLSv1')), 'TLS problems'],
    ['as good as the preferred one', host(), host(), undefined],
    ['as bad as the preferred one', bare, bare, undefined],
    ['better than the preferred one', flawed, host(), undefined],
    ['that could not be probed', host(), unavailable('timeout'), undefined],
    ['as a backup for one that could not be probed', unavailable('timeout'), bare, undefined],
  ];
  test.each(cases)('%s', async (_title, preferred, backup, has) => {
    const result = await inspect(two(), { '192.0.2.1': preferred, '192.0.2.2': backup });
    const weaker = result.findings.filter(({ id }) => id === 'mx-backup-weaker');
    expect(weaker.map((finding) => finding.arguments)).toEqual(
      has === undefined ? [] : [{ host: 'mx2.example.org', has }],
    );
  });

  test('of the same preference does not count as one', async () => {
    const literal = {
      ...two(),
      'example.org': {
        MX: [
          [10, 'mx1.example.org'],
          [10, 'mx2.example.org'],
        ],
      },
    } as const;
    const result = await inspect(literal, { '192.0.2.1': host(), '192.0.2.2': bare });
    expect(result.ids).toEqual(['mx-no-starttls']);
  });
});

describe('an MX host without an address', () => {
  const elsewhere = (more: ZoneLiteral): ZoneLiteral => ({
    'example.org': { MX: [[10, 'mx.gone.example']] },
    ...more,
  });
  const soa = { SOA: [{ mname: 'ns.example', rname: 'admin.example', serial: 1, minimum: 60 }] };

  test.each<[string, ZoneLiteral, string]>([
    ['in an unregistered domain', elsewhere({ example: soa }), 'mx-dangling'],
    ['in a registered domain', elsewhere({ example: soa, 'gone.example': soa }), 'mx-no-address'],
    [
      'in a domain whose lookup failed',
      elsewhere({ example: soa, 'gone.example': 'SERVFAIL' }),
      'mx-no-address',
    ],
    ['below a suffix that does not exist', elsewhere({}), 'mx-no-address'],
    ['below a suffix whose lookup failed', elsewhere({ example: 'SERVFAIL' }), 'mx-no-address'],
    ['in the domain itself', { 'example.org': { MX: [[10, 'mx.example.org']] }, org: soa }, 'mx-no-address'],
    ['with a single label', { 'example.org': { MX: [[10, 'mx']] } }, 'mx-no-address'],
  ])('%s', async (_title, literal, id) => {
    expect(await inspect(literal)).toMatchObject({ ids: [id], state: 'fail', probes: [] });
  });
});

test('queries TLSA records with checking disabled, so that bogus signatures can be reported', async () => {
  const { network } = world(one(), { '192.0.2.1': host() });
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
  const { network } = world({}, { '192.0.2.1': host(), '192.0.2.2': host() });
  const dns = zone(two(), { delayMilliseconds: 200 });
  await inspectMx('example.org', { ...network, dns }, { authenticate: secure });
  // All but the MX records, which the others depend on.
  expect(dns.mostAtOnce).toBe(6);
  expect(dns.questions).toHaveLength(7);
});

describe('on a real loopback network', () => {
  async function checkHost(options: SmtpHostOptions, tlsa = pinned) {
    const mx = await use(startSmtpHost(options));
    const zone = one({ A: ['192.0.2.1'] }, { '_25._tcp.mx1.example.org': { TLSA: [tlsa] } });
    const dns = await use(startDnsServer(zone, { negativeTtl: 60 }));
    const network = createNetwork({
      dnsServers: [dns],
      dialMap: new Map([['192.0.2.1:25', mx]]),
      extraCa: authority.cert,
      ehloName: 'probe.test',
    });
    return inspectMx('example.org', network, { authenticate: secure, recipient: 'postmaster@example.org' });
  }

  test('a host in good order passes', async () => {
    expect(await checkHost({ certificate: shown })).toMatchObject({
      state: 'pass',
      findings: [],
      hosts: [
        {
          hostname: 'mx1.example.org',
          priority: 10,
          ip: '192.0.2.1',
          tlsSupported: true,
          starttlsSupported: true,
        },
      ],
      tlsSupported: true,
      daneSupported: true,
      emailReceptionCapability: 'active',
    });
  });

  test('a host with a new certificate and an old TLSA record fails', async () => {
    expect(await checkHost({ certificate: shown }, another)).toMatchObject({
      state: 'fail',
      daneSupported: false,
      findings: [{ id: 'mx-tlsa-mismatch' }],
    });
  });

  test('a host that refuses the mailbox is relay-denied', async () => {
    expect(await checkHost({ certificate: shown, rcptTo: '550 5.1.1 unknown' })).toMatchObject({
      state: 'fail',
      emailReceptionCapability: 'relay-denied',
    });
  });
});
