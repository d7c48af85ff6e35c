/** The capacity units of requests about domains, tokens and the audit log, with up to 10,000 domains in an organization. */
import { randomBytes } from 'node:crypto';
import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
import { v7 as uuidv7 } from 'uuid';
import { MOST_COUNTED_ALERTS, MOST_DUE_PER_SHARD } from '../../shared/api/summary.ts';
import { named } from '../../shared/attention/kinds.ts';
import { usageTypes } from '../../shared/checks/state.ts';
import { organizationSums } from '../../shared/enforcement/organization-shapes.ts';
import { sumsOfOrganization } from '../../shared/enforcement/organization-sums.ts';
import { senderGroups } from '../../shared/enforcement/senders.ts';
import { daysBefore } from '../../shared/reports/day.ts';
import { alertStore } from '../../shared/store/alerts/alerts.ts';
import { notificationSettingsStore } from '../../shared/store/alerts/notification-settings.ts';
import { attentionStore } from '../../shared/store/attention.ts';
import { attentionChanges, domainOpening } from '../../shared/store/attention-changes.ts';
import { auditStore, recordAudit } from '../../shared/store/audit.ts';
import { directoryStore } from '../../shared/store/domains/directory.ts';
import { columnsOf, shardOf } from '../../shared/store/domains/directory-rows.ts';
import { type Domain, domainStore } from '../../shared/store/domains/domains.ts';
import { scheduleStore } from '../../shared/store/domains/schedule.ts';
import type { DomainFilter } from '../../shared/store/domains/select-rows.ts';
import { directoryShardKey, domainKey } from '../../shared/store/keys.ts';
import { organizationStore } from '../../shared/store/organizations.ts';
import {
  domainSumsStore,
  organizationSumsStore,
  SUMMED_DAYS,
} from '../../shared/store/reports/domain-sums.ts';
import { reportAlertDraft } from '../kit/alerts.ts';
import { raiseAlert } from '../kit/alongside.ts';
import { ownMail } from '../kit/report-history.ts';
import { randomNumbers } from '../kit/reports.ts';
import { type MeasuredTable, unitsOf } from './measured-table.ts';
import type { BenchRow } from './row.ts';

const SIZES = [100, 1_000, 10_000];
/** Enough changes that as many wait in the directory as in the long run. */
const CHANGED = 500;
/** The maximum of BatchWriteItem. */
const BATCH = 25;
const HOUR = 3_600_000;

const BY_TAG = 'A page of 100 domains by a tag, in the order of names';
const SUMMARY = 'The summary, with more unread alerts and attention items than it counts';
const PAGE_OF_ITEMS = 'A page of 20 attention items, three open for each domain';
const OF_KIND = 'A page of 20 attention items of the last kind';
const COUNTING = 'What the summary reads of attention items';
const SETTLING = 'Settling the attention items of a domain without a change';
/** What costs the same, however many domains there are. */
const FLAT: ReadonlySet<string> = new Set([PAGE_OF_ITEMS, OF_KIND, COUNTING, SETTLING]);

/** What most requests cost: reading the directory of 10,000 domains, and 20 of them. */
const MOST_UNITS = 50;
/** What others cost: 100 domains instead of 20, or all that the summary counts beside the directory. */
const MOST_OF: Readonly<Record<string, number>> = { [BY_TAG]: 90, [SUMMARY]: 80 };

/** The embedded DynamoDB deletes what has expired by its own clock. */
const now = new Date();

/** One of each severity. */
const OPEN_KINDS = ['check-failing', 'reports-stopped', 'ready-for-next-step'] as const;

const words = [
  'alpine',
  'bakery',
  'cedar',
  'delta',
  'ember',
  'forest',
  'garden',
  'harbor',
  'island',
  'juniper',
];
const suffixes = ['com', 'de', 'org', 'co.uk', 'io', 'net'];

const filters: Readonly<Record<string, DomainFilter>> = {
  'by a tag': { tag: 'customer:7', sort: 'createdAt' },
  'by usage type': { usageType: 'parked', sort: 'createdAt' },
  'by verification': { verified: true, sort: 'createdAt' },
  'by grade': { grade: 'B', sort: 'createdAt' },
  'by a part of the name': { q: 'cedar-', sort: 'createdAt' },
  'in the order of names': { sort: 'domain' },
  'in the order of grades': { sort: '-grade' },
  'by all of them': {
    ...{ tag: 'customer:7', usageType: 'parked', verified: false, grade: 'B', q: 'e', sort: 'domain' },
  },
};

export async function benchDomainCapacity({ table, spent }: MeasuredTable): Promise<readonly BenchRow[]> {
  const costs = new Map<string, number[]>();
  for (const size of SIZES) {
    for (const [name, units] of Object.entries(await costsAt(table, size, spent)))
      costs.set(name, [...(costs.get(name) ?? []), units]);
  }
  const at = SIZES.map((size) => size.toLocaleString('en')).join(', ');
  return [...costs].map(([name, units]) => ({
    name: `${name}: capacity units at ${at} domains`,
    value: units.join(', '),
    ...(FLAT.has(name) ? flat(units) : below(MOST_OF[name] ?? MOST_UNITS, units)),
  }));
}

