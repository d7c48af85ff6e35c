import { describe, expect, test } from '@jest/globals';
import { authenticate } from '../../../../shared/protocol/message/authenticate.ts';
import { rsaKey, type SignatureOptions, signed } from '../../../kit/dkim-signer.ts';
import { zone } from '../../../kit/zone.ts';

const key = rsaKey();
const now = new Date('2026-03-01T12:00:00Z');
const ID = 'abcdefghij';
const IP = '192.0.2.7';

const edge = (mailFrom: string, ip = IP) =>
  `Return-Path: <${mailFrom}>\r\nReceived: from mx.reporter.test (unknown [${ip}])\r\n by inbound-smtp.us-east-1.amazonaws.com with SMTP id ${ID}\r\n for m@reports.test;\r\n Sun, 01 Mar 2026 12:00:00 +0000 (UTC)\r\n`;

const body = (from: string) => `From: ${from}\r\nSubject: Report\r\n\r\nA report is attached.\r\n`;

const signedBy = (domain: string, more: Partial<SignatureOptions> = {}) =>
  signed(body('r@reporter.test'), { domain, selector: 's1', key, ...more });

const world = {
  'reporter.test': { TXT: [`v=spf1 ip4:${IP} -all`] },
  's1._domainkey.reporter.test': { TXT: [key.record] },
  '_dmarc.reporter.test': { TXT: ['v=DMARC1; p=reject'] },
  'bounces.reporter.test': { TXT: [`v=spf1 ip4:${IP} -all`] },
  'other.test': { TXT: [`v=spf1 ip4:${IP} -all`] },
  's1._domainkey.other.test': { TXT: [key.record] },
  'strict.test': { TXT: ['v=spf1 -all'] },
  '_dmarc.strict.test': { TXT: ['v=DMARC1; p=reject; aspf=s; adkim=s'] },
  'bounces.strict.test': { TXT: [`v=spf1 ip4:${IP} -all`] },
  'nopolicy.test': { TXT: [`v=spf1 ip4:${IP} -all`] },
} as const;

const authenticateIn = (message: string, zoneData: Parameters<typeof zone>[0] = world) =>
  authenticate(Buffer.from(message), ID, { dns: zone(zoneData), now });

describe('an authenticated message', () => {
  test.each([
    ['by SPF of the same domain', 'a@reporter.test', 'reporter.test'],
    ['by SPF of a subdomain', 'b@bounces.reporter.test', 'reporter.test'],
    ['by SPF if there is no DMARC policy', 'a@nopolicy.test', 'nopolicy.test'],
  ])('passes %s', async (_how, mailFrom, from) => {
    expect(await authenticateIn(edge(mailFrom) + body(`r@${from}`))).toMatchObject({
      authenticated: true,
      fromDomain: from,
      spf: { result: 'pass' },
      dkim: [],
    });
  });

  test('passes by a signature, whatever host delivered it', async () => {
    const message = edge('x@other.test', '203.0.113.1') + signedBy('reporter.test');
    expect(await authenticateIn(message)).toEqual({
      authenticated: true,
      fromDomain: 'reporter.test',
      spf: { domain: 'other.test', result: 'fail' },
      dkim: [{ domain: 'reporter.test', selector: 's1', result: 'pass' }],
    });
  });
});

describe('an unauthenticated message', () => {
  test.each([
    ['fails SPF', edge('a@reporter.test', '203.0.113.1') + body('r@reporter.test')],
    ['passes SPF of another domain only', edge('a@other.test') + body('r@reporter.test')],
    [
      'passes SPF of a subdomain under a strict policy',
      edge('a@bounces.strict.test') + body('r@strict.test'),
    ],
    ['has forged edge lines', edge('a@reporter.test').replace(ID, 'forged') + body('r@reporter.test')],
    ['has two From fields', edge('a@reporter.test') + body('r@reporter.test\r\nFrom: r@reporter.test')],
    ['has authors of several domains', edge('a@reporter.test') + body('r@reporter.test, s@other.test')],
    ['has no From field', `${edge('a@reporter.test')}Subject: x\r\n\r\n`],
    ['is empty', ''],
  ])('%s', async (_why, message) => {
    expect((await authenticateIn(message)).authenticated).toBe(false);
  });

  const away = edge('', '203.0.113.1');
  const one = signedBy('reporter.test');
  const field = one.slice(0, one.indexOf('From:'));
  test.each([
    ['has a signature of another domain', signedBy('other.test')],
    ['has a signature of changed content', one.replace('attached', 'forged')],
    [
      'has a signature that leaves the end of the body unsigned',
      signedBy('reporter.test', { length: { signed: 5, stated: 5 } }),
    ],
    ['has a signature beyond the number that are verified', field.replace(/ b=./, ' b=').repeat(20) + one],
  ])('%s', async (_why, message) => {
    expect((await authenticateIn(away + message)).authenticated).toBe(false);
  });
});

describe('a message with unknown authentication', () => {
  test.each([
    ['the SPF record', { ...world, 'reporter.test': 'SERVFAIL' }],
    ['the policy that decides alignment', { ...world, '_dmarc.reporter.test': 'TIMEOUT' }],
  ] as const)('results if the lookup of %s failed', async (_what, zoneData) => {
    const mailFrom = zoneData['reporter.test'] === 'SERVFAIL' ? 'a@reporter.test' : 'b@bounces.reporter.test';
    expect(
      (await authenticateIn(edge(mailFrom) + body('r@reporter.test'), zoneData)).authenticated,
    ).toBeNull();
  });

  test('results if the lookup of its key failed', async () => {
    const message = edge('', '203.0.113.1') + signedBy('reporter.test');
    const { authenticated, dkim } = await authenticateIn(message, {
      ...world,
      's1._domainkey.reporter.test': 'SERVFAIL',
    });
    expect([authenticated, dkim[0]?.result]).toEqual([null, 'temperror']);
  });
});
