import { describe, expect, test } from '@jest/globals';
import { Tally } from '../../../lib/admin/tally.ts';
import type { MailOutcome } from '../../../shared/store/reports/mail-outcomes.ts';

const outcome = (kind: MailOutcome['kind'], reason: string | null = null, begin?: string): MailOutcome => ({
  kind,
  source: '',
  reason,
  report: begin === undefined ? null : { kind: 'DMARC', id: 'x', begin, contentHash: 'y' },
});

describe('the summary of an import', () => {
  test('groups refusals by outcome and names all of them', () => {
    const tally = new Tally();
    for (let n = 0; n < 30; n += 1) {
      tally.add(`${n}.xml`, outcome('unreadable', 'no XML'));
      tally.add(`${n}.txt`, outcome('not-a-report', 'text'));
    }
    const lines = tally.lines();
    expect(lines.slice(0, 4)).toEqual([
      '        30  not-a-report',
      '        30  unreadable',
      '',
      'not-a-report:',
    ]);
    expect(lines.slice(-31)).toEqual([
      'unreadable:',
      ...Array.from({ length: 30 }, (_, n) => `  - ${n}.xml: no XML`),
    ]);
  });

  test('shows each warning once, with the number of reports that have it', () => {
    const tally = new Tally();
    for (const name of ['a.xml', 'b.xml']) tally.add(name, outcome('accepted-with-warnings', 'odd'));
    tally.add('c.xml', outcome('accepted-with-warnings', 'other'));
    expect(tally.lines().slice(1)).toEqual([
      '',
      'warnings:',
      '  - 2 times, first in a.xml: odd',
      '  - c.xml: other',
    ]);
  });

  test('has the days of what is stored, and none if nothing is', () => {
    const tally = new Tally();
    tally.add('a', outcome('conflict', 'other', '2020-01-01T00:00:00.000Z'));
    expect(tally.days).toBeUndefined();
    tally.add('b', outcome('accepted', null, '2026-02-01T00:00:00.000Z'));
    tally.add('c', outcome('duplicate', null, '2025-02-01T00:00:00.000Z'));
    tally.add('d', outcome('accepted', null, '2025-12-31T00:00:00.000Z'));
    expect(tally.days).toEqual({ first: '2025-02-01', last: '2026-02-01' });
  });
});
