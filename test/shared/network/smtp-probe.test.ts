import { createServer } from 'node:net';
import { describe, expect, test } from '@jest/globals';
import { createDialer } from '../../../shared/network/dialer.ts';
import type { SmtpAnswer, SmtpProbeRequest } from '../../../shared/network/ports.ts';
import { createSmtp } from '../../../shared/network/smtp-probe.ts';
import { createAuthority, expired, notYetValid, selfSigned } from '../../kit/certificates.ts';
import { type SmtpHost, type SmtpHostOptions, startSmtpHost } from '../../kit/smtp-host.ts';
import { until } from '../../kit/until.ts';
import { use } from '../../kit/use.ts';
import { zone } from '../../kit/zone.ts';

const authority = createAuthority();
const certificate = authority.issue(['mx.example.org']);

const serve = (options: SmtpHostOptions) => use(startSmtpHost(options));

function probe(port: number, request: Partial<SmtpProbeRequest> = {}) {
  const dialMap = new Map([['192.0.2.1:25', { address: '127.0.0.1', port }]]);
  const dialer = createDialer({ dns: zone({}), privateAddresses: 'deny', dialMap });
  const smtp = createSmtp({ dialer, ehloName: 'probe.test', extraCa: authority.cert });
  return smtp.probe({
    hostname: 'mx.example.org',
    address: '192.0.2.1',
    timeoutMilliseconds: 10_000,
    ...request,
  });
}

async function probeHost(
  options: SmtpHostOptions,
  request = {},
): Promise<{ answer: SmtpAnswer; host: SmtpHost }> {
  const host = await serve(options);
  return { answer: await probe(host.port, request), host };
}

describe('a host in good order', () => {
  test('completes greeting, STARTTLS, the recipient test and QUIT like a sender', async () => {
    const { answer, host } = await probeHost({ certificate }, { recipient: 'postmaster@example.org' });
    expect(answer).toMatchObject({
      status: 'found',
      starttls: {
        status: 'established',
        protocol: 'TLSv1.3',
        certificate: {
          trusted: true,
          matchesName: true,
        },
      },
      recipient: 'accepted',
      evidence: { hostname: 'mx.example.org', address: '192.0.2.1', reply: '250 ok' },
    });
    await until(() => host.commands.includes('QUIT'));
    expect(host.commands).toEqual([
      'EHLO probe.test',
      'STARTTLS',
      'TLS',
      'EHLO probe.test',
      'MAIL FROM:<>',
      'RCPT TO:<postmaster@example.org>',
      'QUIT',
    ]);
    expect(host.connections()).toBe(1);
  });

  test.each([
    ['the whole chain', certificate.chain, [certificate.der, authority.der]],
    ['only the leaf, though its issuer is known', certificate.cert, [certificate.der]],
  ])('shows its chain as sent: %s', async (_title, chain, expected) => {
    const { answer } = await probeHost({ certificate: { ...certificate, chain } });
    const starttls = answer.status === 'found' ? answer.starttls : undefined;
    const shown = starttls?.status === 'established' ? starttls.certificate : undefined;
    expect(shown).toMatchObject({ trusted: true });
    expect(shown?.chain.map((der) => Buffer.from(der).toString('hex'))).toEqual(
      expected.map((der) => der.toString('hex')),
    );
  });

  test.each([
    ['the authority', certificate.chain, [authority.der], true],
    ['the authority, which was not sent', certificate.cert, [authority.der], true],
    ['the leaf, which needs no authority above it', certificate.cert, [certificate.der], true],
    ['another authority, not the public ones', certificate.chain, [createAuthority().der], false],
  ])('is trusted if the probe trusts only %s', async (_title, chain, trustAnchors, trusted) => {
    const { answer } = await probeHost({ certificate: { ...certificate, chain } }, { trustAnchors });
    expect(answer).toMatchObject({ starttls: { status: 'established', certificate: { trusted } } });
  });

  test('can be probed many times concurrently', async () => {
    const host = await serve({ certificate });
    const answers = await Promise.all(Array.from({ length: 20 }, () => probe(host.port)));
    expect(answers.map((answer) => answer.status === 'found' && answer.starttls.status)).toEqual(
      Array(20).fill('established'),
    );
  });
});

