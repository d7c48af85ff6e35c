import { deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { inflate } from '../../../shared/reports/archive/inflate.ts';
import { UnpackBudget } from '../../../shared/reports/budget.ts';
import { readFile, readMail } from '../../../shared/reports/read-mail.ts';
import { attachment, mail, multipart } from './mail.ts';
import { idsOf, readDmarc, readRefusal } from './read.ts';
import { reportText } from './report-text.ts';
import { zipFile } from './zip-file.ts';

const XML = Buffer.from(reportText());
const gzip = gzipSync(XML);

/** Random data after the start of a report, so that it does not compress. */
function noise(length: number, seed = 1): Buffer {
  const bytes = Buffer.alloc(length - (length % 4));
  for (let at = 0, state = seed; at < bytes.length; at += 4) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    bytes.writeUInt32LE(state, at);
  }
  bytes.write('<feedback>');
  return bytes;
}

const entry = { name: 'report.xml', content: XML };

/** A gzip header with every optional part (RFC 1952 section 2.3): extra field, name, comment and header checksum. */
const richHeader = Buffer.concat([
  Buffer.from([0x1f, 0x8b, 8, 0x1e, 0, 0, 0, 0, 0, 3, 2, 0, 0x41, 0x42]),
  Buffer.from('name\0comment\0'),
  Buffer.from([0, 0]),
]);

const tooLarge = (detail: string) => ({ outcome: 'too-large', detail });

