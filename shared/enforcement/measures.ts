/**
 * Measures what the rules of enforcement ask for, in one pass over the record summaries of 400 days. Only authenticated
 * reports count, because anyone can send others.
 */
import { isWithin, organizationalDomain } from '../protocol/domain-name.ts';
import { daysBefore } from '../reports/day.ts';
import {
  type RecordSummary,
  type ReportSummary,
  withAuthenticated,
} from '../reports/dmarc/summary/shapes.ts';
import { isLargeReceiver } from '../reports/large-receivers.ts';
import { memoized } from '../reports/values.ts';
import type { SenderDecisions } from '../store/enforcement/decisions.ts';
import type { ReportDays } from './dependencies.ts';
import { policyHistory, type ShownPolicies, WINDOW_DAYS } from './policy-history.ts';
import { providerIdOf } from './sender-fields.ts';
import { FORWARDING, passed, type SenderGroup, senderGroups } from './senders.ts';
import type { SenderStatus } from './shapes.ts';

/** Messages of the 30-day window. */
export interface MessageSums {
  /** Approved messages that no intermediary changed, and how many of them passed DMARC and aligned DKIM. */
  approved: number;
  approvedPassed: number;
  approvedDkim: number;
  /** Messages without a decision. */
  undecidedPassed: number;
  undecidedFailed: number;
}

/** The 30 days up to the last day with messages of a kind. */
export interface ActivePeriod {
  readonly lastDay: string;
  readonly messages: number;
  readonly failed: number;
}

/** The measures of one sender. */
export interface SenderMeasures {
  readonly group: SenderGroup;
  /** In all reports, and in those of large receivers, which nobody else can send. */
  readonly all: MessageSums;
  readonly atLarge: MessageSums;
  /** Whether any of its messages without a decision ever passed DMARC. */
  everPassed: boolean;
  /** The latest source addresses of messages without a decision that failed. */
  readonly addresses: Set<string>;
  /** The days of the last 60 with messages without a decision. */
  readonly recentDays: Set<string>;
  /** When it was last active with approved messages, and with messages without a decision; null if never. */
  lastApproved: ActivePeriod | null;
  lastUndecided: ActivePeriod | null;
  /** Of the other customers of a provider: when the provider was last active with approved messages; null if never. */
  readonly lastOfProvider: ActivePeriod | null;
}

export interface Measures extends ShownPolicies {
  readonly senders: readonly SenderMeasures[];
  /** Days of the 30-day window with reports. */
  readonly reportDays: number;
  /** Messages by the organizational domain of the reporter. */
  readonly reporters: ReadonlyMap<string, number>;
  /** Whether a large receiver is among the reporters. */
  readonly hasLargeReceiver: boolean;
  /** Messages of approved senders and forwarders that went through an intermediary, and those of them that failed. */
  readonly forwarded: number;
  readonly forwardedFailed: number;
  /** Whether approved mail has a valid signature of the domain itself. */
  readonly signsAsDomain: boolean;
  /** The first day of the 30-day window. */
  readonly windowFrom: string;
  /** Messages that passed DMARC, in the 400 days. */
  readonly aligned: number;
}

export interface MeasureOptions {
  readonly domain: string;
  readonly decisions: SenderDecisions;
  /** Whether the next step leaves subdomains the policy that they have (`sp`). */
  readonly keepsSubdomainPolicy: boolean;
  /** The current day, UTC. */
  readonly today: string;
}

/** Reports arrive late, so the newest days are incomplete. */
export const IGNORED_DAYS = 3;
const RECENT_DAYS = 60;
/** Enough to compare with the published records; the messages with most addresses are forged. */
const MAX_ADDRESSES = 50;

