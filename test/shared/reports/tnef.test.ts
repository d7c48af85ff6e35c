import { gzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { readFile } from '../../../shared/reports/read-mail.ts';
import { attachment, mail, multipart, text } from './mail.ts';
import { readRefusal, withRows } from './read.ts';
import { reportText } from './report-text.ts';
import { fixed, inner, sized, tnefFile, unicode } from './tnef-file.ts';

const GZIP = gzipSync(reportText());
const report = { title: 'REPORT~1.GZ', bytes: GZIP };
const TNEF = tnefFile({ body: 'This is a report.', attachments: [report] });
const GUID = '00112233445566778899aabbccddeeff';

/** A property of each form ([MS-OXTNEF] section 2.1.3.4). */
const everyForm = [
  fixed(0x0002, 0x0002, '0100'),
  fixed(0x0003, 0x0003, '01000000'),
  fixed(0x0004, 0x000b, '0100'),
  fixed(0x0005, 0x0040, '0102030405060708'),
  fixed(0x0006, 0x0048, GUID),
  // Several values: their number, then the values.
  fixed(0x0007, 0x1002, '03000000010002000300'),
  sized(0x0008, 0x101e, [Buffer.from('a\0'), Buffer.from('bcd\0')]),
  // Names: a number, or a text of six bytes.
  fixed(0x8000, 0x0003, '01000000', `${GUID}0000000042000000`),
  fixed(0x8001, 0x0003, '01000000', `${GUID}01000000060000006100620000000000`),
];

describe('a report is found in a TNEF message', () => {
  const files: readonly (readonly [title: string, bytes: Buffer])[] = [
    ['in a file', TNEF],
    [
      'in a mail',
      mail(multipart([text(''), attachment(TNEF, 'application/ms-tnef; name="winmail.dat"')], 'mixed')),
    ],
    ['without a title', tnefFile({ attachments: [{ bytes: GZIP }] })],
    ['as its text', tnefFile({ body: reportText() })],
    ['as its text, in a property', tnefFile({ properties: [unicode(0x1000, reportText())] })],
    [
      'after properties of every form',
      tnefFile({
        attachments: [
          { properties: [...everyForm, sized(0x3701, 0x102, [GZIP]), unicode(0x3707, 'report.xml.gz')] },
        ],
      }),
    ],
    ['in an embedded message', tnefFile({ attachments: [{ properties: [inner(TNEF)] }] })],
    [
      'in an attached .eml file',
      tnefFile({ attachments: [{ title: 'a.eml', bytes: mail(attachment(GZIP)) }] }),
    ],
    [
      'next to an object that is not a message, and an image',
      tnefFile({
        attachments: [
          { properties: [inner(Buffer.from('object'))] },
          { title: 'logo.png', bytes: Buffer.from('\x89PNG') },
          report,
        ],
      }),
    ],
    ['with trailing bytes', Buffer.concat([TNEF, Buffer.alloc(16)])],
  ];
  test.each(files)('%s', async (_title, bytes) => {
    const outcomes = await readFile('winmail.dat', bytes);
    expect(outcomes).toHaveLength(1);
    const reading = await withRows(outcomes[0]);
    expect([reading.counts.messages, reading.warnings]).toEqual([3, []]);
  });

  test('with its long name', async () => {
    const named = { ...report, properties: [unicode(0x3707, 'report.xml.gz')] };
    expect(await readFile('winmail.dat', tnefFile({ attachments: [named] }))).toMatchObject([
      { source: 'winmail.dat/report.xml' },
    ]);
  });
});

describe('a TNEF message is rejected', () => {
  test('without a report', async () => {
    const file = tnefFile({ body: 'Hello', attachments: [{ title: 'a.txt', bytes: Buffer.from('Hello') }] });
    expect(await readRefusal(file)).toMatchObject({ outcome: 'not-a-report' });
  });

  test('truncated within an attribute', async () => {
    expect(await readRefusal(TNEF.subarray(0, -3))).toMatchObject({
      outcome: 'unreadable',
      detail: expect.stringContaining('TNEF'),
    });
  });

  test('with a property that exceeds its end', async () => {
    const bytes = Buffer.from('0310010008000000ffffffff', 'hex');
    expect(await readRefusal(tnefFile({ properties: [bytes] }))).toMatchObject({ outcome: 'unreadable' });
  });

  test('with too many attachments', async () => {
    expect(await readRefusal(tnefFile({ attachments: Array(101).fill({}) }))).toMatchObject({
      outcome: 'too-large',
      detail: expect.stringContaining('100 MIME parts'),
    });
  });

  test('with too deeply nested messages', async () => {
    let file = TNEF;
    for (let depth = 0; depth < 9; depth++) file = tnefFile({ attachments: [{ properties: [inner(file)] }] });
    expect(await readRefusal(file)).toMatchObject({ outcome: 'too-large' });
  });
});