describe('another reply of a host', () => {
  /** What is known of the host, and then of STARTTLS. */
  const shown = (answer: SmtpAnswer): string => {
    if (answer.status !== 'found') return `${answer.status}: ${answer.reason}`;
    const { starttls } = answer;
    return `found, ${starttls.status}${starttls.status === 'failed' ? `: ${starttls.reason}` : ''}`;
  };
  const detailOf = (answer: SmtpAnswer): unknown =>
    Object(answer.status === 'found' ? answer.starttls : answer).detail;

  test.each<[string, SmtpHostOptions, string, detail?: string]>([
    ['no STARTTLS', {}, 'found, not-offered'],
    ['HELO only', { ehlo: '500 what?' }, 'found, not-offered'],
    ['a multiline banner', { greeting: '220-one\r\n220 two' }, 'found, not-offered'],
    ['starttls in lower case', { certificate, ehlo: '250-x\r\n250 starttls' }, 'found, established'],
    ['a 554 banner', { greeting: '554 no SMTP here' }, 'rejected: greeting', '554 no SMTP here'],
    ['a 500 banner', { greeting: '500 blocked' }, 'rejected: greeting'],
    ['a 421 banner', { greeting: '421 too busy' }, 'unavailable: deferred', '421 too busy'],
    ['a 400 banner', { greeting: '400 later' }, 'unavailable: deferred'],
    ['a 399 banner', { greeting: '399 hi' }, 'unavailable: malformed'],
    ['5xx to EHLO and HELO', { ehlo: '550 go away', helo: '550 go away' }, 'rejected: ehlo', '550 go away'],
    ['421 to EHLO', { ehlo: '421 busy' }, 'unavailable: deferred'],
    ['450 to HELO', { ehlo: '502 what?', helo: '450 later' }, 'unavailable: deferred'],
    ['454 to STARTTLS', { certificate, starttls: '454 not now' }, 'found, failed: reply', '454 not now'],
    ['502 to STARTTLS', { certificate, starttls: '502 never' }, 'found, failed: reply'],
    [
      'a closed connection instead of TLS',
      { certificate, afterStarttls: 'close' },
      'found, failed: handshake',
    ],
    ['garbage instead of TLS', { certificate, afterStarttls: 'garbage' }, 'found, failed: handshake'],
    [
      'a reply injected after the one to STARTTLS',
      { certificate, starttls: '220 go\r\n250-x\r\n250 INJECTED' },
      'found, failed: handshake',
      'text in the clear behind the reply to STARTTLS',
    ],
    ['another protocol', { raw: 'HTTP/1.1 400 Bad Request\r\n\r\n' }, 'unavailable: malformed'],
    ['a line without end', { raw: '2'.repeat(100_000) }, 'unavailable: malformed'],
    ['a reply without end', { raw: '220-more\r\n'.repeat(10_000) }, 'unavailable: malformed'],
    ['no response after EHLO', { closeOn: 'EHLO' }, 'unavailable: closed'],
  ])('%s', async (_title, options, expected, detail = '') => {
    const { answer } = await probeHost(options);
    expect(shown(answer)).toBe(expected);
    if (detail !== '') expect(detailOf(answer)).toBe(detail);
  });

  test.each<[string, SmtpHostOptions]>([
    ['sends nothing', { greeting: null }],
    ['sends only a banner', { ehlo: null }],
    ['does not respond to STARTTLS', { certificate, starttls: null }],
    ['stalls in the handshake', { certificate, afterStarttls: 'silence' }],
  ])('a host that %s is unavailable, which differs from "no TLS"', async (_title, options) => {
    const started = performance.now();
    const { answer } = await probeHost(options, { timeoutMilliseconds: 200 });
    expect(answer).toMatchObject({ status: 'unavailable', reason: 'timeout' });
    expect(performance.now() - started).toBeLessThan(10_000);
  });

  test('a slow banner is awaited', async () => {
    expect((await probeHost({ greetingDelayMilliseconds: 300 })).answer.status).toBe('found');
  });

  test('a closed port is a refused connection', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const bound = server.address();
    await new Promise((resolve) => server.close(resolve));
    const answer = await probe(typeof bound === 'object' && bound !== null ? bound.port : 0);
    expect(answer).toMatchObject({ status: 'unavailable', reason: 'connection-refused' });
  });
});

describe('certificates', () => {
  const named = (...names: string[]) => authority.issue(names);
  const EXPIRED = 'untrusted CERT_HAS_EXPIRED, of its name';
  const SELF_SIGNED = 'untrusted DEPTH_ZERO_SELF_SIGNED_CERT, of its name';
  test.each([
    ['expired', authority.issue(['mx.example.org'], expired), EXPIRED],
    [
      'that is not valid yet',
      authority.issue(['mx.example.org'], notYetValid),
      'untrusted CERT_NOT_YET_VALID, of its name',
    ],
    ['for another name', named('other.example.org'), 'trusted, of another name'],
    ['for the name in another case', named('MX.Example.org'), 'trusted, of its name'],
    ['with a wildcard', named('*.example.org'), 'trusted, of its name'],
    ['with a wildcard above', named('*.org'), 'trusted, of another name'],
    ['with a part of a label as wildcard', named('m*.example.org'), 'trusted, of another name'],
    ['without names', named(), 'trusted, of another name'],
    ['that is self-signed', selfSigned(['mx.example.org']), SELF_SIGNED],
    [
      'of an unknown authority',
      createAuthority('Unknown').issue(['mx.example.org']),
      'untrusted SELF_SIGNED_CERT_IN_CHAIN, of its name',
    ],
  ])('a certificate %s is reported as such, and TLS continues', async (_title, certificate, expected) => {
    const { answer } = await probeHost({ certificate });
    const starttls = answer.status === 'found' ? answer.starttls : undefined;
    const shown = starttls?.status === 'established' ? starttls.certificate : undefined;
    const trust = shown?.trusted ? 'trusted' : `untrusted ${shown?.untrustedReason}`;
    expect(`${trust}, of ${shown?.matchesName ? 'its' : 'another'} name`).toBe(expected);
  });

  test('show their validity period', async () => {
    const validTo = new Date('2030-05-06T07:08:09Z');
    const { answer } = await probeHost({ certificate: authority.issue(['mx.example.org'], { validTo }) });
    expect(answer).toMatchObject({ starttls: { certificate: { validTo } } });
  });

  test.each(['TLSv1.1', 'TLSv1'] as const)(
    'a host that supports only %s is reported as such, after a second attempt',
    async (version) => {
      const { answer, host } = await probeHost({
        certificate,
        tls: { minVersion: version, maxVersion: version, ciphers: 'DEFAULT@SECLEVEL=0' },
      });
      expect(answer).toMatchObject({
        status: 'found',
        starttls: { status: 'established', protocol: version },
      });
      expect(host.connections()).toBe(2);
    },
  );
});

