/** Measures what the rules of enforcement ask for, in one pass over the record summaries of 400 days. */

import { type Policy, policies } from '../protocol/dmarc/record.ts';
import { isWithin } from '../protocol/domain-name.ts';
import { daysBefore, daysBetween } from '../reports/day.ts';
import type { RecordSummary, ReportSummary } from '../reports/dmarc/summary/shapes.ts';
import type { SenderDecisions } from '../store/enforcement/decisions.ts';
import type { ReportDays } from './dependencies.ts';
import { appliedPolicy, termsOfReport } from './policy-terms.ts';
import { FORWARDING, passed, type SenderGroup, senderGroups } from './senders.ts';
import type { SenderStatus } from './shapes.ts';

/** The measures of one sender; messages are those of the 30-day window unless the name says otherwise. */
export interface SenderMeasures {
  readonly group: SenderGroup;
  readonly decision: SenderStatus;
  /** Approved messages that no intermediary changed, and how many of them passed DMARC and aligned DKIM. */
  approved: number;
  approvedPassed: number;
  approvedDkim: number;
  /** Messages without a decision. */
  unclassified: number;
  /** Whether any of its messages without a decision ever passed DMARC. */
  everPassed: boolean;
  /** A source address of unclassified messages; undefined without one. */
  readonly addresses: Set<string>;
  /** The days of the last 60 with messages without a decision. */
  readonly recentDays: Set<string>;
  /** Its last day with approved messages, how many there were, and how many passed. */
  lastDay: string;
  lastMessages: number;
  lastPassed: number;
}

export interface Measures {
  readonly senders: readonly SenderMeasures[];
  /** Days of the 30-day window with reports. */
  readonly reportDays: number;
  /** Messages by authenticated reporter. */
  readonly reporters: ReadonlyMap<string, number>;
  readonly messages: number;
  /** Messages of approved senders and forwarders that went through an intermediary, and those of them that failed. */
  readonly forwarded: number;
  readonly forwardedFailed: number;
  /** The first day with a report; null without reports. */
  readonly since: string | null;
  /** Days since the effective policy of the domain is what the latest reports found. */
  readonly policyDays: number;
  /** Authenticated reports of aligned mail, in the 400 days. */
  readonly authenticatedAligned: number;
  readonly lastStep: LastStep | null;
}

/** A step to a stricter policy that reports show. */
export interface LastStep {
  readonly day: string;
  readonly policy: Policy;
  /** Approved messages of the 30 days before, and those of them that failed. */
  readonly before: { readonly messages: number; readonly lost: number };
  /** Approved messages since, and those of them that were quarantined or rejected. */
  readonly since: { readonly messages: number; readonly lost: number };
}

/** Reports arrive late, so the newest days are incomplete. */
export const IGNORED_DAYS = 3;
export const WINDOW_DAYS = 30;
const RECENT_DAYS = 60;
/** Enough to compare with the published records; the messages with most addresses are forged. */
const MAX_ADDRESSES = 50;

/** `days`: up to 400, oldest first; `today`: the current day, UTC. */
export async function measure(
  days: ReportDays,
  { domain, decisions, today }: { domain: string; decisions: SenderDecisions; today: string },
): Promise<Measures> {
  const { groupOf, statusOf } = senderGroups(domain);
  const window = {
    from: daysBefore(today, IGNORED_DAYS + WINDOW_DAYS - 1),
    to: daysBefore(today, IGNORED_DAYS),
  };
  const recentFrom = daysBefore(today, RECENT_DAYS - 1);
  const senders = new Map<string, SenderMeasures>();
  const reporters = new Map<string, number>();
  const daily: DayFigures[] = [];
  const all = { reportDays: 0, messages: 0, forwarded: 0, forwardedFailed: 0, authenticatedAligned: 0 };

  for await (const { day, summaries } of days) {
    if (summaries.length === 0) continue;
    const isInWindow = day >= window.from && day <= window.to;
    if (isInWindow) all.reportDays += 1;
    const figures = { day, policies: new Map<Policy, number>(), approved: 0, failed: 0, lost: 0 };
    daily.push(figures);
    for (const report of summaries) {
      const messages = report.records.reduce((sum, { count }) => sum + count, 0);
      addPolicy(figures, report, { domain, messages });
      if (isInWindow && report.authenticated === true && report.reporter !== null) {
        reporters.set(report.reporter, (reporters.get(report.reporter) ?? 0) + messages);
      }
      for (const record of report.records) {
        const group = groupOf(record);
        const status = statusOf(record, group, decisions);
        const sender = senders.get(group.id) ?? newSender(group, decisions.get(group.id)?.status ?? null);
        senders.set(group.id, sender);
        const isForwarded = record.overrides.some((type) => FORWARDING.has(type)) || status === 'forwarder';
        if (passed(record) && report.authenticated === true) all.authenticatedAligned += record.count;
        if (status === null && passed(record)) sender.everPassed = true;
        if (status === null && day >= recentFrom) sender.recentDays.add(day);
        if (status === 'approved' && !isForwarded) addLast(sender, day, record);
        if (status === 'approved') addDaily(figures, record);
        if (!isInWindow) continue;
        all.messages += record.count;
        if (isForwarded && (status === 'approved' || status === 'forwarder')) {
          all.forwarded += record.count;
          if (!passed(record)) all.forwardedFailed += record.count;
        } else add(sender, status, record);
      }
    }
  }
  return {
    ...all,
    senders: [...senders.values()],
    reporters,
    since: daily[0]?.day ?? null,
    ...policyHistory(daily, today),
  };
}