/** `days`: up to 400, oldest first. */
export async function measure(
  days: ReportDays,
  { domain, decisions, keepsSubdomainPolicy, today }: MeasureOptions,
): Promise<Measures> {
  const { groupOf, statusOf } = senderGroups(domain);
  const organizational = memoized(organizationalDomain);
  const window = {
    from: daysBefore(today, IGNORED_DAYS + WINDOW_DAYS - 1),
    to: daysBefore(today, IGNORED_DAYS),
  };
  const recentFrom = daysBefore(today, RECENT_DAYS - 1);
  const senders = new Map<string, MeasuredSender>();
  const reporters = new Map<string, number>();
  const history = policyHistory(domain);
  const all = { reportDays: 0, forwarded: 0, forwardedFailed: 0, aligned: 0 };
  const found = { hasLargeReceiver: false, signsAsDomain: false };

  for await (const { day, summaries } of days) {
    const { summaries: authenticated } = withAuthenticated({ day, summaries });
    if (authenticated.length === 0) continue;
    const isInWindow = day >= window.from && day <= window.to;
    if (isInWindow) all.reportDays += 1;
    const figures = history.begin(day);
    for (const report of authenticated) {
      const { authenticatedDomain: reporter, records } = report;
      const isLarge = isLargeReceiver(reporter);
      const messages = records.reduce((sum, { count }) => sum + count, 0);
      figures.addPolicy(report.policy, { messages, isLarge });
      if (isInWindow && reporter !== null) {
        const name = organizational(reporter);
        reporters.set(name, (reporters.get(name) ?? 0) + messages);
        found.hasLargeReceiver ||= isLarge;
      }
      for (const record of records) {
        const { count } = record;
        const group = groupOf(record);
        const status = statusOf(record, group, decisions);
        const sender = senders.get(group.id) ?? newSender(group);
        senders.set(group.id, sender);
        if (passed(record)) all.aligned += count;
        if (passed(record) && status === null) sender.everPassed = true;
        if (!isConcerned(report, record, { domain, keepsSubdomainPolicy })) continue;
        const isForwarded = record.overrides.some((type) => FORWARDING.has(type)) || status === 'forwarder';
        if (status === 'approved') figures.addApproved(record, { group, isLarge, isForwarded });
        if (status === null) {
          if (!isForwarded) sender.undecidedDays = addDay(sender.undecidedDays, day, record);
          if (!passed(record)) addAddress(sender, record);
          if (day >= recentFrom) sender.recentDays.add(day);
        }
        if (status === 'approved' && !isForwarded)
          sender.approvedDays = addDay(sender.approvedDays, day, record);
        if (!isInWindow) continue;
        if (isForwarded && (status === 'approved' || status === 'forwarder')) {
          all.forwarded += count;
          if (!passed(record)) all.forwardedFailed += count;
        } else {
          add(sender.all, status, record);
          if (isLarge) add(sender.atLarge, status, record);
          found.signsAsDomain ||= status === 'approved' && isSignedBy(domain, record);
        }
      }
    }
  }
  return {
    ...all,
    ...found,
    senders: [...senders.values()].map(({ approvedDays, undecidedDays, ...sender }) => ({
      ...sender,
      lastApproved: periodOf(approvedDays),
      lastUndecided: periodOf(undecidedDays),
      lastOfProvider: periodOf(senders.get(providerIdOf(sender.group.id) ?? '')?.approvedDays ?? []),
    })),
    reporters,
    windowFrom: window.from,
    ...history.shown(),
  };
}

/**
 * Whether the next step changes what receivers do with a message: a subdomain with a record of its own keeps it, and so
 * does one with a policy of its own in the record of the domain.
 */
function isConcerned(
  { policy }: ReportSummary,
  { headerFrom }: RecordSummary,
  { domain, keepsSubdomainPolicy }: Pick<MeasureOptions, 'domain' | 'keepsSubdomainPolicy'>,
): boolean {
  const isBelow = (name: string) => name !== domain && isWithin(name, domain);
  if (policy !== null && isBelow(policy.domain)) return false;
  return !(keepsSubdomainPolicy && headerFrom !== null && isBelow(headerFrom));
}

interface MeasuredSender extends Omit<SenderMeasures, 'lastApproved' | 'lastUndecided' | 'lastOfProvider'> {
  approvedDays: ActiveDay[];
  undecidedDays: ActiveDay[];
}

function newSender(group: SenderGroup): MeasuredSender {
  return {
    group,
    all: noSums(),
    atLarge: noSums(),
    everPassed: false,
    addresses: new Set(),
    recentDays: new Set(),
    approvedDays: [],
    undecidedDays: [],
  };
}

interface ActiveDay {
  readonly day: string;
  messages: number;
  failed: number;
}

/** Adds messages, oldest first, to the days of the last active period, and leaves out those before it. */
function addDay(days: ActiveDay[], day: string, record: RecordSummary): ActiveDay[] {
  const last = days.at(-1);
  const counts = last?.day === day ? last : { day, messages: 0, failed: 0 };
  counts.messages += record.count;
  if (!passed(record)) counts.failed += record.count;
  if (counts === last) return days;
  const from = daysBefore(day, WINDOW_DAYS - 1);
  return [...days.filter((one) => one.day >= from), counts];
}

function periodOf(days: readonly ActiveDay[]): ActivePeriod | null {
  const last = days.at(-1);
  if (last === undefined) return null;
  const sum = (of: 'messages' | 'failed') => days.reduce((total, counts) => total + counts[of], 0);
  return { lastDay: last.day, messages: sum('messages'), failed: sum('failed') };
}

/** The least recent address makes room. */
function addAddress({ addresses }: MeasuredSender, { sourceIp }: RecordSummary): void {
  if (sourceIp === null) return;
  addresses.delete(sourceIp);
  addresses.add(sourceIp);
  const [oldest] = addresses;
  if (addresses.size > MAX_ADDRESSES && oldest !== undefined) addresses.delete(oldest);
}

const noSums = (): MessageSums => ({
  ...{ approved: 0, approvedPassed: 0, approvedDkim: 0 },
  ...{ undecidedPassed: 0, undecidedFailed: 0 },
});

function add(sums: MessageSums, status: SenderStatus, record: RecordSummary): void {
  const { count, dkim } = record;
  if (status === null) sums[passed(record) ? 'undecidedPassed' : 'undecidedFailed'] += count;
  if (status !== 'approved') return;
  sums.approved += count;
  if (passed(record)) sums.approvedPassed += count;
  if (dkim === 'pass') sums.approvedDkim += count;
}

const isSignedBy = (domain: string, { dkim, dkimDomains }: RecordSummary): boolean =>
  dkim === 'pass' && dkimDomains.includes(domain);
