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

/** The deliveries of Gmail, Yahoo, Microsoft and others, with the replies that decide. */
const shown = ({ receivers }: Awaited<ReturnType<typeof outcomes>>) =>
  receivers.map(({ delivery, broken }) => {
    const [first] = broken.filter((rule) => rule.senders === 'all' && rule.delivery === delivery);
    return first?.reply ? `${delivery} ${first.reply}` : delivery;
  });

const noSpf = { 'example.org': { TXT: ['v=spf1 -all'], A: ['192.0.2.1'] } } satisfies ZoneLiteral;
const policy = (name: string): ZoneLiteral => ({ '_dmarc.example.org': { TXT: [`v=DMARC1; p=${name}`] } });

describe('what Gmail, Yahoo, Microsoft and others do with a message', () => {
  test.each<[string, Sent, readonly string[]]>([
    ['that is in order', {}, ['delivered', 'delivered', 'delivered', 'delivered']],
    [
      'that fails p=reject',
      { message: TEXT, published: noSpf },
      ['rejected 550 5.7.26', 'rejected 554 5.7.9', 'rejected 550 5.7.509', 'rejected 550 5.7.1'],
    ],
    [
      'that fails p=quarantine',
      { message: TEXT, published: { ...noSpf, ...policy('quarantine') } },
      ['rejected 550 5.7.26', 'rejected 554 5.7.9', 'spam-folder', 'spam-folder'],
    ],
    [
      'with nothing authenticated at all, and without policies',
      {
        message: TEXT,
        published: { 'example.org': { A: ['192.0.2.1'] }, '_dmarc.example.org': { TXT: ['x'] } },
      },
      ['rejected 550 5.7.26', 'rejected 554 5.7.9', 'spam-folder', 'spam-folder'],
    ],
    ['that only SPF authenticates', { message: TEXT }, ['delivered', 'delivered', 'delivered', 'delivered']],
    [
      'that only DKIM authenticates',
      { published: noSpf },
      ['delivered', 'delivered', 'delivered', 'delivered'],
    ],
    [
      'from an address without a reverse name',
      { published: { '7.2.0.192.in-addr.arpa': { TXT: ['x'] } } },
      ['rejected 550 5.7.25', 'delivered', 'delivered', 'rejected 550 5.7.25'],
    ],
    [
      'from an address on a list of Spamhaus',
      { published: { [`7.2.0.192.${LIST}`]: { A: ['127.0.0.2'] } } },
      ['spam-folder', 'rejected', 'delivered', 'rejected'],
    ],
    [
      'without a Message-ID',
      { message: TEXT.replace('Message-ID', 'X-ID') },
      ['rejected 550 5.7.1', 'delivered', 'delivered', 'delivered'],
    ],
    [
      'with two From fields',
      { message: `From: b@example.org\r\n${TEXT}`, published: policy('none') },
      ['rejected 550 5.7.1', 'delivered', 'delivered', 'delivered'],
    ],
    [
      'whose SPF and DKIM lookups fail',
      {
        published: { 'example.org': 'SERVFAIL', 's._domainkey.example.org': 'TIMEOUT', ...policy('none') },
      },
      ['unknown 550 5.7.26', 'unknown 554 5.7.9', 'unknown', 'unknown'],
    ],
    [
      'whose DMARC lookup fails',
      { message: TEXT, published: { '_dmarc.example.org': 'TIMEOUT' } },
      ['unknown 550 5.7.26', 'unknown 554 5.7.9', 'unknown 550 5.7.509', 'unknown 550 5.7.1'],
    ],
  ])('%s', async (_what, sent, expected) => {
    expect(shown(await outcomes(sent))).toEqual(expected);
  });

  test.each<[string, Sent, readonly (string | null | undefined)[]]>([
    ['that only SPF authenticates', { message: TEXT }, ['550 5.7.30', null, '550 5.7.515', undefined]],
    ['that only DKIM authenticates', { published: noSpf }, ['550 5.7.27', null, '550 5.7.515', undefined]],
    [
      'without a DMARC record',
      { published: { '_dmarc.example.org': { TXT: ['x'] } } },
      ['550 5.7.40', null, '550 5.7.515', undefined],
    ],
    ['sent without TLS', { protocol: 'ESMTP' }, ['550 5.7.29', undefined, undefined, undefined]],
  ])('%s, from a sender of bulk mail', async (_what, sent, replies) => {
    const { receivers } = await outcomes(sent);
    expect(receivers.map(({ delivery }) => delivery)).toEqual(Array(4).fill('delivered'));
    expect(
      receivers.map(({ bulkDelivery, broken }) =>
        bulkDelivery === 'rejected'
          ? broken.find(({ delivery }) => delivery === 'rejected')?.reply
          : undefined,
      ),
    ).toEqual(replies);
  });

  test.each([
    ['without a From field', TEXT.replace('From: ', 'X-From: ')],
    ['without a domain of its author', TEXT.replace('a@example.org', 'a')],
    ['of several authors', TEXT.replace('a@example.org', 'a@example.org, b@example.net')],
  ])('%s, which Gmail rejects', async (_what, message) => {
    expect(shown(await outcomes({ message, published: policy('none') }))[0]).toBe('rejected 550 5.7.1');
  });

  test('never reads as fine with a spam score that does', async () => {
    const { verdict, receivers } = await outcomes({
      message: TEXT,
      published: { 'example.org': { A: ['192.0.2.1'] }, '_dmarc.example.org': { TXT: ['x'] } },
    });
    expect([verdict, receivers.filter(({ delivery }) => delivery === 'delivered')]).toEqual(['ham', []]);
  });

  test('each rule of a named receiver has its source', async () => {
    const { receivers } = await outcomes({ message: `From: b@example.org\r\n${TEXT}`, published: noSpf });
    const named = receivers.filter(({ receiver }) => receiver !== 'others').flatMap(({ broken }) => broken);
    expect(named.length).toBeGreaterThan(5);
    expect(named.filter(({ source }) => !source?.startsWith('https://'))).toEqual([]);
  });
});
