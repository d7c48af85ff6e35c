/** Archives: many reports in one transaction, with the results of one report after the other. */
import { randomBytes } from 'node:crypto';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { ingestArchive } from '../../../shared/ingest/ingest-archive.ts';
import { ingestReports } from '../../../shared/ingest/ingest-reports.ts';
import { readFile } from '../../../shared/reports/read-mail.ts';
import type { ReportReading } from '../../../shared/reports/report.ts';
import { reportStores } from '../../../shared/runtime/dependencies/report-stores.ts';
import { seenSelectorStore } from '../../../shared/store/check-runs/seen-selectors.ts';
import { type Domain, domainStore } from '../../../shared/store/domains/domains.ts';
import type { RollUp } from '../../../shared/store/reports/days.ts';
import { summaryStore } from '../../../shared/store/reports/summaries.ts';
import type { Table } from '../../../shared/store/table.ts';
import { dyingAt, unlessItDies } from '../../kit/dying-table.ts';
import { type DmarcXml, dmarcXml, tlsJson, yesterday } from '../../kit/report-mails.ts';
import { registeredDomain } from '../../kit/reports.ts';
import { sendingThrough } from '../../kit/table.ts';
import { useTable } from '../../kit/use-table.ts';

const now = new Date((yesterday + 86_400 + 3_600) * 1000);
const DAY = 86_400;
const retention = { retentionDays: 0 };
const everything = { window: {}, page: 1, limit: 1_000 };
const days = { from: '2000-01-01', to: '2100-01-01' };
const arrival = { receivedAt: now, authenticated: null, rawKey: null };

let domain: Domain;
let rolledUp: RollUp[];
const table = await useTable();
beforeEach(async () => {
  domain = await registeredDomain(table);
  rolledUp = [];
});

const readingsOf = async (texts: readonly string[]): Promise<ReportReading[]> =>
  (await Promise.all(texts.map((text, n) => readFile(`${n}`, Buffer.from(text), { now })))).flat();

const storesOn = (on: Table) =>
  reportStores(on, retention, async (_domain, rollUp) => {
    rolledUp.push(rollUp);
  });

const context = (of: Domain) => ({ domain: of, arrival, unauthenticated: 'count' as const });

/** The outcomes of an import, in the order of the texts; undefined if the domain was removed. */
async function imported(texts: readonly string[], on: Table = table) {
  const readings = await readingsOf(texts);
  const found = await ingestArchive(readings, context(domain), storesOn(on), now);
  return found && readings.map((reading) => found.get(reading)?.kind);
}

async function importedOneByOne(of: Domain, texts: readonly string[]) {
  const kinds: unknown[] = [];
  for (const reading of await readingsOf(texts)) {
    const how = { ...context(of), alerts: false };
    const found = await ingestReports([reading], how, storesOn(table), now);
    kinds.push(found?.outcomes[0]?.kind);
  }
  return kinds;
}

/** What is shown of the reports of a domain, without our IDs. */
async function shown(of: Domain) {
  const { dmarcReports, tlsReports } = storesOn(table);
  const { reports, summary } = await dmarcReports.list(of.id, everything, now);
  const rows = await Promise.all(reports.map(async (one) => [...(await dmarcReports.rowsOf(of.id, one))]));
  return {
    reports: reports
      .map(({ report }, n) => ({ ...report, id: '', content: JSON.stringify(rows[n]) }))
      .toSorted((a, b) => (a.reportId + a.dateRangeBegin < b.reportId + b.dateRangeBegin ? -1 : 1)),
    summary,
    tls: (await tlsReports.list(of.id, everything, now)).summary,
    timeline: await dmarcReports.timeline(of.id, days, now),
    sources: await summaryStore(table).sources(of, days, now),
    selectors: (await seenSelectorStore(table).list(of.id)).toSorted(),
  };
}

const xml = (n: number, changes: Partial<DmarcXml> = {}): string =>
  dmarcXml({
    domain: 'example.org',
    id: `r${n}`,
    begin: yesterday - DAY * (n % 5),
    rows: [
      { count: 1 + (n % 7), result: n % 3 === 0 ? 'fail' : 'pass', selector: `s${n % 4}` },
      { count: 2, result: 'pass' },
    ],
    ...changes,
  });

const many = (count: number): string[] => Array.from({ length: count }, (_, n) => xml(n));

const noise = (): string => randomBytes(600).toString('hex');
/** Rows that do not fit into the item of the report. */
const large = xml(900).replace(/<record>[\s\S]*<\/record>/, (records) =>
  Array.from({ length: 60 }, () =>
    records.replaceAll('<spf><domain>example.org', `<spf><domain>${noise().slice(0, 60)}.example.org`),
  ).join(''),
);

