import { describe, expect, test } from '@jest/globals';
import { analyse } from '../../../shared/mail-test/analyse.ts';
import type { BlocklistRole } from '../../../shared/mail-test/blocklist-zones.ts';
import { rsaKey, signed } from '../../kit/dkim-signer.ts';
import { recorded } from '../../kit/recorded.ts';
import { type ZoneLiteral, zone } from '../../kit/zone.ts';

const key = rsaKey();
const LIST = 'zen.spamhaus.org';
const SOUND: ZoneLiteral = {
  'example.org': { TXT: ['v=spf1 ip4:192.0.2.7 -all'], A: ['192.0.2.1'] },
  'mail.example.org': { A: ['192.0.2.7'] },
  '7.2.0.192.in-addr.arpa': { PTR: ['mail.example.org'] },
  '_dmarc.example.org': { TXT: ['v=DMARC1; p=reject'] },
  's._domainkey.example.org': { TXT: [key.record] },
  [`2.0.0.127.${LIST}`]: { A: ['127.0.0.2'] },
};
const TEXT = [
  'From: a@example.org',
  'To: test@tester.example',
  'Date: Thu, 1 Jan 2026 10:00:00 +0000',
  'Message-ID: <1@example.org>',
  '',
  'Hello',
  '',
].join('\r\n');
const SIGNED = signed(TEXT, { domain: 'example.org', selector: 's', key, fields: ['from', 'date'] });

interface Sent {
  readonly message?: string;
  readonly published?: ZoneLiteral;
  readonly protocol?: string;
}

async function outcomes({ message = SIGNED, published = {}, protocol = 'ESMTPS' }: Sent) {
  const trace = `Return-Path: <a@example.org>\r\nReceived: from mail.example.org (x [192.0.2.7]) by inbound-smtp.example with ${protocol} id edge7p7b81 for x; Thu, 1 Jan 2026\r\n`;
  const tested = await analyse(
    {
      message: Buffer.from(trace + message),
      edgeId: 'edge7p7b81',
      receivedAt: new Date('2026-01-01T10:00:10Z'),
    },
    {
      dns: zone({ ...SOUND, ...published }),
      blocklists: new Map<BlocklistRole, string>([['combined', LIST]]),
    },
  );
  const receivers = tested.results.receivers ?? [];
  recorded(
    receivers.map(({ receiver, broken, ...more }) => ({
      [receiver]: {
        ...more,
        broken: broken.map(({ delivery, reply, senders }) => `${delivery} ${reply} ${senders}`),
      },
    })),
  );
  return { ...tested, receivers };
}

const noSpf = { 'example.org': { TXT: ['v=spf1 -all'], A: ['192.0.2.1'] } } satisfies ZoneLiteral;
const policy = (name: string): ZoneLiteral => ({ '_dmarc.example.org': { TXT: [`v=DMARC1; p=${name}`] } });
const noDmarc: ZoneLiteral = { '_dmarc.example.org': { TXT: ['x'] } };
const nothing: ZoneLiteral = { 'example.org': { A: ['192.0.2.1'] }, ...noDmarc };
const failing: ZoneLiteral = { 'example.org': 'SERVFAIL', 's._domainkey.example.org': 'TIMEOUT' };
const byOthers = (message: string): Sent => ({ message, published: policy('none') });

describe('what Gmail, Yahoo, Microsoft and others do with a message', () => {
  test.each<[string, Sent]>([
    ['that is in order', {}],
    ['that fails p=reject', { message: TEXT, published: noSpf }],
    ['that fails p=quarantine', { message: TEXT, published: { ...noSpf, ...policy('quarantine') } }],
    ['with nothing authenticated at all, and without policies', { message: TEXT, published: nothing }],
    ['that only SPF authenticates', { message: TEXT }],
    ['that only DKIM authenticates', { published: noSpf }],
    ['from an address without a reverse name', { published: { '7.2.0.192.in-addr.arpa': { TXT: ['x'] } } }],
    ['from an address on a list of Spamhaus', { published: { [`7.2.0.192.${LIST}`]: { A: ['127.0.0.2'] } } }],
    ['without a Message-ID', { message: TEXT.replace('Message-ID', 'X-ID') }],
    ['with two From fields', byOthers(`From: b@example.org\r\n${TEXT}`)],
    ['whose SPF and DKIM lookups fail', { published: { ...failing, ...policy('none') } }],
    ['whose DMARC lookup fails', { message: TEXT, published: { '_dmarc.example.org': 'TIMEOUT' } }],
    ['without a DMARC record, from a sender of bulk mail', { published: noDmarc }],
    ['sent without TLS, from a sender of bulk mail', { protocol: 'ESMTP' }],
    ['without a From field, which Gmail rejects', byOthers(TEXT.replace('From: ', 'X-From: '))],
    ['without a domain of its author, which Gmail rejects', byOthers(TEXT.replace('a@example.org', 'a'))],
    [
      'of several authors, which Gmail rejects',
      byOthers(TEXT.replace('a@example.org', 'a@example.org, b@example.net')),
    ],
  ])('%s', async (_what, sent) => {
    await outcomes(sent);
  });

  test('never reads as fine with a spam score that does', async () => {
    const { verdict, receivers } = await outcomes({ message: TEXT, published: nothing });
    expect([verdict, receivers.filter(({ delivery }) => delivery === 'delivered')]).toEqual(['ham', []]);
  });

  test('each rule of a named receiver has its source', async () => {
    const { receivers } = await outcomes({ message: `From: b@example.org\r\n${TEXT}`, published: noSpf });
    const named = receivers.filter(({ receiver }) => receiver !== 'others').flatMap(({ broken }) => broken);
    expect(named.length).toBeGreaterThan(5);
    expect(named.filter(({ source }) => !source?.startsWith('https://'))).toEqual([]);
  });
});
