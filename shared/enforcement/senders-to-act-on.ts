/** The senders that a person has to do something about, from an assessment: those of attention items. */
import { type About, named } from '../attention/kinds.ts';
import { daysBefore } from '../reports/day.ts';
import type { DaySummary } from '../reports/dmarc/summary/shapes.ts';
import {
  IGNORED_DAYS,
  type MeasureOptions,
  type Measures,
  measure,
  type SenderMeasures,
} from './measures.ts';
import type { PublishedNow } from './published-records.ts';
import { judgedShares, lowestOf, undecidedSenders } from './sender-rules.ts';
import type { Step } from './stage.ts';
import { thresholds } from './thresholds.ts';

/** A sender that was repaired should not wait until its failures leave the window of 30 days. */
const LATEST_DAYS = 7;

interface Assessed {
  readonly measures: Measures;
  readonly measured: MeasureOptions;
  readonly current: PublishedNow;
  /** The next step; undefined at the last one. */
  readonly step: Step | undefined;
  /** The days of the window. */
  readonly recent: readonly DaySummary[];
}

/** Most failing messages first. */
export async function sendersToActOn({ measures, measured, current, step, recent }: Assessed): Promise<{
  readonly failing: About;
  readonly undecided: About;
}> {
  const from = daysBefore(measured.today, IGNORED_DAYS + LATEST_DAYS - 1);
  const latest = await measure(
    recent.filter(({ day }) => day >= from),
    measured,
  );
  const lately = new Map(latest.senders.map((sender) => [sender.group.id, sender]));
  // As the rules of the next step have it: a domain that is ready for it has no failing sender.
  const { senderShare } = thresholds[step ?? 'reject'];
  const isFailing = (sender: SenderMeasures) => shareOf(sender) < senderShare;
  const failing = measures.senders
    .filter((sender) => isFailing(sender) && isFailing(lately.get(sender.group.id) ?? sender))
    .toSorted((a, b) => failedOf(b) - failedOf(a));
  const undecided = undecidedSenders(measures, current).toSorted(
    (a, b) => b.all.undecidedFailed - a.all.undecidedFailed,
  );
  return { failing: namesOf(failing), undecided: namesOf(undecided) };
}

/** The share of approved mail that passes, with enough messages to mean something. */
const shareOf = (sender: SenderMeasures): number =>
  lowestOf(judgedShares([sender], 'approvedPassed'))?.share ?? 100;

const failedOf = ({ all }: SenderMeasures): number => all.approved - all.approvedPassed;

const namesOf = (senders: readonly SenderMeasures[]): About => named(senders.map(({ group }) => group.name));
