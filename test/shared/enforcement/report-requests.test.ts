import { expect, test } from '@jest/globals';
import { askedSince } from '../../../shared/enforcement/watch-reports.ts';
import type { ChecksEntry } from '../../../shared/store/check-runs/history.ts';

const mailbox = 'box@reports.example';
const asks = `v=DMARC1; p=none; rua=mailto:${mailbox}`;
const others = 'v=DMARC1; p=none; rua=mailto:dmarc@example.org';

/** A check run that found other DMARC records than before. */
const changed = (at: string, recordsRemoved: string[], recordsAdded: string[]): ChecksEntry => ({
  at,
  changes: [
    {
      ...{ check: 'dmarc', previousState: 'pass', newState: 'pass', omitted: 0 },
      ...{ recordsAdded, recordsRemoved, findingsAdded: [], findingsRemoved: [] },
    },
  ],
});

test.each([
  ['there was no record', changed('2026-03-01', [], [asks]), '2026-03-01'],
  ['the record named another address', changed('2026-03-01', [others], [asks]), '2026-03-01'],
  ['there were two records', changed('2026-03-01', [asks, others], [asks]), '2026-03-01'],
  ['the record was too long to be kept', changed('2026-03-01', [`${asks}...`], [asks]), '2026-03-01'],
  ['another record named the mailbox, too', changed('2026-03-01', [`${asks}; pct=50`], [asks]), '2026-01-01'],
  ['only its state changed', changed('2026-03-01', [], []), '2026-01-01'],
])('reports are asked for since a check run before which %s', (_title, entry, since) => {
  const first: ChecksEntry = { at: '2026-01-01', changes: [] };
  expect(askedSince([entry, first], { mailbox, keptFrom: null })).toBe(since);
});

test('reports are asked for since the first change that is kept, or that is unknown', () => {
  const none: ChecksEntry = { at: '2026-01-01', changes: [] };
  expect(askedSince([none], { mailbox, keptFrom: '2025-12-01' })).toBe('2025-12-01');
  expect(askedSince([], { mailbox, keptFrom: null })).toBeNull();
});
