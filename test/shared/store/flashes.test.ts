/** What forms leave for the next page: who can read it, how often, and how much it can be. */
import { expect, test } from '@jest/globals';
import { type Flash, isFlashId, leaveFlash, readFlash } from '../../../shared/store/flashes.ts';
import { randomNumbers } from '../../kit/reports.ts';
import { useTable } from '../../kit/use-table.ts';

const now = new Date('2026-03-01T10:00:00.000Z');
const later = (seconds: number) => new Date(now.getTime() + seconds * 1000);
const table = await useTable();
const place = { organization: 'o', session: { id: 's' }, text: 'text' };
const left = (kind: Flash['kind'], says = 'Done.'): Flash => ({
  ...{ kind, says, form: 'form', action: '/action', typed: {}, problems: [] },
});

async function leave(flash: Flash): Promise<string> {
  const id = await leaveFlash(table, place, flash, now);
  if (id === undefined || !isFlashId(id)) throw new Error('not left');
  return id;
}

test('is read for a quarter of an hour, by its session; what was done, once', async () => {
  for (const kind of ['refused', 'question', 'done'] as const) {
    const id = await leave(left(kind));
    const read = (at = now, who = place) => readFlash(table, who, id, at);
    expect([await read(later(900)), await read(now, { ...place, session: { id: 'other' } })]).toEqual([
      undefined,
      undefined,
    ]);
    await expect(read(now, { ...place, text: 'other' })).rejects.toThrow();
    expect(await read(later(899.999))).toEqual(left(kind));
    expect(await read()).toEqual(kind === 'done' ? undefined : left(kind));
  }
});

test('of two readers of what was done, one gets it', async () => {
  const id = await leave(left('done'));
  const both = await Promise.all([readFlash(table, place, id, now), readFlash(table, place, id, now)]);
  expect(both.filter((one) => one !== undefined)).toHaveLength(1);
});

test.each([
  [0.9, 1],
  [1.1, 2],
  [7.9, 8],
  [8.1, 0],
])('is in items of 380 kB, of which there are at most eight: %f', async (times, items) => {
  const random = randomNumbers(1);
  // Compressed, this is a little more than what is random in it.
  const octets = Uint8Array.from({ length: Math.floor(times * 376_000) }, () => random(256));
  const flash = left('done', Buffer.from(octets).toString('base64'));
  const written: number[] = [];
  const counting: typeof table.update = (key, change) => {
    written.unshift(key.sk.split('#').length);
    return table.update(key, change);
  };
  const id = await leaveFlash({ update: counting }, place, flash, now);
  // The first one is written last.
  expect(written).toEqual(Array.from({ length: items }, (_, part) => (part === 0 ? 3 : 4)));
  expect(id && (await readFlash(table, place, id, now))).toEqual(items === 0 ? undefined : flash);
});
