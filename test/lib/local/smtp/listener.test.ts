import { afterEach, describe, expect, test } from '@jest/globals';
import { type MailWay, type SmtpListener, startSmtpListener } from '../../../../lib/local/smtp/listener.ts';
import { type SessionLimits, sessionLimits } from '../../../../lib/local/smtp/sessions.ts';
import type { ReceivedMail } from '../../../../lib/local/smtp/trace-lines.ts';
import { readEdgeTrace } from '../../../../shared/protocol/message/edge-trace.ts';
import { readHeaderSection } from '../../../../shared/protocol/message/header-section.ts';
import { createLog } from '../../../../shared/runtime/log.ts';
import { sendMail, smtpClient } from '../../../kit/smtp-client.ts';

let listener: SmtpListener | undefined;
afterEach(async () => {
  await listener?.stop();
  listener = undefined;
});

const message = 'From: a@reporter.test\r\nTo: other@elsewhere.test\r\nSubject: x\r\n\r\n..text';

async function listen(
  way: Partial<MailWay> = {},
  limits: Partial<SessionLimits> = {},
): Promise<{ port: number; delivered: ReceivedMail[] }> {
  const delivered: ReceivedMail[] = [];
  listener = await startSmtpListener({
    address: '127.0.0.1',
    port: 0,
    log: createLog('silent'),
    limits: { ...sessionLimits, ...limits },
    ways: [
      {
        domain: 'reports.test',
        hasMailbox: async (localPart) => /^known\d?$/.test(localPart),
        deliver: async (mail) => {
          delivered.push(mail);
        },
        ...way,
      },
      {
        domain: 'tester.test',
        hasMailbox: async () => true,
        deliver: async (mail) => {
          delivered.push(mail);
        },
      },
    ],
  });
  return { port: listener.port, delivered };
}

