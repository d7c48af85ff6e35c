import { describe, expect, test } from '@jest/globals';
import { dmarcReportStore } from '../../../../shared/store/reports/dmarc-reports.ts';
import { summaryStore } from '../../../../shared/store/reports/summaries.ts';
import { Crash, dyingAt, unlessItDies } from '../../../kit/dying-table.ts';
import { dmarcReport, itemsOf, registeredDomain, row, storeDmarc } from '../../../kit/reports.ts';
import { sendingThrough } from '../../../kit/table.ts';
import { useTable } from '../../../kit/use-table.ts';

const table = await useTable();

const rows = Array.from({ length: 1300 }, (_, n) =>
  row({
    count: 2,
    sourceIp: `10.0.${n >> 8}.${n & 255}`,
    reasons: [
      { type: 'other', comment: Buffer.from(crypto.getRandomValues(new Uint8Array(500))).toString('base64') },
    ],
  }),
);

const everything = { window: {}, page: 1, limit: 10 };
const now = new Date();

// What one leaves that dies after a write is what one leaves that dies before the next write.
describe('a worker that dies before its n-th write', () => {
  test.each([
    ['small', rows.slice(0, 3)],
    ['large', rows],
  ])(
    'leaves no partial %s report visible, and the next worker completes it',
    async (_size, given) => {
      const sample = dmarcReport('2026-02-23T07:00:00Z', given);
      let deaths = 0;
      for (let n = 1; ; n += 1) {
        const domain = await registeredDomain(table);
        const dying = dyingAt(table, n, 'before');
        const first = await unlessItDies(
          storeDmarc(dmarcReportStore(dying, { retentionDays: 0 }), domain, sample),
        );
        if (!dying.died()) {
          expect(first?.status).toBe('stored');
          break;
        }
        deaths += 1;
        const store = dmarcReportStore(table, { retentionDays: 0 });
        const meanwhile = await store.list(domain.id, everything, now);
        expect(meanwhile.summary.reports).toBe(meanwhile.reports.length);

        expect(['stored', 'duplicate']).toContain((await storeDmarc(store, domain, sample)).status);
        const { reports: listed, summary } = await store.list(domain.id, everything, now);
        expect(summary).toEqual({ reports: 1, passed: 2 * given.length, failed: 0 });
        expect(listed[0] && [...(await store.rowsOf(domain.id, listed[0]))]).toEqual(given);
        const { all } = await summaryStore(table).sources(
          domain,
          { from: '2026-02-23', to: '2026-02-23' },
          now,
        );
        expect(all.messages).toBe(2 * given.length);
        const items = await itemsOf(table, domain);
        expect(items.filter((item) => 'expiresAt' in item || 'chunksPending' in item)).toEqual([]);
      }
      // A small report is one write. A large one consists of several chunks, each written and finalized, plus two writes.
      expect(deaths).toBeGreaterThanOrEqual(given.length > 3 ? 6 : 1);
    },
    60_000,
  );
});

test('abandoned chunks expire automatically', async () => {
  const domain = await registeredDomain(table);
  const dying = dyingAt(table, 4, 'before');
  const storing = storeDmarc(
    dmarcReportStore(dying, { retentionDays: 0 }),
    domain,
    dmarcReport('2026-02-23', rows),
  );
  await expect(storing).rejects.toThrow(Crash);
  const items = await itemsOf(table, domain);
  expect(items.length).toBeGreaterThan(0);
  for (const { expiresAt } of items) expect(expiresAt).toBeGreaterThan(now.getTime() / 1000);
});

test('a late worker does not make the rows of a committed report expire', async () => {
  const domain = await registeredDomain(table);
  const sample = dmarcReport('2026-02-23', rows);
  const store = dmarcReportStore(table, { retentionDays: 0 });
  // The late worker has seen that the report does not exist, and continues after the other one is done.
  let go = () => {};
  const gate = new Promise<void>((resolve) => {
    go = resolve;
  });
  let hasRead = false;
  const late = sendingThrough(table, async (command) => {
    if (hasRead) await gate;
    hasRead = true;
    return table.client.send(command);
  });
  const lateOutcome = storeDmarc(dmarcReportStore(late, { retentionDays: 0 }), domain, sample);
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect((await storeDmarc(store, domain, sample)).status).toBe('stored');
  go();
  expect((await lateOutcome).status).toBe('duplicate');
  const {
    reports: [listed],
  } = await store.list(domain.id, everything, new Date('2030-01-01'));
  expect(listed && [...(await store.rowsOf(domain.id, listed))]).toEqual(rows);
  const items = await itemsOf(table, domain);
  expect(items.filter((item) => 'expiresAt' in item)).toEqual([]);
});
