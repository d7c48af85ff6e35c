/** What is known about one sender of a domain: its mail by day, what is behind it, and what the next policy does to it. */
import type { Days, SimulationDependencies } from '../../enforcement/dependencies.ts';
import { isDmarcKnown, publishedRecords } from '../../enforcement/published-records.ts';
import { recentAssessment } from '../../enforcement/recent-assessment.ts';
import { type Portion, type SenderDetails, senderDetails } from '../../enforcement/sender-details.ts';
import { nothingToSetUp, type SetupStep, setupOf } from '../../enforcement/sender-setup.ts';
import { senderGroups, sendersOf } from '../../enforcement/senders.ts';
import type { Enforcement, Sender, SimulatedSender } from '../../enforcement/shapes.ts';
import { simulateSummaries } from '../../enforcement/simulate-records.ts';
import { inspectReverseDns, type ReverseDns } from '../../mail-test/reverse-dns.ts';
import { dnsWithDeadline } from '../../network/deadline.ts';
import { Refused } from '../../operations/outcome.ts';
import { daysOf, lastDaysOf } from '../../operations/reports/days.ts';
import type { Dns } from '../../protocol/dns.ts';
import { organizationalDomain } from '../../protocol/domain-name.ts';
import type { IpData } from '../../protocol/ip-data.ts';
import { dayAt } from '../../protocol/time.ts';
import type { DaySummary } from '../../reports/dmarc/summary/shapes.ts';
import { recordOf } from '../../reports/dmarc/summary/summarise.ts';
import { memoized } from '../../reports/values.ts';
import type { Domain } from '../../store/domains/domains.ts';
import { publishedReportAddress } from '../../store/domains/report-address.ts';
import {
  addMessages,
  type MessageCounts,
  messagesWith,
  noMessages,
} from '../../store/reports/dmarc-sources.ts';
import { type RowsOfReports, rowsOfDay } from '../../store/reports/rows-of-day.ts';
import { type Networks, networksOf, SENDER_DAYS } from './dmarc.ts';
import type { EnforcementViewDependencies } from './enforcement.ts';

/** The largest addresses, reporters and others of each kind. */
const MOST_PORTIONS = 15;
/** Names of more addresses would take too many lookups of zones that strangers run. */
const MOST_NAMES = 8;
const NAMES_MILLISECONDS = 3000;
const MOST_SELECTORS = 15;

export interface SenderView {
  /** The window, or the end of a long one. */
  readonly days: Days;
  /** The current day, UTC. */
  readonly today: string;
  /** Undefined without mail of the sender in the window. */
  readonly known: KnownSender | undefined;
}

export interface KnownSender {
  readonly sender: Sender;
  /** Days with its mail, oldest first. */
  readonly timeline: readonly (MessageCounts & { readonly day: string })[];
  readonly details: SenderDetails;
  /** The names of the largest addresses. */
  readonly names: ReadonlyMap<string, ReverseDns>;
  readonly networks: Networks;
  readonly selectors: readonly Selector[];
  readonly effect: Effect;
  /** Why the sender stands in the way of p=reject, and what to do about it. */
  readonly blocker: Enforcement['blockers'][number] | undefined;
  readonly setup: { readonly nothing: string | undefined; readonly steps: readonly SetupStep[] };
}

/** A selector that mail of the sender was signed with. */
export interface Selector extends Portion {
  /** The domain that it belongs to. */
  readonly domain: string;
  /** `pass`, or as reported. */
  readonly result: string;
}

/** What the next policy does to the mail of the window. */
export type Effect =
  /** `last`: receivers are asked to reject already. `unknown`: the published record is not known. */
  | { readonly kind: 'last' | 'unknown' }
  | { readonly kind: 'simulated'; readonly record: string; readonly simulated: SimulatedSender };

export interface SenderViewDependencies extends EnforcementViewDependencies {
  readonly dmarcReports: RowsOfReports;
  readonly ipData: IpData;
}

/** Refused if the window is not valid. */
export async function senderView(
  domain: Domain,
  senderId: string,
  query: { readonly startDate?: string | undefined; readonly endDate?: string | undefined },
  deps: SenderViewDependencies,
): Promise<SenderView | Refused> {
  const now = deps.clock.now();
  const asked = daysOf(query, now);
  if (asked instanceof Refused) return asked;
  const days = lastDaysOf(asked, SENDER_DAYS);
  const [all, decided] = await Promise.all([
    deps.summaries.readSummaries(domain.id, days, now),
    deps.decisions.list(domain.id),
  ]);
  const own = summariesOf(domain.domain, senderId, all);
  const [sender] = await sendersOf(domain.domain, own, decided);
  const today = dayAt(now);
  if (sender === undefined) return { days, today, known: undefined };
  const details = senderDetails(domain.domain, own, [senderId], MOST_PORTIONS).get(senderId);
  if (details === undefined) throw new Error('the sender has no details');
  const [names, selectors, { effect, blocker }] = await Promise.all([
    namesOf(details.addresses, deps.dns),
    selectorsOf(domain, sender, deps, now),
    effectOn(domain, sender, { own, all, days, decided }, deps),
  ]);
  return {
    ...{ days, today },
    known: {
      ...{ sender, details, names, selectors, effect, blocker },
      networks: networksOf([details], deps.ipData),
      timeline: own.map(({ day, summaries }) => ({ day, ...countsOf(summaries) })),
      setup: {
        nothing: nothingToSetUp(sender, domain.domain),
        steps: setupOf(sender, details, domain.domain),
      },
    },
  };
}

