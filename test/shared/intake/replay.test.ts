/** A mail that is read again by a reader that was mended: the new reading takes the place of the old one. */
import { hash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { takeReportMail } from '../../../shared/intake/take-mail.ts';
import { readFile } from '../../../shared/reports/read-mail.ts';
import { reportStores } from '../../../shared/runtime/report-stores.ts';
import type { Domain } from '../../../shared/store/domains/domains.ts';
import type { MailOutcome } from '../../../shared/store/reports/mail-outcomes.ts';
import type { Table } from '../../../shared/store/table.ts';
import { dyingAt, type Moment, unlessItDies } from '../../kit/dying-table.ts';
import { type DmarcXml, dmarcXml, tlsJson, yesterday } from '../../kit/report-mails.ts';
import { itemsOf, registeredDomain } from '../../kit/reports.ts';
import { type EmptyTable, emptyTable } from '../../kit/table.ts';

let table: EmptyTable;
beforeAll(async () => {
  table = await emptyTable();
});
afterAll(() => table.stop());

/** What a mail is read as: what one reader makes of a text stands for what another makes of another text. */
type Texts = readonly string[];

const now = new Date((yesterday + 86_400 + 3_600) * 1000);
const authentication = { authenticated: true, fromDomain: 'reporter.test', spf: null, dkim: [] } as const;

async function take(
  domain: Domain,
  messageId: string,
  texts: Texts,
  { on = table, former }: { on?: Table; former?: readonly MailOutcome[] | undefined } = {},
) {
  const stores = reportStores(on, { retentionDays: 0 });
  const readings = (
    await Promise.all(texts.map((text, n) => readFile(`${n}`, Buffer.from(text), { now })))
  ).flat();
  const mail = { messageId, receivedAt: now, rawKey: `raw/${messageId}`, alsoFor: [] };
  return takeReportMail(
    { ...mail, ...(former && { outcomes: former }) },
    { readings, authentication },
    { domain, unauthenticated: 'count' },
    { stores, now },
  );
}

/** Reads a mail again as `replay` does: with what is kept of it. */
async function replay(domain: Domain, messageId: string, texts: Texts, on: Table = table) {
  for await (const mail of reportStores(table, { retentionDays: 0 }).outcomes.all(domain.id)) {
    if (mail.messageId === messageId) return take(domain, messageId, texts, { on, former: mail.outcomes });
  }
  throw new Error(`no mail ${messageId}`);
}

const everything = { window: {}, page: 1, limit: 100 };
const days = { from: '2000-01-01', to: '2100-01-01' };

/** All that is kept of a domain's reports and shown of them, but for ids and their order: they are made of the domain's. */
async function stateOf(domain: Domain) {
  const { dmarcReports, tlsReports, outcomes } = reportStores(table, { retentionDays: 0 });
  const dmarc = await dmarcReports.list(domain.id, everything, now);
  const tls = await tlsReports.list(domain.id, everything, now);
  const { sources, others, all } = await dmarcReports.sources(domain.id, days, now);
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
    // What waits goes by itself.
    chunks: [...named('DMARCROWS#'), ...named('TLSROWS#')].filter((item) => !('expiresAt' in item)).length,
    unsettled: items.filter((item) => 'unsettled' in item).length,
  };
}

const hashOf = (content: unknown) => hash('sha256', JSON.stringify(content), 'hex');

const byReportId = (a: { reportId: string }, b: { reportId: string }) => (a.reportId < b.reportId ? -1 : 1);

