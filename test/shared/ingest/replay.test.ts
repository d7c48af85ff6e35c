/** A mail that a corrected reader reads again: the new reading replaces the old one. */
import { hash } from 'node:crypto';
import { TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, test } from '@jest/globals';
import { ingestReportMail } from '../../../shared/ingest/ingest-mail.ts';
import { readFile } from '../../../shared/reports/read-mail.ts';
import { reportStores } from '../../../shared/runtime/dependencies/report-stores.ts';
import type { Domain } from '../../../shared/store/domains/domains.ts';
import type { MailOutcome } from '../../../shared/store/reports/mail-outcomes.ts';
import { summaryStore } from '../../../shared/store/reports/summaries.ts';
import type { Table } from '../../../shared/store/table.ts';
import { dyingAt, unlessItDies } from '../../kit/dying-table.ts';
import { type DmarcXml, dmarcXml, tlsJson, yesterday } from '../../kit/report-mails.ts';
import { itemsOf, registeredDomain } from '../../kit/reports.ts';
import { sendingThrough } from '../../kit/table.ts';
import { useTable } from '../../kit/use-table.ts';

const table = await useTable();

/** The reports that a mail contains. Another text represents another reader's result for the same text. */
type Texts = readonly string[];

const now = new Date((yesterday + 86_400 + 3_600) * 1000);
const authentication = { authenticated: true, fromDomain: 'reporter.test', spf: null, dkim: [] } as const;

async function ingest(
  domain: Domain,
  messageId: string,
  texts: Texts,
  {
    on = table,
    former,
    receivedAt = now,
  }: { on?: Table; former?: readonly MailOutcome[] | undefined; receivedAt?: Date } = {},
) {
  const stores = reportStores(on, { retentionDays: 0 });
  const readings = (
    await Promise.all(texts.map((text, n) => readFile(`${n}`, Buffer.from(text), { now: receivedAt })))
  ).flat();
  const mail = { messageId, receivedAt: now, rawKey: `raw/${messageId}`, alsoFor: [] };
  return ingestReportMail(
    { ...mail, ...(former && { outcomes: former }) },
    readings,
    { authentication, head: { from: null, subject: null } },
    { domain, unauthenticated: 'count' },
    { stores, now },
  );
}

/** Reads a mail again as `replay` does, with its stored outcomes. */
async function replay(domain: Domain, messageId: string, texts: Texts, on: Table = table) {
  for await (const mail of reportStores(table, { retentionDays: 0 }).outcomes.all(domain.id)) {
    if (mail.messageId === messageId) return ingest(domain, messageId, texts, { on, former: mail.outcomes });
  }
  throw new Error(`no mail ${messageId}`);
}

const everything = { window: {}, page: 1, limit: 100 };
const days = { from: '2000-01-01', to: '2100-01-01' };

/**
 * Everything stored and shown about the reports of a domain, except ids and their order, which depend on the domain's
 * id.
 */
async function stateOf(domain: Domain) {
  const { dmarcReports, tlsReports, outcomes } = reportStores(table, { retentionDays: 0 });
  const dmarc = await dmarcReports.list(domain.id, everything, now);
  const tls = await tlsReports.list(domain.id, everything, now);
  const { sources, others, all } = await summaryStore(table).sources(domain, days, now);
  const mails: unknown[] = [];
  for await (const { messageId, outcomes: kept } of outcomes.all(domain.id))
    mails.push([messageId, kept.map(({ kind, reason }) => [kind, reason])]);
  const items = await itemsOf(table, domain);
  const named = (prefix: string) => items.filter(({ sk }) => String(sk).startsWith(prefix));
  return {
    dmarc: (
      await Promise.all(
        dmarc.reports.map(async (one) => {
          const found = [...(await dmarcReports.rowsOf(domain.id, one))];
          const messages = found.reduce((sum, { count }) => sum + count, 0);
          return { ...one.report, id: '', rows: found.length, messages, content: hashOf(found) };
        }),
      )
    ).toSorted(byReportId),
    tls: (
      await Promise.all(
        tls.reports.map(async (one) => {
          const policies = [...(await tlsReports.policiesOf(domain.id, one))];
          return { ...one.report, id: '', content: hashOf(policies) };
        }),
      )
    ).toSorted(byReportId),
    summaries: [dmarc.summary, tls.summary],
    timeline: await dmarcReports.timeline(domain.id, days, now),
    sources: [sources, others, all],
    aside: [...named('DMARCCONFLICT#'), ...named('TLSCONFLICT#')].map(({ contentHash, rawKey }) => [
      contentHash,
      rawKey,
    ]),
    mails,
    // Pending chunks expire by themselves.
    chunks: [...named('DMARCROWS#'), ...named('TLSROWS#')].filter((item) => !('expiresAt' in item)).length,
    pending: items.filter((item) => 'chunksPending' in item).length,
  };
}

