import { describe, expect, test } from '@jest/globals';
import { analyse } from '../../../shared/mail-test/analyse.ts';
import type { BlocklistRole } from '../../../shared/mail-test/blocklist-zones.ts';
import { rsaKey, signed } from '../../kit/dkim-signer.ts';
import { readable, recorded } from '../../kit/recorded.ts';
import { type ZoneLiteral, zone } from '../../kit/zone.ts';

const EDGE_ID = 'edge7p7b81';
const receivedAt = new Date('2026-01-01T10:00:10Z');
const blocklists = new Map<BlocklistRole, string>([
  ['combined', 'zen.example'],
  ['openrelay', 'relay.example'],
  ['reputation', 'reputation.example'],
  ['userreported', 'reported.example'],
]);

const key = rsaKey();

const SOUND: ZoneLiteral = {
  'example.org': { TXT: ['v=spf1 ip4:192.0.2.7 -all'], MX: [[10, 'mx.example.org']] },
  'mx.example.org': { A: ['192.0.2.1'] },
  'mail.example.org': { A: ['192.0.2.7'] },
  '7.2.0.192.in-addr.arpa': { PTR: ['mail.example.org'] },
  '_dmarc.example.org': { TXT: ['v=DMARC1; p=reject'] },
  's._domainkey.example.org': { TXT: [key.record] },
  // Every working list contains this test entry.
  ...Object.fromEntries([...blocklists.values()].map((list) => [`2.0.0.127.${list}`, { A: ['127.0.0.2'] }])),
};

const FIELDS = ['from', 'date', 'message-id', 'list-unsubscribe', 'list-unsubscribe-post'];
const TEXT = [
  'From: =?UTF-8?Q?J=C3=BCrgen?= <a@example.org>',
  'To: test@tester.example',
  'Subject: =?UTF-8?B?R3LDvMOfZQ==?=',
  'Date: Thu, 1 Jan 2026 10:00:00 +0000',
  'Message-ID: <1@example.org>',
  'List-Unsubscribe: <https://example.org/u>',
  'List-Unsubscribe-Post: List-Unsubscribe=One-Click',
  '',
  'Hello',
  '',
].join('\r\n');

const receivedMail = (
  message: string,
  { ip = '192.0.2.7', mailFrom = 'a@example.org', protocol = 'ESMTPS' } = {},
) =>
  Buffer.from(
    `Return-Path: <${mailFrom}>\r\nReceived: from mail.example.org (x [${ip}]) by inbound-smtp.example with ${protocol} id ${EDGE_ID} for x; Thu, 1 Jan 2026\r\n${message}`,
  );

const analyseIn = (message: Uint8Array, published: ZoneLiteral) =>
  analyse({ message, edgeId: EDGE_ID, receivedAt }, { dns: zone(published), blocklists });

type Tested = Awaited<ReturnType<typeof analyseIn>>;

/** What is recorded of an analysis: without signatures, which are those of the test run. */
function saidIn({ scoreBreakdown, results, ...rest }: Tested) {
  const { notes, receivers = [], dkim, ...found } = results;
  return {
    ...{ ...rest, ...found },
    notes: Object.fromEntries(notes.map((one) => [`${one.receiver} ${one.requirement}`, one.state])),
    rules: scoreBreakdown.map(({ rule, score }) => `${rule} ${score}`),
    dkim: { valid: dkim.valid, more: dkim.more },
    signatures: dkim.signatures.map(({ verdict, duplicate }) => `${verdict} ${duplicate}`),
    receivers: Object.fromEntries(
      receivers.map((one) => [one.receiver, `${one.delivery} ${one.bulkDelivery}`]),
    ),
    message: { ...found.message, fields: found.message.fields.map(({ name }) => name) },
  };
}

