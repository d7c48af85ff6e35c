/**
 * Random histories of reports that arrive, arrive again, are replaced, deleted, rolled up and expire, with workers that die
 * between two writes: what the store shows equals a plain list of reports that follows the same rules.
 */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { DmarcRecordRow } from '../../../../shared/reports/report.ts';
import type { DomainReference } from '../../../../shared/store/domains/domain.ts';
import { domainKey } from '../../../../shared/store/keys.ts';
import { dmarcReportStore } from '../../../../shared/store/reports/dmarc-reports.ts';
import type { Window } from '../../../../shared/store/reports/lists.ts';
import { summaryStore } from '../../../../shared/store/reports/summaries.ts';
import { tlsReportStore } from '../../../../shared/store/reports/tls-reports.ts';
import type { Table } from '../../../../shared/store/table.ts';
import { dyingAt, unlessItDies } from '../../../kit/dying-table.ts';
import {
  arrival,
  dmarcReport,
  noisyRows,
  policy,
  randomNumbers,
  row,
  tlsReport,
} from '../../../kit/reports.ts';
import { type EmptyTable, emptyTable } from '../../../kit/table.ts';

const STEPS = 14;
const RETENTION_DAYS = 6;
const DAY = 86_400_000;
const FIRST = Date.parse('2026-02-20T00:00:00Z');
const kept = { retentionDays: RETENTION_DAYS };
const hasTime = () => true;

let table: EmptyTable;

type Random = (below: number) => number;

/** What arrives: one of a few reports, in one of a few versions, in one of a few mails. */
interface Arrived {
  readonly name: string;
  readonly begin: string;
  readonly version: number;
  readonly mail: string;
  readonly authenticated: boolean;
}

/** The messages of each version that passed and failed, and their sources. The first one has none. */
const versions: readonly (readonly DmarcRecordRow[])[] = [
  [],
  [row({ count: 3 })],
  [row({ count: 2, sourceIp: '192.0.2.2' }), row({ count: 5, dkim: 'fail', spf: 'fail' })],
  [...noisyRows(20), row({ count: 7, spf: 'fail', disposition: 'quarantine' })],
];
const policies = versions.map((rows) =>
  rows.map(({ count, dkim }) =>
    policy(dkim === 'pass' ? { successCount: count } : { successCount: 0, failureCount: count }),
  ),
);
const sumOf = (version: number, holds: (one: DmarcRecordRow) => boolean): number =>
  (versions[version] ?? []).reduce((sum, one) => sum + (holds(one) ? one.count : 0), 0);

const begins = [0, 0, 0, 7 * 3_600_000, 7 * 3_600_000 + 1, DAY, DAY + 11_111_111, 2 * DAY].map((after) =>
  new Date(FIRST + after).toISOString(),
);

function randomArrival(random: Random): Arrived {
  const n = random(begins.length);
  return {
    ...{ name: `r${n}`, begin: begins[n] ?? '', version: random(versions.length) },
    ...{ mail: `m${random(3)}`, authenticated: random(3) > 0 },
  };
}

/** The same rules as the store's, on a plain list. */
class Model {
  readonly stored = new Map<string, Arrived>();
  readonly deleted = new Set<string>();

  arrives(one: Arrived, { mayReplace, restores }: { mayReplace: boolean; restores: boolean }, now: Date) {
    if (!isKept(one, now)) return;
    const other = this.stored.get(one.name);
    if (other === undefined) {
      if (this.deleted.has(one.name) && !restores) return;
      this.deleted.delete(one.name);
    } else if (!(mayReplace && other.mail === one.mail)) {
      const isProof = one.authenticated && !other.authenticated;
      if (!isProof && (other.version === one.version || other.version > 0 || one.version === 0)) return;
    }
    this.stored.set(one.name, one);
  }

  shown(now: Date, { from = '', until = '~' }: Window = {}): Arrived[] {
    const all = [...this.stored.values()].filter((one) => isKept(one, now));
    return all.filter(({ begin }) => begin >= from && begin < until);
  }
}

const isKept = ({ begin }: Arrived, now: Date): boolean =>
  now.getTime() < Date.parse(begin.slice(0, 10)) + (1 + RETENTION_DAYS) * DAY;

/** The store of a kind, as the steps use it. */
const stores = {
  DMARC: (on: Table) => {
    const store = dmarcReportStore(on, kept);
    return {
      ...store,
      async arrive(domain: DomainReference, one: Arrived, how: object, now: Date) {
        const { header, rows, identity } = dmarcReport(one.begin, versions[one.version], {
          reportId: one.name,
        });
        const writer = store.begin(domain, header, { identity, arrival: arrivalOf(one), ...how });
        writer.add(rows);
        return (await writer.commit(now)).id;
      },
    };
  },
  TLS: (on: Table) => {
    const store = tlsReportStore(on, kept);
    return {
      ...store,
      async arrive(domain: DomainReference, one: Arrived, how: object, now: Date) {
        const { report, identity } = tlsReport(one.begin, policies[one.version], { reportId: one.name });
        const received = { identity, arrival: arrivalOf(one), ...how };
        return (await store.store(domain, report, received, now)).id;
      },
    };
  },
};

const arrivalOf = ({ mail, authenticated }: Arrived) => ({ ...arrival, rawKey: mail, authenticated });

type Kind = keyof typeof stores;

