/**
 * What a simulation takes: reports of 200 reporters a day with 500 addresses, from the stored summaries to the answer. The
 * database and the check that is stored run in the same process, before the simulation.
 */

import { simulateRecords } from '../../shared/enforcement/simulate-records.ts';
import { daysBefore } from '../../shared/reports/day.ts';
import { checkStore } from '../../shared/store/check-runs/checks.ts';
import { decisionStore } from '../../shared/store/enforcement/decisions.ts';
import { dmarcReportStore } from '../../shared/store/reports/dmarc-reports.ts';
import { summaryStore } from '../../shared/store/reports/summaries.ts';
import { counted } from '../kit/capacity.ts';
import { peakMegabytes } from '../kit/peak-memory.ts';
import { arrival, dmarcReport, itemsOf, registeredDomain, row, storeDmarc } from '../kit/reports.ts';
import { perfectResults } from '../kit/results.ts';
import { emptyTable } from '../kit/table.ts';
import { zone } from '../kit/zone.ts';
import type { BenchRow } from './row.ts';

const REPORTERS = 200;
const ADDRESSES = 500;
const DAYS = 366;
const TO = '2026-02-23';
const now = arrival.receivedAt;

/** Takes a minute. */
export async function benchSimulations(): Promise<readonly BenchRow[]> {
  const table = await emptyTable();
  try {
    const domain = await registeredDomain(table);
    await storeYear(table, domain, { reporters: REPORTERS, addresses: ADDRESSES });
    const check = { checkedAt: now.toISOString(), results: perfectResults('sends-only') };
    await checkStore(table).keep(domain, check);
    const rows: BenchRow[] = [];
    const before = peakMegabytes();
    for (const [length, goal] of [
      [30, 500],
      [DAYS, 5_000],
    ] as const) {
      const { table: measured, capacity } = counted(table);
      const deps = {
        summaries: summaryStore(measured),
        decisions: decisionStore(measured),
        checks: checkStore(measured),
        clock: { now: () => now },
        dns: zone({}),
      };
      const proposed = { dmarc: 'v=DMARC1; p=reject; adkim=s', spf: 'v=spf1 ip4:10.0.0.0/8 -all' };
      const days = { from: daysBefore(TO, length - 1), to: TO };
      const started = performance.now();
      const result = await simulateRecords(domain, { proposed, days }, deps);
      const took = Math.round(performance.now() - started);
      if (!('simulation' in result)) throw new Error('the records were refused');
      const { basis } = result.simulation;
      const memory = peakMegabytes() - before;
      rows.push({
        name: `Simulation of ${length} days with ${REPORTERS} reporters and ${ADDRESSES} addresses a day`,
        value: `${took} ms, ${capacity.units().reads} read units, peak ${Math.round(memory)} MB more than before, ${basis.messages.toLocaleString('en')} messages in ${basis.reports.toLocaleString('en')} reports`,
        goal: `at most ${goal} ms and 256 MB`,
        met: took <= goal && memory <= 256,
      });
    }
    return rows;
  } finally {
    await table.stop();
  }
}

/** Stores one day as report mails do, rolls it up, and copies its items to the other days until 2026-02-23. */
export async function storeYear(
  table: Awaited<ReturnType<typeof emptyTable>>,
  domain: Awaited<ReturnType<typeof registeredDomain>>,
  { reporters, addresses }: { reporters: number; addresses: number },
): Promise<void> {
  const reports = dmarcReportStore(table, { retentionDays: 400 });
  for (let reporter = 0; reporter < reporters; reporter += 1) {
    const rows = Array.from({ length: 10 }, (_, n) => {
      const address = (reporter * 7 + n * 53) % addresses;
      return row({
        sourceIp: `10.${address % 7}.${address >> 8}.${address & 255}`,
        count: 1 + n,
        ...(address % 5 === 0 && { dkim: 'fail', spf: 'fail', dkimResults: [], spfResults: [] }),
      });
    });
    const header = { reportId: `r${reporter}`, orgName: `Reporter ${reporter}`, policyP: 'none' };
    await storeDmarc(reports, domain, dmarcReport(`${TO}T00:00:00Z`, rows, header), now);
  }
  await summaryStore(table).rollUp(
    domain,
    { kind: 'DMARC', day: TO, earlier: false },
    { now, hasTime: () => true },
  );
  const rolled = (await itemsOf(table, domain)).filter(({ sk }) => /^DMARC(?:DAY|SUMMARY)#/.test(String(sk)));
  for (let n = 1; n < DAYS; n += 1) {
    const day = daysBefore(TO, n);
    for (const item of rolled) {
      const copy = { ...item, pk: String(item.pk), sk: String(item.sk).replace(TO, day) };
      await table.put('day' in item ? { ...copy, day } : copy);
    }
  }
}
