import { expect, test } from '@jest/globals';
import type { DirectoryRow } from '../../../shared/store/domains/directory-rows.ts';
import { figuresOf } from '../../../shared/views/organization-figures.ts';

const now = new Date('2026-11-20T12:00:00Z');

const row = (given: Partial<DirectoryRow>): DirectoryRow => ({
  ...{ id: '0197', domain: 'example.org', usageType: 'sends-and-receives', verified: true },
  ...{ scores: [], tags: [], policy: null, week: [], mail: null, compliance: '', ...given },
});

test('the mail of an organization is that of its domains, up to the last day of any of them', () => {
  const mail = (last: string) => ({ mail: { messages: 10, passed: 9, last } });
  const rows = [
    row({ ...mail('2026-11-18'), policy: 'reject' }),
    row({ ...mail('2026-11-19'), policy: 'reject' }),
    row({ ...mail('2026-11-17'), policy: 'none' }),
    // Long ago.
    row(mail('2026-01-01')),
    row({}),
  ];
  expect(figuresOf(rows, now)).toMatchObject({
    ...{ total: 5, withoutReports: 2, mail: { messages: 30, passed: 27, last: '2026-11-19' } },
    byPolicy: { reject: 2, none: 1, unknown: 2, quarantine: 0, 'no-policy': 0 },
  });
  expect(figuresOf([row({})], now).mail).toEqual({ messages: 0, passed: 0, last: null });
});
