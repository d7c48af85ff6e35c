import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { Context, SQSEvent } from 'aws-lambda';
import { handler as checkDomain } from '../../../functions/monitoring/check-domain.ts';
import { handler as sweep } from '../../../functions/monitoring/sweep.ts';
import type { CheckRun, CheckRunDependencies } from '../../../shared/monitoring/run-checks.ts';
import type { Network } from '../../../shared/network/ports.ts';
import { alertStore } from '../../../shared/store/alerts/alerts.ts';
import { notificationSettingsStore } from '../../../shared/store/alerts/notification-settings.ts';
import { blocklistingStore } from '../../../shared/store/check-runs/blocklistings.ts';
import { checkStore } from '../../../shared/store/check-runs/checks.ts';
import { evidenceStore } from '../../../shared/store/check-runs/evidence.ts';
import { historyStore } from '../../../shared/store/check-runs/history.ts';
import { monitorStateStore } from '../../../shared/store/check-runs/monitor-states.ts';
import { organizationChangesStore } from '../../../shared/store/check-runs/organization-changes.ts';
import { registrationStore } from '../../../shared/store/check-runs/registrations.ts';
import { seenSelectorStore } from '../../../shared/store/check-runs/seen-selectors.ts';
import { sharedKeyStore } from '../../../shared/store/check-runs/shared-keys.ts';
import { complianceSettingsStore } from '../../../shared/store/compliance-settings.ts';
import { deletionStore } from '../../../shared/store/domains/deletions.ts';
import { type Domain, domainStore } from '../../../shared/store/domains/domains.ts';
import { ownershipStore } from '../../../shared/store/domains/ownership.ts';
import { scheduleStore } from '../../../shared/store/domains/schedule.ts';
import { decisionStore } from '../../../shared/store/enforcement/decisions.ts';
import { DUE_SHARDS } from '../../../shared/store/keys.ts';
import { organizationStore } from '../../../shared/store/organizations.ts';
import { summaryStore } from '../../../shared/store/reports/summaries.ts';
import { unitsOfCheck } from '../../docs/cost.ts';
import { changesOn } from '../../kit/attention.ts';
import { type Capacity, counted } from '../../kit/capacity.ts';
import { registerDomain } from '../../kit/reports.ts';
import { type EmptyTable, emptyTable } from '../../kit/table.ts';
import { fakeWeb } from '../../kit/web.ts';
import { type ZoneLiteral, zone } from '../../kit/zone.ts';

const INTERVAL_SECONDS = 86_400;
const INTERVAL = INTERVAL_SECONDS * 1000;
const CONFIRM = 60_000;
const start = Date.parse('2026-01-05T00:00:00.000Z');

let table: EmptyTable;
/** Consumed capacity units, by the name of the DynamoDB command. */
let units: Capacity['by'];
let capacity: Capacity;
process.env.LOG_LEVEL = 'silent';
beforeEach(async () => {
  const made = counted(await emptyTable());
  table = made.table;
  capacity = made.capacity;
  units = capacity.by;
});
afterEach(() => table.stop());

const lambda = (milliseconds = 50_000) => ({ getRemainingTimeInMillis: () => milliseconds }) as Context;