const below = (most: number, units: readonly number[]) => ({
  goal: `at most ${most}`,
  met: Math.max(...units) <= most,
});

/** Constant means at most one page of 4 KB more, which depends on where a boundary falls. */
const flat = (units: readonly number[]) => ({
  goal: 'the same, within 1 unit',
  met: Math.max(...units) - Math.min(...units) <= 1,
});

async function costsAt(table: MeasuredTable['table'], size: number, spent: () => number) {
  const { id: organization } = await organizationStore(table).create('An organization', now);
  const stored = await load(table, organization, size);
  const cost = (request: () => Promise<unknown>) => unitsOf(request, spent);
  const search = (filter: DomainFilter, page: number, limit: number) => () =>
    directoryStore(table).search(organization, filter, { page, limit });
  const costs: Record<string, number> = {};
  for (const [name, filter] of Object.entries(filters))
    costs[`A page of 20 domains ${name}`] = await cost(search(filter, 1, 20));
  const all = { sort: 'createdAt' } as const;
  costs['The last page of 100 domains'] = await cost(search(all, Math.ceil(size / 100), 100));
  const sparse = search({ tag: 'customer:7', sort: 'domain' }, 1, 100);
  costs[BY_TAG] = await cost(sparse);
  costs['Registering one more domain'] = await cost(() =>
    register(table, organization, 'one-more.example', []),
  );
  await sumReports(table, stored);
  await sumsOf(table, organization);
  await openItems(table, stored);
  costs[SUMMARY] = await summaryCost(table, organization, cost);
  const attention = attentionStore(table);
  const page = { page: 1, limit: 20 };
  costs[PAGE_OF_ITEMS] = await cost(() => attention.list(organization, { putOff: false }, page, now));
  costs[OF_KIND] = await cost(() =>
    attention.list(organization, { kind: 'ready-for-next-step', putOff: false }, page, now),
  );
  costs[COUNTING] = await cost(() => attention.count(organization, now));
  const [first] = stored;
  if (first === undefined) throw new Error('there is no domain');
  const changes = attentionChanges(table, notificationSettingsStore(table));
  costs[SETTLING] = await cost(async () => {
    const open = await changes.open(first.id);
    const held = { since: now.toISOString(), about: named(['SPF']) };
    await changes.apply(first, open, { 'check-failing': held, expiring: null }, { guard: [], now });
  });
  costs['A page of senders of the organization'] = await cost(() => sumsOf(table, organization));
  costs['An entry of the audit log'] = await cost(() => recordAudit(table, organization, [entry], 0));
  const entries = Array.from({ length: 10 }, () => entry);
  for (let n = 0; n < size; n += 10) await recordAudit(table, organization, entries, 0);
  const audit = () => auditStore(table).list(organization, {}, { page: 1, limit: 20 }, now);
  costs['A page of 20 entries of the audit log'] = await cost(audit);
  return costs;
}

/** Opens an item of each severity for each domain. */
async function openItems(table: MeasuredTable['table'], domains: readonly Domain[]): Promise<void> {
  const held = { since: now.toISOString(), about: named(['SPF']) };
  const context = { settings: { mail: null, webhook: null }, now };
  for (let at = 0; at < domains.length; at += BATCH)
    await Promise.all(
      domains
        .slice(at, at + BATCH)
        .map((domain) =>
          table.transact(OPEN_KINDS.flatMap((kind) => domainOpening(domain, kind, held, context))),
        ),
    );
}

/** Counts as `GET /summary` does. */
async function summaryCost(
  table: MeasuredTable['table'],
  organization: string,
  cost: (request: () => Promise<unknown>) => Promise<number>,
): Promise<number> {
  const alerts = alertStore(table, { retentionDays: 0 });
  const domain = await register(table, organization, 'with-alerts.example', []);
  for (let n = 0; n <= MOST_COUNTED_ALERTS; n += 1)
    await raiseAlert({ table, alerts }, domain, reportAlertDraft(`alert ${n}`), now);
  return cost(() =>
    Promise.all([
      directoryStore(table).count(organization),
      alerts.list(organization, { unreadOnly: true }, { page: 1, limit: MOST_COUNTED_ALERTS }, now),
      scheduleStore(table).dueOf(organization, now, MOST_DUE_PER_SHARD),
      attentionStore(table).count(organization, now),
      sumsOf(table, organization),
    ]),
  );
}