/** Sums and lists say the same, and every row is there. */
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
/** Selectors that hardly compress, so that few rows make a chunk. */
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
  ['nothing', [xml()], [xml()]],
  ['a count', [xml({ rows: rows(1, 2) })], [xml({ rows: rows(100, 2) })]],
  ['fewer sources', [xml({ rows: rows(1, 2, 3, 4) })], [xml({ rows: rows(1) })]],
  ['what is not counted', [xml()], [xml().replace('<pct>100', '<pct>50')]],
  ['what only the header says', [xml()], [xml().replace('<email>', '<generator>G</generator><email>')]],
  ['its warnings', [xml()], [xml().replace('<version>1.0</version>', '<version>1.0</version><odd/>')]],
  ['a large report', [LARGE], [xml({ rows: large(3) })]],
  ['the header of a large report', [LARGE], [LARGE.replace('<pct>100', '<pct>50')]],
  ['from large to small', [LARGE], [xml()]],
  ['from small to large', [xml()], [LARGE]],
  ['the id', [xml()], [xml({ id: 'mended' })]],
  ['the id of a large report', [LARGE], [LARGE.replace('<report_id>r1', '<report_id>mended')]],
  ['the day', [xml()], [xml({ begin: anotherDay })]],
  ['the domain', [xml({ domain: 'sub.example.org' })], [xml()]],
  ['the kind', [xml()], [tlsJson('example.org')]],
  ['a TLS report', [tlsJson('example.org')], [tlsJson('example.org', { successful: 7, failed: 3 })]],
  ['that it is refused now', [LARGE], [LARGE.slice(0, -40)]],
  ['that it was refused before', [LARGE.slice(0, -40)], [LARGE]],
  ['that it is about somebody else', [xml()], [xml({ domain: 'victim.test' })]],
  ['the one of two', [xml(), xml({ id: 'r2' })], [xml(), xml({ id: 'r3' })]],
  ['the number of reports', [xml()], [xml({ id: 'a' }), xml({ id: 'b' }), xml({ id: 'c' })]],
  ['which of two contradicts the other', [xml(), xml({ rows: rows(9) })], [xml({ rows: rows(9) }), xml()]],
  ['that one of two contradicted the other', [xml(), xml({ rows: rows(9) })], [xml(), xml()]],
  ['that it has records', [bare], [xml()]],
  ['that it has none', [xml()], [bare]],
  ['that one of two has none', [bare, xml()], [xml(), bare]],
];

/** What a domain looks like whose mail was never read otherwise. */
async function neverOtherwise(after: Texts) {
  const domain = await registeredDomain(table);
  await take(domain, 'm1', [neighbour]);
  await take(domain, 'm2', after);
  return stateOf(domain);
}

async function readAs(before: Texts): Promise<Domain> {
  const domain = await registeredDomain(table);
  await take(domain, 'm1', [neighbour]);
  await take(domain, 'm2', before);
  return domain;
}

describe('A mail that is read again with another result', () => {
  test.each(changes)('is as if it had never been read otherwise: %s', async (_title, before, after) => {
    const domain = await readAs(before);
    await replay(domain, 'm2', after);
    expect(await stateOf(domain)).toEqual(await neverOtherwise(after));

    const items = await itemsOf(table, domain);
    await replay(domain, 'm2', after);
    expect(await itemsOf(table, domain)).toEqual(items);
  });

  test('by several at once, while other reports of the day come', async () => {
    const domain = await readAs([LARGE]);
    const after = [xml({ rows: rows(1, 2, 3) })];
    const others = Array.from({ length: 5 }, (_, n) => [xml({ id: `other ${n}`, rows: rows(n + 1) })]);
    await Promise.all([
      ...Array.from({ length: 4 }, () => replay(domain, 'm2', after)),
      ...others.map((texts, n) => take(domain, `o${n}`, texts)),
    ]);
    await expectConsistent(domain);
    const { summaries, unsettled } = await stateOf(domain);
    expect([summaries[0], unsettled]).toEqual([{ reports: 7, passed: 16 + 4 + 15, failed: 7 + 2 }, 0]);
  });

  test('of a domain that is gone leaves nothing', async () => {
    const domain = await readAs([xml()]);
    const gone = { ...domain, id: crypto.randomUUID() };
    expect(await take(gone, 'm2', [xml({ id: 'mended' })])).toBeUndefined();
    expect(await itemsOf(table, gone)).toEqual([]);
  });
});

