/** Filters and orders of domains, over rows with one difference each. */
import { expect, test } from '@jest/globals';
import { usageTypes } from '../../../../shared/checks/state.ts';
import type { DirectoryRow } from '../../../../shared/store/domains/directory-rows.ts';
import { type DomainFilter, selectRows } from '../../../../shared/store/domains/select-rows.ts';

const now = new Date('2026-03-30T12:00:00Z');

const row = (name: string, given: Partial<DirectoryRow> = {}): DirectoryRow => ({
  ...{ id: name, domain: `${name}.example`, usageType: 'parked', verified: false, tags: [] },
  ...{ scores: usageTypes.map(() => null), policy: null, week: [], mail: null, compliance: '', ...given },
});
const mail = (messages: number, passed: number, last = '2026-03-01') => ({ messages, passed, last });
const scored = (score: number, before?: number, day = '2026-03-23') => ({
  scores: usageTypes.map((usage) => (usage === 'parked' ? score : 50)),
  week: before === undefined ? [] : [{ day, score: before }],
});

const rows = [
  row('d', { ...scored(90, 80), mail: mail(10, 9), policy: 'none' }),
  row('a', { ...scored(70, 90), mail: mail(20, 2), policy: 'reject', verified: true }),
  row('c', { ...scored(70, 10, '2026-03-22'), mail: mail(99, 99, '2026-02-28'), tags: ['t'] }),
  row('b', { usageType: 'sends-only', ...scored(0), policy: 'no-policy', mail: mail(0, 0) }),
  row('e', { policy: 'quarantine', mail: mail(10, 5), week: [{ day: '2026-03-29', score: null }] }),
];

const selected = (filter: Partial<DomainFilter>) =>
  selectRows(rows, { sort: 'createdAt', ...filter }, now)
    .map(({ id }) => id)
    .join('');

test.each<[Partial<DomainFilter>, string]>([
  [{}, 'dacbe'],
  [{ sort: '-createdAt' }, 'ebcad'],
  [{ sort: 'domain' }, 'abcde'],
  [{ sort: '-domain' }, 'edcba'],
  // With the same value by name, and without one last.
  [{ sort: 'grade' }, 'dacbe'],
  [{ sort: '-grade' }, 'bacde'],
  [{ sort: 'change' }, 'abcde'],
  [{ sort: '-change' }, 'dbcae'],
  [{ sort: 'policy' }, 'bdeac'],
  [{ sort: '-policy' }, 'aedbc'],
  [{ sort: 'messages' }, 'bdeac'],
  [{ sort: '-messages' }, 'adebc'],
  [{ sort: 'passing' }, 'aedbc'],
  [{ sort: '-passing' }, 'deabc'],
  [{ tag: 't' }, 'c'],
  [{ usageType: 'parked' }, 'dace'],
  [{ verified: true }, 'a'],
  [{ verified: false }, 'dcbe'],
  [{ grade: 'C' }, 'ac'],
  [{ q: 'b.ex' }, 'b'],
  [{ policy: 'reject' }, 'a'],
  [{ policy: 'unknown' }, 'c'],
  // Of the last 30 days.
  [{ reports: true }, 'dabe'],
  [{ reports: false }, 'c'],
  [{ reports: true, verified: false, sort: '-messages' }, 'deb'],
])('%j', (filter, expected) => {
  expect(selected(filter)).toBe(expected);
});
