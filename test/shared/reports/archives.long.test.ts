/** Reports of 50 MB and more, whose limits `archives.test.ts` tries with less. */
import { deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { expect, test } from '@jest/globals';
import { ReadingTime } from '../../../shared/reports/budget.ts';
import { readFile } from '../../../shared/reports/read-mail.ts';
import { readDmarc, readRefusal, withRows } from './read.ts';
import { recordText, reportText } from './report-text.ts';
import { zipFile } from './zip-file.ts';

// A report of at least the given size, padded with comments of at most 64 KB each.
const padded = (megabytes: number): Buffer =>
  Buffer.from(reportText({ moreMetadata: `<!--${' '.repeat(32_761)}-->`.repeat(megabytes * 32) }));
const [of60, of65] = [padded(60), padded(65)];

test.each([
  ['gzip', gzipSync],
  ['zlib', deflateSync],
  ['DEFLATE data', deflateRawSync],
])('a report larger than 64 MB in %s, but not one of 60 MB', async (_title, pack) => {
  expect(await readRefusal(pack(of65, { level: 1 }))).toMatchObject({
    outcome: 'too-large',
    detail: 'the decompressed file is larger than 64 MB',
  });
  expect((await readDmarc(pack(of60, { level: 1 }))).counts.messages).toBe(3);
});

test('reports beyond a total of 128 MB', async () => {
  const content = of60;
  const outcomes = await readFile('r.zip', zipFile(['a', 'b', 'c'].map((name) => ({ name, content }))));
  expect(outcomes.map(({ outcome }) => outcome)).toEqual(['dmarc', 'dmarc', 'too-large']);
});

test('a report in many gzip members of 64 KB is read completely, and again', async () => {
  const report = Buffer.from(
    reportText({ records: Array(10_000).fill(recordText({ more: `<!--${' '.repeat(2_000)}-->` })) }),
  );
  const blocks = Array.from({ length: Math.ceil(report.length / 65_536) }, (_, at) =>
    gzipSync(report.subarray(at * 65_536, (at + 1) * 65_536), { level: 1 }),
  );
  expect(blocks.length).toBeGreaterThan(300);
  expect((await readDmarc(Buffer.concat(blocks))).rows).toHaveLength(10_000);
});

test('many rows of usual size are read', async () => {
  const count = 50_000;
  const record = recordText({ more: `<!--${' '.repeat(250)}-->` });
  const report = Buffer.from(reportText({ records: Array(count).fill(record) }));
  expect(report.length / count).toBeGreaterThan(500);
  // The processor time of a machine that runs other tests as well does not count here.
  const time = new ReadingTime(undefined, 60_000);
  const [outcome] = await readFile('r', gzipSync(report, { level: 1 }), { time });
  const reading = await withRows(outcome);
  expect(reading.rows).toHaveLength(count);
  expect(reading.counts.messages).toBe(3 * count);
});
