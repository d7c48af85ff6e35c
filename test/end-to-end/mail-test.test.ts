import { describe, expect, test } from '@jest/globals';
import { ed25519Key, rsaKey, signed } from '../kit/dkim-signer.ts';
import { startDnsServer } from '../kit/dns-server.ts';
import { mailTester } from '../kit/mail-tester.ts';
import { smtpClient } from '../kit/smtp-client.ts';
import { use } from '../kit/use.ts';
import { useApi } from '../kit/use-service.ts';

const rsa = rsaKey();
const ed = ed25519Key();

/** The sender's DNS. The test is the sending host and calls itself mail.sender.example. */
const records = {
  'sender.example': { TXT: ['v=spf1 ip4:127.0.0.1 -all'], MX: [[10, 'mx.sender.example'] as const] },
  'mx.sender.example': { A: ['192.0.2.1'] },
  '_dmarc.sender.example': { TXT: ['v=DMARC1; p=reject'] },
  'rsa._domainkey.sender.example': { TXT: [rsa.record.match(/.{1,200}/g) ?? []] },
  'ed._domainkey.sender.example': { TXT: [ed.record] },
  '1.0.0.127.in-addr.arpa': { PTR: ['mail.sender.example'] },
  'mail.sender.example': { A: ['127.0.0.1'] },
  // RFC 5782: 127.0.0.2 is always listed, 127.0.0.1 never. The sending host is 127.0.0.1.
  '2.0.0.127.relay.example': { A: ['127.0.0.2'] },
  '1.0.0.127.reputation.example': { A: ['127.0.0.2'], TXT: ['only a test'] },
  '1.0.0.127.refusing.example': { A: ['127.255.255.254'] },
};

const dns = await use(startDnsServer(records));
const { service, api } = await useApi({
  DNS_SERVERS: `${dns.address}:${dns.port}`,
  TESTER_DOMAIN: 'tester.example',
  BLOCKLISTS: 'combined=refusing.example,openrelay=relay.example,reputation=reputation.example',
  TOOL_RATE_PER_MINUTE: '0',
});

const { open, see, seen } = mailTester(api);

const text = (from = 'a@sender.example') =>
  `From: ${from}\r\nTo: x@tester.example\r\nSubject: A test\r\nDate: ${new Date().toUTCString().replace('GMT', '+0000')}\r\nMessage-ID: <1@sender.example>\r\n\r\nHello\r\n`;

const bothSigned = () =>
  signed(signed(text(), { domain: 'sender.example', selector: 'rsa', key: rsa }), {
    domain: 'sender.example',
    selector: 'ed',
    key: ed,
  });

/**
 * Sends one message as the host mail.sender.example. Returns the last reply, or the first one that rejects a command.
 */
async function send(email: string, message: string, from = 'a@sender.example'): Promise<string> {
  const client = await smtpClient(service.smtpPort);
  try {
    for (const command of ['EHLO mail.sender.example', `MAIL FROM:<${from}>`, `RCPT TO:<${email}>`, 'DATA']) {
      const reply = await client.say(command);
      if (!/^[23]/.test(reply)) return reply;
    }
    return await client.content(Buffer.from(message, 'latin1'));
  } finally {
    client.close();
  }
}

const rulesOf = (body: { scoreBreakdown: { rule: string }[] }) => body.scoreBreakdown.map(({ rule }) => rule);

describe('a test session', () => {
  test('is opened without a token, and waits for a message for 48 hours', async () => {
    const before = Date.now();
    const opened = await open();
    expect(opened).toEqual({
      testId: expect.stringMatching(/^[a-z2-7]{26}$/),
      email: `${opened.testId}@tester.example`,
      expiresAt: expect.any(String),
      status: 'pending',
      url: `${service.url}/t/${opened.testId}`,
    });
    const left = Date.parse(opened.expiresAt) - before;
    expect(Math.abs(left - 48 * 3600 * 1000)).toBeLessThan(20_000);
    expect((await see(opened.testId)).body).toEqual(opened);
  });

  test.each(['a'.repeat(26), 'unknown', '..'])('is not found with the ID %s', async (testId) => {
    expect((await see(testId)).status).toBe(404);
  });

  test('receives mail only at its address; other addresses are rejected in the SMTP session', async () => {
    expect(await send(`${'a'.repeat(26)}@tester.example`, text())).toMatch(/^550/);
    expect(await send('postmaster@tester.example', text())).toMatch(/^550/);
  });

  test('is completed by the first message; later ones are only counted', async () => {
    const { testId, email } = await open();
    expect(await send(email.toUpperCase(), bothSigned())).toMatch(/^250/);
    const first = await seen(testId);
    expect(await send(email, text('b@forged.example'), 'b@forged.example')).toMatch(/^250/);
    const again = await seen(testId, ({ otherMessages }) => otherMessages > 0);
    expect(again).toEqual({ ...first, otherMessages: 1 });
  });
});

describe('a test message', () => {
  test('has a result for each signature and each blocklist', async () => {
    const { testId, email } = await open();
    await send(email, bothSigned());
    const body = await seen(testId);
    expect(rulesOf(body)).toEqual(['SPF_PASS', 'DKIM_VALID', 'DKIM_VALID', 'DMARC_PASS', 'PTR_VALID']);
    expect(body).toMatchObject({
      ...{ status: 'completed', spamScore: -1.8, verdict: 'ham' },
      results: {
        spf: { result: 'pass', domain: 'sender.example', ip: '127.0.0.1', helo: 'mail.sender.example' },
        dkim: {
          signatures: [
            { selector: 'ed', algorithm: 'ed25519-sha256', keySize: 256, verdict: 'pass' },
            { selector: 'rsa', algorithm: 'rsa-sha256', keySize: 2048, verdict: 'pass' },
          ],
        },
        blocklists: {
          listed: 0,
          results: [
            { list: 'combined', listed: null, unknown: 'refused' },
            { list: 'openrelay', listed: false },
            { list: 'reputation', listed: null, unknown: 'broken' },
          ],
        },
      },
    });
  });

  test('of 20 MB is analyzed', async () => {
    const { testId, email } = await open();
    await send(email, `${bothSigned()}${'x'.repeat(78).concat('\r\n').repeat(250_000)}`);
    const { results } = await seen(testId);
    expect(results.message.octets).toBeGreaterThan(20_000_000);
    expect(results.dkim.signatures[0]).toMatchObject({ verdict: 'fail', reason: 'body-hash' });
  });

  test('of arbitrary bytes is analyzed', async () => {
    const { testId, email } = await open();
    await send(email, `\0\0: x\r\nFrom: <\u202e>\r\n${'Subject: =?x?q?'.repeat(50)}\r\n\r\n\0`, '');
    expect(await seen(testId)).toMatchObject({
      status: 'completed',
      results: { dmarc: { result: 'permerror' } },
    });
  });
});
