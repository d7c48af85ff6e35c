import { describe, expect, test } from '@jest/globals';
import { checkStore } from '../../../shared/store/check-runs/checks.ts';
import { deletionStore } from '../../../shared/store/domains/deletions.ts';
import { domainStore } from '../../../shared/store/domains/domains.ts';
import { scheduleStore } from '../../../shared/store/domains/schedule.ts';
import { exactRateStore } from '../../../shared/store/rates/exact-rates.ts';
import { rateStore } from '../../../shared/store/rates/rates.ts';
import { dmarcReportStore } from '../../../shared/store/reports/dmarc-reports.ts';
import { conflicting } from '../../kit/conflicting-table.ts';
import { dmarcReport, itemsOf, registeredDomain, row, storeDmarc } from '../../kit/reports.ts';
import { perfectResults } from '../../kit/results.ts';
import { useTable } from '../../kit/use-table.ts';

const table = await useTable();

/**
 * Counts the transactions among the writes that were refused. Every second domain, by its random id, then moves
 * changes of the directory with writes of their own, which are refused too.
 */
const transactions = (busy: ReturnType<typeof conflicting>) =>
  busy.conflicts().filter((name) => name === 'TransactWriteCommand').length;

const now = new Date('2026-03-01T00:00:00.000Z');
const dueAt = '2026-02-28T00:00:00.000Z';

describe('writes that conflict with transactions succeed in the end:', () => {
  test('a schedule claim, once', async () => {
    const { organization, id } = await registeredDomain(table);
    const busy = conflicting(table);
    const schedule = scheduleStore(busy);
    const due = { organization, id, dueAt };
    expect(await schedule.claim(due, now, 60)).toBe(true);
    expect(await schedule.claim(due, now, 60)).toBe(false);
    await schedule.finish(due);
    expect(busy.conflicts()).toEqual(['UpdateCommand', 'UpdateCommand', 'UpdateCommand']);
  });

  test('the verification of a domain', async () => {
    const domain = await registeredDomain(table);
    const busy = conflicting(table, 3);
    expect(await domainStore(busy).markVerified(domain, now)).toMatchObject({ verified: true });
    expect((await domainStore(table).get(domain.organization, domain.id))?.verified).toBe(true);
    expect(transactions(busy)).toBe(3);
  });

  test('storing a check run', async () => {
    const domain = await registeredDomain(table);
    const busy = conflicting(table, 2);
    const run = { checkedAt: now.toISOString(), results: perfectResults('parked') };
    expect(await checkStore(busy).keep(domain, run)).toBe(true);
    expect((await checkStore(table).latest(domain.id))?.checkedAt).toBe(run.checkedAt);
    expect(transactions(busy)).toBe(2);
  });

  test('the commit of a report with chunks of rows, once', async () => {
    const domain = await registeredDomain(table);
    const comment = () => Buffer.from(crypto.getRandomValues(new Uint8Array(500))).toString('base64');
    const rows = Array.from({ length: 100 }, () => row({ reasons: [{ type: 'other', comment: comment() }] }));
    const busy = conflicting(table);
    const sample = dmarcReport('2026-02-23', rows);
    expect((await storeDmarc(dmarcReportStore(busy, { retentionDays: 0 }), domain, sample)).status).toBe(
      'stored',
    );
    // The chunk, the report, and settling both.
    expect(busy.conflicts()).toEqual([
      'PutCommand',
      'TransactWriteCommand',
      'UpdateCommand',
      'UpdateCommand',
    ]);
    const everything = { window: {}, page: 1, limit: 10 };
    const { summary } = await dmarcReportStore(table, { retentionDays: 0 }).list(domain.id, everything, now);
    expect(summary.reports).toBe(1);
    const items = await itemsOf(table, domain);
    expect(items.filter((item) => 'expiresAt' in item || 'chunksPending' in item)).toEqual([]);
  });

  test('the deletion of a domain', async () => {
    const domain = await registeredDomain(table);
    await checkStore(table).keep(domain, { checkedAt: dueAt, results: perfectResults('parked') });
    const busy = conflicting(table);
    expect(await domainStore(busy).remove(domain, now)).toBe(true);
    expect(await deletionStore(busy).drain(domain.id, () => 60_000)).toBe(true);
    expect(busy.conflicts()).toEqual(expect.arrayContaining(['TransactWriteCommand', 'DeleteCommand']));
    expect(await itemsOf(table, domain)).toEqual([]);
    expect(await deletionStore(table).unfinished(new Date('2027-01-01'))).not.toContain(domain.id);
  });

  test('passes of rate limits, each counted once', async () => {
    const busy = conflicting(table);
    const rate = { limit: 1, windowMilliseconds: 60_000 };
    const exact = () => exactRateStore(busy).consumeExact('conflicts', 'exact', rate, now);
    expect([(await exact()).allowed, (await exact()).allowed]).toEqual([true, false]);
    const sliding = () => rateStore(busy).consume('conflicts', 'sliding', rate, now);
    expect([(await sliding()).allowed, (await sliding()).allowed]).toEqual([true, false]);
    expect(busy.conflicts()).toEqual(['PutCommand', 'UpdateCommand']);
  });
});