const hashOf = (content: unknown) => hash('sha256', JSON.stringify(content), 'hex');

const byReportId = (a: { reportId: string }, b: { reportId: string }) => (a.reportId < b.reportId ? -1 : 1);

/** Checks that sums equal lists, and that every row exists. */
async function expectConsistent(domain: Domain): Promise<void> {
  const { dmarc, tls, summaries, timeline, sources } = await stateOf(domain);
  const total = (numbers: readonly number[]) => numbers.reduce((sum, number) => sum + number, 0);
  const messages = total(dmarc.map(({ totalCount }) => totalCount));
  expect(summaries).toMatchObject([{ reports: dmarc.length }, { reports: tls.length }]);
  expect(total(timeline.map((day) => day.messages))).toBe(messages);
  expect(sources[2]).toMatchObject({ messages });
  for (const report of dmarc) expect(report.messages).toBe(report.totalCount);
}

const xml = (given: Partial<DmarcXml> = {}) => dmarcXml({ domain: 'example.org', ...given });
const rows = (...counts: number[]): DmarcXml['rows'] =>
  counts.map((count, n) => ({ count, result: n % 2 === 0 ? 'pass' : 'fail' }));
/** Selectors that hardly compress, so that few rows fill a chunk. */
const large = (count: number): DmarcXml['rows'] =>
  Array.from({ length: 250 }, () => ({
    count,
    result: 'pass' as const,
    selector: Buffer.from(crypto.getRandomValues(new Uint8Array(500))).toString('hex'),
  }));
const LARGE = xml({ rows: large(2) });
const bare = xml({ rows: [] });
const neighbour = xml({ id: 'of another mail', rows: rows(5, 7, 11) });
const anotherDay = yesterday - 86_400;

const changes: readonly (readonly [title: string, before: Texts, after: Texts])[] = [
  ['no difference', [xml()], [xml()]],
  ['a count', [xml({ rows: rows(1, 2) })], [xml({ rows: rows(100, 2) })]],
  ['fewer sources', [xml({ rows: rows(1, 2, 3, 4) })], [xml({ rows: rows(1) })]],
  ['parts that are not counted', [xml()], [xml().replace('<pct>100', '<pct>50')]],
  ['values of the header only', [xml()], [xml().replace('<email>', '<generator>G</generator><email>')]],
  ['its warnings', [xml()], [xml().replace('<version>1.0</version>', '<version>1.0</version><odd/>')]],
  ['a large report', [LARGE], [xml({ rows: large(3) })]],
  ['the header of a large report', [LARGE], [LARGE.replace('<pct>100', '<pct>50')]],
  ['a large report becomes small', [LARGE], [xml()]],
  ['a small report becomes large', [xml()], [LARGE]],
  ['the id', [xml()], [xml({ id: 'mended' })]],
  ['the id of a large report', [LARGE], [LARGE.replace('<report_id>r1', '<report_id>mended')]],
  ['the day', [xml()], [xml({ begin: anotherDay })]],
  ['the domain', [xml({ domain: 'sub.example.org' })], [xml()]],
  ['the kind', [xml()], [tlsJson('example.org')]],
  ['a TLS report', [tlsJson('example.org')], [tlsJson('example.org', { successful: 7, failed: 3 })]],
  ['other domains in the report', [tlsJson('victim.test')], [tlsJson(['victim.test', 'example.org'])]],
  ['a report that is now rejected', [LARGE], [LARGE.slice(0, -40)]],
  ['a report that was rejected before', [LARGE.slice(0, -40)], [LARGE]],
  ['a report about another domain', [xml()], [xml({ domain: 'victim.test' })]],
  ['one of two reports', [xml(), xml({ id: 'r2' })], [xml(), xml({ id: 'r3' })]],
  ['the number of reports', [xml()], [xml({ id: 'a' }), xml({ id: 'b' }), xml({ id: 'c' })]],
  [
    'which of two reports conflicts with the other',
    [xml(), xml({ rows: rows(9) })],
    [xml({ rows: rows(9) }), xml()],
  ],
  ['a conflict between two reports', [xml(), xml({ rows: rows(9) })], [xml(), xml()]],
  ['records where there were none', [bare], [xml()]],
  ['no records where there were some', [xml()], [bare]],
  ['no records in one of two reports', [bare, xml()], [xml(), bare]],
];

/** The state of a domain whose mail was only ever read this way. */
async function directState(after: Texts) {
  const domain = await registeredDomain(table);
  await ingest(domain, 'm1', [neighbour]);
  await ingest(domain, 'm2', after);
  return stateOf(domain);
}