describe('a report is found', () => {
  const files: readonly (readonly [title: string, bytes: Uint8Array, warnings?: string[]])[] = [
    ['as plain XML', XML],
    ['in gzip', gzip],
    ['in gzip with every optional part of the header', Buffer.concat([richHeader, gzip.subarray(10)])],
    ['in gzip with trailing bytes', Buffer.concat([gzip, Buffer.from('\r\n')]), ['trailing-bytes']],
    ['in two gzip members', Buffer.concat([gzipSync(XML.subarray(0, 100)), gzipSync(XML.subarray(100))])],
    ['in gzip in gzip', gzipSync(gzip), ['archive-in-archive']],
    ['in zlib', deflateSync(XML)],
    ['in zlib with a low compression level', deflateSync(XML, { level: 1, windowBits: 9 })],
    ['in zlib, stored', deflateSync(XML, { level: 0 })],
    [
      'in zlib with trailing bytes',
      Buffer.concat([deflateSync(XML), Buffer.from('\r\n')]),
      ['trailing-bytes'],
    ],
    ['in raw DEFLATE data', deflateRawSync(XML)],
    ['in raw DEFLATE data, stored', deflateRawSync(XML, { level: 0 })],
    [
      'in raw DEFLATE data with trailing bytes',
      Buffer.concat([deflateRawSync(XML), Buffer.from('\r\n')]),
      ['trailing-bytes'],
    ],
    ['in zlib in gzip', gzipSync(deflateSync(XML)), ['archive-in-archive']],
    [
      'in zlib in zip',
      zipFile([{ name: 'report.xml.zlib', content: deflateSync(XML) }]),
      ['archive-in-archive'],
    ],
    ['in zip', zipFile([entry])],
    ['in zip, stored', zipFile([{ ...entry, isStored: true }])],
    ['in zip with a comment', zipFile([entry], { comment: 'from the reporter' })],
    [
      'in zip with trailing bytes',
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
    ['in zip next to macOS files', zipFile([{ ...entry, name: '__MACOSX/._report.xml' }, entry])],
    ['in zip next to a text', zipFile([{ name: 'README', content: Buffer.from('Hello') }, entry])],
    ['in zip in zip', zipFile([{ name: 'inner.zip', content: zipFile([entry]) }]), ['archive-in-archive']],
    ['in gzip in zip', zipFile([{ name: 'report.xml.gz', content: gzip }]), ['archive-in-archive']],
    ['in zip with a path that leads out of the folder', zipFile([{ ...entry, name: '../../etc/passwd' }])],
  ];
  test.each(files)('%s', async (_title, bytes, warnings = []) => {
    const reading = await readDmarc(bytes);
    expect(reading.rows).toHaveLength(1);
    expect(reading.counts.messages).toBe(3);
    expect(idsOf(reading)).toEqual(warnings);
  });

  test('whatever its file name', async () => {
    for (const name of ['report.zip', 'report.XML.GZ', '', 'a/b\\c\u0000.exe']) {
      expect((await readDmarc(gzip, name)).counts.messages).toBe(3);
      expect((await readDmarc(deflateSync(XML), name)).counts.messages).toBe(3);
    }
    expect((await readDmarc(deflateSync(XML), 'report.xml.ZLIB')).source).toBe('report.xml');
  });

  test('in a zip whose directory has another order than its files', async () => {
    const second = 30 + entry.name.length + deflateRawSync(XML).length;
    const turned = [second, 0].map((offset) => ({ ...entry, offset }));
    expect((await readFile('r.zip', zipFile(turned))).map(({ outcome }) => outcome)).toEqual([
      'dmarc',
      'dmarc',
    ]);
  });

  test('in each file of a zip, up to 16 files', async () => {
    const parts = Array.from({ length: 17 }, (_, index) => ({
      name: `${index}.xml`,
      content: Buffer.from(reportText({ reportId: `<report_id>${index}</report_id>` })),
    }));
    expect(await readFile('r.zip', zipFile(parts.slice(1)))).toHaveLength(16);
    const outcomes = await readFile('r.zip', zipFile(parts));
    expect(outcomes).toHaveLength(17);
    expect(outcomes.at(-1)).toMatchObject(
      tooLarge('it contains 17 files, of which only the first 16 were read'),
    );
  });

  test.each(['<a/>', '\xff\xd8\xff'])('not in a zip of many files without a report: %j', async (content) => {
    const parts = Array.from({ length: 17 }, (_, index) => ({
      name: String(index),
      content: Buffer.from(content, 'latin1'),
    }));
    expect(await readFile('a.docx', zipFile(parts))).toEqual([
      {
        outcome: 'not-a-report',
        source: 'a.docx',
        detail: 'it contains 17 files, of which only the first 16 were read',
      },
    ]);
  });
});

test('at most 160 files in nested archives are read', async () => {
  const inner = zipFile(Array.from({ length: 16 }, (_, index) => ({ name: `${index}.xml`, content: XML })));
  const outer = zipFile(Array.from({ length: 16 }, (_, index) => ({ name: `${index}.zip`, content: inner })));
  const outcomes = await readFile('r.zip', outer);
  expect(outcomes.slice(0, -1).map(({ outcome }) => outcome)).toEqual(Array(160).fill('dmarc'));
  expect(outcomes.at(-1)).toMatchObject({
    outcome: 'too-large',
    detail: expect.stringContaining('160 files'),
  });
});

describe('a file is rejected', () => {
  const bad = (change: (bytes: Buffer) => void, bytes: Buffer): Buffer => {
    const copy = Buffer.from(bytes);
    change(copy);
    return copy;
  };
  const zip = zipFile([entry]);
  const end = zip.length - 22;
  const zlib = deflateSync(XML);
  const files: readonly (readonly [title: string, bytes: Uint8Array, detail: string, outcome?: string])[] = [
    ['empty', Buffer.alloc(0), 'it is empty', 'not-a-report'],
    ['a ZIP archive without files', zipFile([]), 'the mail contains no report', 'not-a-report'],
    [
      'gzip of the word "unused"',
      gzipSync('unused'),
      'the word "unused" instead of a report',
      'not-a-report',
    ],
    ['gzip of a text', gzipSync('Hello.'), 'neither XML nor JSON', 'not-a-report'],
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
    ['gzip with damaged data', bad((bytes) => bytes.fill(0xff, 12, 40), gzip), 'corrupt'],
    [
      'gzip with an unsupported method',
      bad((bytes) => bytes.writeUInt8(7, 2), gzip),
      'unsupported compression method',
    ],
    [
      'gzip with an unterminated name',
      Buffer.from([0x1f, 0x8b, 8, 8, 0, 0, 0, 0, 0, 3, 65, 65]),
      'truncated',
    ],
    ['gzip three times', gzipSync(gzipSync(gzip)), 'more than two levels deep', 'too-large'],
    ['zlib in gzip in gzip', gzipSync(gzipSync(zlib)), 'more than two levels deep', 'too-large'],
    [
      'zlib with a wrong checksum',
      bad((bytes) => bytes.fill((bytes.at(-1) ?? 0) ^ 1, bytes.length - 1), zlib),
      'corrupt',
    ],
    [
      'zlib with damaged data',
      bad(
        (bytes) => bytes.fill(0xff, 10_000, 10_040),
        deflateSync(reportText({ moreMetadata: `<!--${noise(20_000).toString('hex')}-->` })),
      ),
      'corrupt',
    ],
    [
      'zlib that needs a dictionary',
      deflateSync(XML, { dictionary: Buffer.from('<feedback>') }),
      'neither XML nor JSON',
      'not-a-report',
    ],
    ['zlib of a text', deflateSync('Hello.'), 'neither XML nor JSON', 'not-a-report'],
    ['zlib of another XML document', deflateSync('<a/>'), 'no <feedback> element', 'not-a-report'],
    ['zip without a directory', zip.subarray(0, -22), 'no directory'],
    ['encrypted zip', zipFile([{ ...entry, flags: 1 }]), 'encrypted'],
    ['zip with an unsupported method', zipFile([{ ...entry, method: 12 }]), 'unsupported compression method'],
    ['zip with a wrong checksum', zipFile([{ ...entry, crc: 1 }]), 'checksum'],
    ['zip with a wrong size', zipFile([{ ...entry, size: 5 }]), 'checksum'],
    ['zip with ZIP64 sizes', zipFile([{ ...entry, size: 0xffff_ffff }]), 'ZIP64'],
    ['zip with a ZIP64 directory', bad((bytes) => bytes.writeUInt32LE(0xffff_ffff, end + 16), zip), 'ZIP64'],
    [
      'zip on several disks',
      bad((bytes) => bytes.writeUInt16LE(1, end + 4), zip),
      'one part of a multi-part archive',
    ],
    ['zip with overlapping entries', zipFile([entry, { ...entry, name: 'other.xml', offset: 0 }]), 'overlap'],
    ['zip with an entry beyond its end', zipFile([{ ...entry, offset: 0x7fff_ffff }]), 'corrupt'],
    [
      'zip with an entry inside its directory',
      zipFile([{ name: 'a', content: Buffer.from('PK\x03\x04'.padEnd(60)), isStored: true, offset: 31 }]),
      'corrupt',
    ],
    ['zip with fewer entries than declared', zipFile([entry], { count: 2 }), 'corrupt'],
    ['zip with 513 entries', zipFile([entry], { count: 513 }), 'more than 512', 'too-large'],
  ];
  test.each(files)('%s', async (_title, bytes, detail, outcome = 'unreadable') => {
    expect(await readRefusal(bytes)).toMatchObject({ outcome, detail: expect.stringContaining(detail) });
  });

  test.each([
    ['gzip', gzip],
    ['zip', zip],
    ['gzip in gzip', gzipSync(gzip)],
  ])('%s truncated at any byte', async (_title, bytes) => {
    for (let length = 4; length < bytes.length; length++) {
      expect(await readRefusal(bytes.subarray(0, length))).toMatchObject({ outcome: 'unreadable' });
    }
  });

  test.each([
    ['zlib', zlib],
    ['raw DEFLATE data', deflateRawSync(XML)],
  ])('%s truncated at any byte, if enough is left to recognize the format', async (_title, bytes) => {
    for (let length = 0; length < bytes.length; length++) {
      const refusal = await readRefusal(bytes.subarray(0, length));
      if (length >= 100)
        expect([length, refusal]).toMatchObject([
          length,
          { outcome: 'unreadable', detail: 'the compressed data is truncated' },
        ]);
    }
  });
});

test('data in no archive format is not mistaken for zlib or DEFLATE data', async () => {
  for (let seed = 1; seed < 500; seed++) {
    const other = noise(600, seed).subarray('<feedback>'.length);
    if (['<', '{'].includes(String.fromCharCode(other[0] ?? 0))) continue;
    expect(await readRefusal(other)).toMatchObject({ outcome: 'not-a-report' });
  }
});

describe('data over the size limits is rejected:', () => {
  const megabyte = Buffer.alloc(2 ** 20, 0x20);
  const bomb = (megabytes: number): Buffer => gzipSync(Buffer.concat(Array(megabytes).fill(megabyte)));

  test('a run of spaces, at the start of a report and later', async () => {
    expect(await readRefusal(bomb(65))).toMatchObject(tooLarge('the decompressed file is larger than 64 MB'));
    const root = Buffer.from('<feedback>');
    expect(await readRefusal(gzipSync(Buffer.concat([root, megabyte])))).toMatchObject(
      tooLarge('a value, a tag, or a comment is longer than 64 KB'),
    );
  });

  test('small data after much other', async () => {
    const budget = new UnpackBudget();
    budget.spend(64 * 2 ** 20 - 5);
    await inflate(deflateRawSync('small'), budget).next();
    await expect(inflate(deflateRawSync('!'), budget).next()).rejects.toThrow('larger than 64 MB');
  });

  test('JSON larger than 16 MB', async () => {
    const json = gzipSync(Buffer.concat([Buffer.from('{"policies":"'), ...Array(17).fill(megabyte)]));
    expect(await readRefusal(json)).toMatchObject(tooLarge('the JSON is larger than 16 MB'));
  });

  test('an archive larger than 10 MB', async () => {
    const large = noise(11 * 2 ** 20);
    for (const archive of [gzipSync(large, { level: 1 }), deflateSync(large), deflateRawSync(large)]) {
      expect(await readRefusal(archive)).toMatchObject(tooLarge('the compressed file is larger than 10 MB'));
    }
  });

  describe('too many gzip members', () => {
    // RFC 1952: a header, two bytes of empty data, checksum and length; 20 bytes in total.
    const empty = Buffer.from(`1f8b0800000000000003${'0300'}${'00'.repeat(8)}`, 'hex');
    const members = Buffer.concat(Array(500_000).fill(empty));
    const zipped = Array.from({ length: 12 }, (_, index) => ({ name: `${index}.xml.gz`, content: members }));
    const tooMany = tooLarge('the attachments consist of more than 2,000 compressed pieces');

    test.each([
      ['in a file', members.subarray(0, 800_000)],
      ['compressed again', gzipSync(members)],
    ])('%s', async (_title, bytes) => {
      expect(await readRefusal(bytes)).toMatchObject(tooMany);
    });

    test('in each file of a zip smaller than 400 kB', async () => {
      const zip = zipFile(zipped);
      expect(zip.length).toBeLessThan(400_000);
      expect(await readFile('r.zip', zip)).toEqual(Array(12).fill(expect.objectContaining(tooMany)));
    });

    test('in several attachments, the first of which is small enough', async () => {
      const parts = [gzip, members.subarray(0, 800_000), gzip].map((bytes) => attachment(bytes));
      expect((await readMail(mail(multipart(parts)))).map(({ outcome }) => outcome)).toEqual([
        'dmarc',
        'too-large',
        'too-large',
      ]);
    });
  });
});
