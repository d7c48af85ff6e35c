import { describe, expect, test } from '@jest/globals';
import { differenceFrom } from '../../../shared/alerts/changes.ts';
import { factsOf } from '../../../shared/alerts/facts.ts';
import type { DaySummary } from '../../../shared/reports/dmarc/summary/shapes.ts';
import type { ChecksEntry } from '../../../shared/store/check-runs/history.ts';
import {
  type assess,
  assessed,
  atQuarantine,
  broken,
  quarantineRecord as record,
  recordWith,
  rule,
  steady,
  switched,
  TODAY,
} from '../../kit/readiness.ts';
import { dayNumber, ownMail, policy, reportFrom } from '../../kit/report-history.ts';
import { perfectResults } from '../../kit/results.ts';

describe('time at the published policy', () => {
  const name = 'Time at the present policy';
  const days = async (...args: Parameters<typeof assess>) => (await rule(name, ...args))?.actual;
  const none = steady(() => [ownMail()]);
  const quarantine = steady(() => [ownMail()], atQuarantine);
  /** Reports of every tenth day. */
  const rare = quarantine.map(({ day, summaries }, n) => ({
    day,
    summaries: n % 10 === 0 ? summaries : [],
  }));

  const factsWith = (text: string) => {
    const perfect = perfectResults('sends-and-receives');
    return factsOf({ ...perfect, dmarc: { ...perfect.dmarc, record: text } }, 'sends-and-receives');
  };

  /** The entry of a check run that found `after` in place of `before` (null: the first check run), this many days ago. */
  const changed = (ago: number, before: string | null, after: string): ChecksEntry => ({
    at: `${dayNumber(TODAY - ago)}T06:00:00Z`,
    changes: differenceFrom(
      before === null ? undefined : { facts: factsWith(before), scoreBefore: null },
      factsWith(after),
    ).changes,
  });

  test('is none for p=quarantine that was published today, after 450 days of p=none', async () => {
    expect(await days(none)).toBe('450 days');
    expect(await days(none, { record })).toBe('0 days');
    expect(await broken(none, { record })).toEqual([name]);
    const entries = [changed(0, recordWith('p=none'), record), changed(400, null, recordWith('p=none'))];
    expect(await days(none, { record, entries })).toBe('0 days');
    expect(await days([], { record, entries })).toBe('0 days');
  });

  test('is that of the last 20 days, and the step before them is compared', async () => {
    const since = switched(TODAY - 19, none, quarantine);
    expect(await days(since, { record })).toBe('19 days');
    expect((await assessed(since, { record })).measures.lastStep).toEqual({
      day: dayNumber(TODAY - 19),
      policy: 'quarantine',
      before: { messages: 30 * 400, lost: 0 },
      since: { messages: 20 * 400, lost: 0 },
    });
  });

  test.each([
    ['p=quarantine; pct=0', { p: 'quarantine', pct: 0 }],
    ['p=quarantine; pct=99', { p: 'quarantine', pct: 99 }],
    ['p=reject; t=y', { p: 'reject', testing: true }],
    ['p=quarantine; t=y', { p: 'quarantine', testing: true }],
  ] as const)(
    '%s for 60 days is no time at quarantine, and leads to quarantine in full first',
    async (tags, terms) => {
      const partly = switched(
        TODAY - 60,
        none,
        steady(() => [ownMail()], terms),
      );
      const { readiness, target } = await assessed(partly, { record: recordWith(tags) });
      expect([readiness.ready, target]).toEqual([true, 'quarantine']);
      // In full since yesterday.
      const full = switched(TODAY - 1, partly, quarantine);
      expect([await broken(full, { record }), await days(full, { record })]).toEqual([[name], '1 days']);
      expect((await assessed(full, { record })).target).toBe('reject');
    },
  );

  test('does not depend on pct and t where they change nothing', async () => {
    const pct = switched(
      TODAY - 60,
      none,
      steady(() => [ownMail()], { pct: 50 }),
    );
    expect(await days(pct)).toBe('450 days');
  });

  test('begins anew after a rollback, in reports or in check runs', async () => {
    const rollback = switched(TODAY - 60, quarantine, switched(TODAY - 31, none, quarantine));
    expect(await days(rollback, { record })).toBe('31 days');
    // Rare reports do not show a rollback of two days; check runs do.
    const entries = [
      changed(21, recordWith('p=none'), record),
      changed(23, record, recordWith('p=none')),
      changed(400, null, record),
    ];
    expect(await days(rare, { record, entries })).toBe('21 days');
  });

  test('is known from check runs where there are no reports', async () => {
    expect(await days(rare, { record })).toBe('45 days');
    expect(await days(rare, { record, entries: [changed(100, null, record)] })).toBe('135 days');
    // The entry of the first check run has expired.
    expect(await days([], { record, keptFrom: dayNumber(TODAY - 90) })).toBe('90 days');
    expect(await days([], { record })).toBe('0 days');
    // A change that keeps the policy, a record that the history shortened, and a change of another check.
    const entries = [
      changed(10, `${record}; fo=1`, record),
      changed(20, `${record}; fo=${'1:'.repeat(150)}1; pct=9`, `${record}; fo=1`),
    ];
    expect(await days([], { record, entries })).toBe('20 days');
    expect(await days([], { record, entries: [changed(9, `${record}; pct=20`, record)] })).toBe('9 days');
  });

  test('is that of p in a record of the domain, and that of sp in one above it', async () => {
    const daysAt = (policyDomain: string, [before, after]: readonly [string, string]) =>
      days([], {
        ...{ record: recordWith(after), keptFrom: dayNumber(TODAY - 90) },
        entries: [changed(10, recordWith(before), recordWith(after))],
        results: ({ dmarc }) => ({ dmarc: { ...dmarc, policyDomain } }),
      });
    const keepsP = ['p=quarantine; sp=reject', 'p=quarantine; sp=none'] as const;
    const keepsSp = ['p=reject; sp=quarantine', 'p=none; sp=quarantine'] as const;
    for (const [at, sameP, sameSp] of [
      ['example.org', '90 days', '10 days'],
      ['org', '10 days', '90 days'],
    ] as const)
      expect([at, await daysAt(at, keepsP), await daysAt(at, keepsSp)]).toEqual([at, sameP, sameSp]);
  });

  test('cannot be changed by small reporters where large receivers or check runs know better', async () => {
    const forged = (p: 'none' | 'quarantine') =>
      reportFrom('forger.example', [ownMail({ count: 1_000_000 })], { policy: policy({ p }) });
    const also = (of: readonly DaySummary[], p: 'none' | 'quarantine') =>
      of.map(({ day, summaries }) => ({ day, summaries: [...summaries, forged(p)] }));
    expect(await days(also(none, 'quarantine'), { record })).toBe('0 days');
    expect(await days(also(quarantine, 'none'), { record })).toBe('450 days');
    const entries = [changed(100, null, record)];
    expect(await days(also(rare, 'none'), { record, entries })).toBe('100 days');
  });
});
