import { describe, expect, test } from '@jest/globals';
import { areAllUsed, ownKeys, type PublishedKeys, withKeys } from '../../../../shared/checks/dkim/history.ts';
import { dkimKey } from '../../../kit/results.ts';
import { allUsed, ofHistory } from '../../protocol/findings/cases/dkim-history.ts';

test.each<[string, Parameters<typeof ofHistory>[0]]>([
  ['no report came lately', { published: 200, used: 100, otherUsed: 15 }],
  ['reports never came', { published: 200 }],
  ['reports named more selectors than are kept', { published: 200, otherUsed: 1, isPartial: true }],
  ['it was never seen in use', { published: 200, otherUsed: 1 }],
  ['the key is new', { published: 89, otherUsed: 1 }],
  ['somebody else publishes the key', { published: 800, otherUsed: 1, isAlias: true }],
])('a key is neither called unused nor old if %s', async (_, input) => {
  expect(await ofHistory(input)).toEqual([]);
});

test('a key that nobody uses is not called old, too', async () => {
  expect(await ofHistory({ published: 800, used: 100, otherUsed: 1 })).toEqual(['dkim-key-unused']);
});

test('all keys are used if reports of large receivers saw each of them in the last 90 days', () => {
  const proven = (selector: string, lastProven?: string) => ({
    selector,
    lastSeen: '2026-06-01',
    lastProven,
  });
  const used = (...uses: readonly ReturnType<typeof proven>[]) =>
    areAllUsed([dkimKey('s1'), dkimKey('s2')], { uses }, new Date('2026-06-02T12:00:00Z'));
  const s1 = proven('s1', '2026-06-01');
  expect(used(s1, proven('s2', '2026-03-04'))).toBe(true);
  expect(used(s1, proven('s2', '2026-03-03'))).toBe(false);
  // Anyone can send a report.
  expect(used(s1, proven('s2'))).toBe(false);
  expect(used(s1)).toBe(false);
});

test('the check says whether all keys are used', async () => {
  expect(await allUsed({ published: 800, used: 90 })).toBe(true);
  expect(await allUsed({ published: 800, used: 91 })).toBe(false);
});

describe('a key that was removed while it was in use', () => {
  const gone = { published: null, removed: 40, used: 41 };
  test.each<[string, Parameters<typeof ofHistory>[0]]>([
    ['within 30 days of its last use', { ...gone, removed: 29, used: 30 }],
    ['as long as mail is signed with it', { ...gone, failed: 3 }],
    [
      'as long as no reports say that it is not used',
      { ...gone, removed: 393, used: 400, isReporting: false },
    ],
    ['if it was gone before the first check run', { published: null, used: 30 }],
  ])('is missed %s', async (_, input) => {
    expect(await ofHistory(input)).toEqual(['dkim-used-key-gone']);
  });

  test.each<[string, Parameters<typeof ofHistory>[0]]>([
    ['is not missed after 30 days without use', gone],
    ['is forgotten some day', { ...gone, removed: 400, used: 401, isReporting: false }],
  ])('%s', async (_, input) => {
    expect(await ofHistory(input)).toEqual([]);
  });
});

test('the history follows the key of a selector, and keeps what was not seen for a while', () => {
  const day = (date: string) => new Date(`${date}T12:00:00Z`);
  const key = dkimKey('s1');
  const other = { ...key, publicKey: 'AAAA' };
  const seen = (before: PublishedKeys, one: typeof key, date: string) => withKeys(before, [one], day(date));
  const first = seen([], key, '2026-01-01');
  const again = seen(first, key, '2026-02-01');
  const rotated = seen(again, other, '2026-03-01');
  expect(rotated.map((one) => [one.selector, one.first.slice(0, 10), one.last.slice(0, 10)])).toEqual([
    ['s1', '2026-03-01', '2026-03-01'],
    ['s1', '2026-01-01', '2026-02-01'],
  ]);
  const later = withKeys(rotated, [], day('2026-03-02'));
  expect(later).toEqual(rotated.map((one) => ({ ...one, own: false })));
  expect(withKeys(rotated, [], day('2028-01-01'))).toEqual([]);
  // After the clock was set back.
  expect(seen(first, key, '2025-12-01')[0]?.first).toBe(day('2025-12-01').toISOString());
  expect(seen([], { ...key, publicKey: '' }, '2026-01-01')).toEqual([]);
});

test('a key is the own one of a domain until it is gone or an alias, and while its lookup fails', () => {
  const now = new Date('2026-01-01T12:00:00Z');
  const key = dkimKey('s1');
  const known = withKeys([], [key], now);
  const after = (...selectors: readonly (typeof key)[]) =>
    ownKeys(withKeys(known, selectors, new Date('2026-01-02T12:00:00Z'))).size;
  const failed = { ...key, publicKey: null, record: null, valid: false };
  expect([after(key), after(failed), after(dkimKey('s2'))]).toEqual([1, 1, 1]);
  expect([after(), after({ ...key, alias: 'key.example.net' }), after({ ...key, valid: false })]).toEqual([
    0, 0, 0,
  ]);
  const many = Array.from({ length: 41 }, (_, n) => ({ ...dkimKey(`s${n}`), publicKey: `AAAA${n}` }));
  const kept = withKeys([], many, now);
  expect([kept.length, ownKeys(kept).size]).toEqual([40, 20]);
});
