/**
 * Alerts about senders: a new one that fails, and an approved one that stops passing. Only authenticated reports count,
 * because anyone can send a forged one.
 */
import type { ReportAlertDraft } from '../alerts/alert.ts';
import { printable } from '../protocol/printable.ts';
import type { DaySummary, RecordSummary } from '../reports/dmarc/summary/shapes.ts';
import type { SenderDecisions } from '../store/enforcement/decisions.ts';
import { passed, percentage, type SenderGroup, senderGroups, statusAbout } from './senders.ts';

/** How many days before a day its senders are compared with. */
export const COMPARED_DAYS = 30;
/** Without this many days of reports before, every sender would be new. */
const KNOWN_DAYS = 7;
/** Failed messages of a new sender on one day. */
const MIN_NEW_FAILED = 100;
/** Messages of an approved sender on each of two days, for the share of failures to mean something. */
const MIN_MESSAGES = 10;
/** Days of an approved sender before those two. */
const MIN_EARLIER_DAYS = 5;
/** A failure rate is high if it exceeds this percentage, and the former rate by as much. */
const RISE = 20;
/** The maximum number of characters of a sender's name in a sentence. */
const MAX_NAME = 80;

interface Counts {
  messages: number;
  failed: number;
}

interface SenderDays {
  readonly group: SenderGroup;
  /** By day, oldest first. */
  readonly days: Map<string, Counts>;
}

/** An alert, and the day on which what it is about began: it is raised once, however long that lasts. */
export interface SenderAlert {
  readonly draft: ReportAlertDraft;
  readonly since: string;
}

/**
 * The alerts that the reports of `day` raise. `days`: that day and the COMPARED_DAYS before, oldest first. At most one new
 * sender raises an alert for a day, the largest one: spoofers come in numbers.
 */
export function alertsOfSenders(
  domain: string,
  days: readonly DaySummary[],
  { day, decisions }: { readonly day: string; readonly decisions: SenderDecisions },
): readonly SenderAlert[] {
  const { groupOf, statusOf } = senderGroups(domain);
  const unknown = new Map<string, SenderDays>();
  const approved = new Map<string, SenderDays>();
  const reportDays = new Set<string>();
  for (const { day: of, summaries } of days) {
    for (const { authenticated, records } of summaries) {
      if (authenticated !== true) continue;
      if (of < day) reportDays.add(of);
      for (const record of records) {
        const group = groupOf(record);
        if (statusAbout(group.id, decisions) === null) count(unknown, group, of, record);
        else if (statusOf(record, group, decisions) === 'approved') count(approved, group, of, record);
      }
    }
  }
  if (reportDays.size < KNOWN_DAYS) return [];
  const newSender = [...unknown.values()]
    .filter((sender) => sender.days.size === 1 && (sender.days.get(day)?.failed ?? 0) >= MIN_NEW_FAILED)
    .toSorted((a, b) => (b.days.get(day)?.failed ?? 0) - (a.days.get(day)?.failed ?? 0))[0];
  return [
    ...(newSender === undefined ? [] : [aboutNew(domain, newSender, day)]),
    ...[...approved.values()].flatMap((sender) => aboutApproved(domain, sender, day)),
  ];
}

function count(
  senders: Map<string, SenderDays>,
  group: SenderGroup,
  day: string,
  record: RecordSummary,
): void {
  const sender = senders.get(group.id) ?? { group, days: new Map<string, Counts>() };
  senders.set(group.id, sender);
  const counts = sender.days.get(day) ?? { messages: 0, failed: 0 };
  sender.days.set(day, counts);
  counts.messages += record.count;
  if (!passed(record)) counts.failed += record.count;
}

function aboutNew(domain: string, { group, days }: SenderDays, day: string): SenderAlert {
  const { messages, failed } = days.get(day) ?? { messages: 0, failed: 0 };
  const draft: ReportAlertDraft = {
    type: 'report_failure',
    severity: 'warning',
    title: `New sender fails: ${domain}`,
    message: `${printable(group.name, MAX_NAME)} sent as ${domain} for the first time in ${COMPARED_DAYS} days, and ${failed} of ${messages} messages failed DMARC. Approve it if you use it, or mark it as unauthorized.`,
    metadata: {
      ...metadataOf(group, day, { messages, failed }),
      status: null,
      previousFailureRate: null,
    },
    dedupeKey: `report_failure#new-sender#${day}`,
  };
  return { draft, since: day };
}

/** An approved sender that fails on its two latest days, in contrast to the days before. */
function aboutApproved(domain: string, { group, days }: SenderDays, day: string): SenderAlert[] {
  const counted = [...days].filter(([of, { messages }]) => of <= day && messages >= MIN_MESSAGES);
  const latest = counted.at(-1)?.[1];
  if (counted.at(-1)?.[0] !== day || latest === undefined) return [];
  const start = counted.findLastIndex(([, counts]) => !isHigh(counts, 0)) + 1;
  const earlier = counted.slice(0, start).map(([, counts]) => counts);
  const before = sum(earlier);
  const run = counted.slice(start);
  const former = percentage(before.failed, before.messages) ?? 0;
  const isConfirmed = run.length >= 2 && earlier.length >= MIN_EARLIER_DAYS;
  if (!isConfirmed || !run.every(([, counts]) => isHigh(counts, former))) return [];
  const firstDay = run[0]?.[0] ?? day;
  const draft: ReportAlertDraft = {
    type: 'report_failure',
    severity: 'warning',
    title: `Approved sender fails: ${domain}`,
    message: `${latest.failed} of ${latest.messages} messages that ${printable(group.name, MAX_NAME)} sent as ${domain} on ${day} failed DMARC, and it failed on the report day before too; until then, ${former}% failed.`,
    metadata: {
      ...metadataOf(group, day, latest),
      status: 'approved',
      previousFailureRate: former,
    },
    dedupeKey: `report_failure#sender#${group.id}#${firstDay}`,
  };
  return [{ draft, since: firstDay }];
}

function isHigh({ messages, failed }: Counts, former: number): boolean {
  const rate = percentage(failed, messages) ?? 0;
  return rate > RISE && rate >= former + RISE;
}

function sum(all: readonly Counts[]): Counts {
  return all.reduce<Counts>(
    (total, { messages, failed }) => ({
      messages: total.messages + messages,
      failed: total.failed + failed,
    }),
    { messages: 0, failed: 0 },
  );
}

function metadataOf({ id, name }: SenderGroup, day: string, { messages, failed }: Counts) {
  return {
    senderId: id,
    sender: name,
    day,
    messages,
    failed,
    failureRate: percentage(failed, messages) ?? 0,
  };
}