/** The monitoring part of the service, on a table, with a queue in memory and its own clock. */
async function service() {
  let now = start;
  const clock = { now: () => new Date(now) };
  const waiting: object[] = [];
  const queue = {
    send: async (message: object) => void waiting.push(message),
    sendBatch: async <Message extends object>(messages: readonly Message[]) => {
      waiting.push(...messages);
      return messages;
    },
    size: async () => waiting.length,
  };
  const published: { current: ZoneLiteral } = { current: {} };
  const checked: string[] = [];
  const onCheckRun: CheckRun[] = [];
  const swept: unknown[] = [];
  const rolledUp: object[] = [];
  const network = (): Network => ({
    dns: zone(published.current),
    web: fakeWeb({}),
    smtp: { probe: async () => Promise.reject(new Error('no SMTP connections in this test')) },
    clock,
  });
  const inspected: ('cached' | 'fresh')[] = [];
  const checkContext = (cache: 'cached' | 'fresh') => ({
    get network() {
      inspected.push(cache);
      return network();
    },
    trustAnchors: [],
  });
  const stores = {
    domains: domainStore(table),
    schedule: scheduleStore(table),
    alerts: alertStore(table, { retentionDays: 0 }),
    checks: checkStore(table),
    history: historyStore(table, { retentionDays: 0 }),
  };
  const organization = await organizationStore(table).create('An organization', clock.now(), randomUUID());
  const deps: CheckRunDependencies = {
    checks: {
      latest: stores.checks.latest,
      keep: async (domain, checks, instead) => {
        checked.push(domain.id);
        return stores.checks.keep(domain, checks, instead);
      },
    },
    history: stores.history,
    evidence: evidenceStore(table, { retentionDays: 0 }),
    selectors: seenSelectorStore(table),
    sharedKeys: sharedKeyStore(table),
    summaries: summaryStore(table),
    monitorStates: monitorStateStore(table, stores.alerts),
    organizations: organizationStore(table),
    notifications: notificationSettingsStore(table),
    attention: changesOn(table),
    compliance: complianceSettingsStore(table),
    isReady: async () => true,
    settings: {
      scoreThreshold: 70,
      confirmAfterSeconds: CONFIRM / 1000,
      reportsDomain: 'reports.example',
      formerReportsDomains: [],
    },
    scheduleConfirmation: async ({ organization: owner, id }, seenAt) =>
      void waiting.push({ organization: owner, id, seenAt }),
    onCheckRun: (_domain, runChecks) => void onCheckRun.push(runChecks),
  };
  const worker = (changes: Partial<CheckRunDependencies> = {}) =>
    checkDomain.with({
      domains: stores.domains,
      schedule: stores.schedule,
      deps: { ...deps, ...changes },
      proof: {
        ownership: ownershipStore(table),
        notifications: notificationSettingsStore(table),
        intervalSeconds: INTERVAL_SECONDS,
      },
      watch: {
        ...{ alerts: stores.alerts, history: stores.history, attention: changesOn(table) },
        ...{ summaries: summaryStore(table), decisions: decisionStore(table) },
      },
      registration: {
        ...{ registrations: undefined, stored: registrationStore(table), attention: changesOn(table) },
      },
      blocklists: {
        ...{ zones: new Map(), stored: blocklistingStore(table), attention: changesOn(table) },
        ...{ summaries: summaryStore(table), decisions: decisionStore(table) },
      },
      naming: { hostUrl: 'https://m.example', serviceLabel: 'svc', reportsDomain: 'reports.example' },
      checkContext: checkContext('cached'),
      freshCheckContext: () => checkContext('fresh'),
      summaries: { ...queue, send: async (message: object) => void rolledUp.push(message) },
      clock,
    });
  return {
    ...{ rolledUp, inspected },
    ...stores,
    organization: organization.id,
    waiting,
    published,
    checked,
    onCheckRun,
    swept,
    worker,
    pass: (milliseconds: number) => {
      now += milliseconds;
    },
    async register(name: string): Promise<Domain> {
      const registered = await registerDomain(table, organization.id, name, clock.now());
      const verified = await stores.domains.markVerified(registered, clock.now());
      if (verified === undefined) throw new Error('gone');
      return verified;
    },
    sweep: (remaining?: number) =>
      sweep.with({
        organizations: organizationStore(table),
        ...{ schedule: stores.schedule, queue, clock, intervalSeconds: INTERVAL_SECONDS },
        record: (_line, data) => void swept.push(data),
      })({}, lambda(remaining)),
    async work(handler = worker()): Promise<number> {
      return failuresOf(handler, waiting.splice(0));
    },
    async titles(): Promise<string[]> {
      const all = { unreadOnly: false };
      const { alerts } = await stores.alerts.list(organization.id, all, { page: 1, limit: 100 }, clock.now());
      return alerts.map(({ title }) => title).toSorted();
    },
  };
}

async function failuresOf(handler: ReturnType<typeof checkDomain.with>, messages: readonly object[]) {
  const Records = messages.map((message, at) => ({ messageId: String(at), body: JSON.stringify(message) }));
  return (await handler({ Records } as unknown as SQSEvent, lambda())).batchItemFailures.length;
}

