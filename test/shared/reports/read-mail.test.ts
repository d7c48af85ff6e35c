import { Readable } from 'node:stream';
import { deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { readFile, readMail } from '../../../shared/reports/read-mail.ts';
import { hangingMails } from '../../kit/mutated-mails.ts';
import { attachment, base64, type MailPart, mail, multipart, text } from './mail.ts';
import { idsOf, withRows } from './read.ts';
import { reportText } from './report-text.ts';
import { TLS_REPORT } from './tls-report-text.ts';
import { zipFile } from './zip-file.ts';

const XML = Buffer.from(reportText());
const GZIP = gzipSync(XML);
const ZIP = zipFile([{ name: 'report.xml', content: XML }]);
const FILE_NAME = 'reporter.example!example.org!1700006400!1700092799.xml.gz';

async function onlyReport(message: Buffer) {
  const outcomes = await readMail(message);
  expect(outcomes).toHaveLength(1);
  const reading = await withRows(outcomes[0]);
  expect(reading.rows).toHaveLength(1);
  return reading;
}

describe('a report is found in a mail', () => {
  const eml = (part: MailPart) => mail(part).toString('latin1');
  const mails: readonly (readonly [title: string, message: Buffer])[] = [
    ['as an attachment next to a text', mail(multipart([text('This is a report.'), attachment(GZIP)]))],
    ['before the text', mail(multipart([attachment(GZIP), text('This is a report.')]))],
    [
      'after an HTML part',
      mail(
        multipart([
          { headers: ['Content-Type: text/html'], body: '<!DOCTYPE html><p>Report' },
          attachment(GZIP),
        ]),
      ),
    ],
    ['as the whole message', mail(attachment(GZIP))],
    [
      'as the whole message without a type',
      mail({ headers: ['Content-Transfer-Encoding: base64'], body: base64(GZIP) }),
    ],
    ['as zip, declared as gzip', mail(multipart([attachment(ZIP, 'application/gzip; name="r.xml.gz"')]))],
    ['as gzip, declared as zip', mail(multipart([attachment(GZIP, 'application/zip; name="r.zip"')]))],
    [
      'as gzip with the name of a message',
      mail(multipart([attachment(GZIP, 'application/gzip; name="r.eml"')])),
    ],
    ['as zlib', mail(multipart([attachment(deflateSync(XML), 'application/zlib; name="r.xml.zlib"')]))],
    ['as zlib, declared as gzip', mail(multipart([attachment(deflateSync(XML), 'application/gzip')]))],
    ['as application/octet-stream', mail(multipart([attachment(GZIP, 'application/octet-stream')]))],
    ['as text/plain', mail(multipart([attachment(GZIP, 'text/plain; charset=utf-16')]))],
    ['as plain XML', mail(multipart([attachment(XML, 'application/xml')]))],
    ['as plain XML in the text', mail({ headers: ['Content-Type: text/plain; format=flowed'], body: XML })],
    [
      'in quoted-printable',
      mail({
        headers: ['Content-Type: text/xml', 'Content-Transfer-Encoding: quoted-printable'],
        body: reportText().replaceAll('=', '=3D').replaceAll('\n', '\r\n'),
      }),
    ],
    [
      'as raw bytes',
      mail(
        multipart([
          { headers: ['Content-Type: application/gzip', 'Content-Transfer-Encoding: binary'], body: GZIP },
        ]),
      ),
    ],
    [
      'with the misspelled header field ContentType',
      mail(
        multipart([
          {
            headers: ['ContentType: application/gzip', 'Content-Transfer-Encoding: base64'],
            body: base64(GZIP),
          },
        ]),
      ),
    ],
    [
      'in a mail with the misspelled header field ContentType',
      Buffer.from(
        eml(multipart([text('x'), attachment(GZIP)])).replace(
          'Content-Type: multipart',
          'ContentType: multipart',
        ),
        'latin1',
      ),
    ],
    [
      'in a message forwarded inline',
      mail(
        multipart([
          text('see below'),
          {
            headers: ['Content-Type: message/rfc822', 'Content-Disposition: inline'],
            body: eml(multipart([attachment(GZIP)], 'mixed', 'b2')),
          },
        ]),
      ),
    ],
    [
      'in an attached message',
      mail(
        multipart([
          text('see below'),
          {
            headers: ['Content-Type: message/rfc822', 'Content-Disposition: attachment; filename=a.eml'],
            body: eml(multipart([attachment(GZIP)], 'mixed', 'b2')),
          },
        ]),
      ),
    ],
    [
      'in a message attached in base64',
      mail(multipart([attachment(eml(multipart([attachment(GZIP)], 'mixed', 'b2')), 'message/rfc822')])),
    ],
    [
      'in a message attached as application/octet-stream',
      mail(multipart([attachment(eml(attachment(GZIP)), 'application/octet-stream; name="r.eml"')])),
    ],
    [
      'in a message attached as text/plain',
      mail(multipart([attachment(eml(attachment(GZIP)), 'text/plain; name="r.eml"')])),
    ],
    [
      'in a message with internationalized headers (RFC 6532)',
      mail(
        multipart([
          { headers: ['Content-Type: message/global'], body: eml(attachment(GZIP)) },
          attachment(eml(attachment('x')), 'message/global'),
        ]),
      ),
    ],
    [
      'in nested parts',
      mail(
        multipart([multipart([multipart([attachment(GZIP)], 'mixed', 'b3')], 'related', 'b2'), text('x')]),
      ),
    ],
    [
      'next to an image and a signature',
      mail(
        multipart([
          attachment('\x89PNG\r\n', 'image/png; name=logo.png'),
          attachment(GZIP),
          attachment('0\x80', 'application/pkcs7-signature; name=smime.p7s'),
        ]),
      ),
    ],
    [
      'next to a file that is not a report',
      mail(multipart([attachment(gzipSync('Hello'), 'application/gzip; name=a.gz'), attachment(GZIP)])),
    ],
    [
      'in a mail with LF line ends',
      Buffer.from(eml(multipart([text('x'), attachment(GZIP)])).replaceAll('\r\n', '\n'), 'latin1'),
    ],
    [
      'in a mail without its last boundary',
      Buffer.from(eml(multipart([text('x'), attachment(GZIP)])).replace('--b1--', ''), 'latin1'),
    ],
  ];
  test.each(mails)('%s', async (_title, message) => {
    expect((await onlyReport(message)).warnings).toEqual([]);
  });

  test('with a file name that is split according to RFC 2231', async () => {
    const nameless = gzipSync(reportText({ dateRange: '' }));
    const names = [
      `Content-Disposition: attachment;\r\n filename*0="${FILE_NAME.slice(0, 20)}";\r\n filename*1="${FILE_NAME.slice(20)}"`,
    ];
    const reading = await onlyReport(
      mail(multipart([attachment(nameless, 'application/octet-stream', names)])),
    );
    expect(reading.source).toBe(FILE_NAME.replace('.gz', ''));
    expect(reading.report.dateRangeBegin).toBe('2023-11-15T00:00:00.000Z');
    expect(idsOf(reading)).toEqual(['date-from-file-name']);
  });

  test('that arrives in chunks', async () => {
    const message = mail(multipart([text('x'), attachment(GZIP)]));
    const pieces = Array.from({ length: message.length }, (_, index) => message.subarray(index, index + 1));
    expect(await readMail(Readable.from(pieces))).toMatchObject([
      { outcome: 'dmarc', counts: { messages: 3 } },
    ]);
  });

  test('once per report, of either type', async () => {
    const outcomes = await readMail(
      mail(
        multipart([
          attachment(GZIP),
          attachment(JSON.stringify(TLS_REPORT), 'application/tlsrpt+gzip'),
          attachment(ZIP),
        ]),
      ),
    );
    expect(outcomes.map(({ outcome }) => outcome)).toEqual(['dmarc', 'tls', 'dmarc']);
  });
});

describe('a mail without a report', () => {
  const notOnes: readonly (readonly [title: string, message: Buffer | string, detail: string])[] = [
    ['a text', mail(text('Hello')), 'the mail contains no report'],
    [
      'HTML',
      mail({ headers: ['Content-Type: text/html'], body: '<html><p>Hello' }),
      'the mail contains no report',
    ],
    ['an empty mail', '', 'the mail contains no report'],
    [
      'a text that starts with a valid zlib header',
      mail(text('HK is a dollar.')),
      'the mail contains no report',
    ],
    ['random bytes', '\u0000\u0001\r\n\r\n--\r\n', 'the mail contains no report'],
    [
      'the test notification of SES',
      mail(text('This is a test'), ['X-Amzn: AMAZON_SES_SETUP_NOTIFICATION']),
      'the mail contains no report',
    ],
    [
      'a message saved by Outlook',
      mail(
        multipart([
          attachment(Buffer.from('d0cf11e0a1b11ae1', 'hex'), 'application/vnd.ms-outlook; name=a.msg'),
        ]),
      ),
      'it is neither XML nor JSON',
    ],
    [
      'winmail.dat',
      mail(
        multipart([attachment(Buffer.from('789f3e220100', 'hex'), 'application/ms-tnef; name=winmail.dat')]),
      ),
      'it is neither XML nor JSON',
    ],
  ];
  test.each(notOnes)('is not-a-report: %s', async (_title, message, detail) => {
    const outcomes = await readMail(Buffer.from(message));
    expect(outcomes).toEqual([{ outcome: 'not-a-report', source: expect.any(String), detail }]);
  });
});

describe('No mail holds up the ones behind it:', () => {
  test.each(Object.entries(hangingMails))('%s', async (_what, message) => {
    const start = process.cpuUsage();
    expect(await readMail(Buffer.from(message))).toHaveLength(1);
    const { user, system } = process.cpuUsage(start);
    // A mail that hangs takes minutes; the time of the process includes garbage collection for earlier tests.
    expect((user + system) / 1000).toBeLessThan(10_000);
  });
});

describe('A mail that is too much', () => {
  const levels = (depth: number): MailPart =>
    depth === 0 ? attachment(GZIP) : multipart([levels(depth - 1)], 'mixed', `b${depth}`);
  const mails: readonly (readonly [title: string, message: () => Buffer, detail: string])[] = [
    ['more than 40 MB', () => mail(text('x'.repeat(40 * 2 ** 20))), 'the mail is larger than 40 MB'],
    [
      'more than 100 MIME parts',
      () => mail(multipart(Array(101).fill(text('')))),
      'more than 100 MIME parts',
    ],
    [
      'more than 100 parts, detected within a long one',
      () => mail(multipart(Array(101).fill(text('x\r\n'.repeat(50_000))))),
      'more than 100 MIME parts',
    ],
    [
      'more than 10 attachments',
      () => mail(multipart(Array(11).fill(attachment(gzipSync('x'))))),
      'more than 10 attachments',
    ],
    ['more than 8 levels of parts', () => mail(levels(9)), 'more than 8 levels deep'],
    ['a header of more than 256 KB', () => mail(text('x'), [`X: ${'y'.repeat(270_000)}`]), 'header'],
  ];
  test.each(mails)('is rejected: %s', async (_title, message, detail) => {
    const outcomes = await readMail(message());
    expect(outcomes.at(-1)).toMatchObject({ outcome: 'too-large', detail: expect.stringContaining(detail) });
  });

  test('does not include a mail with 8 levels of parts', async () => {
    expect(await readMail(mail(levels(8)))).toMatchObject([{ outcome: 'dmarc' }]);
  });

  test('is rejected: nested messages', async () => {
    let message = mail(attachment(GZIP));
    for (let depth = 0; depth < 9; depth++) message = mail(attachment(message, 'message/rfc822'));
    expect(await readMail(message)).toMatchObject([
      { outcome: 'too-large', detail: expect.stringContaining('8 levels deep') },
    ]);
  });

  test('does not include a mail with many images', async () => {
    const outcomes = await readMail(
      mail(multipart(Array(30).fill(attachment('\x89PNG', 'image/png; name=a.png')))),
    );
    expect(outcomes).toMatchObject([{ outcome: 'not-a-report' }]);
  });

  test('is read up to the limit', async () => {
    const outcomes = await readMail(
      mail(multipart([attachment(GZIP), ...Array(11).fill(attachment(gzipSync('x')))])),
    );
    expect(outcomes.map(({ outcome }) => outcome)).toEqual(['dmarc', 'too-large']);
  });
});

test.each([
  ['before the text', 'Subject: x\r\n\r\n'],
  ['within an attachment', mail(multipart([attachment(Buffer.alloc(200_000))])).subarray(0, 150_000)],
])('an exception of the message source is thrown, not turned into an outcome: %s', async (_where, start) => {
  async function* failing() {
    yield Buffer.from(start as string);
    throw new Error('connection reset');
  }
  await expect(readMail(failing())).rejects.toThrow('connection reset');
});

test('a file with a message is read as a mail', async () => {
  const mbox = 'From dmarc@reporter.example Wed Nov 15 00:00:00 2023\r\n';
  for (const start of ['', mbox, '\r\n', `\ufeff${mbox}`]) {
    // The report is the whole message, so its first header field is needed.
    const message = Buffer.from(`${start}Content-Transfer-Encoding: base64\r\n\r\n${base64(GZIP)}`);
    expect(await readFile('1700006400.M1.host', message)).toMatchObject([{ outcome: 'dmarc' }]);
  }
});
