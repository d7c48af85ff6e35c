/** The list of the mails that a report mailbox received. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { MAX_BATCH, writeBatch } from '../../../../shared/store/batch-write.ts';
import type { Domain } from '../../../../shared/store/domains/domains.ts';
import { reportMailKey } from '../../../../shared/store/keys.ts';
import {
  type MailOutcomeKind,
  type MailQuery,
  mailOutcomeKinds,
  mailOutcomeStore,
  mayBeFailureReport,
} from '../../../../shared/store/reports/mail-outcomes.ts';
import { counted } from '../../../kit/capacity.ts';
import { registeredDomain } from '../../../kit/reports.ts';
import { useTable } from '../../../kit/use-table.ts';

const now = new Date('2026-01-10T00:00:00.000Z');
const minute = (n: number) => new Date(Date.UTC(2026, 0, 5, 8, n));

let domain: Domain;
const table = await useTable();
beforeEach(async () => {
  domain = await registeredDomain(table);
});

/** Stores a mail for each outcome, a minute apart. */
async function keep(kinds: readonly MailOutcomeKind[], retentionDays = 0) {
  for (const [n, kind] of kinds.entries()) {
    await mailOutcomeStore(table, { retentionDays }).store(domain, {
      ...{ messageId: `m${n}`, receivedAt: minute(n), rawKey: `reports/m${n}`, alsoFor: [] },
      ...{ authentication: null, from: null, subject: null },
      outcomes: [{ kind, source: 'mail', reason: null, report: null }],
    });
  }
}

/** The ids of the mails on a page, and whether there are more. */
async function listed(query: Partial<MailQuery> = {}, on = table, at = now) {
  const all = { window: {}, page: 1, limit: 10 };
  const found = await mailOutcomeStore(on, { retentionDays: 0 }).list(domain.id, { ...all, ...query }, at);
  return found === 'too-many' ? found : [found.mails.map(({ messageId }) => messageId), found.hasMore];
}

describe('the list of mails', () => {
  test('is newest first, in pages', async () => {
    await keep(['accepted', 'duplicate', 'accepted', 'accepted', 'unreadable']);
    expect(await listed({ limit: 2 })).toEqual([['m4', 'm3'], true]);
    expect(await listed({ limit: 2, page: 2 })).toEqual([['m2', 'm1'], true]);
    expect(await listed({ limit: 2, page: 3 })).toEqual([['m0'], false]);
  });

  test('has only the mails with an outcome, and of a period', async () => {
    await keep(['unreadable', 'accepted', 'unreadable', 'accepted', 'unreadable']);
    expect(await listed({ outcome: 'unreadable', limit: 2 })).toEqual([['m4', 'm2'], true]);
    expect(await listed({ outcome: 'unreadable', limit: 2, page: 2 })).toEqual([['m0'], false]);
    const window = { from: minute(1).toISOString(), until: minute(4).toISOString() };
    expect(await listed({ window })).toEqual([['m3', 'm2', 'm1'], false]);
    expect(await listed({ window, outcome: 'unreadable' })).toEqual([['m2'], false]);
  });

  test('has no mail that has expired', async () => {
    await keep(['accepted'], 5);
    expect(await listed()).toEqual([['m0'], false]);
    expect(await listed({}, table, new Date('2026-01-11T00:00:00.000Z'))).toEqual([[], false]);
  });

  test('costs what its page costs; a search ends after 10,000 mails', async () => {
    const timeOf = (n: number) => new Date(minute(0).getTime() + n).toISOString();
    const items = Array.from({ length: 10_002 }, (_, n) => ({
      ...reportMailKey(domain.id, timeOf(n), `m${n}`),
      ...{ messageId: `m${n}`, receivedAt: timeOf(n), rawKey: `r${n}`, alsoFor: [], authentication: null },
      outcomes: [{ kind: n === 0 ? 'unreadable' : 'accepted', source: '', reason: null }],
    }));
    for (let at = 0; at < items.length; at += MAX_BATCH)
      await writeBatch(
        table,
        items.slice(at, at + MAX_BATCH).map((Item) => ({ PutRequest: { Item } })),
      );
    const { table: measured, capacity } = counted(table);
    expect(await listed({ limit: 100 }, measured)).toEqual([expect.any(Array), true]);
    expect([capacity.sizes.splice(0), capacity.units().reads]).toEqual([[101], expect.closeTo(3, -1)]);
    expect(await listed({ outcome: 'accepted', limit: 100 }, measured)).toEqual([expect.any(Array), true]);
    expect(capacity.sizes).toEqual([200]);
    const search = async (query: Partial<MailQuery>) => {
      const wanted = { window: {}, page: 1, limit: 9, outcome: 'unreadable', ...query } as const;
      const found = await mailOutcomeStore(table, { retentionDays: 0 }).list(domain.id, wanted, now);
      return found === 'too-many' ? found : [found.mails.length, found.hasMore, found.last];
    };
    const position = (n: number) => `${timeOf(n)}#m${n}`;
    expect(await search({})).toBe('too-many');
    expect(await search({ window: { until: timeOf(10_001) } })).toBe('too-many');
    expect(await search({ window: { until: timeOf(10_000) } })).toEqual([1, false, position(0)]);
    // After a mail, a search goes on where it ended.
    expect(await search({ after: position(10_001) })).toEqual([0, true, position(1)]);
    expect(await search({ after: position(1) })).toEqual([1, false, position(0)]);
  });
});

describe('a mail may be a failure report', () => {
  const outcome = (kind: MailOutcomeKind, source = 'mail') => ({ kind, source, reason: null });
  const seen = mailOutcomeKinds.filter((kind) => !mayBeFailureReport({ outcomes: [outcome(kind)] }));

  test('unless it was read to the end', () => {
    expect(seen).toEqual([
      ...['accepted', 'accepted-with-warnings', 'duplicate', 'conflict', 'wrong-domain', 'not-a-report'],
      ...['set-aside', 'expired'],
    ]);
  });

  test('also beside a report, but not because an attachment of it is unreadable', () => {
    const besides = (other: ReturnType<typeof outcome>) =>
      mayBeFailureReport({ outcomes: [outcome('accepted', 'report.xml'), other] });
    expect(besides(outcome('failure-report'))).toBe(true);
    expect(besides(outcome('unreadable', 'other.xml'))).toBe(false);
  });
});