async function readAs(before: Texts): Promise<Domain> {
  const domain = await registeredDomain(table);
  await ingest(domain, 'm1', [neighbour]);
  await ingest(domain, 'm2', before);
  return domain;
}

describe('a mail that is read again with a different result', () => {
  test.each(changes)(
    'leaves the same state as if it had only been read this way: %s',
    async (_title, before, after) => {
      const domain = await readAs(before);
      await replay(domain, 'm2', after);
      expect(await stateOf(domain)).toEqual(await directState(after));

      const items = await itemsOf(table, domain);
      await replay(domain, 'm2', after);
      expect(await itemsOf(table, domain)).toEqual(items);
    },
  );

  test('removes reports dated in the year 3000 that earlier readers stored', async () => {
    const domain = await registeredDomain(table);
    const future = [xml({ begin: 32_503_680_000 }), tlsJson('example.org').replaceAll('"20', '"30')];
    // Earlier readers did not compare the period with the time of receipt.
    await ingest(domain, 'm2', future, { receivedAt: new Date('4000-01-01T00:00:00Z') });
    await ingest(domain, 'm1', [neighbour]);
    expect((await stateOf(domain)).summaries).toMatchObject([{ reports: 2 }, { reports: 1 }]);

    expect(await replay(domain, 'm2', future)).toMatchObject([
      { kind: 'unreadable' },
      { kind: 'unreadable' },
    ]);
    const { dmarc, summaries, timeline } = await stateOf(domain);
    expect(dmarc.map(({ reportId }) => reportId)).toEqual(['of another mail']);
    expect(summaries).toMatchObject([{ reports: 1 }, { reports: 0 }]);
    expect(timeline).toMatchObject([{ reports: 1 }]);
    await expectConsistent(domain);
  });

  test('is replayed by several workers at once while other reports of the day arrive', async () => {
    const domain = await readAs([LARGE]);
    const after = [xml({ rows: rows(1, 2, 3) })];
    const others = Array.from({ length: 5 }, (_, n) => [xml({ id: `other ${n}`, rows: rows(n + 1) })]);
    await Promise.all([
      ...Array.from({ length: 4 }, () => replay(domain, 'm2', after)),
      ...others.map((texts, n) => ingest(domain, `o${n}`, texts)),
    ]);
    await expectConsistent(domain);
    const { summaries, pending } = await stateOf(domain);
    expect([summaries[0], pending]).toEqual([{ reports: 7, passed: 16 + 4 + 15, failed: 7 + 2 }, 0]);
  });

  test('is replayed by another worker between the read of the report and the transaction', async () => {
    const domain = await readAs([LARGE]);
    const after = [xml({ rows: rows(1, 2, 3) })];
    let others = 0;
    const overtaken = sendingThrough(table, async (command: object) => {
      if (command instanceof TransactWriteCommand && others === 0) {
        others += 1;
        await replay(domain, 'm2', after);
      }
      return table.client.send(command as never);
    });
    await replay(domain, 'm2', after, overtaken);
    expect(others).toBe(1);
    expect(await stateOf(domain)).toEqual(await directState(after));
  });

  test('of a deleted domain stores nothing', async () => {
    const domain = await readAs([xml()]);
    const gone = { ...domain, id: crypto.randomUUID() };
    expect(await ingest(gone, 'm2', [xml({ id: 'mended' })])).toBeUndefined();
    expect(await itemsOf(table, gone)).toEqual([]);
  });
});

// What one leaves that dies after a write is what one leaves that dies before the next write.
describe('a replay that dies before its n-th write', () => {
  const interrupted = changes.filter(([title]) =>
    [
      'a count',
      'a large report',
      'a large report becomes small',
      'the id of a large report',
      'the day',
    ].includes(title),
  );
  const refused = changes.filter(([title]) => title === 'a report that is now rejected');
  test.each([...interrupted, ...refused])(
    'shows nothing inconsistent, and the next replay completes it: %s',
    async (_title, before, after) => {
      const expected = await directState(after);
      let deaths = 0;
      for (let n = 1; ; n += 1) {
        const domain = await readAs(before);
        const dying = dyingAt(table, n, 'before');
        const outcomes = await unlessItDies(replay(domain, 'm2', after, dying));
        if (!dying.died()) {
          expect(outcomes).toBeDefined();
          break;
        }
        deaths += 1;
        await expectConsistent(domain);
        await replay(domain, 'm2', after);
        expect(await stateOf(domain)).toEqual(expected);
      }
      expect(deaths).toBeGreaterThanOrEqual(2);
    },
    60_000,
  );
});

