/** How the rows of a report are packed: in its item, or as pieces in chunks. */
import { createHash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { expect, test } from '@jest/globals';
import { rowPacker, unpackRows } from '../../../../shared/store/reports/rows.ts';
import { randomNumbers } from '../../../kit/reports.ts';

function pack(rows: readonly object[]) {
  const packer = rowPacker();
  for (const row of rows) packer.add(row);
  return packer.finish();
}

/** What is the same for rows however they are packed. */
function factsOf(rows: readonly object[]) {
  const text = rows.map((row) => `${JSON.stringify(row)}\n`).join('');
  const rowContent = createHash('sha256').update(text).digest('hex').slice(0, 32);
  return { rows: rows.length, rowOctets: Buffer.byteLength(text), rowContent };
}

test.each([
  [257, [257]],
  [33 * 256, [32 * 256, 256]],
])('many rows are in pieces of 256 KB, of which a chunk has at most 32: %i KB', (length, chunks) => {
  // Each is a line of a kilobyte.
  const rows = Array.from({ length }, (_, n) => ({ n: `${n}`.padStart(1015, '0') }));
  const packed = pack(rows);
  expect(packed).toMatchObject({ ...factsOf(rows), inline: '' });
  expect(packed.chunks.map((chunk) => gunzipSync(chunk).length / 1024)).toEqual(chunks);
  expect([...unpackRows(packed.chunks)]).toEqual(rows);
});

test('rows are in the item of their report up to 8 KB compressed', () => {
  const random = randomNumbers(1);
  const noise = (octets: number) =>
    Buffer.from(Array.from({ length: octets }, () => random(256))).toString('base64');
  for (const [row, isInline] of [
    [{ text: noise(7_900) }, true],
    [{ text: noise(8_500) }, false],
    [{ text: 'é'.repeat(50_000) }, true],
  ] as const) {
    const { inline, chunks, ...facts } = pack([row]);
    expect([facts, inline !== '', chunks.length]).toEqual([factsOf([row]), isInline, isInline ? 0 : 1]);
  }
  expect(pack([])).toEqual({ ...factsOf([]), inline: '', chunks: [] });
});
