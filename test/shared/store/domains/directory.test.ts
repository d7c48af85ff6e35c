import { brotliDecompressSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import type { UsageType } from '../../../../shared/checks/state.ts';
import { listedOf } from '../../../../shared/monitoring/listed.ts';
import { checkStore } from '../../../../shared/store/check-runs/checks.ts';
import { directoryStore } from '../../../../shared/store/domains/directory.ts';
import { columnsOf, rowsOf, shardOf } from '../../../../shared/store/domains/directory-rows.ts';
import { type Domain, domainStore } from '../../../../shared/store/domains/domains.ts';
import { changeOf, comparedFrom } from '../../../../shared/store/domains/listed.ts';
import type { DomainFilter } from '../../../../shared/store/domains/select-rows.ts';
import { organizationStore } from '../../../../shared/store/organizations.ts';
import { domainSumsStore } from '../../../../shared/store/reports/domain-sums.ts';
import { counted } from '../../../kit/capacity.ts';
import { registerDomain } from '../../../kit/reports.ts';
import { emptyResults } from '../../../kit/results.ts';
import { useTable } from '../../../kit/use-table.ts';

const table = await useTable();
const domains = domainStore(table);
const directory = directoryStore(table);

const unpack = (packed: Buffer) => JSON.parse(brotliDecompressSync(packed).toString());

const now = new Date('2026-01-01T00:00:00.000Z');
const everything = { page: 1, limit: 1000 };

const organization = async () => (await organizationStore(table).create('An organization', now)).id;

const register = (org: string, domain: string, usageType: UsageType = 'parked', tags: string[] = []) =>
  registerDomain(table, org, domain, now, { usageType, tags });

async function names(org: string, filter: Partial<DomainFilter> = {}, page = everything): Promise<string[]> {
  const found = await directory.search(org, { sort: 'createdAt', ...filter }, page);
  return found.domains.map(({ domain }) => domain.replace('.example', ''));
}

/** Stores a check run with this score for every usage type. */
const score = (domain: Domain, points: number | null) =>
  checkStore(table).keep(domain, {
    ...{ checkedAt: now.toISOString(), results: emptyResults(), score: points },
    scores: {
      ...{ 'sends-and-receives': points, 'receives-only': points, 'sends-only': points, parked: points },
    },
  });

describe('the directory of an organization', () => {
  test('finds domains by each property and in each order, after every kind of change', async () => {
    const org = await organization();
    const b = await register(org, 'b.example', 'parked', ['live', 'eu']);
    const c = await register(org, 'c.example', 'sends-only', ['live']);
    const a = await register(org, 'a.example');
    const gone = await register(org, 'gone.example', 'parked', ['live']);
    await score(b, 95);
    await score(c, 75);
    await domains.markVerified(c, now);
    await domains.remove(gone, now);
    expect(await names(org)).toEqual(['b', 'c', 'a']);
    expect(await names(org, { tag: 'live' })).toEqual(['b', 'c']);
    expect(await names(org, { tag: 'live', usageType: 'parked' })).toEqual(['b']);
    expect(await names(org, { verified: true })).toEqual(['c']);
    expect(await names(org, { verified: false })).toEqual(['b', 'a']);
    expect(await names(org, { grade: 'A' })).toEqual(['b']);
    expect(await names(org, { q: 'c.ex' })).toEqual(['c']);
    expect(await names(org, { sort: '-createdAt' })).toEqual(['a', 'c', 'b']);
    expect(await names(org, { sort: 'domain' })).toEqual(['a', 'b', 'c']);
    expect(await names(org, { sort: '-domain' })).toEqual(['c', 'b', 'a']);
    expect(await names(org, { sort: 'grade' })).toEqual(['b', 'c', 'a']);
    expect(await names(org, { sort: '-grade' })).toEqual(['c', 'b', 'a']);
    const change = { usageType: 'sends-only', testEmailLocalPart: null, hasBadge: false } as const;
    await domains.change(a, { ...change, dkimSelectors: [], tags: ['eu'] }, now);
    await score(c, 95);
    expect(await names(org, { tag: 'eu' })).toEqual(['b', 'a']);
    expect(await names(org, { usageType: 'sends-only' })).toEqual(['c', 'a']);
    expect(await names(org, { grade: 'A' })).toEqual(['b', 'c']);
  });

  test('orders by score, also within a grade, and by name those of the same score; without a score last', async () => {
    const org = await organization();
    for (const [name, points] of Object.entries({ d: 59, new: null, a: 0, f: 12, e: 12, b: 100, c: 90 }))
      await score(await register(org, `${name}.example`), points);
    expect(await names(org, { sort: '-grade' })).toEqual(['a', 'e', 'f', 'd', 'c', 'b', 'new']);
    expect(await names(org, { sort: 'grade' })).toEqual(['b', 'c', 'd', 'e', 'f', 'a', 'new']);
  });

  test('knows policy, mail and change of score, filters and orders by them, and keeps them in its shards', async () => {
    const org = await organization();
    const at = (day: number) => new Date(`2026-01-${String(day).padStart(2, '0')}T10:00:00Z`);
    const run = async (domain: Domain, day: number, points: number, policy: 'none' | 'reject' | null) => {
      const checks = checkStore(table);
      const results = { ...emptyResults(), dmarc: { ...emptyResults().dmarc, effectivePolicy: policy } };
      const latest = await checks.latest(domain.id);
      const current = (await domains.get(org, domain.id)) ?? domain;
      const scored = { scores: { parked: points } as never, score: points };
      const listed = listedOf(results, 'parked', []);
      const given = { checkedAt: at(day).toISOString(), results, listed, ...scored };
      await checks.keep(current, given, latest && { of: latest, writes: [] });
    };
    const [a, b, c] = [
      await register(org, 'a.example'),
      await register(org, 'b.example'),
      await register(org, 'c.example'),
    ];
    await run(a, 1, 50, 'none');
    await run(a, 2, 60, 'none');
    await run(a, 9, 40, 'reject');
    await run(b, 2, 10, null);
    await run(b, 3, 30, null);
    const sums = { days: [{ day: '2026-01-05', messages: 10, passed: 4 }], senders: [], reporters: [] };
    await domainSumsStore(table, { retentionDays: 0 }).keep(a, sums, now);
    for (let n = 0; n < 4; n += 1) await domains.markVerified(c, now);
    const rows = await directory.rows(org);
    expect(rows.map(({ policy, week, mail }) => [policy, week, mail])).toEqual([
      [
        'reject',
        [
          { day: '2026-01-02', score: 50 },
          { day: '2026-01-09', score: 60 },
        ],
        { messages: 10, passed: 4, last: '2026-01-05' },
      ],
      ['no-policy', [{ day: '2026-01-03', score: 10 }], null],
      [null, [], null],
    ]);
    expect(rowsOf({ revision: 1, columns: unpack(columnsOf(rows)) })).toEqual(rows);
    const listed = async (filter: Partial<DomainFilter>, day = 9) => {
      const found = await directory.list(org, { sort: 'createdAt', ...filter }, everything, at(day));
      expect([found.matching, found.all.length]).toEqual([found.listed.length, 3]);
      return found.listed.map(({ domain }) => domain.domain[0]).join('');
    };
    expect(await listed({ policy: 'reject' })).toBe('a');
    expect(await listed({ policy: 'unknown' })).toBe('c');
    expect([await listed({ reports: true }), await listed({ reports: false })]).toEqual(['a', 'bc']);
    expect(await listed({ sort: 'change' })).toBe('acb');
    expect(await listed({ sort: '-change' })).toBe('bca');
    expect(await listed({ sort: 'policy' })).toBe('bac');
    expect(await listed({ sort: '-messages' })).toBe('abc');
    // Only the second change of the first domain is of the last seven days then.
    expect(changeOf(rows[0]?.week ?? [], 40, comparedFrom(at(12)))).toBe(-20);
    expect(changeOf(rows[0]?.week ?? [], 40, comparedFrom(at(20)))).toBe(0);
  });

  test('counts domains by verification and grade', async () => {
    const org = await organization();
    expect(await directory.count(org)).toMatchObject({ total: 0, verified: 0, withoutGrade: 0 });
    const [a, b, also] = [
      await register(org, 'a.example'),
      await register(org, 'b.example'),
      'also-b.example',
    ];
    await score(a, 95);
    await score(b, 85);
    await score(await register(org, also), 80);
    await score(await register(org, 'f.example'), 59);
    await domains.remove(a, now);
    await domains.markVerified(b, now);
    await register(org, 'unchecked.example');
    expect(await directory.count(org)).toEqual({
      ...{ total: 4, verified: 1, withoutGrade: 1 },
      byGrade: { A: 0, B: 2, C: 0, D: 0, F: 1 },
    });
  });

  test('has pages', async () => {
    const org = await organization();
    for (const name of ['a', 'b', 'c', 'd', 'e']) await register(org, `${name}.example`);
    const filter = { sort: 'createdAt', usageType: 'parked' } as const;
    const page = async (number: number) => {
      const found = await directory.search(org, filter, { page: number, limit: 2 });
      return [found.domains.map(({ domain }) => domain[0]).join(''), found.hasMore];
    };
    expect([await page(1), await page(3), await page(4)]).toEqual([
      ['ab', true],
      ['e', false],
      ['', false],
    ]);
  });

  test('is exact after many concurrent changes, and few of them wait outside of its shards', async () => {
    const org = await organization();
    const registered = await Promise.all(
      Array.from({ length: 300 }, (_, n) => register(org, `d${n}.example`, 'parked', [`t${n % 3}`])),
    );
    await Promise.all(
      registered.map(async (domain, n) => {
        if (n % 5 === 0) await domains.remove(domain, now);
        else if (n % 5 === 1) await domains.markVerified(domain, now);
        else if (n % 5 === 2) await score(domain, 65);
      }),
    );
    const stored = (await domains.list(org, 1, 1000)).domains;
    expect(stored).toHaveLength(240);
    const found = await directory.search(org, { sort: 'createdAt' }, everything);
    expect(found.domains.map(({ id }) => id)).toEqual(stored.map(({ id }) => id));
    expect(await names(org, { verified: true })).toHaveLength(60);
    expect(await names(org, { grade: 'D' })).toHaveLength(60);
    expect(await names(org, { tag: 't1' })).toHaveLength(
      stored.filter(({ tags }) => tags[0] === 't1').length,
    );
    const folding = registered.filter(({ id }) => shardOf(id).compacts);
    expect(Math.abs(folding.length - 150)).toBeLessThan(50);
  });

  test('does not contain domains of another organization', async () => {
    const [one, two] = [await organization(), await organization()];
    await register(one, 'mine.example');
    expect([await names(one), await names(two)]).toEqual([['mine'], []]);
    expect((await directory.count(two)).total).toBe(0);
  });

  test('costs little for a page that is not from the beginning', async () => {
    const org = await organization();
    for (let n = 0; n < 400; n += 1) await register(org, `cost${n}.example`, 'parked', [`t${n % 40}`]);
    const { table: measured, capacity } = counted(table);
    const sparse = { sort: 'domain', tag: 't7' } as const;
    const found = await directoryStore(measured).search(org, sparse, { page: 1, limit: 20 });
    expect(found.domains).toHaveLength(10);
    // The directory of 400 domains, and ten domains of half a unit each.
    expect(capacity.units().reads).toBeLessThan(5 + 13);
    expect(capacity.units().writes).toBe(0);
  });
});
