/**
 * Alerts about failing mail, each for a cause: an approved sender that stops passing, a new sender that fails, and else a
 * share of failing mail that is higher than before. Anyone can send mail as a domain, so most domains have failing mail
 * every day; that alone is no cause. Only authenticated reports count, because anyone can send a forged one.
 */

import type { ReportAlertDraft } from '../alerts/alert.ts';
import { printable } from '../protocol/printable.ts';
import { formatNumber, pluralize } from '../protocol/quantity.ts';
import { dayInWords } from '../protocol/time.ts';
import {
  type DaySummary,
  type RecordSummary,
  type ReportSummary,
  withAuthenticated,
} from '../reports/dmarc/summary/shapes.ts';
import type { SenderDecisions } from '../store/enforcement/decisions.ts';
import {
  alertOfShare,
  type Counts,
  type FailureAlert,
  isEnough,
  KNOWN_DAYS,
  MIN_MESSAGES,
  rateOf,
  sum,
} from './failing-share.ts';
import { isOtherCustomers } from './sender-fields.ts';
import { passed, type SenderGroup, senderGroups } from './senders.ts';

/** How many days before a day it is compared with. */
export const COMPARED_DAYS = 30;
/** Failed messages of a new sender on one day. */
const MIN_NEW_FAILED = 100;
/**
 * Who is spoofed has new senders every day. One of them is news if this many times as many of its messages fail as on any
 * day before of any such sender of its kind.
 */
const NEW_FACTOR = 2;
/** Days of an approved sender before it fails. */
const MIN_EARLIER_DAYS = 5;
/** A failure rate is high if it exceeds this percentage, and the former rate by as much. */
const RISE = 20;
/** The maximum number of characters of a sender's name in a sentence. */
const MAX_NAME = 80;

interface SenderDays {
  readonly group: SenderGroup;
  /** By day, oldest first. */
  readonly days: Map<string, Counts>;
  /** The same, of the reporters that are compared. */
  readonly compared: Map<string, Counts>;
}

/**
 * The alerts that the reports of `day` raise. `days`: that day and the COMPARED_DAYS before, oldest first. At most one new
 * sender raises an alert for a day, the largest one: spoofers come in numbers. What one alert explains raises no second one.
 */
export function alertsOfSenders(
  domain: string,
  days: readonly DaySummary[],
  { day, decisions }: { readonly day: string; readonly decisions: SenderDecisions },
): readonly FailureAlert[] {
  const { groupOf, statusOf } = senderGroups(domain);
  const undecided = new Map<string, SenderDays>();
  const approved = new Map<string, SenderDays>();
  const reports = days.map(withAuthenticated);
  const isKnown = isKnownBefore(reports, day, () => true);
  const isCompared = comparable(reports, day);
  for (const { day: of, summaries } of reports) {
    for (const report of summaries) {
      const at = { day: of, isCompared: isCompared(report) };
      for (const record of report.records) {
        const group = groupOf(record);
        const status = statusOf(record, group, decisions);
        if (status === 'approved') count(approved, group, at, record);
        else if (status === null) count(undecided, group, at, record);
      }
    }
  }
  const newSender = isKnown ? newlyFailing([...undecided.values()], day) : undefined;
  const alerts = newSender === undefined ? [] : [aboutNew(domain, newSender, day)];
  const others = [...undecided.values()];
  for (const sender of approved.values()) {
    const alert = isKnown ? aboutApproved(domain, sender, day) : undefined;
    if (alert === undefined) others.push(sender);
    else alerts.push(alert);
  }
  const share = newSender === undefined ? alertOfShare(domain, sumsOf(days, others), day) : undefined;
  return share === undefined ? alerts : [...alerts, share];
}

/** The messages of these senders on each day that has some. */
function sumsOf(days: readonly DaySummary[], senders: readonly SenderDays[]): ReadonlyMap<string, Counts> {
  const each = days.map(
    ({ day }) => [day, sum(senders.flatMap((sender) => sender.compared.get(day) ?? []))] as const,
  );
  return new Map(each.filter(([, { messages }]) => messages > 0));
}

/** The new sender with the most failed messages on `day`, if one of its kind never had about as many. */
function newlyFailing(senders: readonly SenderDays[], day: string): SenderDays | undefined {
  const failedOn = ({ days }: SenderDays, of: string) => days.get(of)?.failed ?? 0;
  const before = new Map<SenderGroup['kind'], number>();
  for (const { group, days } of senders)
    for (const [of, { failed }] of days)
      if (of < day) before.set(group.kind, Math.max(failed, before.get(group.kind) ?? 0));
  return senders
    .filter((sender) => {
      const least = Math.max(MIN_NEW_FAILED, NEW_FACTOR * (before.get(sender.group.kind) ?? 0));
      return sender.days.size === 1 && failedOn(sender, day) >= least;
    })
    .toSorted((a, b) => failedOn(b, day) - failedOn(a, day))[0];
}