function newSender(group: SenderGroup, decision: SenderStatus): SenderMeasures {
  return {
    group,
    decision,
    ...{ approved: 0, approvedPassed: 0, approvedDkim: 0, unclassified: 0, everPassed: false },
    addresses: new Set(),
    recentDays: new Set(),
    ...{ lastDay: '', lastMessages: 0, lastPassed: 0 },
  };
}

function add(sender: SenderMeasures, status: SenderStatus, record: RecordSummary): void {
  const { count, sourceIp } = record;
  if (status === 'approved') {
    sender.approved += count;
    if (passed(record)) sender.approvedPassed += count;
    if (record.dkim === 'pass') sender.approvedDkim += count;
  } else if (status === null) {
    sender.unclassified += count;
    if (sourceIp !== null && sender.addresses.size < MAX_ADDRESSES) sender.addresses.add(sourceIp);
  }
}

function addLast(sender: SenderMeasures, day: string, record: RecordSummary): void {
  if (day > sender.lastDay) Object.assign(sender, { lastDay: day, lastMessages: 0, lastPassed: 0 });
  sender.lastMessages += record.count;
  if (passed(record)) sender.lastPassed += record.count;
}

interface DayFigures {
  readonly day: string;
  /** Messages by the policy that receivers that follow RFC 9989 apply to the domain. */
  readonly policies: Map<Policy, number>;
  approved: number;
  failed: number;
  lost: number;
}

function addDaily(figures: DayFigures, record: RecordSummary): void {
  figures.approved += record.count;
  if (!passed(record)) figures.failed += record.count;
  if (record.disposition !== 'none') figures.lost += record.count;
}

function addPolicy(
  { policies: found }: DayFigures,
  { policy }: ReportSummary,
  { domain, messages }: { domain: string; messages: number },
): void {
  // Reports about subdomains with a record of their own say nothing about the domain's record.
  if (policy === null || (policy.domain !== domain && isWithin(policy.domain, domain))) return;
  const applied = appliedPolicy(termsOfReport(policy), policy.domain === domain ? 'p' : 'sp');
  found.set(applied, (found.get(applied) ?? 0) + messages);
}

/** The policy that most messages of a day were evaluated with. */
function policyOf({ policies: found }: DayFigures): Policy | undefined {
  return [...found].toSorted(([, a], [, b]) => b - a)[0]?.[0];
}

function policyHistory(
  daily: readonly DayFigures[],
  today: string,
): { policyDays: number; lastStep: LastStep | null } {
  const known = daily.flatMap((figures) => {
    const policy = policyOf(figures);
    return policy === undefined ? [] : [{ ...figures, policy }];
  });
  const present = known.at(-1)?.policy;
  if (present === undefined) return { policyDays: 0, lastStep: null };
  const earlier = known.findLastIndex(({ policy }) => policy !== present);
  const since = known.slice(earlier + 1);
  const first = since[0]?.day ?? today;
  const policyDays = daysBetween(first, today);
  const previous = known[earlier];
  if (previous === undefined || policies.indexOf(previous.policy) > policies.indexOf(present)) {
    return { policyDays, lastStep: null };
  }
  const from = daysBefore(first, WINDOW_DAYS);
  const before = known.slice(0, earlier + 1).filter(({ day }) => day >= from);
  const sum = (days: readonly DayFigures[], of: 'approved' | 'failed' | 'lost') =>
    days.reduce((total, figures) => total + figures[of], 0);
  return {
    policyDays,
    lastStep: {
      day: first,
      policy: present,
      before: { messages: sum(before, 'approved'), lost: sum(before, 'failed') },
      since: { messages: sum(since, 'approved'), lost: sum(since, 'lost') },
    },
  };
}
