import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { SESv2Client, SendEmailCommand, type SendEmailCommandInput } from '@aws-sdk/client-sesv2';
import { beforeEach, describe, expect, test } from '@jest/globals';
import * as mailparser from 'mailparser';
import { startOutbox } from '../../../../../lib/local/stores/outbox/endpoint.ts';
import { outboxFolder } from '../../../../../lib/local/stores/outbox/folder.ts';
import { anyone } from '../../../../kit/aws-client.ts';
import { atEnd, use, useFolder } from '../../../../kit/use.ts';

interface ParsedMail {
  readonly subject: string;
  readonly text?: string;
  readonly html: string;
  readonly messageId: string;
  readonly date?: Date;
  readonly headers: ReadonlyMap<string, unknown>;
  readonly from?: { readonly text: string };
  readonly to?: { readonly text: string };
  readonly bcc?: unknown;
}
const { simpleParser } = mailparser as unknown as { simpleParser(message: Buffer): Promise<ParsedMail> };

const folder = join(useFolder('outbox'), 'outbox');
const running = await use(startOutbox({ sender: outboxFolder(folder) }));
const ses = new SESv2Client(anyone(running.endpoint));
atEnd(() => ses.destroy());
beforeEach(() => {
  for (const file of readdirSync(folder)) rmSync(join(folder, file));
});

interface Sample {
  readonly to?: string[];
  readonly from?: string;
  readonly subject?: string;
  readonly text?: string;
  readonly headers?: Record<string, string>;
}

function request({
  to = ['ops@example.org'],
  from = 'alerts@acme.org',
  subject = 'Subject',
  text = 'Text',
  headers = {},
}: Sample): SendEmailCommandInput {
  const utf8 = (Data: string) => ({ Data, Charset: 'UTF-8' });
  return {
    FromEmailAddress: from,
    Destination: { ToAddresses: to },
    Content: {
      Simple: {
        Subject: utf8(subject),
        Body: { Text: utf8(text), Html: utf8(`<p>${text}</p>`) },
        Headers: Object.entries(headers).map(([Name, Value]) => ({ Name, Value })),
      },
    },
  };
}

const sent = () => readdirSync(folder).map((file) => readFileSync(join(folder, file)));
const send = (sample: Sample = {}) => ses.send(new SendEmailCommand(request(sample)));

describe('a message sent with the SDK', () => {
  test('is in the outbox and readable by mail programs', async () => {
    const text = `ünï 💌\n${'long '.repeat(1000)}\n.\nend`;
    const subject = `Subject with 💌 and ${'many words '.repeat(20)}end`;
    const { MessageId } = await send({ subject, text, headers: { 'Auto-Submitted': 'auto-generated' } });
    const [file = '', ...others] = readdirSync(folder);
    expect(others).toEqual([]);
    expect(file).toMatch(/^\d{4}-\d\d-\d\dT\d{6}\.\d{3}Z-[0-9a-f-]{36}\.eml$/);
    const message = readFileSync(join(folder, file));
    for (const line of message.toString('latin1').split('\r\n')) expect(line.length).toBeLessThan(999);
    const mail = await simpleParser(message);
    expect(mail.headers.get('auto-submitted')).toBe('auto-generated');
    expect([mail.subject, mail.text?.trimEnd(), mail.html]).toEqual([subject, text, `<p>${text}</p>`]);
    expect([mail.from?.text, mail.messageId]).toEqual(['alerts@acme.org', `<${MessageId}@acme.org>`]);
    expect(Math.abs(Date.now() - (mail.date?.getTime() ?? 0))).toBeLessThan(60_000);
  });

  test.each([
    ['as it is, if it is ASCII', 'plain text\n.\nend', true],
    ['encoded, with a line that is too long', 'x'.repeat(999), false],
    ['in Base64, with a line break that is none in mail', 'one\rtwo', false],
    ['encoded, with other characters', 'ünï', false],
  ])('contains its text %s', async (_, text, isPlain) => {
    await send({ text });
    const [message = Buffer.of()] = sent();
    expect(message.includes(text.replaceAll('\n', '\r\n'))).toBe(isPlain);
    expect((await simpleParser(message)).html).toBe(`<p>${text}</p>`);
  });

  test('to several recipients is one file', async () => {
    await send({ to: ['a@example.org', 'B <b@example.org>'] });
    const [message = Buffer.of()] = sent();
    const mail = await simpleParser(message);
    expect(mail.to?.text).toBe('a@example.org, "B" <b@example.org>');
  });

  test('keeps a subject that looks encoded or contains a header', async () => {
    for (const subject of ['=?UTF-8?B?eA==?=', 'x\r\nBcc: all@example.org']) await send({ subject });
    const mails = await Promise.all(sent().map((message) => simpleParser(message)));
    expect(mails.map((mail) => mail.bcc)).toEqual([undefined, undefined]);
    expect(mails.map(({ subject }) => subject)).toContain('=?UTF-8?B?eA==?=');
  });

  test.each<[string, Sample]>([
    ['a header with a line break', { headers: { 'X-A': 'b\r\nBcc: all@example.org' } }],
    ['a header name with a colon', { headers: { 'X-A:': 'b' } }],
    ['a header that is too long', { headers: { 'X-A': 'b'.repeat(996) } }],
    ['non-ASCII letters in a header', { headers: { 'X-A': 'ü' } }],
    ['no recipient', { to: [] }],
    ['a recipient with a line break', { to: ['a@example.org\r\nBcc: all@example.org'] }],
    ['a sender with a line break', { from: 'a@example.org\nBcc: all@example.org' }],
  ])('with %s is rejected and not stored', async (_title, sample) => {
    await expect(send(sample)).rejects.toMatchObject({ name: 'BadRequestException' });
    expect(readdirSync(folder)).toEqual([]);
  });

  test('with an unsupported parameter is rejected', async () => {
    const more = new SendEmailCommand({ ...request({}), ConfigurationSetName: 'x' });
    await expect(ses.send(more)).rejects.toMatchObject({ name: 'BadRequestException' });
  });
});
