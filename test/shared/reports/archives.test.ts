import { gzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { readFile, readMail } from '../../../shared/reports/read-mail.ts';
import { attachment, mail, multipart } from './mail.ts';
import { idsOf, readDmarc, readOne, readRefusal, withRows } from './read.ts';
import { recordText, reportText } from './report-text.ts';
import { zipFile } from './zip-file.ts';

const XML = Buffer.from(reportText());
const gzip = gzipSync(XML);
const entry = { name: 'report.xml', content: XML };

/** A gzip header with every optional part (RFC 1952 section 2.3): extra field, name, comment, checksum of the header. */
const richHeader = Buffer.concat([
  Buffer.from([0x1f, 0x8b, 8, 0x1e, 0, 0, 0, 0, 0, 3, 2, 0, 0x41, 0x42]),
  Buffer.from('name\0comment\0'),
  Buffer.from([0, 0]),
]);

describe('A report is found', () => {
  const files: readonly (readonly [title: string, bytes: Uint8Array, warnings?: string[]])[] = [
    ['as plain XML', XML],
    ['in gzip', gzip],
    ['in gzip with every optional part of the header', Buffer.concat([richHeader, gzip.subarray(10)])],
    ['in gzip with bytes behind it', Buffer.concat([gzip, Buffer.from('\r\n')]), ['trailing-bytes']],
    ['in two gzip members', Buffer.concat([gzipSync(XML.subarray(0, 100)), gzipSync(XML.subarray(100))])],
    ['in gzip in gzip', gzipSync(gzip), ['archive-in-archive']],
    ['in zip', zipFile([entry])],
    ['in zip, stored', zipFile([{ ...entry, isStored: true }])],
    ['in zip with a comment', zipFile([entry], { comment: 'from the reporter' })],
    [
      'in zip with bytes behind it',
      Buffer.concat([zipFile([entry]), Buffer.from('\r\n')]),
      ['trailing-bytes'],
    ],
    [
      'in folders of a zip',
      zipFile([
        { name: 'a.xml/', content: Buffer.alloc(0), isStored: true },
        { ...entry, name: 'a.xml/b/report.xml' },
      ]),
    ],
    ['in zip beside files of macOS', zipFile([{ ...entry, name: '__MACOSX/._report.xml' }, entry])],
    ['in zip beside a text', zipFile([{ name: 'README', content: Buffer.from('Hello') }, entry])],
    ['in zip in zip', zipFile([{ name: 'inner.zip', content: zipFile([entry]) }]), ['archive-in-archive']],
    ['in gzip in zip', zipFile([{ name: 'report.xml.gz', content: gzip }]), ['archive-in-archive']],
    ['in zip under a name that leads out of the folder', zipFile([{ ...entry, name: '../../etc/passwd' }])],
  ];
  test.each(files)('%s', async (_title, bytes, warnings = []) => {
    const reading = await readDmarc(bytes);
    expect(reading.rows).toHaveLength(1);
    expect(reading.counts.messages).toBe(3);
    expect(idsOf(reading)).toEqual(warnings);
  });

  test('whatever the name of its file', async () => {
    for (const name of ['report.zip', 'report.XML.GZ', '', 'a/b\\c\u0000.exe']) {
      expect((await readDmarc(gzip, name)).counts.messages).toBe(3);
    }
  });

  test('once for every file of a zip, up to 16', async () => {
    const parts = Array.from({ length: 17 }, (_, index) => ({
      name: `${index}.xml`,
      content: Buffer.from(reportText({ reportId: `<report_id>${index}</report_id>` })),
    }));
    expect(await readFile('r.zip', zipFile(parts.slice(1)))).toHaveLength(16);
    const outcomes = await readFile('r.zip', zipFile(parts));
    expect(outcomes).toHaveLength(17);
    expect(outcomes.at(-1)).toMatchObject({
      outcome: 'too-large',
      detail: 'it holds 17 files, of which 16 were read',
    });
  });

  test.each(['<a/>', '\xff\xd8\xff'])('and not where a zip of many files holds none: %j', async (content) => {
    const parts = Array.from({ length: 17 }, (_, index) => ({
      name: String(index),
      content: Buffer.from(content, 'latin1'),
    }));
    expect(await readFile('a.docx', zipFile(parts))).toEqual([
      { outcome: 'not-a-report', source: 'a.docx', detail: 'it holds 17 files, of which 16 were read' },
    ]);
  });
});

test('Of archives in archives, 160 files are read', async () => {
  const inner = zipFile(Array.from({ length: 16 }, (_, index) => ({ name: `${index}.xml`, content: XML })));
  const outer = zipFile(Array.from({ length: 16 }, (_, index) => ({ name: `${index}.zip`, content: inner })));
  const outcomes = await readFile('r.zip', outer);
  expect(outcomes.slice(0, -1).map(({ outcome }) => outcome)).toEqual(Array(160).fill('dmarc'));
  expect(outcomes.at(-1)).toMatchObject({
    outcome: 'too-large',
    detail: expect.stringContaining('160 files'),
  });
});

describe('A file is refused', () => {
  const bad = (change: (bytes: Buffer) => void, bytes: Buffer): Buffer => {
    const copy = Buffer.from(bytes);
    change(copy);
    return copy;
  };
  const zip = zipFile([entry]);
  const end = zip.length - 22;
  const files: readonly (readonly [title: string, bytes: Uint8Array, detail: string, outcome?: string])[] = [
    ['empty', Buffer.alloc(0), 'it is empty', 'not-a-report'],
    ['gzip of the word "unused"', gzipSync('unused'), 'packed the word "unused"', 'not-a-report'],
    ['gzip of other text', gzipSync('Hello.'), 'neither XML nor JSON', 'not-a-report'],
    [
      'gzip with a wrong checksum',
      bad((bytes) => bytes.writeUInt8((bytes.at(-5) ?? 0) ^ 1, bytes.length - 5), gzip),
      'checksum',
    ],
    [
      'gzip with a wrong length',
      bad((bytes) => bytes.writeUInt8((bytes.at(-1) ?? 0) ^ 1, bytes.length - 1), gzip),
      'checksum',
    ],
    ['gzip with damaged data', bad((bytes) => bytes.fill(0xff, 12, 40), gzip), 'damaged'],
    ['gzip by another method', bad((bytes) => bytes.writeUInt8(7, 2), gzip), 'unknown method'],
    ['gzip whose name does not end', Buffer.from([0x1f, 0x8b, 8, 8, 0, 0, 0, 0, 0, 3, 65, 65]), 'cut off'],
    ['gzip three times', gzipSync(gzipSync(gzip)), 'more than twice', 'too-large'],
    ['zip without directory', zip.subarray(0, -22), 'no directory'],
    ['zip that is encrypted', zipFile([{ ...entry, flags: 1 }]), 'encrypted'],
    ['zip by another method', zipFile([{ ...entry, method: 12 }]), 'unknown method'],
    ['zip with a wrong checksum', zipFile([{ ...entry, crc: 1 }]), 'checksum'],
    ['zip with a wrong size', zipFile([{ ...entry, size: 5 }]), 'checksum'],
    ['zip with ZIP64 sizes', zipFile([{ ...entry, size: 0xffff_ffff }]), 'ZIP64'],
    ['zip with a ZIP64 directory', bad((bytes) => bytes.writeUInt32LE(0xffff_ffff, end + 16), zip), 'ZIP64'],
    ['zip on several disks', bad((bytes) => bytes.writeUInt16LE(1, end + 4), zip), 'one of several'],
    [
      'zip with entries that overlap',
      zipFile([entry, { ...entry, name: 'other.xml', offset: 0 }]),
      'overlap',
    ],
    ['zip with an entry behind its end', zipFile([{ ...entry, offset: 0x7fff_ffff }]), 'damaged'],
    [
      'zip with an entry in its directory',
      zipFile([{ name: 'a', content: Buffer.from('PK\x03\x04'.padEnd(60)), isStored: true, offset: 31 }]),
      'damaged',
    ],
    ['zip with fewer entries than stated', zipFile([entry], { count: 2 }), 'damaged'],
    ['zip with 513 entries', zipFile([entry], { count: 513 }), 'more than 512', 'too-large'],
  ];
  test.each(files)('%s', async (_title, bytes, detail, outcome = 'unreadable') => {
    expect(await readRefusal(bytes)).toMatchObject({ outcome, detail: expect.stringContaining(detail) });
  });

  test.each([
    ['gzip', gzip],
    ['zip', zip],
    ['gzip in gzip', gzipSync(gzip)],
  ])('%s that is cut off at any byte', async (_title, bytes) => {
    for (let length = 4; length < bytes.length; length++) {
      expect(await readRefusal(bytes.subarray(0, length))).toMatchObject({ outcome: 'unreadable' });
    }
  });
});

describe('What unpacks to too much is refused', () => {
  const megabyte = Buffer.alloc(2 ** 20, 0x20);
  const bomb = (megabytes: number): Buffer => gzipSync(Buffer.concat(Array(megabytes).fill(megabyte)));
  // A report whose comments, at most 64 KB each, make it as large as wanted.
  const padded = (megabytes: number): Buffer =>
    Buffer.from(reportText({ moreMetadata: `<!--${' '.repeat(32_761)}-->`.repeat(megabytes * 32) }));

  test('a run of spaces, at the beginning of it and further on', async () => {
    expect(await readRefusal(bomb(200))).toMatchObject({
      outcome: 'too-large',
      detail: 'unpacked it is larger than 64 MB',
    });
    const root = Buffer.from('<feedback>');
    expect(await readRefusal(gzipSync(Buffer.concat([root, ...Array(200).fill(megabyte)])))).toMatchObject({
      outcome: 'too-large',
      detail: 'a value, a tag or a comment is longer than 64 KB',
    });
  });

  test('JSON of more than 16 MB', async () => {
    const json = gzipSync(Buffer.concat([Buffer.from('{"policies":"'), ...Array(17).fill(megabyte)]));
    expect(await readRefusal(json)).toMatchObject({
      outcome: 'too-large',
      detail: 'the JSON is larger than 16 MB',
    });
  });

  test('a report of more than 64 MB, but not one of 60 MB', async () => {
    expect(await readRefusal(gzipSync(padded(65)))).toMatchObject({
      outcome: 'too-large',
      detail: 'unpacked it is larger than 64 MB',
    });
    expect((await readDmarc(gzipSync(padded(60)))).counts.messages).toBe(3);
  });

  test('several reports of more than 128 MB', async () => {
    const content = padded(50);
    const outcomes = await readFile('r.zip', zipFile(['a', 'b', 'c'].map((name) => ({ name, content }))));
    expect(outcomes.map(({ outcome }) => outcome)).toEqual(['dmarc', 'dmarc', 'too-large']);
  });

  test('an archive of more than 10 MB', async () => {
    const noise = Buffer.alloc(11 * 2 ** 20);
    for (let at = 0, state = 1; at < noise.length; at += 4) {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      noise.writeUInt32LE(state, at);
    }
    expect(await readRefusal(gzipSync(noise, { level: 1 }))).toMatchObject({
      outcome: 'too-large',
      detail: 'packed it is larger than 10 MB',
    });
  });

  describe('gzip members without end', () => {
    // RFC 1952: a header, the two octets of empty data, checksum and length; 20 octets in all.
    const empty = Buffer.from(`1f8b0800000000000003${'0300'}${'00'.repeat(8)}`, 'hex');
    const members = Buffer.concat(Array(500_000).fill(empty));
    const zipped = Array.from({ length: 12 }, (_, index) => ({ name: `${index}.xml.gz`, content: members }));
    const tooMany = { outcome: 'too-large', detail: 'the mail is packed in more than 2,000 pieces' };

    test.each([
      ['in a file', members.subarray(0, 800_000)],
      ['packed again', gzipSync(members)],
    ])('%s', async (_title, bytes) => {
      expect(await readRefusal(bytes)).toMatchObject(tooMany);
    });

    test('in each file of a zip of less than 400 kB', async () => {
      const zip = zipFile(zipped);
      expect(zip.length).toBeLessThan(400_000);
      expect(await readFile('r.zip', zip)).toEqual(Array(12).fill(expect.objectContaining(tooMany)));
    });

    test('in several attachments, of which the first is small enough', async () => {
      const parts = [gzip, members.subarray(0, 800_000), gzip].map((bytes) => attachment(bytes));
      expect((await readMail(mail(multipart(parts)))).map(({ outcome }) => outcome)).toEqual([
        'dmarc',
        'too-large',
        'too-large',
      ]);
    });

    test('but a report in blocks of 64 KB is read to its end, and again', async () => {
      const report = Buffer.from(
        reportText({ records: Array(50_000).fill(recordText({ more: `<!--${' '.repeat(250)}-->` })) }),
      );
      const blocks = Array.from({ length: Math.ceil(report.length / 65_536) }, (_, at) =>
        gzipSync(report.subarray(at * 65_536, (at + 1) * 65_536), { level: 1 }),
      );
      expect(blocks.length).toBeGreaterThan(300);
      expect((await readDmarc(Buffer.concat(blocks))).rows).toHaveLength(50_000);
    });
  });

  test('but 200,000 rows of usual size are not', async () => {
    const record = recordText({ more: `<!--${' '.repeat(250)}-->` });
    const report = Buffer.from(reportText({ records: Array(200_000).fill(record) }));
    expect(report.length).toBeGreaterThan(100 * 2 ** 20);
    const outcome = await readOne(gzipSync(report, { level: 1 }));
    const reading = await withRows(outcome);
    expect(reading.rows).toHaveLength(200_000);
    expect(reading.counts.messages).toBe(600_000);
  });
});
