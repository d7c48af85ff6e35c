/**
 * Reports that stopped, from the days that the authenticated reports of each reporter are about. Receivers report only
 * about mail that they get, so a silence is compared with what is usual: days of the week without mail, and gaps, do not
 * count.
 */
import type { Silence } from '../alerts/report-silence.ts';
import { organizationalDomain } from '../protocol/domain-name.ts';
import { daysBefore, daysBetween } from '../reports/day.ts';
import type { DaySummary } from '../reports/dmarc/summary/shapes.ts';
import { memoized } from '../reports/values.ts';

/** The days up to the last report that say what is usual, and how many of them must have reports. */
const KNOWN_DAYS = 30;
const REGULAR_DAYS = 20;
/** The days without reports of one reporter, and of all of them. */
const SILENT_DAYS = 5;
const ALL_SILENT_DAYS = 3;
/** The report about a day comes on the next one; from this many days after it, it is overdue. */
const OVERDUE_DAYS = 2;
/** After this many overdue days, a reporter is gone, and nobody can act on it. */
const GONE_DAYS = 30;

/** The days, the present one included, that `silencesOf` needs. */
export const SILENCE_WINDOW_DAYS = KNOWN_DAYS + GONE_DAYS + OVERDUE_DAYS;

const DAYS_PER_WEEK = 7;

/** Whether there are authenticated reports about days after this one. */
export const isReportedAfter = (days: readonly DaySummary[], day: string): boolean =>
  days.some((one) => one.day > day && one.summaries.some(isCounted));

const isCounted = ({ authenticated, reports }: DaySummary['summaries'][number]): boolean =>
  authenticated === true && reports > 0;

/**
 * The silences at `today`: the one of all reporters, or else those of single reporters, longest first.
 * @param days The last SILENCE_WINDOW_DAYS, oldest first.
 */
export function silencesOf(days: readonly DaySummary[], today: string): readonly Silence[] {
  const organizational = memoized(organizationalDomain);
  const all = new Set<string>();
  const byReporter = new Map<string, Set<string>>();
  for (const { day, summaries } of days) {
    for (const report of summaries.filter(isCounted)) {
      all.add(day);
      // Those of more reporters than are kept apart.
      if (report.authenticatedDomain === null) continue;
      const reporter = organizational(report.authenticatedDomain);
      byReporter.set(reporter, (byReporter.get(reporter) ?? new Set()).add(day));
    }
  }
  const altogether = silenceOf(null, all, { atLeast: ALL_SILENT_DAYS, today, isHeard: () => true });
  if (altogether !== null) return [altogether];
  // A day on which nobody is heard says nothing about one reporter: nothing was sent, or all reports were lost.
  const limits = { atLeast: SILENT_DAYS, today, isHeard: (day: string) => all.has(day) };
  return [...byReporter]
    .flatMap(([reporter, sent]) => silenceOf(reporter, sent, limits) ?? [])
    .toSorted((a, b) => (a.lastDay < b.lastDay ? -1 : 1));
}

interface Limits {
  readonly atLeast: number;
  readonly today: string;
  /** Whether a day counts at all. */
  readonly isHeard: (day: string) => boolean;
}

function silenceOf(
  reporter: string | null,
  sent: ReadonlySet<string>,
  { atLeast, today, isHeard }: Limits,
): Silence | null {
  const lastDay = [...sent].toSorted().at(-1);
  if (lastDay === undefined || lastDay < daysBefore(today, GONE_DAYS + OVERDUE_DAYS)) return null;
  const known = Array.from({ length: KNOWN_DAYS }, (_, at) => daysBefore(lastDay, KNOWN_DAYS - 1 - at));
  const reportDays = known.filter((day) => sent.has(day)).length;
  if (reportDays < REGULAR_DAYS) return null;
  const isExpected = (day: string) => isHeard(day) && isUsual(day);
  const first = known.find((day) => sent.has(day)) ?? lastDay;
  let [gap, longestGap] = [0, 0];
  for (const day of known.filter((one) => one >= first)) {
    if (sent.has(day)) gap = 0;
    else if (isExpected(day)) gap += 1;
    longestGap = Math.max(longestGap, gap);
  }
  const overdue = Array.from({ length: Math.max(0, daysBetween(lastDay, today) - OVERDUE_DAYS) }, (_, at) =>
    daysBefore(lastDay, -1 - at),
  );
  const silent = overdue.filter(isExpected).length;
  return silent >= atLeast && silent > longestGap ? { reporter, lastDay, reportDays } : null;

  /** Whether at least half of the same days of the week had reports. */
  function isUsual(day: string): boolean {
    const same = known.filter((one) => Math.abs(daysBetween(one, day)) % DAYS_PER_WEEK === 0);
    return 2 * same.filter((one) => sent.has(one)).length >= same.length;
  }
}