const strict: ZoneLiteral = {
  'example.org': { MX: [[0, '.']], TXT: ['v=spf1 -all'] },
  '_dmarc.example.org': { TXT: ['v=DMARC1; p=reject'] },
};
const weak: ZoneLiteral = { ...strict, '_dmarc.example.org': { TXT: ['v=DMARC1; p=none'] } };
const down: ZoneLiteral = {
  'example.org': 'SERVFAIL',
  '_dmarc.example.org': 'SERVFAIL',
  '_mta-sts.example.org': 'SERVFAIL',
  '_smtp._tls.example.org': 'SERVFAIL',
  'default._bimi.example.org': 'SERVFAIL',
};

describe('the schedule', () => {
  test('checks a verified domain once per interval, however often it sweeps', async () => {
    const { register, sweep, work, checked, pass } = await service();
    const { id } = await register('example.org');
    for (let minute = 0; minute < 5; minute += 1) {
      await sweep();
      expect(await work()).toBe(0);
      pass(60_000);
    }
    expect(checked).toEqual([id]);
    pass(1.2 * INTERVAL);
    await sweep();
    await work();
    expect(checked).toEqual([id, id]);
  });

  test('has the reports of a domain summed up to its check', async () => {
    const { register, sweep, work, rolledUp, schedule } = await service();
    const { id, organization, domain } = await register('example.org');
    const due = (of: string) => schedule.dueOf(of, new Date(start), 25);
    expect(await due(organization)).toEqual({ count: 1, hasMore: false });
    expect(await due('other')).toEqual({ count: 0, hasMore: false });
    await sweep();
    await work();
    const day = new Date(start).toISOString().slice(0, 10);
    expect(rolledUp).toEqual([{ domain: { id, organization, domain }, kind: 'DMARC', day, earlier: true }]);
  });

  test('goes on at once after a clock that was days ahead, and keeps what a right clock planned', async () => {
    const { register, sweep, work, checked, swept, pass, waiting } = await service();
    const ahead = await register('example.org');
    const checkAll = async () => {
      await sweep();
      expect(await work()).toBe(0);
      return checked.splice(0);
    };
    expect(await checkAll()).toEqual([ahead.id]);
    // Checked twice by the wrong clock, so that the turn itself is in the future, too.
    pass(2 * INTERVAL);
    expect(await checkAll()).toEqual([ahead.id]);
    pass(1.2 * INTERVAL);
    expect(await checkAll()).toEqual([ahead.id]);
    pass(-3.2 * INTERVAL);
    const right = await register('example.com');
    swept.length = 0;
    expect(await checkAll()).toEqual([right.id]);
    expect(swept).toContainEqual({ domainsBroughtForward: 1 });
    // Found in the run before, due now, and once.
    expect(await checkAll()).toEqual([ahead.id]);
    swept.length = 0;
    expect(await checkAll()).toEqual([]);
    expect([waiting, swept]).toEqual([[], [expect.objectContaining({ domainsSent: 0 })]]);
    pass(1.2 * INTERVAL);
    expect((await checkAll()).toSorted()).toEqual([ahead.id, right.id].toSorted());
  });

  test('ignores domains that are not verified or no longer exist', async () => {
    const { domains, organization, register, sweep, work, waiting, checked, pass } = await service();
    await registerDomain(table, organization, 'example.com', new Date(start));
    const gone = await register('example.org');
    await sweep();
    expect(waiting).toHaveLength(1);
    await domains.remove(gone, new Date(start));
    await deletionStore(table).drain(gone.id, () => 60_000);
    expect(await work()).toBe(0);
    pass(2 * INTERVAL);
    await sweep();
    expect([waiting, checked]).toEqual([[], []]);
  });

  test('checks once if a message arrives twice, at once or later', async () => {
    const { register, sweep, waiting, worker, checked, pass } = await service();
    await register('example.org');
    await sweep();
    const [message] = waiting.splice(0) as [object];
    expect(await failuresOf(worker(), [message, message, message])).toBe(0);
    pass(10 * 60_000);
    expect(await failuresOf(worker(), [message])).toBe(0);
    expect(checked).toHaveLength(1);
  });

  test('checks once if two sweeps, or one that crashed after sending, send a domain twice', async () => {
    const { register, sweep, schedule, waiting, work, checked, pass } = await service();
    const { id, organization } = await register('example.org');
    await Promise.all([sweep(), sweep()]);
    waiting.push({ organization, id, dueAt: new Date(start).toISOString() });
    expect(waiting.length).toBeGreaterThan(1);
    await work();
    expect(checked).toHaveLength(1);
    expect(
      await schedule.claim({ organization, id, dueAt: new Date(start).toISOString() }, new Date(), 1),
    ).toBe(false);
    pass(60_000);
    await sweep();
    expect(waiting).toEqual([]);
  });

  test('repeats a check run that crashed, but only after its lease has expired', async () => {
    const { register, sweep, waiting, worker, checked, pass } = await service();
    await register('example.org');
    await sweep();
    const [message] = waiting.splice(0) as [object];
    const crash = {
      checks: { latest: async () => Promise.reject(new Error('crash')), keep: async () => false },
    };
    expect(await failuresOf(worker(crash), [message])).toBe(1);
    expect(await failuresOf(worker(), [message])).toBe(0);
    expect(checked).toEqual([]);
    pass(360_000);
    expect(await failuresOf(worker(), [message])).toBe(0);
    expect(checked).toHaveLength(1);
  });

  test('catches up after an outage, once per domain and only as fast as the queue drains', async () => {
    const { register, sweep, waiting, work, checked, pass } = await service();
    const ids = new Set<string>();
    for (let domain = 0; domain < 40; domain += 1) ids.add((await register(`d${domain}.example`)).id);
    pass(5 * INTERVAL);
    waiting.push(...Array.from({ length: 1_984 }, () => ({})));
    await sweep();
    // There is room for 16: two from each of the eight shards.
    const queued = waiting.splice(0).length - 1_984;
    expect(queued).toBeLessThanOrEqual(16);
    expect(queued).toBeGreaterThan(8);
    waiting.push(...Array.from({ length: 2_000 }, () => ({})));
    await sweep();
    expect(waiting.splice(0)).toHaveLength(2_000);
    pass(60_000);
    await sweep();
    expect(waiting).toHaveLength(40 - queued);
    await work();
    pass(60_000);
    await sweep();
    expect(waiting).toEqual([]);
    expect(new Set(checked).size).toBe(40 - queued);
  });

  test('stops before its time runs out, and leaves the rest to the next sweep', async () => {
    const { register, sweep, waiting } = await service();
    await register('example.org');
    await sweep(5_000);
    expect(waiting).toEqual([]);
    await sweep(5_001);
    expect(waiting).toHaveLength(1);
  });
});