describe('the recipient', () => {
  const someone = 'someone@example.org';
  test.each<[string, SmtpHostOptions, string, recipient?: string]>([
    ['accepted', {}, 'accepted'],
    ['accepted by any reply below 300', { mailFrom: '299 ok', rcptTo: '299 will forward' }, 'accepted'],
    ['accepted inside TLS', { certificate }, 'accepted'],
    ['tested if it has 254 octets', {}, 'accepted', `${'x'.repeat(242)}@example.org`],
    ['refused (500)', { rcptTo: '500 no such user' }, 'rejected'],
    ['deferred by what is no reply to it (300)', { rcptTo: '300 more' }, 'deferred'],
    ['deferred together with the sender', { mailFrom: '300 more' }, 'deferred'],
    ['deferred (450)', { rcptTo: '450 greylisted' }, 'deferred'],
    ['refused together with the sender', { mailFrom: '550 no bounces' }, 'rejected'],
    ['not tested if the host disconnects', { closeOn: 'RCPT' }, 'not-asked'],
    ['not tested after a failed handshake', { certificate, afterStarttls: 'close' }, 'not-asked'],
    ['tested in plain text if STARTTLS is refused', { certificate, starttls: '454 no' }, 'accepted'],
  ])('is %s', async (_title, options, expected, recipient = someone) => {
    expect((await probeHost(options, { recipient })).answer).toMatchObject({
      status: 'found',
      recipient: expected,
    });
  });

  test('a timeout keeps the earlier results', async () => {
    const { answer } = await probeHost(
      { certificate, rcptTo: null },
      { recipient: someone, timeoutMilliseconds: 2000 },
    );
    expect(answer).toMatchObject({
      status: 'found',
      recipient: 'not-asked',
      starttls: { status: 'established' },
    });
  });

  test.each([
    'a@b.test>\r\nDATA\r\n',
    'a b@example.org',
    '<a>@example.org',
    '"q"@example.org',
    'ü@example.org',
    'nobody',
    `${'x'.repeat(243)}@example.org`,
  ])('%j is never sent in a command', async (hostile) => {
    const { answer, host } = await probeHost({}, { recipient: hostile });
    expect(answer).toMatchObject({ recipient: 'not-asked' });
    expect(host.commands.filter((command) => !/^(EHLO|QUIT)/.test(command))).toEqual([]);
  });
});

describe('a limit of connections', () => {
  test('leaves a host unknown that must not be dialled', async () => {
    const { answer, host } = await probeHost({ certificate }, { mayContact: async () => false });
    expect(answer).toMatchObject({ status: 'unavailable', reason: 'connection-limit' });
    expect(host.connections()).toBe(0);
  });

  test('keeps what the first connection found if a second one is not allowed', async () => {
    const asked: string[] = [];
    const mayContact = async (address: string) => asked.push(address) === 1;
    const { answer, host } = await probeHost({ certificate, afterStarttls: 'close' }, { mayContact });
    expect(answer).toMatchObject({ status: 'found', starttls: { status: 'failed', reason: 'handshake' } });
    expect([host.connections(), asked.length]).toEqual([1, 2]);
  });
});

describe('the address guard', () => {
  test.each(['127.0.0.1', '10.1.2.3', '::1', '::ffff:169.254.169.254', 'not an address'])(
    '%s is not dialled',
    async (address) => {
      const dialer = createDialer({ dns: zone({}), privateAddresses: 'deny', dialMap: new Map() });
      const smtp = createSmtp({ dialer, ehloName: 'probe.test' });
      expect(
        await smtp.probe({ hostname: 'mx.example.org', address, timeoutMilliseconds: 10_000 }),
      ).toMatchObject({
        status: 'rejected',
        reason: 'address-not-public',
      });
    },
  );
});
