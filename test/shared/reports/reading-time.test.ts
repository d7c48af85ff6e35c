import { gzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { ReadingTime } from '../../../shared/reports/budget.ts';
import { readFile, readMail } from '../../../shared/reports/read-mail.ts';
import { attachment, mail, multipart } from './mail.ts';
import { withRows } from './read.ts';
import { recordText, reportText } from './report-text.ts';
import { zipFile } from './zip-file.ts';

/** A clock that has gone on by so many seconds each time it is looked at. */
function clock(secondsEach: number) {
  let looks = 0;
  return {
    time: new ReadingTime(() => secondsEach * 1000 * looks++),
    get looks() {
      return looks;
    },
  };
}

const report = (id: number, rows = 1) =>
  Buffer.from(
    reportText({ reportId: `<report_id>${id}</report_id>`, records: Array(rows).fill(recordText()) }),
  );
const over = { outcome: 'too-large', detail: 'reading the mail takes more than 10 seconds' };

describe('parsing stops with too-large after its time limit', () => {
  const entries = Array.from({ length: 16 }, (_, id) => ({ name: `${id}.xml`, content: report(id) }));
  const large = report(1, 20_000);
  test.each([
    ['in the rows of a report', large],
    ['in the members of a gzip file', Buffer.concat(Array(1_000).fill(gzipSync('')))],
    ['in a large file without a report', Buffer.alloc(20 * 2 ** 20, 0x20)],
    ['in decompressed chunks', gzipSync(large)],
  ])('%s', async (_title, bytes) => {
    const { time } = clock(0.5);
    expect(await readFile('r', bytes, { time })).toEqual([expect.objectContaining(over)]);
  });

  test('between the files of an archive, and what was read stays', async () => {
    const outcomes = await readFile('r.zip', zipFile(entries), { time: clock(0.5).time });
    expect(outcomes[0]).toMatchObject({ outcome: 'dmarc' });
    expect(outcomes.at(-1)).toMatchObject(over);
  });

  test('between the parts of a mail', async () => {
    const parts = entries.map(({ content }) => attachment(content, 'text/xml'));
    const outcomes = await readMail(mail(multipart(parts.slice(0, 10))), { time: clock(0.5).time });
    expect(outcomes[0]).toMatchObject({ outcome: 'dmarc' });
    expect(outcomes.at(-1)).toMatchObject({ ...over, source: 'mail' });
  });

  test('in a mail that holds nothing', async () => {
    const slow = clock(0.5);
    const message = mail({
      headers: ['Content-Type: multipart/mixed; boundary=b'],
      body: '\r\n--'.repeat(2 ** 20),
    });
    expect(await readMail(message, { time: slow.time })).toMatchObject([over]);
    expect(slow.looks).toBeLessThan(50);
  });

  test('in a mail whose time was over before', async () => {
    expect(await readMail(mail(attachment(large)), { time: clock(11).time })).toMatchObject([over]);
  });
});

describe('What is silent is not waited for:', () => {
  const outcomesOf = async (chunks: readonly Uint8Array[]) => {
    async function* silent() {
      yield* chunks;
      await new Promise(() => {});
    }
    return readMail(silent(), { time: new ReadingTime(() => performance.now(), 50) });
  };

  test.each([
    ['a source that says nothing', []],
    ['one that stops within a mail', [mail(attachment(report(1))).subarray(0, 500)]],
  ])('%s', async (_title, chunks) => expect(await outcomesOf(chunks)).toEqual([{ ...over, source: 'mail' }]));
});

describe('The time of a mail', () => {
  const soon = () => new ReadingTime(() => performance.now(), 50);

  test('ends work that does not end by itself', async () => {
    await expect(soon().limit(new Promise(() => {}))).rejects.toThrow(over.detail);
  });

  test('leaves work alone that ends, well or not', async () => {
    const time = new ReadingTime();
    expect(await time.limit(Promise.resolve(1))).toBe(1);
    await expect(time.limit(Promise.reject(new Error('connection reset')))).rejects.toThrow(
      'connection reset',
    );
  });

  test('leaves no timer behind', async () => {
    const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
    const before = timers();
    await new ReadingTime().limit(Promise.resolve());
    expect(timers()).toBeLessThanOrEqual(before);
  });
});

test('A large report that was read in time can be read again, however long that takes', async () => {
  const [outcome] = await readFile('r', gzipSync(report(1, 5_000)), { time: clock(0.001).time });
  expect((await withRows(outcome)).rows).toHaveLength(5_000);
});