/**
 * The reports that `day` is judged by, on that day and before: those of its reporters that have reported before. Each receiver
 * gets other mail, and they report at other times, and not all of them every day. All reports, if too few days have such.
 */
function comparable(days: readonly DaySummary[], day: string): (report: ReportSummary) => boolean {
  const reportersOf = (some: readonly DaySummary[]) =>
    new Set(some.flatMap(({ summaries }) => summaries.map((report) => report.authenticatedDomain)));
  const now = reportersOf(days.filter((one) => one.day === day));
  const before = reportersOf(days.filter((one) => one.day < day));
  const isOfBoth = ({ authenticatedDomain: reporter }: ReportSummary) =>
    now.has(reporter) && before.has(reporter);
  return isKnownBefore(days, day, isOfBoth) ? isOfBoth : () => true;
}

/** Whether enough days before have such reports. */
const isKnownBefore = (
  days: readonly DaySummary[],
  day: string,
  isSuch: (report: ReportSummary) => boolean,
): boolean => days.filter((one) => one.day < day && one.summaries.some(isSuch)).length >= KNOWN_DAYS;

function count(
  senders: Map<string, SenderDays>,
  group: SenderGroup,
  { day, isCompared }: { readonly day: string; readonly isCompared: boolean },
  record: RecordSummary,
): void {
  const sender = senders.get(group.id) ?? { group, days: new Map(), compared: new Map() };
  senders.set(group.id, sender);
  for (const of of isCompared ? [sender.days, sender.compared] : [sender.days]) {
    const counts = of.get(day) ?? { messages: 0, failed: 0 };
    of.set(day, counts);
    counts.messages += record.count;
    if (!passed(record)) counts.failed += record.count;
  }
}

function aboutNew(domain: string, { group, days }: SenderDays, day: string): FailureAlert {
  // It has no other day.
  const { messages, failed } = sum([...days.values()]);
  const draft: ReportAlertDraft = {
    type: 'report_failure',
    severity: 'warning',
    title: `New sender fails: ${domain}`,
    message: `${printable(group.name, MAX_NAME)} sent as ${domain} for the first time in ${COMPARED_DAYS} days, and ${formatNumber(failed)} of ${formatNumber(messages)} messages failed DMARC. ${adviceAbout(group, domain)}`,
    metadata: {
      about: 'sender',
      ...metadataOf(group, day, { messages, failed }),
      status: null,
      previousFailureRate: null,
    },
    dedupeKey: 'report_failure#new-sender',
  };
  return { draft, since: day };
}

/** A provider that no longer signs in the name of the domain appears as its other customers: that mail can be wanted. */
const adviceAbout = ({ id }: SenderGroup, domain: string): string =>
  isOtherCustomers(id)
    ? `Every customer of the provider can send this. If you use the provider, check whether it still signs with a key of ${domain}: the mail can be yours. Mark it as unauthorized only if it is not.`
    : 'Approve it if you use it, or mark it as unauthorized.';

/** An approved sender that fails, in contrast to the days before, on a day with enough of its mail or on two days. */
function aboutApproved(domain: string, { group, days }: SenderDays, day: string): FailureAlert | undefined {
  const counted = [...days].filter(([of, { messages }]) => of <= day && messages >= MIN_MESSAGES);
  const latest = counted.at(-1)?.[1];
  if (counted.at(-1)?.[0] !== day || latest === undefined) return undefined;
  const start = counted.findLastIndex(([, counts]) => !isHigh(counts, 0)) + 1;
  const earlier = counted.slice(0, start).map(([, counts]) => counts);
  const run = counted.slice(start);
  const former = rateOf(sum(earlier));
  const isClear = run.length >= 2 || isEnough(latest, earlier);
  if (earlier.length < MIN_EARLIER_DAYS || !isClear) return undefined;
  if (run.length === 0 || !run.every(([, counts]) => isHigh(counts, former))) return undefined;
  const since = run[0]?.[0] ?? day;
  const draft: ReportAlertDraft = {
    type: 'report_failure',
    severity: 'warning',
    title: `Approved sender fails: ${domain}`,
    message: `${formatNumber(latest.failed)} of ${pluralize(latest.messages, 'message')} that ${printable(group.name, MAX_NAME)} sent as ${domain} on ${dayInWords(day)} failed DMARC; before ${dayInWords(since)}, ${former} % did. Check whether it still signs with a key of ${domain}, and whether SPF covers it.`,
    metadata: {
      about: 'sender',
      ...metadataOf(group, day, latest),
      status: 'approved',
      previousFailureRate: former,
    },
    dedupeKey: `report_failure#sender#${group.id}`,
  };
  return { draft, since };
}

function isHigh(counts: Counts, former: number): boolean {
  const rate = rateOf(counts);
  return rate > RISE && rate >= former + RISE;
}

function metadataOf({ id, name }: SenderGroup, day: string, { messages, failed }: Counts) {
  return {
    senderId: id,
    sender: name,
    day,
    messages,
    failed,
    failureRate: rateOf({ messages, failed }),
  };
}
