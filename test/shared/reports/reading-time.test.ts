import { gzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { readFile, readMail } from '../../../shared/reports/read-mail.ts';
import { attachment, mail, multipart } from './mail.ts';
import { withRows } from './read.ts';
import { recordText, reportText } from './report-text.ts';
import { zipFile } from './zip-file.ts';

/** A processor that has computed for so many seconds more each time it is asked. */
function processor(secondsEach: number) {
  let looks = 0;
  return {
    time: () => secondsEach * 1000 * looks++,
    get looks() {
      return looks;
    },
  };
}

const report = (id: number, rows = 1) =>
  Buffer.from(
    reportText({ reportId: `<report_id>${id}</report_id>`, records: Array(rows).fill(recordText()) }),
  );
const over = { outcome: 'too-large', detail: 'reading the mail takes more than 20 seconds' };

describe('Reading that takes too long ends as too large, and stops,', () => {
  const entries = Array.from({ length: 16 }, (_, id) => ({ name: `${id}.xml`, content: report(id) }));
  const large = report(1, 20_000);
  test.each([
    ['in the rows of a report', large],
    ['in the members of a gzip file', Buffer.concat(Array(1_000).fill(gzipSync('')))],
    ['in a large file that holds no report', Buffer.alloc(20 * 2 ** 20, 0x20)],
    ['in the chunks that are unpacked', gzipSync(large)],
  ])('%s', async (_title, bytes) => {
    const { time } = processor(1);
    expect(await readFile('r', bytes, { processorTime: time })).toEqual([expect.objectContaining(over)]);
  });

  test('between the files of an archive, and what was read stays', async () => {
    const outcomes = await readFile('r.zip', zipFile(entries), { processorTime: processor(1).time });
    expect(outcomes[0]).toMatchObject({ outcome: 'dmarc' });
    expect(outcomes.at(-1)).toMatchObject(over);
  });

  test('between the parts of a mail', async () => {
    const parts = entries.map(({ content }) => attachment(content, 'text/xml'));
    const outcomes = await readMail(mail(multipart(parts.slice(0, 10))), {
      processorTime: processor(1).time,
    });
    expect(outcomes[0]).toMatchObject({ outcome: 'dmarc' });
    expect(outcomes.at(-1)).toMatchObject({ ...over, source: 'mail' });
  });

  test('in a mail that holds nothing', async () => {
    const slow = processor(1);
    const message = Buffer.concat([mail({ headers: [], body: '' }), Buffer.alloc(30 * 2 ** 20, 0x61)]);
    expect(await readMail(message, { processorTime: slow.time })).toMatchObject([over]);
    expect(slow.looks).toBeLessThan(50);
  });
});

test('A large report that was read in time can be read again, however long that takes', async () => {
  const steps = processor(0.001);
  const [outcome] = await readFile('r', gzipSync(report(1, 5_000)), { processorTime: steps.time });
  expect((await withRows(outcome)).rows).toHaveLength(5_000);
});
