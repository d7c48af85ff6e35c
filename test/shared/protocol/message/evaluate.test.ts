import { describe, expect, test } from '@jest/globals';
import { type Envelope, evaluateMessage, readMessage } from '../../../../shared/protocol/message/evaluate.ts';
import { rsaKey, signed } from '../../../kit/dkim-signer.ts';
import { type ZoneLiteral, zone } from '../../../kit/zone.ts';

const NOW = new Date('2026-01-01T00:00:00Z');
const key = rsaKey();

const envelope: Envelope = { ip: '192.0.2.7', helo: 'mail.example.org', mailFrom: 'bounce@example.org' };

const dmarc = (text: string) => ({ '_dmarc.example.org': { TXT: [`v=DMARC1; ${text}`] } });
const spf = (domain: string, text: string) => ({ [domain]: { TXT: [`v=spf1 ${text}`] } });
const passing = (domain: string) => spf(domain, 'ip4:192.0.2.7 -all');
const keyOf = (domain: string) => ({ [`s._domainkey.${domain}`]: { TXT: [key.record] } });

const plain = (from = 'a@example.org') => `From: ${from}\r\nSubject: x\r\n\r\nHello\r\n`;
const signedBy = (domain: string, from?: string) => signed(plain(from), { domain, selector: 's', key });

const run = (message: string, published: ZoneLiteral, how: Partial<Envelope> = {}) =>
  evaluateMessage(readMessage(Buffer.from(message)), { ...envelope, ...how }, zone(published), NOW);