/** Sums of 30 days and of 12 senders per domain, of which all domains have some. */
async function sumReports(table: MeasuredTable['table'], domains: readonly Domain[]): Promise<void> {
  const random = randomNumbers(domains.length);
  const sums = domainSumsStore(table, { retentionDays: 0 });
  const today = now.toISOString().slice(0, 10);
  const seen = { firstSeen: daysBefore(today, SUMMED_DAYS - 1), lastSeen: today };
  const sender = () => {
    const { id, name, kind } = senderGroups('example.org').groupOf(
      ownMail({ sourceIp: `198.51.${random(40)}.1`, dkimDomains: [], mailFrom: null }),
    );
    return { ...{ id, name, kind, ...seen }, messages: random(10_000), passed: 0 };
  };
  for (let at = 0; at < domains.length; at += BATCH) {
    const kept = domains.slice(at, at + BATCH).map((domain) =>
      sums.keep(
        domain,
        {
          days: Array.from({ length: SUMMED_DAYS }, (_, n) => ({
            ...{
              day: daysBefore(today, SUMMED_DAYS - 1 - n),
              messages: 2000 + random(1000),
              passed: random(2000),
            },
          })),
          senders: Array.from({ length: 12 }, sender),
          reporters: Array.from({ length: 12 }, (_, n) => ({
            ...{ name: `reporter-${n}.example`, days: 1 + random(SUMMED_DAYS) },
            ...{ firstSeen: daysBefore(today, SUMMED_DAYS - 1), lastSeen: daysBefore(today, random(5)) },
          })),
        },
        now,
      ),
    );
    await Promise.all(kept);
  }
}

const sumsOf = (table: MeasuredTable['table'], organization: string) =>
  sumsOfOrganization(
    organization,
    {
      domainSums: domainSumsStore(table, { retentionDays: 0 }),
      organizationSums: organizationSumsStore(table, organizationSums),
    },
    now,
  );

const entry = {
  ...{ at: now.toISOString(), action: 'createDomain', token: crypto.randomUUID() },
  ...{ subject: crypto.randomUUID(), name: 'example.org', clientAddress: '192.0.2.1' },
};

/** Stores domains as after their registration and a check run, then changes some, whose changes wait in the directory. */
async function load(
  table: MeasuredTable['table'],
  organization: string,
  size: number,
): Promise<readonly Domain[]> {
  const random = randomNumbers(size);
  const word = () => words[random(words.length)];
  const stored = Array.from({ length: size }, (_, n): Domain => {
    const score = 55 + random(46);
    return {
      ...{
        id: uuidv7({ msecs: now.getTime() - (size - n) * HOUR }),
        organization,
        lastCheckedAt: now.toISOString(),
      },
      domain: `${word()}-${word()}${random(100_000)}-${n}.${suffixes[n % suffixes.length]}`,
      ...{ verified: random(2) === 0, usageType: usageTypes[random(usageTypes.length)] ?? 'parked' },
      ...{ verificationToken: randomBytes(24).toString('base64url'), testEmailLocalPart: 'postmaster' },
      mailbox: randomBytes(12).toString('hex'),
      dkimSelectors: [],
      tags: random(2) === 0 ? [`customer:${random(100)}`] : [],
      scores: { 'sends-and-receives': score, 'receives-only': score - 5, 'sends-only': score, parked: score },
      ...{ createdAt: now.toISOString(), updatedAt: now.toISOString() },
    };
  });
  for (let at = 0; at < size; at += BATCH) {
    const requests = stored.slice(at, at + BATCH).map((domain) => ({
      PutRequest: { Item: { ...domainKey(organization, domain.id), ...domain } },
    }));
    await table.client.send(new BatchWriteCommand({ RequestItems: { [table.name]: requests } }));
  }
  for (const [shard, domains] of Map.groupBy(stored, ({ id }) => shardOf(id).shard)) {
    const columns = columnsOf(
      domains.map(({ scores, ...domain }) => ({
        ...{ ...domain, scores: usageTypes.map((usage) => scores?.[usage] ?? null), policy: 'none' as const },
        week: [{ day: '2026-02-20', score: 50 }],
        mail: { messages: random(100_000), passed: 0, last: '2026-02-22' },
        compliance: 'vvvvvvffvvffuunnvvvvffff',
      })),
    );
    await table.put({ ...directoryShardKey(organization, shard), revision: 1, columns });
  }
  for (const domain of stored.slice(0, CHANGED)) {
    const { usageType, testEmailLocalPart, dkimSelectors } = domain;
    await domainStore(table).change(
      domain,
      { usageType, testEmailLocalPart, dkimSelectors, hasBadge: false },
      now,
    );
  }
  return stored;
}

async function register(
  table: MeasuredTable['table'],
  organization: string,
  domain: string,
  tags: readonly string[],
): Promise<Domain> {
  const usageType = usageTypes[domain.length % usageTypes.length] ?? 'parked';
  const given = { domain, usageType, testEmailLocalPart: null, tags };
  const outcome = await domainStore(table).register(organization, given, 1_000_000, now);
  if (outcome.status !== 'registered') throw new Error(outcome.status);
  return outcome.domain;
}
