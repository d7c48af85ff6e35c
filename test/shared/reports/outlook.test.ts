import { gzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { readFile, readMail } from '../../../shared/reports/read-mail.ts';
import { compoundFile, END_OF_CHAIN, type Tree } from './compound-file.ts';
import { attachment, mail, multipart, text } from './mail.ts';
import { type OutlookAttachment, outlookFile } from './outlook-file.ts';
import { readRefusal, withRows } from './read.ts';
import { reportText } from './report-text.ts';
import { zipFile } from './zip-file.ts';

const XML = Buffer.from(reportText());
const GZIP = gzipSync(XML);
/** Too large for the mini stream. */
const LARGE = Buffer.from(reportText({ moreMetadata: `<!--${' '.repeat(30_000)}-->` }));
const report: OutlookAttachment = { name: 'report.xml.gz', bytes: GZIP };
const MSG = outlookFile({ body: 'This is a report.', attachments: [report] });

describe('A report is found in a message of Outlook', () => {
  const eml = mail(multipart([attachment(GZIP)], 'mixed', 'b2'));
  const files: readonly (readonly [title: string, bytes: Buffer])[] = [
    ['that is a file', MSG],
    ['with text in octets', outlookFile({ body: 'A report.', attachments: [report] }, { text: 'octets' })],
    ['of version 4', outlookFile({ attachments: [report] }, { version: 4 })],
    ['that lies in sectors of its own', outlookFile({ attachments: [{ name: 'r.xml', bytes: LARGE }] })],
    [
      'of version 4, in sectors of its own',
      outlookFile({ attachments: [{ name: 'r.xml', bytes: LARGE }] }, { version: 4 }),
    ],
    // 109 sectors of the FAT, which stand in the header, are for 7 MB.
    ['of more than 7 MB', outlookFile({ attachments: [report] }, { freeSectors: 30_000 })],
    ['without a name', outlookFile({ attachments: [{ bytes: XML }] })],
    ['with nothing but the short name', outlookFile({ attachments: [{ shortName: 'R~1.GZ', bytes: GZIP }] })],
    ['as its text', outlookFile({ body: reportText() })],
    ['in a message inside it', outlookFile({ attachments: [{ message: { attachments: [report] } }] })],
    ['in a .msg inside it', outlookFile({ attachments: [{ name: 'a.msg', bytes: MSG }] })],
    ['in an .eml inside it', outlookFile({ attachments: [{ name: 'a.eml', bytes: eml }] })],
    [
      'in a message/rfc822 inside it',
      outlookFile({ attachments: [{ name: 'a', type: 'message/rfc822', bytes: eml }] }),
    ],
    [
      'beside a picture and a document of Word',
      outlookFile({
        attachments: [
          { name: 'logo.png', bytes: Buffer.from('\x89PNG') },
          { name: 'a.doc', bytes: compoundFile({ WordDocument: Buffer.alloc(5_000) }) },
          report,
        ],
      }),
    ],
    ['in a mail', mail(multipart([text('see below'), attachment(MSG, 'application/vnd.ms-outlook')]))],
    ['in a mail, as octets', mail(attachment(MSG, 'application/octet-stream; name="report.msg"'))],
    ['in gzip', gzipSync(MSG)],
    ['in zip', zipFile([{ name: 'report.msg', content: MSG }])],
    ['whose siblings stand in a line', outlookFile({ attachments: [report] }, { inLine: true })],
    ['whose last sector is cut short', outlookFile({ attachments: [report] }).subarray(0, -300)],
  ];
  test.each(files)('%s', async (_title, bytes) => {
    const outcomes = await readFile('message.msg', bytes);
    expect(outcomes).toHaveLength(1);
    const reading = await withRows(outcomes[0]);
    expect([reading.counts.messages, reading.warnings]).toEqual([3, []]);
  });

  test('of version 3 whatever the upper half of a size is', async () => {
    const bytes = Buffer.from(MSG);
    const entry = bytes.indexOf(Buffer.from('__substg1.0_37010102', 'utf16le'));
    bytes.writeUInt32LE(0xdead_beef, entry + 124);
    expect(await readFile('m', bytes)).toMatchObject([{ outcome: 'dmarc' }]);
  });

  test('under the names of all that is around it', async () => {
    const file = outlookFile({ attachments: [{ message: { attachments: [report] } }] });
    expect(await readFile('message.msg', file)).toMatchObject([{ source: 'message.msg/report.xml' }]);
  });

  test('as often as there are reports, in the order of the attachments', async () => {
    const attachments = Array.from({ length: 9 }, (_, index) => ({
      name: `${index}.xml`,
      bytes: Buffer.from(reportText({ reportId: `<report_id>${index}</report_id>` })),
    }));
    const outcomes = await readFile('m', outlookFile({ attachments }));
    expect(outcomes.map(({ source }) => source)).toEqual(attachments.map(({ name }) => `m/${name}`));
  });

  test('for the domain that the header of its mail names', async () => {
    const tls = {
      'organization-name': 'Reporter',
      'date-range': { 'start-datetime': '2023-11-15T00:00:00Z', 'end-datetime': '2023-11-15T23:59:59Z' },
      'report-id': 't-1',
      policies: [{ policy: { 'policy-type': 'no-policy-found' }, summary: {} }],
    };
    const file = outlookFile({
      headers: 'Subject: Report\r\nTLS-Report-Domain: example.org\r\n',
      attachments: [{ name: 'r.json', bytes: Buffer.from(JSON.stringify(tls)) }],
    });
    expect(await readFile('m', file)).toMatchObject([
      { outcome: 'tls', report: { policies: [{ policyDomain: 'example.org' }] } },
    ]);
  });

  test('that is about a single message is known as that', async () => {
    const bytes = Buffer.from('Feedback-Type: auth-failure\r\nReported-Domain: example.org\r\n');
    const file = outlookFile({ attachments: [{ type: 'message/feedback-report', bytes }] });
    expect(await readFile('m', file)).toMatchObject([{ outcome: 'failure', reportedDomain: 'example.org' }]);
  });
});

describe('A message of Outlook without a report', () => {
  const files: readonly (readonly [title: string, bytes: Buffer, detail: string])[] = [
    ['with a text', outlookFile({ body: 'Hello' }), 'nothing in it is a report'],
    [
      'with a text that is attached',
      outlookFile({ attachments: [{ name: 'a.txt', bytes: Buffer.from('Hello') }] }),
      'it is neither XML nor JSON',
    ],
    ['which is a document of Word', compoundFile({ WordDocument: XML }), 'that is no message'],
    ['which is empty', compoundFile({}), 'that is no message'],
  ];
  test.each(files)('is told as such: %s', async (_title, bytes, detail) => {
    expect(await readRefusal(bytes)).toMatchObject({
      outcome: 'not-a-report',
      detail: expect.stringContaining(detail),
    });
  });
});

describe('A message of Outlook is too much', () => {
  const inEachOther = (depth: number): OutlookAttachment =>
    depth === 0 ? report : { message: { attachments: [inEachOther(depth - 1)] } };
  const files: readonly (readonly [title: string, bytes: Buffer, detail: string])[] = [
    [
      'with messages in each other',
      outlookFile({ attachments: [inEachOther(8)] }),
      'nested more than 8 deep',
    ],
    [
      'with files of messages in each other',
      Array.from({ length: 8 }).reduce<Buffer>(
        (bytes) => outlookFile({ attachments: [{ name: 'a.msg', bytes }] }),
        MSG,
      ),
      'nested more than 8 deep',
    ],
    [
      'with more than 100 parts',
      outlookFile({ attachments: Array(101).fill({ bytes: Buffer.from('x') }) }),
      'more than 100 parts',
    ],
    [
      'with more than 10 reports',
      outlookFile({ attachments: Array(11).fill({ bytes: gzipSync('x') }) }),
      'more than 10 attachments',
    ],
  ];
  test.each(files)('%s', async (_title, bytes, detail) => {
    const outcomes = await readFile('m', bytes);
    expect(outcomes).toMatchObject([{ outcome: 'too-large', detail: expect.stringContaining(detail) }]);
  });

  test('of which the reports in front of the limit are still given', async () => {
    const file = outlookFile({ attachments: [report, ...Array(11).fill({ bytes: gzipSync('x') })] });
    const outcomes = await readMail(mail(attachment(file)));
    expect(outcomes.map(({ outcome }) => outcome)).toEqual(['dmarc', 'too-large']);
  });
});

describe('A compound file is refused', () => {
  const SECTOR = 512;
  const header = { byteOrder: 28, version: 26, shift: 30, miniShift: 32, fatSectors: 44, cutoff: 56 };
  const [DIRECTORY, MINI_FAT, PLACES, FAT] = [48, 60, 68, 76];
  const changed = (change: (bytes: Buffer) => void, file = MSG): Buffer => {
    const bytes = Buffer.from(file);
    change(bytes);
    return bytes;
  };
  const at = (sector: number) => (sector + 1) * SECTOR;
  const fatOf = (bytes: Buffer) => at(bytes.readUInt32LE(FAT));
  /** Where the directory has the entry of a name; the file is small enough for its sectors to lie in a row. */
  const entryOf = (bytes: Buffer, name: string) => bytes.indexOf(Buffer.from(name, 'utf16le'));
  const ATTACHMENT = '__attach_version1.0_#00000000';
  const DATA = '__substg1.0_37010102';
  const large = outlookFile({ attachments: [{ name: 'r.xml', bytes: LARGE }] });
  const files: readonly (readonly [title: string, bytes: Buffer, how: string])[] = [
    ['that is its signature', MSG.subarray(0, 8), 'cut off'],
    ['that ends in its header', MSG.subarray(0, 511), 'cut off'],
    ['that ends behind its header', MSG.subarray(0, 512), 'leaves it'],
    ['of another byte order', changed((b) => b.writeUInt16LE(0xfeff, header.byteOrder)), 'header'],
    ['of version 5', changed((b) => b.writeUInt16LE(5, header.version)), 'header'],
    ['with sectors of another size', changed((b) => b.writeUInt16LE(12, header.shift)), 'header'],
    ['with sectors of 2^65535 bytes', changed((b) => b.writeUInt16LE(0xffff, header.shift)), 'header'],
    ['with mini sectors of another size', changed((b) => b.writeUInt16LE(7, header.miniShift)), 'header'],
    ['with another cutoff', changed((b) => b.writeUInt32LE(1, header.cutoff)), 'header'],
    [
      'with more sectors of the FAT than there are',
      changed((b) => b.writeUInt32LE(0xffff_ffff, header.fatSectors)),
      'leaves it',
    ],
    [
      'with a list of FAT sectors that leads to itself',
      changed((b) => {
        b.writeUInt32LE(0xffff_ffff, header.fatSectors);
        b.writeUInt32LE(0, PLACES);
        b.writeUInt32LE(0, at(1) - 4);
      }),
      'in circles',
    ],
    [
      'whose FAT is one sector twice',
      changed((b) => {
        b.writeUInt32LE(2, header.fatSectors);
        b.writeUInt32LE(b.readUInt32LE(FAT), FAT + 4);
      }),
      'in circles',
    ],
    ['without a FAT', changed((b) => b.writeUInt32LE(0, header.fatSectors)), 'leaves it'],
    ['whose directory is nowhere', changed((b) => b.writeUInt32LE(0x7fff_ffff, DIRECTORY)), 'leaves it'],
    ['without a directory', changed((b) => b.writeUInt32LE(END_OF_CHAIN, DIRECTORY)), 'missing'],
    [
      'whose directory begins with no root',
      changed((b) => b.writeUInt8(2, entryOf(b, 'Root Entry') + 66)),
      'no root',
    ],
    [
      'whose directory runs in a circle',
      changed((b) => {
        const first = b.readUInt32LE(DIRECTORY);
        b.writeUInt32LE(first, fatOf(b) + first * 4);
      }),
      'in circles',
    ],
    [
      'whose stream runs in a circle',
      changed((b) => {
        const first = b.readUInt32LE(entryOf(b, DATA) + 116);
        b.writeUInt32LE(first, fatOf(b) + first * 4);
      }, large),
      'in circles',
    ],
    [
      'whose stream is shorter than it says',
      changed((b) => b.writeUInt32LE(LARGE.length + 600, entryOf(b, DATA) + 120), large),
      'leaves it',
    ],
    [
      'whose stream is as long as 4 GB',
      changed((b) => b.writeUInt32LE(0xffff_ffff, entryOf(b, DATA) + 120)),
      'meet',
    ],
    [
      'whose mini stream is nowhere',
      changed((b) => b.writeUInt32LE(0x7fff_ffff, entryOf(b, 'Root Entry') + 116)),
      'leaves it',
    ],
    ['whose mini stream has no table', changed((b) => b.writeUInt32LE(END_OF_CHAIN, MINI_FAT)), 'leaves it'],
    [
      'whose storage is in itself',
      changed((b) => {
        const entry = entryOf(b, ATTACHMENT);
        const index = (entry - at(b.readUInt32LE(DIRECTORY))) / 128;
        b.writeUInt32LE(index, entry + 76);
      }),
      'entries of its directory run in circles',
    ],
    [
      'whose siblings lead to each other',
      changed((b) =>
        b.writeUInt32LE(b.readUInt32LE(entryOf(b, 'Root Entry') + 76), entryOf(b, ATTACHMENT) + 72),
      ),
      'entries of its directory run in circles',
    ],
    [
      'whose sibling is nowhere',
      changed((b) => b.writeUInt32LE(0x7fff_ffff, entryOf(b, ATTACHMENT) + 72)),
      'missing',
    ],
    [
      'with two entries of one name',
      changed(
        (b) =>
          Buffer.from('4', 'utf16le').copy(
            b,
            entryOf(b, '__substg1.0_3707001F') + 2 * '__substg1.0_370'.length,
          ),
        outlookFile({ attachments: [{ name: 'a', shortName: 'b', bytes: XML }] }),
      ),
      'the same name',
    ],
  ];
  test.each(files)('%s', async (_title, bytes, how) => {
    expect(await readRefusal(bytes)).toMatchObject({
      outcome: 'unreadable',
      detail: expect.stringMatching(new RegExp(`^the compound file is damaged: .*${how}`)),
    });
  });

  test('cut off at any sector, or it gives the whole report', async () => {
    for (let length = SECTOR; length < large.length; length += SECTOR / 2) {
      const [outcome] = await readFile('m', large.subarray(0, length));
      if (outcome?.outcome === 'dmarc') expect(outcome.counts.messages).toBe(3);
      else expect(outcome?.outcome).toBe('unreadable');
    }
  });

  test('with a hundred thousand entries in a line, but quickly', async () => {
    const names = Array.from({ length: 100_000 }, (_, index) => [`n${index}`, new Uint8Array()]);
    const file = compoundFile(Object.fromEntries(names), { inLine: true });
    const began = process.cpuUsage();
    expect(await readRefusal(file)).toMatchObject({ outcome: 'not-a-report' });
    const { user, system } = process.cpuUsage(began);
    expect((user + system) / 1e6).toBeLessThan(5);
  });

  test('whose streams are all the same, without being read more than once', async () => {
    const inside = Object.fromEntries(
      Array.from({ length: 99 }, (_, index) => [
        `__attach_version1.0_#${String(index).padStart(8, '0')}`,
        { [DATA]: index === 0 ? Buffer.alloc(20 * 2 ** 20, 0x20) : Buffer.alloc(4_096) },
      ]),
    ) as Tree;
    const file = compoundFile({ '__properties_version1.0': Buffer.alloc(32), ...inside });
    const first = entryOf(file, DATA);
    for (let entry = first; entry !== -1; entry = file.indexOf(Buffer.from(DATA, 'utf16le'), entry + 128)) {
      file.copy(file, entry + 116, first + 116, first + 124);
    }
    const began = process.cpuUsage();
    expect(await readRefusal(file)).toMatchObject({ outcome: 'unreadable' });
    const { user, system } = process.cpuUsage(began);
    expect((user + system) / 1e6).toBeLessThan(5);
  });
});