describe('the proof of ownership', () => {
  test('is repeated by scheduled checks, and by no others', async () => {
    const { register, sweep, work, waiting, published, pass, domains, organization } = await service();
    const { id, verificationToken } = await register('example.org');
    const proof = { '_svc.example.org': { TXT: [`svc-verify=${verificationToken}`] } };
    const ownership = async () => (await domains.get(organization, id))?.ownership;
    const verified = await ownership();
    const day = async (zones: ZoneLiteral) => {
      published.current = zones;
      await sweep();
      await work();
      pass(CONFIRM);
    };
    await day({ ...strict, ...proof });
    expect(await ownership()).toEqual(verified);
    pass(31 * INTERVAL);
    await day({ ...strict, ...proof });
    const renewed = await ownership();
    expect(renewed?.provenAt).toBe(new Date(start + 31 * INTERVAL + CONFIRM).toISOString());
    pass(31 * INTERVAL);
    await day({ ...down, '_svc.example.org': 'SERVFAIL' });
    expect(await ownership()).toEqual(renewed);
    waiting.length = 0;
    pass(2 * INTERVAL);
    await day(weak);
    const missed = await ownership();
    expect(missed).toMatchObject({ provenAt: renewed?.provenAt, missing: { seconds: 0, isUnproven: false } });
    // The confirmation of the change of DMARC.
    expect(waiting).toHaveLength(1);
    published.current = { ...weak, ...proof };
    await work();
    expect(await ownership()).toEqual(missed);
  });
});

