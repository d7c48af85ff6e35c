/** The DMARC reports of all domains of an organization in the last 30 days: totals, and who sends as its domains. */
import type { DaySummary } from '../reports/dmarc/summary/shapes.ts';
import type { DomainReference } from '../store/domains/domain.ts';
import {
  type DomainSums,
  type DomainSumsStore,
  LONGEST_KEPT_MILLISECONDS,
  type OrganizationSumsStore,
  type SummedDomain,
  summedWindow,
} from '../store/reports/domain-sums.ts';
import {
  MOST_DOMAINS,
  MOST_NAMED,
  type OrganizationSource,
  type OrganizationSums,
} from './organization-shapes.ts';
import { passed, percentage, sendersOf } from './senders.ts';

/** Domains have few senders; forged mail, which comes from many networks, does not fill the sums. */
const SENDERS_PER_DOMAIN = 25;
/** Few domains have as many. Those that report on the most days are kept, so that others cannot push them out. */
const REPORTERS_PER_DOMAIN = 25;
/** About 40 KB when compressed. */
const MOST_SOURCES = 500;
const MOST_REPORTERS = 500;
/** Sums of fewer domains are calculated for each request. */
const FEWEST_KEPT = 300;
/** For how long sums are kept, for each domain: reading 10,000 domains costs about 600 read units, once an hour. */
const KEPT_MILLISECONDS = 360;

/** Stores what the sums of an organization need of a domain. `days` are its last 30 days or more. */
export async function keepSums(
  domain: DomainReference,
  days: readonly DaySummary[],
  store: Pick<DomainSumsStore, 'keep'>,
  now: Date,
): Promise<void> {
  const { from } = summedWindow(now);
  const summed = days.filter(({ day }) => day >= from);
  await store.keep(domain, await sumsOf(domain.domain, summed), now);
}

async function sumsOf(domain: string, days: readonly DaySummary[]): Promise<DomainSums> {
  const senders = await sendersOf(domain, days, new Map());
  return {
    days: days.map((of) => {
      const records = of.summaries.flatMap((summary) => summary.records);
      return { day: of.day, messages: messagesOf(records), passed: messagesOf(records.filter(passed)) };
    }),
    reporters: reportersOf(days),
    senders: senders
      .slice(0, SENDERS_PER_DOMAIN)
      .map(({ id, name, kind, messages, passedMessages, firstSeen, lastSeen }) => ({
        ...{ id, name, kind, messages, passed: passedMessages, firstSeen, lastSeen },
      })),
  };
}

function reportersOf(days: readonly DaySummary[]): DomainSums['reporters'] {
  const seen = new Map<string, SeenReporter>();
  for (const { day, summaries } of days) {
    const names = summaries.flatMap(({ reporter, authenticated }) => (authenticated ? (reporter ?? []) : []));
    for (const name of new Set(names)) {
      const before = seen.get(name) ?? { name, days: 0, firstSeen: day };
      seen.set(name, { ...before, days: before.days + 1, lastSeen: day });
    }
  }
  return [...seen.values()].toSorted(mostDaysFirst).slice(0, REPORTERS_PER_DOMAIN);
}

const mostDaysFirst = (a: SeenReporter, b: SeenReporter): number =>
  b.days - a.days || (a.name < b.name ? -1 : 1);

/** The sums of an organization; those of a large one are at most an hour old. */
export async function sumsOfOrganization(
  organization: string,
  stores: {
    readonly domainSums: Pick<DomainSumsStore, 'each'>;
    readonly organizationSums: OrganizationSumsStore<OrganizationSums>;
  },
  now: Date,
): Promise<OrganizationSums> {
  const recent = await stores.organizationSums.recent(organization, now);
  if (recent !== undefined) return recent;
  const sums = await added(stores.domainSums.each(organization, now), now);
  const { domains } = sums.totals;
  if (domains >= FEWEST_KEPT) {
    const kept = Math.min(LONGEST_KEPT_MILLISECONDS, domains * KEPT_MILLISECONDS);
    const until = new Date(now.getTime() + kept);
    await stores.organizationSums.keep(organization, sums, until);
  }
  return sums;
}