describe.each(['before', 'after'] as const)('A replay that dies %s its n-th write', (when: Moment) => {
  const interrupted = changes.filter(([title]) =>
    ['a count', 'a large report', 'from large to small', 'the id of a large report', 'the day'].includes(
      title,
    ),
  );
  const refused = changes.filter(([title]) => title === 'that it is refused now');
  test.each([...interrupted, ...refused])(
    'shows nothing wrong, and the next one completes it: %s',
    async (_title, before, after) => {
      const expected = await neverOtherwise(after);
      let deaths = 0;
      for (let n = 1; ; n += 1) {
        const domain = await readAs(before);
        const dying = dyingAt(table, n, when);
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

describe('What another mail brought', () => {
  const otherwise = xml({ rows: rows(9) });

  test('stays, when the mail that brought it again is refused', async () => {
    const domain = await readAs([xml()]);
    await take(domain, 'm3', [xml()]);
    const before = await stateOf(domain);
    await replay(domain, 'm3', ['no report']);
    expect(await stateOf(domain)).toEqual({
      ...before,
      mails: [...before.mails.slice(0, 2), ['m3', [['not-a-report', 'it is neither XML nor JSON']]]],
    });
  });

  test('is no contradiction any more, when the contradiction was in the reading', async () => {
    const domain = await readAs([xml()]);
    await take(domain, 'm3', [otherwise]);
    expect((await stateOf(domain)).aside).toHaveLength(1);
    expect(await replay(domain, 'm3', [xml()])).toMatchObject([{ kind: 'duplicate' }]);
    expect((await stateOf(domain)).aside).toEqual([]);
  });

  test('is no contradiction any more, when what it contradicted was in the reading', async () => {
    const domain = await readAs([xml()]);
    await take(domain, 'm3', [otherwise]);
    expect(await replay(domain, 'm2', [otherwise])).toMatchObject([{ kind: 'accepted' }]);
    expect((await stateOf(domain)).aside).toEqual([]);
    expect(await replay(domain, 'm3', [otherwise])).toMatchObject([{ kind: 'duplicate' }]);
  });

  test('takes the place of what is withdrawn, once it is read again', async () => {
    const domain = await readAs([xml()]);
    await take(domain, 'm3', [otherwise]);
    await replay(domain, 'm2', ['no report']);
    expect(await replay(domain, 'm3', [otherwise])).toMatchObject([{ kind: 'accepted' }]);
    expect(await stateOf(domain)).toMatchObject({ aside: [], summaries: [{ reports: 2, passed: 25 }, {}] });
  });
});

describe('A report without records', () => {
  const full = xml({ rows: rows(3, 4) });
  const noRecords = ['accepted-with-warnings', 'The report holds no records'];
  const besideFull = [
    'conflict',
    'it holds no records, and another report of the same id and period is stored',
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
  ])('never stands in front of a %s one that has some, whichever comes first', async (_size, some) => {
    const [first, second] = [await registeredDomain(table), await registeredDomain(table)];
    await take(first, 'm1', [bare]);
    await take(first, 'm2', [some]);
    await take(second, 'm1', [some]);
    await take(second, 'm2', [bare]);
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

    // Read again, it is what it would be by now.
    expect(await replay(first, 'm1', [bare])).toMatchObject([{ kind: 'conflict' }]);
    expect(kept(await stateOf(first))).toEqual(kept(fullFirst));
  });

  test('nor in the same mail', async () => {
    const domain = await registeredDomain(table);
    const outcomes = await take(domain, 'm1', [bare, full]);
    expect(outcomes?.map(({ source, kind }) => [source, kind])).toEqual([
      ['0', 'conflict'],
      ['1', 'accepted'],
    ]);
  });

  test('counts where it is the only one', async () => {
    const domain = await registeredDomain(table);
    await take(domain, 'm1', [bare]);
    await take(domain, 'm2', [bare]);
    const { mails, summaries } = await stateOf(domain);
    expect(mails).toEqual([
      ['m1', [noRecords]],
      ['m2', [['duplicate', 'the same report is stored already']]],
    ]);
    expect(summaries[0]).toEqual({ reports: 1, passed: 0, failed: 0 });
  });

  test('may be a TLS report without policies', async () => {
    const domain = await registeredDomain(table);
    const policies = JSON.parse(tlsJson('example.org'));
    await take(domain, 'm1', [JSON.stringify({ ...policies, policies: [] })]);
    // A report without policies names no domain, so that its key is another one: both are kept.
    await take(domain, 'm2', [tlsJson('example.org')]);
    expect((await stateOf(domain)).summaries[1]).toEqual({ reports: 2, passed: 5, failed: 0 });
  });
});