describe('log lines for operators', () => {
  test('report with each sweep how long the first domain has been due, even if the queue is full', async () => {
    const { register, sweep, waiting, pass, swept } = await service();
    await sweep();
    await register('a.example');
    await register('b.example');
    pass(90_000);
    waiting.push(...Array.from({ length: 2_000 }, () => ({})));
    await sweep();
    waiting.splice(0);
    await sweep();
    await sweep();
    expect(swept).toEqual([
      { sweepLagSeconds: 0, domainsSent: 0 },
      { sweepLagSeconds: 90, domainsSent: 0 },
      { sweepLagSeconds: 90, domainsSent: 2 },
      { sweepLagSeconds: 0, domainsSent: 0 },
    ]);
  });

  test('report of each check run what it saw and how many lookups it made, without earlier results', async () => {
    const { register, sweep, work, published, pass, onCheckRun } = await service();
    await register('example.org');
    for (const zones of [strict, down]) {
      published.current = zones;
      await sweep();
      await work();
      pass(1.2 * INTERVAL);
    }
    expect(onCheckRun.map(({ results }) => results.spf.state)).toEqual(['pass', 'unknown']);
    for (const { dnsLookups, dnsCacheHits, checkMilliseconds } of onCheckRun) {
      expect(dnsLookups).toBeGreaterThan(8);
      expect([dnsCacheHits, checkMilliseconds]).toEqual([0, expect.any(Number)]);
    }
  });
});

describe('the cost', () => {
  test('is three writes per domain for a sweep, and for a check run without changes only what it stores', async () => {
    const { register, sweep, work, pass, published } = await service();
    published.current = strict;
    const domains = 40;
    for (let domain = 0; domain < domains; domain += 1) await register(`d${domain}.example`);
    await sweep();
    await work();
    pass(1.2 * INTERVAL);
    units.clear();
    await sweep();
    expect(units.get('UpdateCommand')).toBe(3 * domains);
    // One for what is due and one for what a wrong clock planned, of each shard, and what waits for the first of them.
    expect(units.get('QueryCommand')).toBeLessThanOrEqual(2 * DUE_SHARDS + 4);
    const { reads, writes } = capacity.units();
    units.clear();
    await work();
    expect(Object.fromEntries(units)).toEqual({
      // Six consistent reads, and those of the notification and the compliance settings, which need not be the newest.
      GetCommand: 7 * domains,
      // What is open about the domain.
      QueryCommand: 0.5 * domains,
      UpdateCommand: 4 * domains,
      // The compressed results and the time of the check run. The monitor state does not change.
      TransactWriteCommand: 5 * domains,
    });
    // The cost table uses these figures.
    expect((writes + capacity.units().writes) / domains).toBe(unitsOfCheck.writes);
    expect((reads + capacity.units().reads) / domains).toBeCloseTo(unitsOfCheck.reads, 0);
  });
});

describe('the history', () => {
  test('has one entry for a change that two concurrent check runs see, and none if nothing changed', async () => {
    const { organization, register, worker, published, history, pass, checked } = await service();
    const { id } = await register('example.org');
    for (const zones of [strict, weak, weak]) {
      published.current = zones;
      pass(INTERVAL);
      const turn = (second: number) => ({ organization, id, dueAt: `2026-01-05T00:00:0${second}.000Z` });
      const at = checked.length;
      expect(await failuresOf(worker(), [turn(at), turn(at + 1)])).toBe(0);
    }
    expect(checked.length).toBeGreaterThan(3);
    const page = { page: 1, limit: 10 };
    const { entries } = await history.checks(id, page, new Date());
    const dmarc = entries.map(({ changes }) => changes.find(({ check }) => check === 'dmarc')?.recordsAdded);
    expect(dmarc).toEqual([['v=DMARC1; p=none'], ['v=DMARC1; p=reject']]);
    const scores = (await history.scores(id, page, new Date())).entries;
    expect(scores).toHaveLength(2);
    // The list of the organization has the change, with its effect on the score, and not what the first run found.
    const changes = organizationChangesStore(table);
    const listed = await changes.list(organization, { since: '2026' }, 10, new Date());
    expect(
      listed.entries.map(({ domainId, domain, scoreBefore, scoreAfter, at }) => [
        ...[domainId, domain, scoreBefore, scoreAfter, at],
      ]),
    ).toEqual([[id, 'example.org', scores[1]?.score, scores[0]?.score, entries[0]?.at]]);
  });
});

