/** The alert that the share of failing mail of a domain is higher than on the days before. */

import type { ReportAlertDraft } from '../alerts/alert.ts';
import { formatNumber, pluralize } from '../protocol/quantity.ts';
import { dayInWords } from '../protocol/time.ts';
import { percentage } from './senders.ts';

/** Messages of a day. */
export interface Counts {
  messages: number;
  failed: number;
}

/**
 * An alert, and the day on which what it is about began. It is raised once, however long that lasts, and even if late reports
 * show that it began on another day.
 */
export interface FailureAlert {
  readonly draft: ReportAlertDraft;
  readonly since: string;
}

/** With reports of fewer days, there is no range of shares to compare with. */
export const KNOWN_DAYS = 7;
/** Fewer messages have no share that means something. */
export const MIN_MESSAGES = 10;
/** A higher percentage raises an alert where there is no range yet. */
const MAX_RATE = 5;
/**
 * A share leaves its range if it is higher than its end by this factor and this many percentage points, and the number of
 * failed messages leaves its own by the factor: days differ.
 */
const RANGE_FACTOR = 1.25;
const RANGE_POINTS = 2;
/** Fewer failed messages than this leave no range: at a small domain, each one is some percent. */
const MIN_FAILED = 5;
/** A day with a smaller part of the usual messages is not over: the first reports about it can be unusual ones. */
const ENOUGH_OF_A_DAY = 0.25;

/** The alert that `day` raises, if it does. `days`: the counts of that day and those before, oldest first. */
export function alertOfShare(
  domain: string,
  days: ReadonlyMap<string, Counts>,
  day: string,
): FailureAlert | undefined {
  const counts = days.get(day);
  if (counts === undefined || counts.messages < MIN_MESSAGES) return undefined;
  const upTo = [...days].filter(([of]) => of <= day);
  const before = upTo.slice(0, -1).map(([, one]) => one);
  if (before.length < KNOWN_DAYS) {
    const since = isHigh(counts) ? highSince(upTo) : undefined;
    return since === undefined
      ? undefined
      : { draft: draftOf(domain, { day, counts, highest: null }), since };
  }
  const range = rangeOf(before);
  if (!leavesRange(counts, range) || counts.failed < MIN_FAILED || !isEnough(counts, before))
    return undefined;
  return { draft: draftOf(domain, { day, counts, highest: range.rate }), since: day };
}

const isHigh = (counts: Counts): boolean => rateOf(counts) > MAX_RATE;

/** The day from which the share is high. If it was high before, and was not meanwhile, it must be higher to be news. */
function highSince(days: readonly (readonly [string, Counts])[]): string | undefined {
  const judged = days.filter(([, { messages }]) => messages >= MIN_MESSAGES);
  const starts = judged.filter(([, one], at) => {
    const before = judged.slice(0, at).map(([, counts]) => counts);
    const last = before.at(-1);
    const isStart = isHigh(one) && (last === undefined || !isHigh(last));
    return isStart && leavesRange(one, rangeOf(before.filter(isHigh)));
  });
  return starts.at(-1)?.[0];
}

/** The highest rate and the most failed messages of some days. */
interface Range {
  readonly rate: number;
  readonly failed: number;
}

function rangeOf(days: readonly Counts[]): Range {
  const periods = periodsOf(days);
  return {
    rate: Math.max(0, ...periods.map(rateOf)),
    failed: Math.max(0, ...periods.map(({ failed }) => failed)),
  };
}

/** Where only less mail passes, as on weekends, the share is higher, and nothing fails that passed before. */
const leavesRange = (counts: Counts, { rate, failed }: Range): boolean =>
  rateOf(counts) > rate * RANGE_FACTOR &&
  rateOf(counts) > rate + RANGE_POINTS &&
  counts.failed > failed * RANGE_FACTOR;

/** Whether a day has enough of the usual messages to judge it. */
export const isEnough = ({ messages }: Counts, before: readonly Counts[]): boolean =>
  messages >= (ENOUGH_OF_A_DAY * sum(before).messages) / Math.max(1, before.length);

/** Days, of which those with few messages are counted together, as a single message can be most of such a day. */
function periodsOf(days: readonly Counts[]): readonly Counts[] {
  const periods: Counts[] = [];
  for (const one of days) {
    const last = periods.at(-1);
    if (last !== undefined && last.messages < MIN_MESSAGES) periods.splice(-1, 1, sum([last, one]));
    else periods.push(one);
  }
  return periods;
}

export const rateOf = ({ messages, failed }: Counts): number => percentage(failed, messages) ?? 0;

export const sum = (all: readonly Counts[]): Counts =>
  all.reduce<Counts>(
    (total, { messages, failed }) => ({
      messages: total.messages + messages,
      failed: total.failed + failed,
    }),
    { messages: 0, failed: 0 },
  );

interface Found {
  readonly day: string;
  readonly counts: Counts;
  readonly highest: number | null;
}

function draftOf(domain: string, { day, counts, highest }: Found): ReportAlertDraft {
  const { messages, failed } = counts;
  const failureRate = rateOf(counts);
  const before = highest === null ? '' : ` On each of the 30 days before, at most ${highest} % did.`;
  return {
    type: 'report_failure',
    severity: 'warning',
    title: `More mail fails: ${domain}`,
    message: `${formatNumber(failed)} of ${pluralize(messages, 'message')} (${failureRate} %) sent as ${domain} on ${dayInWords(day)} failed DMARC.${before} The list of senders shows whose they are. Approve those that you use, and mark the others as forwarder or unauthorized: these are then left out.`,
    metadata: { about: 'share', day, messages, failed, failureRate, previousFailureRate: highest },
    dedupeKey: 'report_failure#share',
  };
}
