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
/** Larger than the cutoff size of the mini stream. */
const LARGE = Buffer.from(reportText({ moreMetadata: `<!--${' '.repeat(30_000)}-->` }));
const report: OutlookAttachment = { name: 'report.xml.gz', bytes: GZIP };
const MSG = outlookFile({ body: 'This is a report.', attachments: [report] });

describe('a report is found in an Outlook message', () => {
  const eml = mail(multipart([attachment(GZIP)], 'mixed', 'b2'));
  const files: readonly (readonly [title: string, bytes: Buffer])[] = [
    ['in a file', MSG],
    [
      'with text in a code page',
      outlookFile({ body: 'A report.', attachments: [report] }, { text: 'octets' }),
    ],
    ['of version 4', outlookFile({ attachments: [report] }, { version: 4 })],
    ['in regular sectors', outlookFile({ attachments: [{ name: 'r.xml', bytes: LARGE }] })],
    [
      'of version 4, in regular sectors',
      outlookFile({ attachments: [{ name: 'r.xml', bytes: LARGE }] }, { version: 4 }),
    ],
    // The header lists 109 FAT sectors, which cover 7 MB.
    ['larger than 7 MB', outlookFile({ attachments: [report] }, { freeSectors: 30_000 })],
    ['without a name', outlookFile({ attachments: [{ bytes: XML }] })],
    ['with only a short name', outlookFile({ attachments: [{ shortName: 'R~1.GZ', bytes: GZIP }] })],
    ['as its text', outlookFile({ body: reportText() })],
    ['in an embedded message', outlookFile({ attachments: [{ message: { attachments: [report] } }] })],
    ['in an attached .msg file', outlookFile({ attachments: [{ name: 'a.msg', bytes: MSG }] })],
    ['in an attached .eml file', outlookFile({ attachments: [{ name: 'a.eml', bytes: eml }] })],
    [
      'in an attached message/rfc822',
      outlookFile({ attachments: [{ name: 'a', type: 'message/rfc822', bytes: eml }] }),
    ],
    [
      'next to an image and a Word document',
      outlookFile({
        attachments: [
          { name: 'logo.png', bytes: Buffer.from('\x89PNG') },
          { name: 'a.doc', bytes: compoundFile({ WordDocument: Buffer.alloc(5_000) }) },
          report,
        ],
      }),
    ],
    ['in a mail', mail(multipart([text('see below'), attachment(MSG, 'application/vnd.ms-outlook')]))],
    [
      'in a mail, as application/octet-stream',
      mail(attachment(MSG, 'application/octet-stream; name="report.msg"')),
    ],
    ['in gzip', gzipSync(MSG)],
    ['in zip', zipFile([{ name: 'report.msg', content: MSG }])],
    ['whose directory entries form a list', outlookFile({ attachments: [report] }, { inLine: true })],
    ['whose last sector is truncated', outlookFile({ attachments: [report] }).subarray(0, -300)],
  ];
  test.each(files)('%s', async (_title, bytes) => {
    const outcomes = await readFile('message.msg', bytes);
    expect(outcomes).toHaveLength(1);
    const reading = await withRows(outcomes[0]);
    expect([reading.counts.messages, reading.warnings]).toEqual([3, []]);
  });

  test('of version 3, whatever the upper half of a size', async () => {
    const bytes = Buffer.from(MSG);
    const entry = bytes.indexOf(Buffer.from('__substg1.0_37010102', 'utf16le'));
    bytes.writeUInt32LE(0xdead_beef, entry + 124);
    expect(await readFile('m', bytes)).toMatchObject([{ outcome: 'dmarc' }]);
  });

  test('with the names of its containers as its source', async () => {
    const file = outlookFile({ attachments: [{ message: { attachments: [report] } }] });
    expect(await readFile('message.msg', file)).toMatchObject([{ source: 'message.msg/report.xml' }]);
  });

  test('once per attached report, in the order of the attachments', async () => {
    const attachments = Array.from({ length: 9 }, (_, index) => ({
      name: `${index}.xml`,
      bytes: Buffer.from(reportText({ reportId: `<report_id>${index}</report_id>` })),
    }));
    const outcomes = await readFile('m', outlookFile({ attachments }));
    expect(outcomes.map(({ source }) => source)).toEqual(attachments.map(({ name }) => `m/${name}`));
  });

  test('for the domain in the header of its mail', async () => {
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

  test('and is recognized as a failure report if it is one', async () => {
    const bytes = Buffer.from('Feedback-Type: auth-failure\r\nReported-Domain: example.org\r\n');
    const file = outlookFile({ attachments: [{ type: 'message/feedback-report', bytes }] });
    expect(await readFile('m', file)).toMatchObject([{ outcome: 'failure', reportedDomain: 'example.org' }]);
  });
});

describe('an Outlook message without a report', () => {
  const files: readonly (readonly [title: string, bytes: Buffer, detail: string])[] = [
    ['with a text', outlookFile({ body: 'Hello' }), 'the mail contains no report'],
    [
      'with an attached text',
      outlookFile({ attachments: [{ name: 'a.txt', bytes: Buffer.from('Hello') }] }),
      'it is neither XML nor JSON',
    ],
    ['which is a Word document', compoundFile({ WordDocument: XML }), 'but not a message'],
    ['which is empty', compoundFile({}), 'but not a message'],
  ];
  test.each(files)('is not-a-report: %s', async (_title, bytes, detail) => {
    expect(await readRefusal(bytes)).toMatchObject({
      outcome: 'not-a-report',
      detail: expect.stringContaining(detail),
    });
  });
});

describe('an Outlook message is too large', () => {
  const inEachOther = (depth: number): OutlookAttachment =>
    depth === 0 ? report : { message: { attachments: [inEachOther(depth - 1)] } };
  const files: readonly (readonly [title: string, bytes: Buffer, detail: string])[] = [
    [
      'with nested messages',
      outlookFile({ attachments: [inEachOther(8)] }),
      'nested more than 8 levels deep',
    ],
    [
      'with nested .msg files',
      Array.from({ length: 8 }).reduce<Buffer>(
        (bytes) => outlookFile({ attachments: [{ name: 'a.msg', bytes }] }),
        MSG,
      ),
      'nested more than 8 levels deep',
    ],
    [
      'with more than 100 MIME parts',
      outlookFile({ attachments: Array(101).fill({ bytes: Buffer.from('x') }) }),
      'more than 100 MIME parts',
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

  test('but the reports before the limit are read', async () => {
    const file = outlookFile({ attachments: [report, ...Array(11).fill({ bytes: gzipSync('x') })] });
    const outcomes = await readMail(mail(attachment(file)));
    expect(outcomes.map(({ outcome }) => outcome)).toEqual(['dmarc', 'too-large']);
  });
});

describe('a compound file is rejected', () => {
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
  /** The offset of a directory entry by name. The file is so small that its sectors are consecutive. */
  const entryOf = (bytes: Buffer, name: string) => bytes.indexOf(Buffer.from(name, 'utf16le'));
  const ATTACHMENT = '__attach_version1.0_#00000000';
  const DATA = '__substg1.0_37010102';
  const large = outlookFile({ attachments: [{ name: 'r.xml', bytes: LARGE }] });
  const files: readonly (readonly [title: string, bytes: Buffer, how: string])[] = [
    ['that consists of its signature', MSG.subarray(0, 8), 'truncated'],
    ['that ends inside its header', MSG.subarray(0, 511), 'truncated'],
    ['that ends after its header', MSG.subarray(0, 512), 'points outside the file'],
    ['with another byte order', changed((b) => b.writeUInt16LE(0xfeff, header.byteOrder)), 'header'],
    ['of version 5', changed((b) => b.writeUInt16LE(5, header.version)), 'header'],
    ['with sectors of another size', changed((b) => b.writeUInt16LE(12, header.shift)), 'header'],
    ['with sectors of 2^65535 bytes', changed((b) => b.writeUInt16LE(0xffff, header.shift)), 'header'],
    ['with mini sectors of another size', changed((b) => b.writeUInt16LE(7, header.miniShift)), 'header'],
    ['with another cutoff', changed((b) => b.writeUInt32LE(1, header.cutoff)), 'header'],
    [
      'with more FAT sectors than exist',
      changed((b) => b.writeUInt32LE(0xffff_ffff, header.fatSectors)),
      'points outside the file',
    ],
    [
      'with a list of FAT sectors that points to itself',
      changed((b) => {
        b.writeUInt32LE(0xffff_ffff, header.fatSectors);
        b.writeUInt32LE(0, PLACES);
        b.writeUInt32LE(0, at(1) - 4);
      }),
      'form a loop',
    ],
    [
      'whose FAT lists one sector twice',
      changed((b) => {
        b.writeUInt32LE(2, header.fatSectors);
        b.writeUInt32LE(b.readUInt32LE(FAT), FAT + 4);
      }),
      'form a loop',
    ],
    ['without a FAT', changed((b) => b.writeUInt32LE(0, header.fatSectors)), 'points outside the file'],
    [
      'whose directory is outside the file',
      changed((b) => b.writeUInt32LE(0x7fff_ffff, DIRECTORY)),
      'points outside the file',
    ],
    ['without a directory', changed((b) => b.writeUInt32LE(END_OF_CHAIN, DIRECTORY)), 'missing'],
    [
      'whose directory starts without a root',
      changed((b) => b.writeUInt8(2, entryOf(b, 'Root Entry') + 66)),
      'no root',
    ],
    [
      'whose directory chain is a loop',
      changed((b) => {
        const first = b.readUInt32LE(DIRECTORY);
        b.writeUInt32LE(first, fatOf(b) + first * 4);
      }),
      'form a loop',
    ],
    [
      'whose stream chain is a loop',
      changed((b) => {
        const first = b.readUInt32LE(entryOf(b, DATA) + 116);
        b.writeUInt32LE(first, fatOf(b) + first * 4);
      }, large),
      'form a loop',
    ],
    [
      'whose stream is shorter than its size',
      changed((b) => b.writeUInt32LE(LARGE.length + 600, entryOf(b, DATA) + 120), large),
      'points outside the file',
    ],
    [
      'whose stream has a size of 4 GB',
      changed((b) => b.writeUInt32LE(0xffff_ffff, entryOf(b, DATA) + 120)),
      'overlap',
    ],
    [
      'whose mini stream is outside the file',
      changed((b) => b.writeUInt32LE(0x7fff_ffff, entryOf(b, 'Root Entry') + 116)),
      'points outside the file',
    ],
    [
      'whose mini stream has no table',
      changed((b) => b.writeUInt32LE(END_OF_CHAIN, MINI_FAT)),
      'points outside the file',
    ],
    [
      'whose storage contains itself',
      changed((b) => {
        const entry = entryOf(b, ATTACHMENT);
        const index = (entry - at(b.readUInt32LE(DIRECTORY))) / 128;
        b.writeUInt32LE(index, entry + 76);
      }),
      'directory entries form a loop',
    ],
    [
      'whose siblings point to each other',
      changed((b) =>
        b.writeUInt32LE(b.readUInt32LE(entryOf(b, 'Root Entry') + 76), entryOf(b, ATTACHMENT) + 72),
      ),
      'directory entries form a loop',
    ],
    [
      'whose sibling does not exist',
      changed((b) => b.writeUInt32LE(0x7fff_ffff, entryOf(b, ATTACHMENT) + 72)),
      'missing',
    ],
    [
      'with two entries of the same name',
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
      detail: expect.stringMatching(new RegExp(`^the compound file is corrupt: .*${how}`)),
    });
  });

  test('if it is truncated at any sector and the report is incomplete', async () => {
    for (let length = SECTOR; length < large.length; length += SECTOR / 2) {
      const [outcome] = await readFile('m', large.subarray(0, length));
      if (outcome?.outcome === 'dmarc') expect(outcome.counts.messages).toBe(3);
      else expect(outcome?.outcome).toBe('unreadable');
    }
  });

  test('quickly with 100,000 entries in a list', async () => {
    const names = Array.from({ length: 100_000 }, (_, index) => [`n${index}`, new Uint8Array()]);
    const file = compoundFile(Object.fromEntries(names), { inLine: true });
    const began = process.cpuUsage();
    expect(await readRefusal(file)).toMatchObject({ outcome: 'not-a-report' });
    const { user, system } = process.cpuUsage(began);
    expect((user + system) / 1e6).toBeLessThan(5);
  });

  test('whose streams are all the same, without reading one twice', async () => {
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