describe('an archive', () => {
  test('is stored like one report after the other, whatever it contains', async () => {
    const texts = [
      ...many(120),
      ...['no report', xml(200, { domain: 'example.net' }), tlsJson('example.org')],
      // The same report, and another one with its ID.
      ...[xml(3), xml(4, { rows: [{ count: 9, result: 'fail' }] })],
      ...[large, xml(300, { rows: [] }), xml(301)],
    ];
    const other = await registeredDomain(table);
    const kinds = await importedOneByOne(other, texts);
    expect(await imported(texts)).toEqual(kinds);
    expect(new Set(kinds)).toEqual(
      new Set([
        'accepted',
        'accepted-with-warnings',
        'not-a-report',
        'wrong-domain',
        'duplicate',
        'conflict',
      ]),
    );
    expect(await shown(domain)).toEqual(await shown(other));
    expect((await shown(domain)).selectors).toContain('s3');
    // Repeating it changes nothing.
    const before = await shown(domain);
    const again = await imported(texts);
    expect(again?.filter((kind) => kind?.startsWith('accepted'))).toEqual([]);
    expect(await shown(domain)).toEqual(before);
  });

  test('needs two requests for 49 reports of any days', async () => {
    const commands: string[] = [];
    const counting = sendingThrough(table, async (command: { constructor: { name: string } }) => {
      commands.push(command.constructor.name);
      return table.client.send(command as never);
    });
    const texts = Array.from({ length: 49 }, (_, n) => xml(n, { begin: yesterday - DAY * n }));
    expect(new Set(await imported(texts, counting))).toEqual(new Set(['accepted']));
    expect(commands).toEqual(['BatchGetCommand', 'TransactWriteCommand']);
    commands.length = 0;
    await imported(
      many(50).map((_, n) => xml(1_000 + n)),
      counting,
    );
    expect(commands).toHaveLength(4);
  });

  test('has a day rolled up whenever it has 32 more reports', async () => {
    const of = (from: number, count: number) =>
      Array.from({ length: count }, (_, n) => xml(from + n, { begin: yesterday }));
    const day = new Date(yesterday * 1000).toISOString().slice(0, 10);
    await imported(of(0, 31));
    expect(rolledUp).toEqual([]);
    await imported(of(31, 1));
    expect(rolledUp).toEqual([{ kind: 'DMARC', day, earlier: false }]);
    await imported(of(32, 31));
    expect(rolledUp).toHaveLength(1);
    await imported(of(63, 2));
    expect(rolledUp).toHaveLength(2);
  });

  test('does not bring back a report that its owner deleted', async () => {
    await imported(many(10));
    const { dmarcReports } = storesOn(table);
    const { reports } = await dmarcReports.list(domain.id, everything, now);
    const id = reports.find(({ report }) => report.reportId === 'r3')?.report.id ?? '';
    await dmarcReports.remove(domain, { id, window: {} }, now);
    const kinds = await imported([...many(4), xml(8, { id: 'new', begin: yesterday - 3 * DAY })]);
    expect(kinds).toEqual(['duplicate', 'duplicate', 'duplicate', 'duplicate', 'accepted']);
    expect((await shown(domain)).summary.reports).toBe(10);
  });

  test.each(['before', 'after'] as const)(
    'is complete after a worker that died %s any write',
    async (when) => {
      const texts = [...many(60), large, tlsJson('example.org')];
      const whole = await registeredDomain(table);
      await importedOneByOne(whole, texts);
      const expected = await shown(whole);
      for (let n = 1, died = true; died; n += 1) {
        domain = await registeredDomain(table);
        const dying = dyingAt(table, n, when);
        await unlessItDies(imported(texts, dying));
        died = dying.died();
        const { summary, timeline, reports } = await shown(domain);
        expect(summary.reports).toBe(reports.length);
        expect(timeline.reduce((sum, day) => sum + day.reports, 0)).toBe(reports.length);
        await imported(texts);
        expect(await shown(domain)).toEqual(expected);
      }
    },
  );

  test('is stored once by two imports at the same time', async () => {
    const texts = many(150);
    const found = (await Promise.all([imported(texts), imported(texts)])).flatMap((kinds) => kinds ?? []);
    expect(found.filter((kind) => kind === 'accepted')).toHaveLength(150);
    expect(found.filter((kind) => kind === 'duplicate')).toHaveLength(150);
    expect((await shown(domain)).summary.reports).toBe(150);
  });

  test('is not stored for a domain that was removed', async () => {
    await domainStore(table).remove(domain, now);
    expect(await imported(many(10))).toBeUndefined();
    expect((await shown(domain)).reports).toEqual([]);
  });
});
