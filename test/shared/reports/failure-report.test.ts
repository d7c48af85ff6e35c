import { describe, expect, test } from '@jest/globals';
import { readMail } from '../../../shared/reports/read-mail.ts';
import { attachment, base64, type MailPart, mail, multipart, text } from './mail.ts';
import { reportText } from './report-text.ts';

const FEEDBACK = [
  'Feedback-Type: auth-failure',
  'User-Agent: Lua/1.0',
  'Version: 1',
  'Source-IP: 2001:DB8::1',
  'Reported-Domain: Example.ORG',
  'Arrival-Date: Wed, 15 Nov 2023 10:00:00 +0000',
].join('\r\n');
const original: MailPart = {
  headers: ['Content-Type: message/rfc822', 'Content-Disposition: inline'],
  body: 'From: a@example.org\r\nSubject: secret\r\n\r\nHello',
};
const arf = (feedback: MailPart, more: readonly MailPart[] = [original]): Buffer =>
  mail(
    multipart(
      [text('An authentication failure report.'), feedback, ...more],
      'report; report-type=feedback-report',
    ),
  );
const feedback = (body: string): MailPart => ({ headers: ['Content-Type: message/feedback-report'], body });

describe('a failure report is recognized', () => {
  const forms: readonly (readonly [title: string, message: Buffer])[] = [
    ['with the original message', arf(feedback(FEEDBACK))],
    [
      'with only the headers of the original message',
      arf(feedback(FEEDBACK), [{ ...original, headers: ['Content-Type: text/rfc822-headers'] }]),
    ],
    [
      'with the feedback in base64',
      arf({
        headers: ['Content-Type: message/feedback-report', 'Content-Transfer-Encoding: base64'],
        body: base64(FEEDBACK),
      }),
    ],
    [
      'with a report attached to the original message',
      arf(feedback(FEEDBACK), [multipart([attachment(reportText(), 'text/xml')], 'mixed', 'b2')]),
    ],
  ];
  test.each(forms)('%s', async (_title, message) => {
    expect(await readMail(message)).toEqual([{ outcome: 'failure', source: 'message/feedback-report' }]);
  });

  const plain = (subject: string, body: string): Buffer =>
    Buffer.from(
      mail(text(body))
        .toString('latin1')
        .replace(/Subject: .*/, `Subject: ${subject}`),
      'latin1',
    );
  const texts: readonly (readonly [title: string, message: Buffer])[] = [
    [
      'in the format of Exim and cPanel',
      plain(
        'Report',
        'A message claiming to be from you has failed the published DMARC policy for your domain.\r\n',
      ),
    ],
    [
      'only by its subject',
      plain('DMARC Failure Report for example.org (mail-from=a@b.example, ip=192.0.2.1)', 'x'),
    ],
    ['in the format of Microsoft complaints', plain('complaint about message from 192.0.2.9', 'x')],
    [
      'by the type of the mail, if the feedback part is missing',
      mail(multipart([text('x')], 'report; report-type=feedback-report')),
    ],
  ];
  test.each(texts)('%s', async (_title, message) => {
    expect(await readMail(message)).toEqual([{ outcome: 'failure', source: 'mail' }]);
  });
});

test('an aggregate report in a mail that mentions failures is an aggregate report', async () => {
  const message = mail(
    multipart([
      text('This is an email abuse report for an email message'),
      attachment(reportText(), 'text/xml'),
    ]),
  );
  expect(await readMail(message)).toMatchObject([{ outcome: 'dmarc' }]);
});