const signedMail = () => signed(TEXT, { domain: 'example.org', selector: 's', key, fields: FIELDS });
const usual = saidIn(await analyseIn(receivedMail(signedMail()), SOUND));
const thirtyCopies = () => {
  const text = signedMail();
  const signature = text.slice(0, text.indexOf('\r\n') + 2);
  return signature.replace('; h=', ';\r\n h=') + signature.repeat(28) + text;
};
const silent = Object.fromEntries(Object.keys(SOUND).map((name) => [name, 'TIMEOUT' as const]));
const silentLists = [...blocklists.values()].map((list) => [`7.2.0.192.${list}`, 'SERVFAIL' as const]);
const forgedLine = 'Received: from mail.example.org (x [192.0.2.7]) by edge with SMTP id guess';

test('the analysis of a sound message', () => {
  expect(readable(usual)).toMatchSnapshot();
});

describe('the analysis of a message', () => {
  test.each<[what: string, message: Uint8Array, published?: ZoneLiteral]>([
    ['counts thirty copies of a signature as one', receivedMail(thirtyCopies())],
    [
      'finds no policy for a sender at an address literal, and queries none (RFC 7208 section 4.3)',
      receivedMail(TEXT, { mailFrom: 'me@[127.0.0.1]' }),
      { ...SOUND, '[127.0.0.1]': 'TIMEOUT' },
    ],
    [
      'adds up the faults of a forged message',
      receivedMail(TEXT.replace('2026 10', '2027 10').replace('Message-ID', 'X-ID'), { ip: '203.0.113.9' }),
      { ...SOUND, '9.113.0.203.zen.example': { A: ['127.0.0.4'] } },
    ],
    [
      'counts only the SPF error against the sender while DNS does not respond',
      receivedMail(signedMail()),
      { ...silent, ...Object.fromEntries(silentLists) },
    ],
    ['trusts only the Received line of the edge', Buffer.from(`${forgedLine}\r\n${TEXT}`)],
    ['looks up the MX records of the author domain for a bounce', receivedMail(TEXT, { mailFrom: '' })],
    [
      'reports which bulk sender requirements are not met',
      receivedMail('From: a@example.net\r\n\r\nx', { protocol: 'SMTP' }),
      {},
    ],
    ['accepts DMARC through SPF alone, and requires SPF and DKIM to pass', receivedMail(TEXT)],
    [
      'does not report a requirement as not met if a lookup failed',
      receivedMail(signedMail()),
      { ...SOUND, 's._domainkey.example.org': 'SERVFAIL' },
    ],
  ])('%s', async (_, ...[message, published = SOUND]) => {
    recorded(saidIn(await analyseIn(message, published)), usual);
  });

  test('recognizes DKIM2 and ARC, which do not change the score', async () => {
    const plain = await analyseIn(receivedMail(TEXT), SOUND);
    const added = [
      'DKIM2-Signature: i=1; d=example.org; s=s:rsa-sha256:AAAA',
      'Message-Instance: m=1; h=sha256:AAAA',
      'ARC-Seal: i=1; a=rsa-sha256; cv=none; d=example.net; s=s; b=AAAA',
      'ARC-Authentication-Results: i=1; mx.example.net; dmarc=pass header.from=example.org',
      'ARC-Seal: i=2; a=rsa-sha256; cv=fail; d=example.net; s=s; b=AAAA',
    ];
    const tested = await analyseIn(receivedMail(`${added.join('\r\n')}\r\n${TEXT}`), SOUND);
    recorded(saidIn(tested), saidIn(plain));
    expect(tested.scoreBreakdown).toEqual(plain.scoreBreakdown);
  });

  test('sends all queries concurrently', async () => {
    const dns = zone(SOUND, { delayMilliseconds: 200 });
    await analyse({ message: receivedMail(TEXT), edgeId: EDGE_ID, receivedAt }, { dns, blocklists });
    expect(dns.mostAtOnce).toBeGreaterThan(dns.questions.length / 2);
  });

  test('ends even if DNS never responds', async () => {
    const dns = { lookup: () => new Promise<never>(() => undefined) };
    const start = performance.now();
    const tested = await analyse(
      { message: receivedMail(TEXT), edgeId: EDGE_ID, receivedAt },
      { dns, blocklists },
    );
    expect(performance.now() - start).toBeLessThan(20_000);
    expect(tested.scoreBreakdown.map(({ rule }) => rule)).toEqual(['SPF_TEMPERROR']);
  });
});
