import { describe, expect, test } from '@jest/globals';
import type { DmarcRecordRow } from '../../../../shared/reports/report.ts';
import {
  type DaySources,
  sourceCounter,
  sourcesOfDays,
} from '../../../../shared/store/reports/dmarc-sources.ts';
import { randomNumbers, row } from '../../../kit/reports.ts';

const dayOf = (...reports: readonly (readonly DmarcRecordRow[])[]): DaySources => {
  let day: DaySources | null = null;
  for (const rows of reports) {
    const counter = sourceCounter('example.org');
    for (const one of rows) counter.add(one);
    day = counter.addTo(day);
  }
  return day ?? { sources: [], others: [0, 0, 0, 0, 0, 0] };
};

function dayWithout(day: DaySources, rows: readonly DmarcRecordRow[]): DaySources {
  const counter = sourceCounter('example.org');
  for (const one of rows) counter.add(one);
  return counter.subtractFrom(day);
}

const over = (days: Record<string, DaySources>) =>
  sourcesOfDays(Object.entries(days).map(([day, sources]) => ({ day, sources })));

describe('the sources of a window', () => {
  test('add up over rows, reports and days, with the first and the last day of each', () => {
    const first = dayOf(
      [row({ count: 3 }), row({ count: 2, dkim: 'fail', spf: 'fail', disposition: 'reject' })],
      [row({ count: 5, spf: 'fail' })],
    );
    const { sources, others } = over({
      '2026-01-01': first,
      '2026-01-03': dayOf([row({ disposition: 'quarantine' })]),
    });
    expect(sources).toEqual([
      {
        address: '192.0.2.1',
        messages: 11,
        passed: 9,
        dkimAligned: 9,
        spfAligned: 4,
        quarantined: 1,
        rejected: 2,
        authenticatedAs: null,
        firstSeen: '2026-01-01',
        lastSeen: '2026-01-03',
      },
    ]);
    expect(others.messages).toBe(0);
  });

  test('are sorted by messages, then by address', () => {
    const day = dayOf([
      row({ sourceIp: '192.0.2.9' }),
      row({ sourceIp: '192.0.2.3' }),
      row({ sourceIp: '::1', count: 2 }),
    ]);
    expect(over({ '2026-01-01': day }).sources.map(({ address }) => address)).toEqual([
      '::1',
      '192.0.2.3',
      '192.0.2.9',
    ]);
  });

  test.each([
    [
      'the signature of an operator',
      { dkimResults: [{ domain: 'sendgrid.net', result: 'pass', selector: 's' }] },
      'sendgrid.net',
    ],
    [
      'the envelope of an operator',
      { spfResults: [{ domain: 'amazonses.com', result: 'pass', scope: null }] },
      'amazonses.com',
    ],
    [
      'nothing, if only names of the domain itself occur',
      { spfResults: [{ domain: 'a.example.org', result: 'pass', scope: null }] },
      null,
    ],
    [
      'nothing, if only names above the domain occur',
      { dkimResults: [{ domain: 'org', result: 'pass', selector: 's' }] },
      null,
    ],
    [
      'nothing, if the signature failed',
      { dkimResults: [{ domain: 'sendgrid.net', result: 'fail', selector: 's' }] },
      null,
    ],
    [
      'nothing, if the name is absurdly long',
      { dkimResults: [{ domain: 'a'.repeat(500), result: 'pass', selector: 's' }] },
      null,
    ],
  ])('are named after %s', (_what, given, name) => {
    expect(over({ '2026-01-01': dayOf([row(given)]) }).sources[0]?.authenticatedAs).toBe(name);
  });

  test.each(['', 'not an address', '__proto__'])(
    'without a valid address (%j) are counted as others',
    (sourceIp) => {
      const { sources, others } = over({ '2026-01-01': dayOf([row({ sourceIp, count: 4 })]) });
      expect([sources, others.messages]).toEqual([[], 4]);
    },
  );

  test('beyond the number listed per day are counted as others, and nothing is lost', () => {
    const random = randomNumbers(7);
    let sent = 0;
    const reports = Array.from({ length: 5 }, () =>
      Array.from({ length: 400 }, () => {
        const count = 1 + random(5);
        sent += count;
        return row({ sourceIp: `10.0.${random(8)}.${random(256)}`, count });
      }),
    );
    const loud = row({ sourceIp: '192.0.2.250', count: 1000 });
    const { sources, others } = over({ '2026-01-01': dayOf(...reports, [loud]) });
    expect(sources.length).toBe(500);
    expect(sources[0]).toMatchObject({ address: '192.0.2.250', messages: 1000 });
    expect(sources.reduce((sum, { messages }) => sum + messages, others.messages)).toBe(sent + 1000);
  });

  test('are unchanged after a report is added and removed, in any order', () => {
    const rows = (...counts: number[]) =>
      counts.map((count, n) =>
        row({ count, sourceIp: `192.0.2.${n}`, ...(n % 2 ? { dkim: 'fail', disposition: 'reject' } : {}) }),
      );
    const reports = [rows(1, 2, 3), rows(4, 5), rows(7, 1, 1, 9)];
    for (const out of reports) {
      const without = dayOf(...reports.filter((one) => one !== out));
      expect(dayWithout(dayOf(...reports), out)).toEqual(without);
    }
  });

  test('that a day lists only in part are subtracted from the others too, and no count becomes negative', () => {
    const random = randomNumbers(11);
    const reports = Array.from({ length: 4 }, () =>
      Array.from({ length: 400 }, () =>
        row({
          sourceIp: `10.0.${random(4)}.${random(256)}`,
          count: 1 + random(9),
          dkim: random(2) ? 'pass' : 'fail',
        }),
      ),
    );
    let day = dayOf(...reports);
    for (const [n, out] of reports.entries()) {
      day = dayWithout(day, out);
      const { sources, others } = over({ '2026-01-01': day });
      const expected = over({ '2026-01-01': dayOf(...reports.slice(n + 1)) });
      const total = ({ sources: some, others: rest }: typeof expected) =>
        some.reduce((sum, { messages }) => sum + messages, rest.messages);
      expect(total({ sources, others })).toBe(total(expected));
      for (const counts of [...sources, others])
        for (const name of ['messages', 'passed', 'dkimAligned', 'rejected'] as const)
          expect(counts[name]).toBeGreaterThanOrEqual(0);
    }
    expect(over({ '2026-01-01': day })).toMatchObject({
      sources: [],
      others: { messages: 0, dkimAligned: 0 },
    });
  });
});