describe('DMARC evaluation', () => {
  test.each<[string, string, ZoneLiteral, Partial<Envelope>, string, string | null, string | null]>([
    [
      'passes by SPF of the author domain',
      plain(),
      { ...dmarc('p=reject'), ...passing('example.org') },
      {},
      'pass',
      'reject',
      null,
    ],
    [
      'passes by DKIM of the author domain',
      signedBy('example.org'),
      { ...dmarc('p=reject'), ...keyOf('example.org') },
      {},
      'pass',
      'reject',
      null,
    ],
    [
      'passes by SPF of a domain in the organization',
      plain(),
      { ...dmarc('p=reject'), ...passing('b.example.org') },
      { mailFrom: 'x@b.example.org' },
      'pass',
      'reject',
      null,
    ],
    [
      'passes by DKIM of the organizational domain',
      signedBy('example.org', 'a@sub.example.org'),
      { ...dmarc('p=reject'), ...keyOf('example.org') },
      {},
      'pass',
      'reject',
      null,
    ],
    [
      'passes for bounces by SPF of the HELO name',
      plain(),
      { ...dmarc('p=reject'), ...passing('mail.example.org') },
      { mailFrom: '' },
      'pass',
      'reject',
      null,
    ],
    [
      'passes for an organization with records in subdomains',
      signedBy('example.org', 'a@sub.example.org'),
      { '_dmarc.sub.example.org': { TXT: ['v=DMARC1; p=reject'] }, ...keyOf('example.org') },
      {},
      'pass',
      'reject',
      null,
    ],
    [
      'fails if a record in between has psd=n',
      signedBy('example.org', 'a@sub.example.org'),
      { '_dmarc.sub.example.org': { TXT: ['v=DMARC1; p=reject; psd=n'] }, ...keyOf('example.org') },
      {},
      'fail',
      'reject',
      'not-aligned',
    ],
    [
      'fails in strict mode for SPF of a domain in the organization',
      plain(),
      { ...dmarc('p=reject; aspf=s'), ...passing('b.example.org') },
      { mailFrom: 'x@b.example.org' },
      'fail',
      'reject',
      'not-aligned',
    ],
    [
      'passes in strict mode for SPF of the author domain',
      plain(),
      { ...dmarc('p=reject; aspf=s'), ...passing('example.org') },
      { mailFrom: 'x@example.org' },
      'pass',
      'reject',
      null,
    ],
    [
      'fails in strict mode for DKIM of the organizational domain',
      signedBy('b.example.org'),
      { ...dmarc('p=quarantine; adkim=s'), ...keyOf('b.example.org') },
      {},
      'fail',
      'quarantine',
      'not-aligned',
    ],
    [
      'fails for another domain that passes both',
      signedBy('example.net'),
      { ...dmarc('p=none'), ...passing('example.net'), ...keyOf('example.net') },
      { mailFrom: 'x@example.net' },
      'fail',
      'none',
      'not-aligned',
    ],
    [
      'fails for another domain with the same ending',
      plain(),
      { ...dmarc('p=reject'), ...passing('notexample.org') },
      { mailFrom: 'x@notexample.org' },
      'fail',
      'reject',
      'not-aligned',
    ],
    [
      'uses sp below the organizational domain',
      plain('a@sub.example.org'),
      { ...dmarc('p=reject; sp=quarantine'), 'sub.example.org': { MX: [[10, 'mx.example.org']] } },
      {},
      'fail',
      'quarantine',
      'not-aligned',
    ],
    [
      'uses the next weaker policy with t=y',
      plain(),
      dmarc('p=reject; t=y'),
      {},
      'fail',
      'quarantine',
      'not-aligned',
    ],
    [
      'uses the next weaker policy with pct=0',
      plain(),
      dmarc('p=quarantine; pct=0'),
      {},
      'fail',
      'none',
      'not-aligned',
    ],
    ['is none without a record', plain(), passing('example.org'), {}, 'none', null, 'no-record'],
    [
      'is none with two records',
      plain(),
      { '_dmarc.example.org': { TXT: ['v=DMARC1; p=reject', 'v=DMARC1; p=none'] } },
      {},
      'none',
      null,
      'no-record',
    ],
    ['is an error with a broken record', plain(), dmarc('p=rejekt'), {}, 'permerror', null, 'broken-record'],
    [
      'is an error without an author',
      'Subject: x\r\n\r\n',
      dmarc('p=reject'),
      {},
      'permerror',
      null,
      'no-from',
    ],
    [
      'is an error with an author without a domain',
      plain('nobody'),
      dmarc('p=reject'),
      {},
      'permerror',
      null,
      'no-author-domain',
    ],
    [
      'fails with two From fields, even if all else passes',
      `From: a@example.org\r\n${signedBy('example.org')}`,
      { ...dmarc('p=reject'), ...passing('example.org'), ...keyOf('example.org') },
      {},
      'fail',
      'reject',
      'several-from',
    ],
    [
      'fails with authors of two domains',
      plain('a@example.org, b@example.net'),
      { ...dmarc('p=reject'), ...passing('example.org') },
      {},
      'fail',
      'reject',
      'several-authors',
    ],
    [
      'is a temporary error if the policy lookup failed',
      plain(),
      { '_dmarc.example.org': 'SERVFAIL', ...passing('example.org') },
      {},
      'temperror',
      null,
      'dns',
    ],
    [
      'is a temporary error if SPF of the author domain failed temporarily',
      plain(),
      { ...dmarc('p=reject'), 'example.org': 'TIMEOUT' },
      {},
      'temperror',
      'reject',
      'dns',
    ],
    [
      'is a temporary error if a key lookup of the author domain failed',
      signedBy('example.org'),
      { ...dmarc('p=reject'), 's._domainkey.example.org': 'SERVFAIL' },
      {},
      'temperror',
      'reject',
      'dns',
    ],
    [
      'fails if only the key lookup of another domain failed',
      signedBy('example.net'),
      { ...dmarc('p=reject'), 's._domainkey.example.net': 'SERVFAIL' },
      {},
      'fail',
      'reject',
      'not-aligned',
    ],
  ])('%s', async (_what, message, published, how, result, policy, reason) => {
    const { dmarc: verdict } = await run(message, published, how);
    expect([verdict.result, verdict.policy, verdict.reason]).toEqual([result, policy, reason]);
  });

  test('is a temporary error if a signature of the author domain was not verified', async () => {
    const message = `DKIM-Signature: v=1; d=example.org; s=s; h=${'from:'.repeat(300)}; b=A\r\n${plain()}`;
    const { dmarc: verdict } = await run(message, dmarc('p=reject'));
    expect([verdict.result, verdict.reason]).toEqual(['temperror', 'limit']);
  });

  test('reports its reasons', async () => {
    const { dmarc: verdict, spf: own } = await run(plain('a@sub.example.org'), {
      ...dmarc('p=reject; adkim=s'),
      ...passing('example.org'),
    });
    expect(verdict).toEqual({
      result: 'pass',
      policy: 'reject',
      domain: 'sub.example.org',
      recordDomain: 'example.org',
      record: 'v=DMARC1; p=reject; adkim=s',
      modes: { spf: 'r', dkim: 's' },
      spfAligned: true,
      dkimAligned: false,
      reason: null,
    });
    expect(own).toMatchObject({ result: 'pass', domain: 'example.org', aligned: true });
  });
});

describe('SPF evaluation', () => {
  test('reports the matching term, and the explanation of the domain', async () => {
    const { spf: verdict } = await run(plain(), spf('example.org', 'a:other.example.org -all'));
    expect(verdict).toEqual({
      result: 'fail',
      domain: 'example.org',
      ip: '192.0.2.7',
      helo: 'mail.example.org',
      mailFrom: 'bounce@example.org',
      matched: { domain: 'example.org', term: '-all' },
      problem: null,
      explanation: null,
      lookups: 1,
      aligned: true,
    });
  });

  test('is skipped for an unknown IP address', async () => {
    const read = readMessage(Buffer.from(plain()));
    const { spf: verdict } = await evaluateMessage(read, undefined, zone(passing('example.org')), NOW);
    expect(verdict).toMatchObject({ result: 'none', domain: '', ip: null, lookups: 0, aligned: false });
  });
});
