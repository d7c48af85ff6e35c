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
    signatures: dkim.signatures.map(({ verdict, duplicate }) => `${verdict} ${duplicate}`),
    receivers: Object.fromEntries(
      receivers.map((one) => [one.receiver, `${one.delivery} ${one.bulkDelivery}`]),
    ),
    message: { ...found.message, fields: found.message.fields.map(({ name }) => name) },
  };
}

const sound = receivedMail(signed(TEXT, { domain: 'example.org', selector: 's', key, fields: FIELDS }));
const usual = saidIn(await analyseIn(sound, SOUND));

async function run(message: Uint8Array, published: ZoneLiteral = SOUND): Promise<Tested> {
  const tested = await analyseIn(message, published);
  recorded(saidIn(tested), usual);
  return tested;
}

const rulesOf = ({ scoreBreakdown }: Awaited<ReturnType<typeof run>>) =>
  scoreBreakdown.map(({ rule }) => rule);

describe('the analysis of a message', () => {
  test('lowers the score of a sound message for every passed check', async () => {
    const tested = await run(sound);
    expect(readable(usual)).toMatchSnapshot();
    expect(rulesOf(tested)).toEqual(['SPF_PASS', 'DKIM_VALID', 'DMARC_PASS', 'PTR_VALID']);
    expect(tested).toMatchObject({
      spamScore: -1.3,
      verdict: 'ham',
      results: {
        spf: { result: 'pass', domain: 'example.org', ip: '192.0.2.7', helo: 'mail.example.org' },
        dkim: { valid: true, signatures: [{ domain: 'example.org', aligned: true }] },
        dmarc: { result: 'pass', policy: 'reject' },
        ptr: { valid: true, record: 'mail.example.org' },
        mx: { status: 'valid' },
        blocklists: { listed: 0, results: [{ list: 'combined', listed: false }, {}, {}, {}] },
        message: {
          from: 'Jürgen <a@example.org>',
          subject: 'Grüße',
          received: [{ from: 'mail.example.org (x [192.0.2.7])' }],
        },
      },
    });
    expect(new Set(tested.results.notes.map(({ state }) => state))).toEqual(new Set(['met']));
  });

  test('counts thirty copies of a signature as one', async () => {
    const text = signed(TEXT, { domain: 'example.org', selector: 's', key, fields: FIELDS });
    const signature = text.slice(0, text.indexOf('\r\n') + 2);
    const refolded = signature.replace('; h=', ';\r\n h=');
    const tested = await run(receivedMail(refolded + signature.repeat(28) + text));
    expect([tested.spamScore, rulesOf(tested).filter((rule) => rule === 'DKIM_VALID')]).toEqual([
      -1.3,
      ['DKIM_VALID'],
    ]);
    const { signatures, more } = tested.results.dkim;
    expect([signatures.length, more, signatures.filter(({ duplicate }) => !duplicate).length]).toEqual([
      20, 10, 1,
    ]);
  });

  test('finds no policy for a sender at an address literal, and queries none (RFC 7208 section 4.3)', async () => {
    const { results } = await run(receivedMail(TEXT, { mailFrom: 'me@[127.0.0.1]' }), {
      ...SOUND,
      '[127.0.0.1]': 'TIMEOUT',
    });
    expect(results.spf).toMatchObject({
      result: 'none',
      domain: '[127.0.0.1]',
      mailFrom: 'me@[127.0.0.1]',
      aligned: false,
    });
  });

  test('adds up the faults of a forged message', async () => {
    const forged = receivedMail(TEXT.replace('2026 10', '2027 10').replace('Message-ID', 'X-ID'), {
      ip: '203.0.113.9',
    });
    const tested = await run(forged, { ...SOUND, '9.113.0.203.zen.example': { A: ['127.0.0.4'] } });
    expect(rulesOf(tested)).toEqual([
      'SPF_FAIL',
      'DMARC_FAIL_REJECT',
      'PTR_MISSING',
      'BLOCKLIST_COMBINED',
      'MISSING_MID',
      'DATE_IN_FUTURE',
    ]);
    expect(tested).toMatchObject({ spamScore: 21, verdict: 'high-spam' });
  });

  test('counts only the SPF error against the sender while DNS does not respond', async () => {
    const silent = Object.fromEntries(Object.keys(SOUND).map((name) => [name, 'TIMEOUT' as const]));
    const lists = [...blocklists.values()].map((list) => [`7.2.0.192.${list}`, 'SERVFAIL' as const]);
    const text = signed(TEXT, { domain: 'example.org', selector: 's', key });
    const tested = await run(receivedMail(text), { ...silent, ...Object.fromEntries(lists) });
    expect(rulesOf(tested)).toEqual(['SPF_TEMPERROR']);
    expect(tested.results.dmarc.result).toBe('temperror');
    expect(tested.results.blocklists.results.map(({ unknown }) => unknown)).toEqual(
      Array.from({ length: 4 }, () => 'no-answer'),
    );
  });

  test('trusts only the Received line of the edge', async () => {
    const forged = `Received: from mail.example.org (x [192.0.2.7]) by edge with SMTP id guess\r\n${TEXT}`;
    const tested = await run(Buffer.from(forged));
    expect(tested.results.spf).toMatchObject({ result: 'none', ip: null });
    expect(tested.results.ptr.status).toBe('unknown');
  });

  test('looks up the MX records of the author domain for a bounce', async () => {
    const tested = await run(receivedMail(TEXT, { mailFrom: '' }));
    expect(tested.results.mx).toMatchObject({ domain: 'example.org', status: 'valid' });
  });

  test('reports which bulk sender requirements are not met', async () => {
    const tested = await run(receivedMail('From: a@example.net\r\n\r\nx', { protocol: 'SMTP' }), {});
    const notes = tested.results.notes.map(({ receiver, requirement, state }) =>
      [receiver, requirement, state].join(' '),
    );
    expect(notes).toEqual([
      'gmail spf-and-dkim not-met',
      'gmail dmarc-record not-met',
      'gmail dmarc-aligned not-met',
      'gmail reverse-dns not-met',
      'gmail one-click-unsubscribe not-met',
      'gmail tls unknown',
      'yahoo spf-and-dkim not-met',
      'yahoo dmarc-record not-met',
      'yahoo dmarc-aligned not-met',
      'yahoo reverse-dns not-met',
      'yahoo one-click-unsubscribe not-met',
      'microsoft spf-and-dkim not-met',
      'microsoft dmarc-record not-met',
      'microsoft dmarc-aligned not-met',
    ]);
  });

  test('accepts DMARC through SPF alone, and requires SPF and DKIM to pass', async () => {
    const tested = await run(receivedMail(TEXT));
    const states = tested.results.notes
      .filter(({ requirement }) => requirement === 'dmarc-aligned' || requirement === 'spf-and-dkim')
      .map(({ receiver, requirement, state }) => [receiver, requirement, state].join(' '));
    expect(states).toEqual(
      ['gmail', 'yahoo', 'microsoft'].flatMap((receiver) => [
        `${receiver} spf-and-dkim not-met`,
        `${receiver} dmarc-aligned met`,
      ]),
    );
  });

  test('does not report a requirement as not met if a lookup failed', async () => {
    const failing = { 's._domainkey.example.org': 'SERVFAIL' } as const;
    const tested = await run(
      receivedMail(signed(TEXT, { domain: 'example.org', selector: 's', key, fields: FIELDS })),
      { ...SOUND, ...failing },
    );
    const note = tested.results.notes.find(({ requirement }) => requirement === 'spf-and-dkim');
    expect(note?.state).toBe('unknown');
  });

  test('recognizes DKIM2 and ARC, which do not change the score', async () => {
    const plain = await run(receivedMail(TEXT));
    const added = [
      'DKIM2-Signature: i=1; d=example.org; s=s:rsa-sha256:AAAA',
      'Message-Instance: m=1; h=sha256:AAAA',
      'ARC-Seal: i=1; a=rsa-sha256; cv=none; d=example.net; s=s; b=AAAA',
      'ARC-Authentication-Results: i=1; mx.example.net; dmarc=pass header.from=example.org',
      'ARC-Seal: i=2; a=rsa-sha256; cv=fail; d=example.net; s=s; b=AAAA',
    ];
    const tested = await run(receivedMail(`${added.join('\r\n')}\r\n${TEXT}`));
    expect(tested.results.message.unscored).toEqual([
      { name: 'DKIM2-Signature', count: 1 },
      { name: 'Message-Instance', count: 1 },
      { name: 'ARC-Seal', count: 2 },
      { name: 'ARC-Authentication-Results', count: 1 },
    ]);
    expect(plain.results.message.unscored).toEqual([]);
    expect(tested.scoreBreakdown).toEqual(plain.scoreBreakdown);
    expect(tested.results.dkim).toEqual(plain.results.dkim);
    expect(tested.results.dmarc).toEqual(plain.results.dmarc);
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
    expect(rulesOf(tested)).toEqual(['SPF_TEMPERROR']);
  });
});