describe('the SMTP listener', () => {
  test('says yes to a message that is delivered, as it came and with the lines of the edge on top', async () => {
    const { port, delivered } = await listen();
    expect(await sendMail(port, { to: ['known@reports.test'], message })).toMatch(/^250 2\.\d\.0/);
    const [mail] = delivered;
    const text = Buffer.from(mail?.message ?? '').toString('latin1');
    expect(text).toMatch(
      new RegExp(
        [
          '^Return-Path: <dmarc@reporter\\.test>\\r\\n',
          'Received: from client\\.reporter\\.test \\(unknown \\[127\\.0\\.0\\.1\\]\\)\\r\\n',
          ` by inbound-smtp\\.localhost with SMTP id ${mail?.messageId}\\r\\n`,
          ' for known@reports\\.test;\\r\\n',
          ' \\w{3}, \\d\\d \\w{3} \\d{4} \\d\\d:\\d\\d:\\d\\d \\+0000 \\(UTC\\)\\r\\n',
          'From: a@reporter\\.test\\r\\n',
        ].join(''),
      ),
    );
    expect(text.endsWith(`${message}\r\n`)).toBe(true);
    expect(mail?.messageId).toMatch(/^[a-z0-9]{40}$/);
    expect(
      readEdgeTrace(readHeaderSection(mail?.message ?? new Uint8Array()), mail?.messageId ?? ''),
    ).toEqual({
      mailFrom: 'dmarc@reporter.test',
      helo: 'client.reporter.test',
      ip: '127.0.0.1',
      encrypted: null,
    });
  });

  test('keeps the address of a sender that has no name', async () => {
    const { port, delivered } = await listen();
    await sendMail(port, { from: 'me@[127.0.0.1]', to: ['known@reports.test'], message });
    const text = Buffer.from(delivered[0]?.message ?? '').toString('latin1');
    expect(text).toMatch(/^Return-Path: <me@\[127\.0\.0\.1\]>\r\n/);
  });

  test.each([
    ['an unknown mailbox', 'unknown@reports.test'],
    ['another domain', 'known@elsewhere.test'],
    ['a domain below', 'known@sub.reports.test'],
  ])('refuses %s', async (_what, recipient) => {
    const { port, delivered } = await listen();
    expect(await sendMail(port, { to: [recipient], message })).toMatch(/^550 5\.1\.1/);
    expect(delivered).toEqual([]);
  });

  test('takes addresses in any case, and bounces', async () => {
    const { port, delivered } = await listen();
    expect(await sendMail(port, { from: '', to: ['KNOWN@Reports.TEST'], message })).toMatch(/^250/);
    expect(delivered[0]).toMatchObject({ mailFrom: '', recipients: ['known@reports.test'] });
    expect(Buffer.from(delivered[0]?.message ?? '').toString()).toMatch(/^Return-Path: <>\r\n/);
  });

  test('delivers a message to several recipients once for each kind of mail', async () => {
    const { port, delivered } = await listen();
    const to = ['known1@reports.test', 'x@tester.test', 'known2@reports.test', 'known1@reports.test'];
    expect(await sendMail(port, { to, message })).toMatch(/^250/);
    expect(delivered.map(({ recipients }) => recipients)).toEqual([
      ['known1@reports.test', 'known2@reports.test'],
      ['x@tester.test'],
    ]);
  });

  test.each([
    [
      'a message cannot be stored',
      {
        deliver: async () => {
          throw new Error('disk full');
        },
      },
    ],
    [
      'mailboxes cannot be looked up',
      {
        hasMailbox: async () => {
          throw new Error('no table');
        },
      },
    ],
  ])('asks to come again where %s, and says nothing of why', async (_what, way) => {
    const { port } = await listen(way);
    const reply = await sendMail(port, { to: ['known@reports.test'], message });
    expect(reply).toMatch(/^451 4\.3\.0/);
    expect(reply).not.toMatch(/disk|table/);
  });

  test('says how large a message may be, refuses one that is announced as larger, and one that is', async () => {
    const { port, delivered } = await listen();
    const client = await smtpClient(port);
    expect(await client.say('EHLO client')).toContain('SIZE 41943040');
    expect(await client.say('MAIL FROM:<a@reporter.test> SIZE=41943041')).toMatch(/^552 5\.3\.4/);
    client.close();
    const tooLarge = Buffer.alloc(42 * 1024 * 1024, 'x'.repeat(70).concat('\r\n'));
    expect(await sendMail(port, { to: ['known@reports.test'], message: tooLarge })).toMatch(/^552 5\.3\.4/);
    expect(delivered).toEqual([]);
  }, 30_000);

  test('offers neither authentication nor TLS that it does not have', async () => {
    const { port } = await listen();
    const client = await smtpClient(port);
    expect(await client.say('EHLO client')).not.toMatch(/AUTH|STARTTLS/);
    client.close();
  });

  test('lives on when a client breaks off, also in the middle of a message', async () => {
    const { port, delivered } = await listen();
    const client = await smtpClient(port);
    for (const command of ['MAIL FROM:<a@reporter.test>', 'RCPT TO:<known@reports.test>', 'DATA']) {
      await client.say(command);
    }
    void client.content('half').catch(() => undefined);
    client.close();
    expect(await sendMail(port, { to: ['known@reports.test'], message })).toMatch(/^250/);
    expect(delivered.length).toBeGreaterThan(0);
  });

  test('ends a session that goes on for too long, however busy', async () => {
    const { port } = await listen({}, { milliseconds: 500, commands: Number.POSITIVE_INFINITY });
    const client = await smtpClient(port);
    const end = Date.now() + 20_000;
    let reply = '250';
    while (reply.startsWith('250') && Date.now() < end) reply = await client.say('NOOP');
    client.close();
    expect(reply).toMatch(/^421 4\.4\.2 /);
  }, 30_000);

  test('takes so many commands in a session, and no more', async () => {
    const { port } = await listen({}, { commands: 20 });
    const client = await smtpClient(port);
    const replies = [];
    for (let said = 1; said <= 20; said++) replies.push(await client.say('NOOP'));
    client.close();
    // EHLO was the first.
    expect(replies.map((reply) => reply.slice(0, 3))).toEqual([...Array(19).fill('250'), '421']);
    expect(await sendMail(port, { to: ['known@reports.test'], message })).toMatch(/^250/);
  }, 30_000);

  test('does not count the lines of a message', async () => {
    const { port } = await listen({}, { commands: 5 });
    const lines = `Subject: x\r\n\r\n${'NOOP\r\n'.repeat(100)}`;
    expect(await sendMail(port, { to: ['known@reports.test'], message: lines })).toMatch(/^250/);
  });

  test('rejects where the port is taken', async () => {
    const { port } = await listen();
    const again = startSmtpListener({ address: '127.0.0.1', port, ways: [], log: createLog('silent') });
    await expect(again).rejects.toThrow(/EADDRINUSE/);
  });
});
