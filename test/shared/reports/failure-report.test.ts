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

const FACTS = {
  outcome: 'failure',
  source: 'message/feedback-report',
  feedbackType: 'auth-failure',
  reportedDomain: 'example.org',
  sourceIp: '2001:db8::1',
  arrivalDate: 'Wed, 15 Nov 2023 10:00:00 +0000',
};

describe('a failure report is recognized', () => {
  const forms: readonly (readonly [title: string, message: Buffer, facts: object])[] = [
    ['with the original message', arf(feedback(FEEDBACK)), {}],
    [
      'with only the headers of the original message',
      arf(feedback(FEEDBACK), [{ ...original, headers: ['Content-Type: text/rfc822-headers'] }]),
      {},
    ],
    [
      'with the feedback in base64',
      arf({
        headers: ['Content-Type: message/feedback-report', 'Content-Transfer-Encoding: base64'],
        body: base64(FEEDBACK),
      }),
      {},
    ],
    [
      'without Arrival-Date',
      arf(feedback(FEEDBACK.replace('Arrival-Date', 'X-Date'))),
      { arrivalDate: null },
    ],
    ['with Received-Date', arf(feedback(FEEDBACK.replace('Arrival-Date', 'Received-Date'))), {}],
    [
      'with an invalid Source-IP',
      arf(feedback(FEEDBACK.replace('2001:DB8::1', 'unknown'))),
      { sourceIp: null },
    ],
    [
      'with comments in its fields (RFC 5322 section 3.2.2)',
      arf(
        feedback(
          FEEDBACK.replace('auth-failure', 'Auth-Failure (DMARC)')
            .replace('2001:DB8::1', '(from) 2001:DB8::1 (mail.example.net (a \\) host) [192.0.2.1])')
            .replace('Example.ORG', 'Example.ORG (the domain of From)')
            .replace('+0000', '+0000 (UTC)'),
        ),
      ),
      { arrivalDate: 'Wed, 15 Nov 2023 10:00:00 +0000 (UTC)' },
    ],
    [
      'with an unterminated comment after the Source-IP',
      arf(feedback(FEEDBACK.replace('2001:DB8::1', '192.0.2.1 (mail.example.net'))),
      { sourceIp: '192.0.2.1' },
    ],
    [
      'with nothing but comments',
      arf(feedback('Feedback-Type: (abuse)\r\nSource-IP: (192.0.2.1)\r\nReported-Domain: (a.example)')),
      { feedbackType: null, reportedDomain: null, sourceIp: null, arrivalDate: null },
    ],
    [
      'with a report attached to the original message',
      arf(feedback(FEEDBACK), [multipart([attachment(reportText(), 'text/xml')], 'mixed', 'b2')]),
      {},
    ],
  ];
  test.each(forms)('%s', async (_title, message, facts) => {
    expect(await readMail(message)).toEqual([{ ...FACTS, ...facts }]);
  });

  const plain = (subject: string, body: string): Buffer =>
    Buffer.from(
      mail(text(body))
        .toString('latin1')
        .replace(/Subject: .*/, `Subject: ${subject}`),
      'latin1',
    );
  const texts: readonly (readonly [title: string, message: Buffer, facts: object])[] = [
    [
      'in the format of Exim and cPanel',
      plain(
        'DMARC Forensic Report for example.org from IP 192.0.2.1',
        'A message claiming to be from you has failed the published DMARC policy for your domain.\r\n\r\n  Sender Domain: example.org\r\n  Sender IP Address: 192.0.2.1\r\n  Received date: Wed, 15 Nov 2023\r\n',
      ),
      { reportedDomain: 'example.org', sourceIp: '192.0.2.1', arrivalDate: 'Wed, 15 Nov 2023' },
    ],
    [
      'in the format of Exim and cPanel, with comments',
      plain(
        'DMARC Forensic Report for example.org from IP 192.0.2.1',
        '  Sender Domain: example.org (of From)\r\n  Sender IP Address: 192.0.2.1 (mail.example.net)\r\n',
      ),
      { reportedDomain: 'example.org', sourceIp: '192.0.2.1' },
    ],
    [
      'only by its subject',
      plain('DMARC Failure Report for example.org (mail-from=a@b.example, ip=192.0.2.1)', 'x'),
      { reportedDomain: 'example.org', sourceIp: '192.0.2.1' },
    ],
    [
      'in the format of Microsoft complaints',
      plain('complaint about message from 192.0.2.9', 'x'),
      { sourceIp: '192.0.2.9' },
    ],
  ];
  test.each(texts)('%s', async (_title, message, facts) => {
    expect(await readMail(message)).toEqual([
      {
        outcome: 'failure',
        source: 'mail',
        feedbackType: null,
        reportedDomain: null,
        sourceIp: null,
        arrivalDate: null,
        ...facts,
      },
    ]);
  });

  test('by the type of the mail, if the feedback part is missing', async () => {
    const message = mail(multipart([text('x')], 'report; report-type=feedback-report'));
    expect(await readMail(message)).toMatchObject([{ outcome: 'failure', feedbackType: null }]);
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
