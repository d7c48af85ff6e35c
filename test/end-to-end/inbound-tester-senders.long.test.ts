import { execFileSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { createTransport } from 'nodemailer';
import { selfSigned } from '../kit/certificates.ts';
import { describeWith } from '../kit/describe-with.ts';
import { rsaKey } from '../kit/dkim-signer.ts';
import { startDnsServer } from '../kit/dns-server.ts';
import { mailTester } from '../kit/mail-tester.ts';
import { missingForPostfix, OPENDKIM, type Postfix, startPostfix } from '../kit/postfix.ts';
import { use, useFolder } from '../kit/use.ts';
import { useApi } from '../kit/use-service.ts';

/** Mail programs in common use; each signs with its own selector. */
const selectors = { swaks: 'dkimpy7', nodemailer: 'nodemailer7', postfix: 'opendkim7' };
const key = rsaKey();
const privateKey = key.privateKey.export({ format: 'pem', type: 'pkcs8' }) as string;

const HOST = 'mail.sender.example';
const records = {
  'sender.example': { TXT: ['v=spf1 ip4:127.0.0.1 -all'], MX: [[10, 'mx.sender.example'] as const] },
  'mx.sender.example': { A: ['192.0.2.1'] },
  '_dmarc.sender.example': { TXT: ['v=DMARC1; p=reject; adkim=s'] },
  ...Object.fromEntries(
    Object.values(selectors).map((selector) => [
      `${selector}._domainkey.sender.example`,
      { TXT: [key.record.match(/.{1,200}/g) ?? []] },
    ]),
  ),
  '1.0.0.127.in-addr.arpa': { PTR: [HOST] },
  [HOST]: { A: ['127.0.0.1'] },
};

const dns = await use(startDnsServer(records));
const { service, api } = await useApi({
  DNS_SERVERS: `${dns.address}:${dns.port}`,
  TESTER_DOMAIN: 'tester.example',
  BLOCKLISTS: 'combined=combined.example',
  TOOL_RATE_PER_MINUTE: '0',
});

const { open, seen } = mailTester(api);

/** The expected result for a correct message of the sender, signed with a selector. */
const correctResult = (selector: string) => ({
  status: 'completed',
  spamScore: -1.3,
  verdict: 'ham',
  results: {
    spf: { result: 'pass', domain: 'sender.example', ip: '127.0.0.1', helo: HOST, aligned: true },
    dkim: {
      valid: true,
      signatures: [
        { domain: 'sender.example', selector, verdict: 'pass', keySize: 2048, aligned: true, reason: null },
      ],
    },
    dmarc: { result: 'pass', policy: 'reject', spfAligned: true, dkimAligned: true },
    ptr: { valid: true, record: HOST, helo: 'same' },
    headers: { dateStatus: 'valid' },
  },
});

const message = (email: string) => ({
  from: 'Söhne & Co <a@sender.example>',
  to: email,
  subject: 'Grüße, größer als eine Zeile: dies und das und noch viel mehr, was jemand schreiben mag',
  text: 'Hello\n. a line that begins with a dot\n',
});

describe('mail from Nodemailer', () => {
  test('passes every check', async () => {
    const { testId, email } = await open();
    const transport = createTransport({
      ...{ host: '127.0.0.1', port: service.smtpPort, name: HOST },
      dkim: { domainName: 'sender.example', keySelector: selectors.nodemailer, privateKey },
    });
    await transport.sendMail(message(email));
    transport.close();
    const body = await seen(testId);
    expect(body).toMatchObject(correctResult(selectors.nodemailer));
    expect(body.results.message).toMatchObject({ subject: message('').subject, to: email });
  });
});

const SWAKS = '/usr/bin/swaks';
const DKIMSIGN = '/usr/bin/dkimsign';
const missing = [SWAKS, DKIMSIGN].find((program) => !existsSync(program));

(missing === undefined ? describe : describe.skip)(
  `mail from swaks, signed by dkimpy${missing === undefined ? '' : ` (skipped: no ${missing})`}`,
  () => {
    const swaks = (email: string, ...more: string[]) =>
      execFileSync(
        SWAKS,
        [
          ...['--server', '127.0.0.1', '--port', String(service.smtpPort), '--helo', HOST],
          ...['--from', 'a@sender.example', '--to', email, ...more],
        ],
        { encoding: 'utf8', timeout: 30_000 },
      );

    test('passes every check', async () => {
      const folder = useFolder('dkim');
      const keyFile = join(folder, 'key.pem');
      writeFileSync(keyFile, key.privateKey.export({ format: 'pem', type: 'pkcs1' }));
      const date = new Date().toUTCString().replace('GMT', '+0000');
      const input = `From: a@sender.example\r\nSubject: A test\r\nDate: ${date}\r\nMessage-ID: <1@sender.example>\r\n\r\nHello\r\n`;
      const signed = join(folder, 'message');
      const how = [selectors.swaks, 'sender.example', keyFile];
      writeFileSync(signed, execFileSync(DKIMSIGN, how, { input, timeout: 30_000 }));
      const { testId, email } = await open();
      swaks(email, '--data', `@${signed}`);
      expect(await seen(testId)).toMatchObject(correctResult(selectors.swaks));
    });

    test('passes DMARC by SPF if it is not signed', async () => {
      const { testId, email } = await open();
      swaks(email);
      expect((await seen(testId)).results).toMatchObject({
        dkim: { valid: false, signatures: [] },
        dmarc: { result: 'pass', spfAligned: true, dkimAligned: false },
      });
    });
  },
);

const lacking = missingForPostfix(OPENDKIM);

describeWith(lacking, 'mail through Postfix, signed by opendkim', () => {
  let postfix: Postfix;
  beforeAll(async () => {
    postfix = await use(
      startPostfix({
        hostname: HOST,
        relayPort: service.smtpPort,
        certificate: selfSigned([HOST]),
        dkim: { domain: 'sender.example', selector: selectors.postfix, privateKey },
      }),
    );
  });

  test('passes every check, and lists its Received fields', async () => {
    const { testId, email } = await open();
    const transport = createTransport({
      ...{ host: '127.0.0.1', port: postfix.port, name: 'desk.sender.example' },
      requireTLS: true,
      tls: { rejectUnauthorized: false },
    });
    await transport.sendMail(message(email));
    transport.close();
    const body = await seen(testId);
    expect(body).toMatchObject(correctResult(selectors.postfix));
    expect(body.results.message.received).toEqual([
      expect.objectContaining({
        from: `${HOST} (unknown [127.0.0.1])`,
        by: 'inbound-smtp.localhost',
        protocol: 'SMTP',
      }),
      expect.objectContaining({
        from: expect.stringMatching(/^desk\.sender\.example .*using TLSv1\.[23] with cipher/),
        by: `${HOST} (Postfix)`,
        protocol: 'ESMTPS',
        tls: expect.stringMatching(/^1\.[23]$/),
      }),
    ]);
    expect(body.results.notes).toContainEqual(
      expect.objectContaining({ requirement: 'spf-and-dkim', state: 'met' }),
    );
  });
});

describe('DKIM selectors of test messages', () => {
  test('are checked for a domain, even if it was registered later', async () => {
    const registered = await api.call('POST', '/api/v1/domains', {
      json: { domain: 'sender.example', usageType: 'sends-only' },
    });
    expect(registered.status).toBe(201);
    const { body } = await api.call('POST', `/api/v1/domains/${registered.body.data.id}/checks`);
    const found = body.data.results.dkim.map(({ selector }: { selector: string }) => selector);
    const tested = [
      selectors.nodemailer,
      ...(missing === undefined ? [selectors.swaks] : []),
      ...(lacking === undefined ? [selectors.postfix] : []),
    ];
    expect(found.toSorted()).toEqual(tested.toSorted());
  });
});