/** The days with mail of the sender, with only that. */
function summariesOf(domain: string, senderId: string, days: readonly DaySummary[]): readonly DaySummary[] {
  const { groupOf } = senderGroups(domain);
  return days.flatMap(({ day, summaries }) => {
    const own = summaries
      .map((one) => ({ ...one, records: one.records.filter((record) => groupOf(record).id === senderId) }))
      .filter(({ records }) => records.length > 0);
    return own.length === 0 ? [] : [{ day, summaries: own }];
  });
}

const countsOf = (summaries: DaySummary['summaries']): MessageCounts =>
  summaries
    .flatMap(({ records }) => records)
    .reduce((sum, record) => addMessages(sum, messagesWith(record, record.count)), noMessages);

/** Nobody waits long for the name servers of strangers: what takes longer is unknown. */
async function namesOf(addresses: readonly Portion[], dns: Dns): Promise<ReadonlyMap<string, ReverseDns>> {
  const inTime = dnsWithDeadline(dns, AbortSignal.timeout(NAMES_MILLISECONDS));
  const found = addresses
    .slice(0, MOST_NAMES)
    .map(async ({ name }) => [name, await inspectReverseDns(name, null, inTime)] as const);
  return new Map(await Promise.all(found));
}

/** Summaries have no selectors, so they are those in the newest reports about the last day on which the sender was seen. */
async function selectorsOf(
  { id, domain }: Pick<Domain, 'id' | 'domain'>,
  { id: senderId, lastSeen }: Pick<Sender, 'id' | 'lastSeen'>,
  { dmarcReports }: Pick<SenderViewDependencies, 'dmarcReports'>,
  now: Date,
): Promise<readonly Selector[]> {
  const { groupOf } = senderGroups(domain);
  const organizationOf = memoized(organizationalDomain);
  const found = new Map<string, { -readonly [Key in keyof Selector]: Selector[Key] }>();
  for await (const { rows } of rowsOfDay(id, lastSeen, dmarcReports, now)) {
    for (const row of rows) {
      const record = { ...recordOf(row, organizationOf), count: row.count };
      if (groupOf(record).id !== senderId) continue;
      for (const { domain: signer, selector, result } of row.dkimResults) {
        if (selector === null) continue;
        const key = `${selector} ${signer} ${result}`;
        const counted = found.get(key) ?? {
          ...{ name: selector, domain: signer, result, messages: 0, passedMessages: 0 },
        };
        found.set(key, counted);
        counted.messages += row.count;
        if (result === 'pass') counted.passedMessages += row.count;
      }
    }
  }
  return largest([...found.values()]);
}

const largest = (selectors: readonly Selector[]): readonly Selector[] =>
  selectors.toSorted((a, b) => b.messages - a.messages).slice(0, MOST_SELECTORS);

interface Mail {
  /** The mail of the sender, and of all senders. */
  readonly own: readonly DaySummary[];
  readonly all: readonly DaySummary[];
  readonly days: Days;
  readonly decided: Awaited<ReturnType<SimulationDependencies['decisions']['list']>>;
}

/** Replays the mail of the sender with the next record, which the page about enforcement shows, too. */
async function effectOn(
  domain: Domain,
  { id: senderId }: Pick<Sender, 'id'>,
  { own, all, days, decided }: Mail,
  { reportsDomain, ...deps }: SenderViewDependencies,
): Promise<Pick<KnownSender, 'effect' | 'blocker'>> {
  const mailbox = publishedReportAddress(domain, reportsDomain);
  const [{ assessment }, latest] = await Promise.all([
    recentAssessment({ ...domain, mailbox }, deps),
    deps.checks.latest(domain.id),
  ]);
  const blocker = assessment.blockers.find((one) => one.senderId === senderId);
  const { nextRecord: record, stage } = assessment;
  if (!isDmarcKnown(latest?.results)) return { effect: { kind: 'unknown' }, blocker };
  if (record === null) return { effect: { kind: stage === 'reject' ? 'last' : 'unknown' }, blocker };
  const published = publishedRecords(domain.domain, latest.results, all);
  const replay = { proposed: { dmarc: record }, days, reports: () => own, decisions: decided, published };
  const result = await simulateSummaries(domain.domain, replay, deps);
  const [simulated] = 'simulation' in result ? result.simulation.senders : [];
  return {
    effect: simulated === undefined ? { kind: 'unknown' } : { kind: 'simulated', record, simulated },
    blocker,
  };
}