describe('a monitored domain', () => {
  test('raises each alert once through weakening, outage, repair and flapping', async () => {
    const { register, sweep, work, published, titles, pass, waiting } = await service();
    await register('example.org');
    const day = async (zones: ZoneLiteral, confirmed = zones) => {
      published.current = zones;
      await sweep();
      await work();
      for (let runs = 0; waiting.length > 0 && runs < 5; runs += 1) {
        published.current = confirmed;
        pass(CONFIRM);
        await work();
      }
      expect(waiting).toEqual([]);
      pass(1.1 * INTERVAL);
    };
    await day(strict);
    await day(strict);
    expect(await titles()).toEqual([]);
    await day(weak);
    await day(weak);
    const raised = await titles();
    expect(raised).toEqual([
      'DMARC weakened: example.org',
      'Score below 70: example.org',
      expect.stringMatching(/^Score dropped from \d+ to \d+: example\.org$/),
    ]);
    await day(down);
    await day(down);
    await day(weak);
    await day(strict, weak);
    expect(await titles()).toEqual(raised);
    await day(strict);
    const later = (await titles()).filter((title) => !raised.includes(title));
    expect(later).toEqual([
      'DMARC changed: example.org',
      'Score no longer below 70: example.org',
      expect.stringMatching(/^Score rose from \d+ to \d+: example\.org$/),
    ]);
  });

  test('raises its alerts once if the confirming check run is delivered twice', async () => {
    const { register, sweep, work, worker, published, titles, pass, waiting } = await service();
    await register('example.org');
    published.current = strict;
    await sweep();
    await work();
    pass(1.1 * INTERVAL);
    published.current = weak;
    await sweep();
    await work();
    const [second] = waiting.splice(0) as [object];
    pass(CONFIRM);
    expect(await failuresOf(worker(), [second, second])).toBe(0);
    const raised = await titles();
    expect(raised).toHaveLength(3);
    expect(await failuresOf(worker(), [second])).toBe(0);
    expect(await titles()).toEqual(raised);
  });

  test('is checked for a confirmation without the cache of the first check run', async () => {
    const { register, sweep, work, published, pass, inspected } = await service();
    await register('example.org');
    for (const zones of [strict, weak]) {
      published.current = zones;
      pass(1.1 * INTERVAL);
      await sweep();
      await work();
    }
    expect(new Set(inspected)).toEqual(new Set(['cached']));
    inspected.length = 0;
    pass(CONFIRM);
    await work();
    expect(new Set(inspected)).toEqual(new Set(['fresh']));
  });

  test.each(['of a change that is no longer pending', 'of a domain that was removed'])(
    'is not checked for a confirmation %s',
    async (which) => {
      const { organization, domains, register, sweep, work, worker, published, pass, waiting, checked } =
        await service();
      const domain = await register('example.org');
      for (const zones of [strict, weak]) {
        published.current = zones;
        await sweep();
        await work();
        pass(1.1 * INTERVAL);
      }
      const [confirmation] = waiting.splice(0) as [object];
      const stale = { organization, id: domain.id, seenAt: new Date(start).toISOString() };
      if (which === 'of a domain that was removed') await domains.remove(domain, new Date(start));
      const before = checked.length;
      const message = which === 'of a domain that was removed' ? confirmation : stale;
      expect(await failuresOf(worker(), [message])).toBe(0);
      expect(checked).toHaveLength(before);
    },
  );

  test('raises alerts at the threshold of its organization', async () => {
    const { organization, register, sweep, work, published, alerts, pass } = await service();
    await organizationStore(table).setScoreThreshold(organization, 99);
    await register('example.org');
    for (const zones of [strict, weak]) {
      published.current = zones;
      await sweep();
      await work();
      pass(CONFIRM);
      await work();
      pass(1.1 * INTERVAL);
    }
    const found = await alerts.list(organization, { unreadOnly: true }, { page: 1, limit: 9 }, new Date());
    const thresholds = found.alerts.filter((alert) => alert.type === 'score_threshold');
    expect(thresholds.map(({ metadata }) => metadata.threshold)).toEqual([99]);
  });
});
