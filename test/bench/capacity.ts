/**
 * The capacity units and memory of requests about reports, with 10, 1,000 and 100,000 stored reports of each kind, and
 * of requests about domains, mails and notifications.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
import { reportUuid } from '../../shared/store/reports/commit.ts';
import { dmarcReportStore } from '../../shared/store/reports/dmarc-reports.ts';
import { summaryStore } from '../../shared/store/reports/summaries.ts';
import { tlsReportStore } from '../../shared/store/reports/tls-reports.ts';
import type { Table } from '../../shared/store/table.ts';
import { memoryOf } from '../kit/peak-memory.ts';
import {
  arrival,
  dmarcReport,
  policy,
  randomNumbers,
  registeredDomain,
  row,
  storeDmarc,
  storeTls,
  tlsReport,
} from '../kit/reports.ts';
import { benchDomainCapacity } from './domain-capacity.ts';
import { benchMailCapacity } from './mail-capacity.ts';
import { measuredTable, unitsOf } from './measured-table.ts';
import { memoryTable } from './memory-table.ts';
import type { BenchRow } from './row.ts';

const SIZES = [10, 1_000, 100_000];
/** Large numbers of reports cover a year; ten reports cover its last days. */
const YEAR = 365;
const DAY = 86_400_000;
const LAST_DAY = Date.UTC(2026, 1, 28);
const SERVE = fileURLToPath(new URL('../lib/local/stores/dynamodb/serve.ts', import.meta.url));

const now = arrival.receivedAt;
const kept = { retentionDays: 0 };
const afterTime = (time: string) => iso(Date.parse(time) + 1);
const iso = (time: number) => new Date(time).toISOString();

/** The last ten days, which have reports at every size: whole days, and between two moments within days. */
const wholeDays = { from: iso(LAST_DAY - 9 * DAY), until: iso(LAST_DAY + DAY) };
const cutDays = { from: iso(LAST_DAY - 9 * DAY + 10_000_000), until: iso(LAST_DAY + 50_000_000) };
const days = { from: wholeDays.from.slice(0, 10), to: iso(LAST_DAY).slice(0, 10) };
const LIMIT = 5;

