/** What rolling up the reports of a domain costs on a day, after a year of reports. */
import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
import { expect, test } from '@jest/globals';
import { daysBefore } from '../../../shared/reports/day.ts';
import { shardOf } from '../../../shared/store/domains/directory-rows.ts';
import type { Domain } from '../../../shared/store/domains/domains.ts';
import type { RollUp } from '../../../shared/store/reports/days.ts';
import { dmarcReportStore } from '../../../shared/store/reports/dmarc-reports.ts';
import type { Table } from '../../../shared/store/table.ts';
import { assumed, unitsOfRollUps } from '../../docs/cost.ts';
import { counted } from '../../kit/capacity.ts';
import { arrival, dmarcReport, itemsOf, randomNumbers, registeredDomain, row } from '../../kit/reports.ts';
import { handleRollUp } from '../../kit/roll-up.ts';
import { useTable } from '../../kit/use-table.ts';

process.env.LOG_LEVEL = 'silent';

const REPORTS = assumed.mails / assumed.checks;
const ROWS = 40;
const SENDERS = 12;
const DAYS = 365;
/** The maximum of BatchWriteItem. */
const BATCH = 25;

/** The embedded DynamoDB deletes what has expired by its own clock. */
const now = new Date();
const ago = (days: number): string => daysBefore(now.toISOString().slice(0, 10), days);

let domain: Domain;
const table = await useTable();
// Every second domain, by its random ID, also moves changes of the directory, which costs more.
do domain = await registeredDomain(table);
while (!shardOf(domain.id).compacts);

/** A report of one of the reporters about addresses that no other report of the day names. */
async function store(on: Table, daysAgo: number, reporter: number): Promise<RollUp | null> {
  const random = randomNumbers(reporter);
  const rows = Array.from({ length: ROWS }, (_, at) => {
    const n = reporter * ROWS + at;
    const signers = ['example.org', `sender${Math.floor((n * SENDERS) / (REPORTS * ROWS))}.example`];
    const dkimResults = signers.map((name) => ({ domain: name, result: 'pass', selector: 's1' }) as const);
    return row({ sourceIp: `198.51.${n >> 8}.${n & 255}`, count: 1 + random(50), dkimResults });
  });
  const { header, identity } = dmarcReport(ago(daysAgo), rows, { reportId: `${reporter}` });
  const authenticatedDomain = `reporter${reporter}.example`;
  const received = { identity, arrival: { ...arrival, authenticatedDomain } };
  const writer = dmarcReportStore(on, { retentionDays: 0 }).begin(domain, header, received);
  writer.add(rows);
  const { status, rollUp } = await writer.commit(now);
  expect(status).toBe('stored');
  return rollUp;
}

/** Copies the sums and summaries of a day, which are all that a roll-up reads of days that are rolled up. */
async function copyDay(day: string, to: readonly string[]): Promise<void> {
  const items = (await itemsOf(table, domain)).filter(({ sk }) =>
    [`DMARCDAY#${day}`, `DMARCROLLUP#${day}`].some((start) => String(sk).startsWith(start)),
  );
  expect(items).toHaveLength(2);
  const requests = to.flatMap((copy) =>
    items.map(({ sk, ...item }) => ({
      PutRequest: { Item: { ...item, sk: String(sk).replace(day, copy), day: copy } },
    })),
  );
  for (let at = 0; at < requests.length; at += BATCH)
    await table.client.send(
      new BatchWriteCommand({ RequestItems: { [table.name]: requests.slice(at, at + BATCH) } }),
    );
}

test('the cost of all roll-ups of a day matches the cost table', async () => {
  for (let reporter = 0; reporter < REPORTS; reporter += 1) await store(table, 2, reporter);
  const yesterday = new Date(now.getTime() - 86_400_000);
  await handleRollUp(table, domain, { kind: 'DMARC', day: ago(2), earlier: false }, { now: yesterday });
  await copyDay(
    ago(2),
    Array.from({ length: DAYS - 2 }, (_, n) => ago(n + 3)),
  );
  await handleRollUp(table, domain, { kind: 'DMARC', day: ago(1), earlier: true }, { now: yesterday });

  const { table: measured, capacity } = counted(table);
  const rollUps: (RollUp | null)[] = [];
  for (let reporter = 0; reporter < REPORTS; reporter += 1) {
    const rollUp = await store(table, 1, reporter);
    if (rollUp === null) continue;
    rollUps.push(rollUp);
    await handleRollUp(measured, domain, rollUp, { now });
  }
  // A check run has the reports of the days before rolled up.
  await handleRollUp(measured, domain, { kind: 'DMARC', day: ago(0), earlier: true }, { now });
  expect(rollUps).toEqual([
    { kind: 'DMARC', day: ago(1), earlier: true },
    ...Array.from({ length: 3 }, () => ({ kind: 'DMARC', day: ago(1), earlier: false })),
  ]);
  const { reads, writes } = capacity.units();
  expect(writes).toBe(unitsOfRollUps.writes);
  // What is read together differs by a few items.
  expect(reads).toBeLessThanOrEqual(unitsOfRollUps.reads);
  expect(reads).toBeGreaterThan(0.94 * unitsOfRollUps.reads);
});