describe('a report that another mail brought', () => {
  const otherwise = xml({ rows: rows(9) });

  test('stays if the mail that contained it too is now rejected', async () => {
    const domain = await readAs([xml()]);
    await ingest(domain, 'm3', [xml()]);
    const before = await stateOf(domain);
    await replay(domain, 'm3', ['no report']);
    expect(await stateOf(domain)).toEqual({
      ...before,
      mails: [...before.mails.slice(0, 2), ['m3', [['not-a-report', 'it is neither XML nor JSON']]]],
    });
  });

  test('is no longer a conflict if the conflict came from the earlier reading', async () => {
    const domain = await readAs([xml()]);
    await ingest(domain, 'm3', [otherwise]);
    expect((await stateOf(domain)).aside).toHaveLength(1);
    expect(await replay(domain, 'm3', [xml()])).toMatchObject([{ kind: 'duplicate' }]);
    expect((await stateOf(domain)).aside).toEqual([]);
  });

  test('is no longer a conflict if the earlier reading of the other mail caused it', async () => {
    const domain = await readAs([xml()]);
    await ingest(domain, 'm3', [otherwise]);
    expect(await replay(domain, 'm2', [otherwise])).toMatchObject([{ kind: 'accepted' }]);
    expect((await stateOf(domain)).aside).toEqual([]);
    expect(await replay(domain, 'm3', [otherwise])).toMatchObject([{ kind: 'duplicate' }]);
  });

  test('replaces the withdrawn report after it is read again', async () => {
    const domain = await readAs([xml()]);
    await ingest(domain, 'm3', [otherwise]);
    await replay(domain, 'm2', ['no report']);
    expect(await replay(domain, 'm3', [otherwise])).toMatchObject([{ kind: 'accepted' }]);
    expect(await stateOf(domain)).toMatchObject({ aside: [], summaries: [{ reports: 2, passed: 25 }, {}] });
  });
});

describe('a report without records', () => {
  const full = xml({ rows: rows(3, 4) });
  const noRecords = ['accepted-with-warnings', 'The report has no records'];
  const besideFull = [
    'conflict',
    'it has no records, and a different report with the same ID and period is already stored',
  ];
  const kept = ({
    dmarc,
    summaries,
    timeline,
    sources,
    aside,
    chunks,
  }: Awaited<ReturnType<typeof stateOf>>) => ({
    ...{ summaries, timeline, sources, chunks },
    dmarc: dmarc.map(({ content }) => content),
    aside: aside.map(([contentHash]) => contentHash),
  });

  test.each([
    ['small', full],
    ['large', LARGE],
  ])('never takes precedence over a %s one with records, whichever arrives first', async (_size, some) => {
    const [first, second] = [await registeredDomain(table), await registeredDomain(table)];
    await ingest(first, 'm1', [bare]);
    await ingest(first, 'm2', [some]);
    await ingest(second, 'm1', [some]);
    await ingest(second, 'm2', [bare]);
    const [bareFirst, fullFirst] = [await stateOf(first), await stateOf(second)];
    expect(bareFirst.mails).toEqual([
      ['m1', [noRecords]],
      ['m2', [['accepted', null]]],
    ]);
    expect(fullFirst.mails).toEqual([
      ['m1', [['accepted', null]]],
      ['m2', [besideFull]],
    ]);
    expect(kept(bareFirst)).toEqual(kept(fullFirst));
    expect(bareFirst.dmarc.map(({ recordCount }) => recordCount > 0)).toEqual([true]);

    // After the replay, it has the state that it would have had by now.
    expect(await replay(first, 'm1', [bare])).toMatchObject([{ kind: 'conflict' }]);
    expect(kept(await stateOf(first))).toEqual(kept(fullFirst));
  });

  test('does not take precedence in the same mail either', async () => {
    const domain = await registeredDomain(table);
    const outcomes = await ingest(domain, 'm1', [bare, full]);
    expect(outcomes?.map(({ source, kind }) => [source, kind])).toEqual([
      ['0', 'conflict'],
      ['1', 'accepted'],
    ]);
  });

  test('counts if it is the only one', async () => {
    const domain = await registeredDomain(table);
    await ingest(domain, 'm1', [bare]);
    await ingest(domain, 'm2', [bare]);
    const { mails, summaries } = await stateOf(domain);
    expect(mails).toEqual([
      ['m1', [noRecords]],
      ['m2', [['duplicate', 'the same report is already stored']]],
    ]);
    expect(summaries[0]).toEqual({ reports: 1, passed: 0, failed: 0 });
  });

  test('may be a TLS report without policies', async () => {
    const domain = await registeredDomain(table);
    const policies = JSON.parse(tlsJson('example.org'));
    await ingest(domain, 'm1', [JSON.stringify({ ...policies, policies: [] })]);
    // A report without policies names no domain, so that it has another key: both are stored.
    await ingest(domain, 'm2', [tlsJson('example.org')]);
    expect((await stateOf(domain)).summaries[1]).toEqual({ reports: 2, passed: 5, failed: 0 });
  });
});