type SeenReporter = DomainSums['reporters'][number];

interface Counted extends Pick<OrganizationSource, 'id' | 'name' | 'kind' | 'firstSeen' | 'lastSeen'> {
  messages: number;
  passed: number;
  domains: number;
  mostFailed: OrganizationSource['mostFailed'];
}

async function added(summed: AsyncIterable<SummedDomain>, now: Date): Promise<OrganizationSums> {
  const { from: startDate, to: endDate } = summedWindow(now);
  const sources = new Map<string, Counted>();
  const byDay = new Map<string, OrganizationSums['days'][number]>();
  const reporters = new Map<string, SeenReporter>();
  let [domains, messages, passed, hasMore] = [0, 0, 0, false];
  let asOf: string | null = null;
  for await (const domain of summed) {
    const days = domain.sums.days.filter(({ day }) => day >= startDate);
    if (days.length === 0) continue;
    if (domains === MOST_DOMAINS) {
      hasMore = true;
      break;
    }
    domains += 1;
    if (asOf === null || domain.summedAt > asOf) asOf = domain.summedAt;
    for (const day of days) {
      messages += day.messages;
      passed += day.passed;
      const before = byDay.get(day.day) ?? { messages: 0, passed: 0 };
      byDay.set(day.day, {
        day: day.day,
        messages: before.messages + day.messages,
        passed: before.passed + day.passed,
      });
    }
    for (const one of domain.sums.reporters)
      if (one.lastSeen >= startDate) reporters.set(one.name, merged(reporters.get(one.name), one));
    for (const one of domain.sums.senders)
      if (one.lastSeen >= startDate) sources.set(one.id, withSender(sources.get(one.id), domain, one));
  }
  return {
    totals: { startDate, endDate, asOf, domains, hasMore, ...countsOf(messages, passed) },
    sources: [...sources.values()]
      .toSorted((a, b) => b.messages - a.messages || (a.id < b.id ? -1 : 1))
      .slice(0, MOST_SOURCES)
      .map(({ id, name, kind, messages, passed, ...others }) => ({
        ...{ id, name, kind, ...countsOf(messages, passed) },
        ...others,
      })),
    days: [...byDay.values()].toSorted((a, b) => (a.day < b.day ? -1 : 1)),
    reporters: [...reporters.values()].toSorted(mostDaysFirst).slice(0, MOST_REPORTERS),
  };
}

const merged = (known: SeenReporter | undefined, one: SeenReporter): SeenReporter => ({
  name: one.name,
  days: Math.max(one.days, known?.days ?? 0),
  firstSeen: known !== undefined && known.firstSeen < one.firstSeen ? known.firstSeen : one.firstSeen,
  lastSeen: known !== undefined && known.lastSeen > one.lastSeen ? known.lastSeen : one.lastSeen,
});

function withSender(
  known: Counted | undefined,
  { id: domainId, domain }: SummedDomain,
  { id, name, kind, messages, passed, firstSeen, lastSeen }: DomainSums['senders'][number],
): Counted {
  const failed = { domainId, domain, failedMessages: messages - passed };
  return {
    ...{ id, name, kind },
    messages: messages + (known?.messages ?? 0),
    passed: passed + (known?.passed ?? 0),
    firstSeen: known !== undefined && known.firstSeen < firstSeen ? known.firstSeen : firstSeen,
    lastSeen: known !== undefined && known.lastSeen > lastSeen ? known.lastSeen : lastSeen,
    domains: 1 + (known?.domains ?? 0),
    mostFailed: [...(known?.mostFailed ?? []), failed]
      .filter(({ failedMessages }) => failedMessages > 0)
      .toSorted((a, b) => b.failedMessages - a.failedMessages)
      .slice(0, MOST_NAMED),
  };
}

const countsOf = (messages: number, passed: number) => ({
  messages,
  passedMessages: passed,
  failedMessages: messages - passed,
  passRate: percentage(passed, messages),
});

const messagesOf = (records: readonly { readonly count: number }[]): number =>
  records.reduce((sum, { count }) => sum + count, 0);