export async function benchCapacity(): Promise<readonly BenchRow[]> {
  const folder = mkdtempSync(join(tmpdir(), 'capacity-'));
  const file = join(folder, 'table.sqlite');
  const server = spawn(process.execPath, [SERVE, file], { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    const [line] = await once(server.stdout, 'data');
    const measured = await measuredTable(String(line).trim());
    const { table, spent } = measured;
    const costs = new Map<string, number[]>();
    for (const size of SIZES) {
      for (const [name, units] of Object.entries(await costsAt(table, size, spent))) {
        costs.set(name, [...(costs.get(name) ?? []), units]);
      }
    }
    const memory = memoryRow(server, file);
    return [
      ...[...costs].map(capacityRow),
      memory,
      ...(await benchDomainCapacity(measured)),
      ...(await benchMailCapacity(measured)),
    ];
  } finally {
    server.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  }
}

async function costsAt(table: Table, size: number, spent: () => number): Promise<Record<string, number>> {
  const domain = await registeredDomain(table);
  await seed(table, domain, size);
  const store = dmarcReportStore(table, kept);
  const inWindow = (await store.list(domain.id, { window: wholeDays, page: 1, limit: 1 }, now)).summary;
  const deepest = Math.floor(inWindow.reports / LIMIT);
  const cost = (request: () => Promise<unknown>) => unitsOf(request, spent);
  const tlsStore = tlsReportStore(table, kept);
  const list = (window: object, page: number) => () =>
    store.list(domain.id, { window, page, limit: LIMIT }, now);
  const listTls = (window: object, page: number) => () =>
    tlsStore.list(domain.id, { window, page, limit: LIMIT }, now);
  // Nothing else begins at this time.
  const another = dmarcReport(iso(LAST_DAY + 1), sampleRows(randomNumbers(size)), { reportId: 'one more' });
  return {
    'A first page of reports, 10 whole days': await cost(list(wholeDays, 1)),
    'A first page of reports, days cut at both ends': await cost(list(cutDays, 1)),
    'The last page of reports, 10 whole days': await cost(list(wholeDays, deepest)),
    'A first page of TLS reports, 10 whole days': await cost(listTls(wholeDays, 1)),
    'A first page of TLS reports, days cut at both ends': await cost(listTls(cutDays, 1)),
    'The last page of TLS reports, 10 whole days': await cost(listTls(wholeDays, deepest)),
    'The timeline of 10 days': await cost(() => store.timeline(domain.id, days, now)),
    'The sources of 10 days': await cost(() => summaryStore(table).sources(domain, days, now)),
    'Storing one more report': await cost(() => storeDmarc(store, domain, another)),
    'A report that arrives again': await cost(() => storeDmarc(store, domain, another)),
    'A page of failing reports, none on 10 days': await cost(() =>
      store.search(domain.id, { window: wholeDays, page: 1, limit: LIMIT, failing: true }, now),
    ),
    'Deleting a report, of a named period': await cost(async () => {
      const { dateRangeBegin } = another.header;
      const id = reportUuid('DMARC', domain.id, another.identity);
      return store.remove(
        domain,
        { id, window: { from: dateRangeBegin, until: afterTime(dateRangeBegin) } },
        now,
      );
    }),
  };
}

/**
 * Stores reports with realistic periods: half begin at midnight, a third at another full hour, the rest at any time.
 */
async function seed(table: Table, domain: Awaited<ReturnType<typeof registeredDomain>>, size: number) {
  const random = randomNumbers(size);
  const memory = memoryTable();
  const store = dmarcReportStore(memory.table, kept);
  const tlsStore = tlsReportStore(memory.table, kept);
  for (let n = 0; n < size; n += 1) {
    const day = LAST_DAY - (n % Math.min(size, YEAR)) * DAY;
    const kind = random(6);
    const begin = kind < 3 ? day : kind < 5 ? day + random(24) * 3_600_000 : day + random(86_400) * 1000;
    await storeDmarc(store, domain, dmarcReport(iso(begin), sampleRows(random), { reportId: `r${n}` }));
    const policies = [policy({ successCount: 1 + random(50) })];
    await storeTls(tlsStore, domain, tlsReport(iso(begin), policies, { reportId: `r${n}` }));
  }
  const items = memory.items().map(rolledUp);
  for (let at = 0; at < items.length; at += 25) {
    const requests = items.slice(at, at + 25).map((Item) => ({ PutRequest: { Item } }));
    await table.client.send(new BatchWriteCommand({ RequestItems: { [table.name]: requests } }));
  }
}

/** The counters of a day after a roll-up, which removes the notes about pending reports. */
const rolledUp = (item: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(item).filter(([attribute]) => !/^T.+#/.test(attribute)));

const sampleRows = (random: (below: number) => number) =>
  Array.from({ length: 5 }, () => row({ sourceIp: `192.0.2.${random(40)}`, count: 1 + random(50) }));

/** Constant means at most one page of 4 KB more than the smallest, which depends on where a boundary falls. */
function capacityRow([name, units]: [string, number[]]): BenchRow {
  const growth = Math.max(...units) - Math.min(...units);
  return {
    name: `${name}: capacity units at ${SIZES.map((size) => size.toLocaleString('en')).join(', ')} stored reports`,
    value: units.join(', '),
    goal: 'the same, within 2 units',
    met: growth <= 2,
  };
}

function memoryRow({ pid }: ChildProcess, file: string): BenchRow {
  const { now, peak } = memoryOf(pid as number);
  return {
    name: 'Memory of the embedded DynamoDB with 202,020 reports stored',
    value: `${Math.round(now)} MB, at most ${Math.round(peak)} MB; ${Math.round(statSync(file).size / 1e6)} MB on disk`,
    goal: 'at most 256 MB',
    met: peak <= 256,
  };
}
