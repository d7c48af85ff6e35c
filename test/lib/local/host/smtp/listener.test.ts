import { describe, expect, test } from '@jest/globals';
import type { ReceivedMail } from '../../../../../lib/local/host/smtp/deliver.ts';
import { type MailRoute, startSmtpListener } from '../../../../../lib/local/host/smtp/listener.ts';
import { type SessionLimits, sessionLimits } from '../../../../../lib/local/host/smtp/sessions.ts';
import { readHeaderSection } from '../../../../../shared/protocol/message/header-section.ts';
import { readReceiverTrace } from '../../../../../shared/protocol/message/receiver-trace.ts';
import { createLog } from '../../../../../shared/runtime/logging/log.ts';
import { sendMail, smtpClient } from '../../../../kit/smtp-client.ts';
import { use } from '../../../../kit/use.ts';

const message = 'From: a@reporter.test\r\nTo: other@elsewhere.test\r\nSubject: x\r\n\r\n..text';

async function listen(
  route: Partial<MailRoute> = {},
  limits: Partial<SessionLimits> = {},
): Promise<{ port: number; delivered: ReceivedMail[] }> {
  const delivered: ReceivedMail[] = [];
  const deliver = async (mail: ReceivedMail) => void delivered.push(mail);
  const listener = await use(
    startSmtpListener({
      address: '127.0.0.1',
      port: 0,
      log: createLog('silent'),
      limits: { ...sessionLimits, ...limits },
      routes: [
        { domain: 'reports.test', hasMailbox: async (name) => /^known\d?$/.test(name), deliver, ...route },
        { domain: 'tester.test', hasMailbox: async () => true, deliver },
      ],
    }),
  );
  return { port: listener.port, delivered };
}

describe('the SMTP listener', () => {
  test('replies 250 to a delivered message, which is unchanged below the trace fields', async () => {
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
      readReceiverTrace(readHeaderSection(mail?.message ?? new Uint8Array()), mail?.messageId ?? ''),
    ).toEqual({
      mailFrom: 'dmarc@reporter.test',
      helo: 'client.reporter.test',
      ip: '127.0.0.1',
      encrypted: null,
    });
  });

  test('keeps the address literal of a sender', async () => {
    const { port, delivered } = await listen();
    await sendMail(port, { from: 'me@[127.0.0.1]', to: ['known@reports.test'], message });
    const text = Buffer.from(delivered[0]?.message ?? '').toString('latin1');
    expect(text).toMatch(/^Return-Path: <me@\[127\.0\.0\.1\]>\r\n/);
  });

  test.each([
    ['an unknown mailbox', 'unknown@reports.test'],
    ['another domain', 'known@elsewhere.test'],
    ['a subdomain', 'known@sub.reports.test'],
  ])('rejects %s', async (_what, recipient) => {
    const { port, delivered } = await listen();
    expect(await sendMail(port, { to: [recipient], message })).toMatch(/^550 5\.1\.1/);
    expect(delivered).toEqual([]);
  });

  test('accepts addresses in any letter case, and bounces', async () => {
    const { port, delivered } = await listen();
    expect(await sendMail(port, { from: '', to: ['KNOWN@Reports.TEST'], message })).toMatch(/^250/);
    expect(delivered[0]).toMatchObject({ mailFrom: '', recipients: ['known@reports.test'] });
    expect(Buffer.from(delivered[0]?.message ?? '').toString()).toMatch(/^Return-Path: <>\r\n/);
  });

  test('delivers a message with several recipients once for each kind of mail', async () => {
    const { port, delivered } = await listen();
    const to = ['known1@reports.test', 'x@tester.test', 'known2@reports.test', 'known1@reports.test'];
    expect(await sendMail(port, { to, message })).toMatch(/^250/);
    expect(delivered.map(({ recipients }) => recipients)).toEqual([
      ['known1@reports.test', 'known2@reports.test'],
      ['x@tester.test'],
    ]);
  });

  test.each([
    ['a message cannot be stored', { deliver: () => Promise.reject(new Error('disk full')) }],
    ['mailboxes cannot be looked up', { hasMailbox: () => Promise.reject(new Error('no table')) }],
  ])('replies with a temporary failure without details if %s', async (_what, route) => {
    const { port } = await listen(route);
    const reply = await sendMail(port, { to: ['known@reports.test'], message });
    expect(reply).toMatch(/^451 4\.3\.0/);
    expect(reply).not.toMatch(/disk|table/);
  });

  test('announces the maximum message size, and rejects larger messages by declared and by actual size', async () => {
    const { port, delivered } = await listen();
    const client = await smtpClient(port);
    expect(await client.say('EHLO client')).toContain('SIZE 41943040');
    expect(await client.say('MAIL FROM:<a@reporter.test> SIZE=41943041')).toMatch(/^552 5\.3\.4/);
    client.close();
    const tooLarge = Buffer.alloc(42 * 1024 * 1024, 'x'.repeat(70).concat('\r\n'));
    expect(await sendMail(port, { to: ['known@reports.test'], message: tooLarge })).toMatch(/^552 5\.3\.4/);
    expect(delivered).toEqual([]);
  });

  test('offers neither authentication nor STARTTLS', async () => {
    const { port } = await listen();
    const client = await smtpClient(port);
    expect(await client.say('EHLO client')).not.toMatch(/AUTH|STARTTLS/);
    client.close();
  });

  test('continues after a client disconnects in the middle of a message', async () => {
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

  test('ends a session that takes too long, even if it is active', async () => {
    const { port } = await listen({}, { milliseconds: 500, commands: Number.POSITIVE_INFINITY });
    const client = await smtpClient(port);
    const end = Date.now() + 20_000;
    let reply = '250';
    while (reply.startsWith('250') && Date.now() < end) reply = await client.say('NOOP');
    client.close();
    expect(reply).toMatch(/^421 4\.4\.2 /);
  });

  test('limits the number of commands in a session', async () => {
    const { port } = await listen({}, { commands: 20 });
    const client = await smtpClient(port);
    const replies = [];
    for (let said = 1; said <= 20; said++) replies.push(await client.say('NOOP'));
    client.close();
    // EHLO was the first command.
    expect(replies.map((reply) => reply.slice(0, 3))).toEqual([...Array(19).fill('250'), '421']);
    expect(await sendMail(port, { to: ['known@reports.test'], message })).toMatch(/^250/);
  });

  test('does not count the lines of a message as commands', async () => {
    const { port } = await listen({}, { commands: 5 });
    const lines = `Subject: x\r\n\r\n${'NOOP\r\n'.repeat(100)}`;
    expect(await sendMail(port, { to: ['known@reports.test'], message: lines })).toMatch(/^250/);
  });

  test('fails to start if the port is in use', async () => {
    const { port } = await listen();
    const again = startSmtpListener({ address: '127.0.0.1', port, routes: [], log: createLog('silent') });
    await expect(again).rejects.toThrow(/EADDRINUSE/);
  });
});
