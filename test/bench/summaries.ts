/** What record summaries cost: a day's item, its roll-up, and reading it, by the number of addresses and reporters. */
import { dmarcReportStore } from '../../shared/store/reports/dmarc-reports.ts';
import { summaryStore } from '../../shared/store/reports/summaries.ts';
import { counted } from '../kit/capacity.ts';
import {
  arrival,
  dmarcReport,
  itemsOf,
  randomNumbers,
  registeredDomain,
  row,
  storeDmarc,
} from '../kit/reports.ts';
import { emptyTable } from '../kit/table.ts';
import type { BenchRow } from './row.ts';

const DAY = '2026-02-23';
const now = arrival.receivedAt;
const window = { from: DAY, to: DAY };

/** Takes two minutes. */
export async function benchSummaries(): Promise<readonly BenchRow[]> {
  return [
    await benchDay('10 addresses a day in 25 reports', { reports: 25, rows: 10, addresses: 10 }),
    await benchDay('1,000 addresses a day in 25 reports', { reports: 25, rows: 40, addresses: 1_000 }),
    await benchDay('100,000 addresses a day in 25 reports', { reports: 25, rows: 4_000, addresses: 100_000 }),
    await benchDay('200 reporters with 10 addresses each', { reports: 200, rows: 10, addresses: 2_000 }),
  ];
}

interface Size {
  readonly reports: number;
  /** Rows of each report. */
  readonly rows: number;
  /** Addresses of all reports together. */
  readonly addresses: number;
}

async function benchDay(name: string, { reports, rows, addresses }: Size): Promise<BenchRow> {
  const table = await emptyTable();
  try {
    const domain = await registeredDomain(table);
    const store = dmarcReportStore(table, { retentionDays: 400 });
    const random = randomNumbers(addresses);
    const addressOf = (n: number) => `${20 + (n >> 16)}.${random(4)}.${(n >> 8) & 255}.${n & 255}`;
    for (let n = 0; n < reports; n += 1) {
      const some = Array.from({ length: rows }, (_, at) =>
        row({ sourceIp: addressOf((n * rows + at) % addresses), count: 1 + random(50) }),
      );
      await storeDmarc(
        store,
        domain,
        dmarcReport(DAY, some, { reportId: `r${n}`, orgName: `Reporter ${n}` }),
        now,
      );
    }
    const { table: measured, capacity } = counted(table);
    const summaries = summaryStore(measured);
    const started = process.cpuUsage();
    await summaries.rollUp(domain, { kind: 'DMARC', day: DAY, earlier: false }, { now, hasTime: () => true });
    const { user, system } = process.cpuUsage(started);
    const rolled = capacity.units();
    await summaries.readSummaries(domain.id, window, now);
    const read = capacity.units().reads - rolled.reads;
    const items = (await itemsOf(table, domain)).filter(({ sk }) => String(sk).startsWith('DMARCROLLUP#'));
    const bytes = Math.max(...items.map(({ authenticated }) => (authenticated as Uint8Array).length));
    return {
      name: `Record summaries of ${name}`,
      value: `${bytes.toLocaleString('en')} bytes a day; ${read} units for reading a day; ${rolled.reads} read and ${rolled.writes} write units and ${Math.round((user + system) / 1000)} ms of CPU time for rolling all reports up`,
      goal: 'at most 64 KB a day, at most 10 units for reading it',
      met: bytes <= 65_536 && read <= 10,
    };
  } finally {
    await table.stop();
  }
}