async function runSequence(kind: Kind, seed: number): Promise<void> {
  const random = randomNumbers(seed);
  const domain = { organization: 'o', id: `${kind}${seed}`, domain: 'example.org' };
  await table.put({ ...domainKey(domain.organization, domain.id) });
  const model = new Model();
  /** The ids of the reports, by their names. */
  const ids = new Map<string, string>();
  let now = new Date(FIRST + 3 * DAY);

  /** A worker does something; sometimes it dies, and another one does it again. */
  async function does(work: (on: Table) => Promise<unknown>): Promise<void> {
    if (random(3) === 0) {
      const dying = dyingAt(table, 1 + random(4), random(2) === 0 ? 'before' : 'after');
      await unlessItDies(work(dying));
      if (!dying.died()) return;
      const { reports, summary } = await stores[kind](table).list(domain.id, everything, now);
      expect(summary.reports).toBe(reports.length);
    }
    await work(table);
  }

  const steps = [
    ...Array.from({ length: 4 }, () => async () => {
      const one = randomArrival(random);
      const how = { mayReplace: random(2) === 0, restoresDeleted: random(4) === 0 };
      await does(async (on) => {
        ids.set(one.name, await stores[kind](on).arrive(domain, one, how, now));
      });
      model.arrives(one, { mayReplace: how.mayReplace, restores: how.restoresDeleted }, now);
    }),
    async () => {
      const [name, id] = [...ids][random(Math.max(1, ids.size))] ?? [];
      if (name === undefined || id === undefined) return;
      if (!model.shown(now).some((one) => one.name === name)) return;
      await does((on) => stores[kind](on).remove(domain, { id, window: {} }, now));
      model.stored.delete(name);
      model.deleted.add(name);
    },
    async () => {
      const [one] = [...model.stored.values()].slice(random(Math.max(1, model.stored.size)));
      const mail = `m${random(3)}`;
      const id = one && ids.get(one.name);
      if (one === undefined || id === undefined) return;
      const reference = { kind, begin: one.begin, id, contentHash: '' };
      await does((on) => stores[kind](on).withdraw(domain, reference, mail, now));
      if (one.mail === mail) model.stored.delete(one.name);
    },
    async () => {
      const day = new Date(FIRST + random(4) * DAY).toISOString().slice(0, 10);
      const rollUp = { kind, day, earlier: random(2) === 0 };
      await does((on) => summaryStore(on).rollUp(domain, rollUp, { now, hasTime }));
    },
    async () => {
      if (random(3) === 0) now = new Date(now.getTime() + random(3) * DAY);
    },
  ];
  for (let step = 0; step < STEPS; step += 1) {
    await steps[random(steps.length)]?.();
    if (random(STEPS) === 0 || step === STEPS - 1) await expectShown();
  }

  async function expectShown(): Promise<void> {
    const store = stores[kind](table);
    const edge = () => (random(2) === 0 ? undefined : new Date(FIRST + random(3 * DAY)).toISOString());
    const window = { from: edge(), until: edge() };
    const inside = model.shown(now, window);
    const listed = await store.list(domain.id, { ...everything, window }, now);
    expect(listed.reports.map(({ report }) => report.reportId).toSorted()).toEqual(
      inside.map(({ name }) => name).toSorted(),
    );
    const hasPassed = ({ dkim, spf }: DmarcRecordRow) =>
      dkim === 'pass' || (kind === 'DMARC' && spf === 'pass');
    const sum = (some: readonly Arrived[], holds: (one: DmarcRecordRow) => boolean) =>
      some.reduce((total, { version }) => total + sumOf(version, holds), 0);
    expect(listed.summary).toEqual({
      reports: inside.length,
      passed: sum(inside, hasPassed),
      failed: sum(inside, (one) => !hasPassed(one)),
    });
    const last = Math.max(1, inside.length);
    const page = await store.list(domain.id, { window, page: last, limit: 1 }, now);
    expect(page.reports.map(({ report }) => report.id)).toEqual(
      listed.reports.slice(last - 1).map(({ report }) => report.id),
    );
    if (kind === 'TLS') return;
    const all = model.shown(now);
    const days = { from: '2026-02-01', to: '2026-03-31' };
    const timeline = await stores.DMARC(table).timeline(domain.id, days, now);
    expect(timeline.reduce((total, { messages }) => total + messages, 0)).toBe(sum(all, () => true));
    const { sources, others } = await summaryStore(table).sources(domain, days, now);
    const addresses = new Set(
      all.flatMap(({ version }) => versions[version] ?? []).map(({ sourceIp }) => sourceIp),
    );
    expect(others.messages).toBe(0);
    expect(
      new Map(
        sources.map(({ address, messages, rejected, quarantined }) => [
          address,
          [messages, quarantined + rejected],
        ]),
      ),
    ).toEqual(
      new Map(
        [...addresses].map((address) => [
          address,
          [
            sum(all, ({ sourceIp }) => sourceIp === address),
            sum(all, ({ sourceIp, disposition }) => sourceIp === address && disposition !== 'none'),
          ],
        ]),
      ),
    );
    const summaries = (await summaryStore(table).readSummaries(domain.id, days, now)).flatMap(
      (one) => one.summaries,
    );
    expect(summaries.reduce((total, { reports }) => total + reports, 0)).toBe(all.length);
    const proven = summaries.filter(({ authenticated }) => authenticated === true);
    expect(proven.reduce((total, { reports }) => total + reports, 0)).toBe(
      all.filter(({ authenticated }) => authenticated).length,
    );
  }
}

const everything = { window: {}, page: 1, limit: 100 };

/** Registers the tests of as many histories of each kind. */
export function testHistories(each: number): void {
  beforeAll(async () => {
    table = await emptyTable();
  });
  afterAll(() => table.stop());

  test.each(['DMARC', 'TLS'] as const)(
    'random histories of %s reports equal a plain list',
    async (kind) => {
      for (let seed = 1; seed <= each; seed += 1) {
        try {
          await runSequence(kind, seed);
        } catch (error) {
          throw new Error(`sequence ${seed}`, { cause: error });
        }
      }
    },
    120 * 60_000,
  );
}
