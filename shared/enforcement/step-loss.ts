/**
 * Watches a step to a stricter policy: compares, for each approved sender, the mail that receivers quarantine or reject since
 * then with the share that failed in the 30 days before, which is what a simulation predicted. Mail that an intermediary
 * passed on does not count: forwarders break SPF, and lists break DKIM, whatever the sender does.
 */
import type { Policy } from '../protocol/dmarc/record.ts';
import { daysBefore } from '../reports/day.ts';
import type { Measures } from './measures.ts';
import { type Fate, type FateDay, type SenderFate, WINDOW_DAYS } from './policy-history.ts';
import { percentage } from './senders.ts';
import { MIN_MESSAGES, thresholds } from './thresholds.ts';

/** Afterwards, a sender that fails is no effect of the step. */
const WATCHED_DAYS = 30;
/** The report days that are compared: senders of weekly mail are among them. */
const COMPARED_DAYS = 7;
/** A loss ended when it is in none of this many days, for not all reports about a day come together. */
const DAYS_WITHOUT_LOSS = 2;
/** In percentage points beyond the prediction: what a sender may lose before p=reject is recommended. */
const LOSS_POINTS = 100 - thresholds.reject.senderShare;

/** The first of the days before a step, which the comparison needs. */
export const comparedFrom = (stepDay: string): string => daysBefore(stepDay, WINDOW_DAYS);

/** The days, the present one included, that `stepLossOf` needs. */
export const STEP_WINDOW_DAYS = WATCHED_DAYS + WINDOW_DAYS + 1;

interface LosingSender {
  readonly id: string;
  readonly name: string;
  readonly messages: number;
  readonly lost: number;
  /** Percentages. */
  readonly lostShare: number;
  readonly predictedShare: number;
}

export interface StepLoss {
  /** The first day of the step. */
  readonly day: string;
  readonly policy: Policy;
  readonly previous: Policy;
  /** The first day with lost mail. */
  readonly since: string;
  /** The days that were compared. */
  readonly from: string;
  readonly to: string;
  /** Most lost messages first. */
  readonly senders: readonly LosingSender[];
}

/**
 * The approved mail that the latest step loses beyond its prediction; null if there is no such mail, or no step in the last
 * 30 days. Where large receivers report enough mail, only their reports count: anyone can send others.
 * @param watchedStep The day of a step that is watched for longer, because it loses mail; null if there is none.
 */
export function stepLossOf(
  { lastStep, stepDays }: Pick<Measures, 'lastStep' | 'stepDays'>,
  { today, watchedStep }: { readonly today: string; readonly watchedStep: string | null },
): StepLoss | null {
  const last = stepDays?.since.at(-1)?.day;
  if (lastStep === null || stepDays === null || last === undefined) return null;
  const { day, policy } = lastStep;
  if (day < daysBefore(today, WATCHED_DAYS) && day !== watchedStep) return null;
  const from = daysBefore(last, COMPARED_DAYS - 1);
  const compared = stepDays.since.filter((one) => one.day >= from);
  const view = sumOf(compared.flatMap(fatesOf), 'atLarge').messages > MIN_MESSAGES ? 'atLarge' : 'all';
  const ids = [...new Set(compared.flatMap(({ senders }) => [...senders.keys()]))];
  const senders = ids
    .flatMap((id) => losing(id, stepDays.before, compared, view) ?? [])
    .toSorted((a, b) => b.lost - a.lost);
  const first = stepDays.since.find((one) =>
    senders.some(({ id }) => (one.senders.get(id)?.[view].lost ?? 0) > 0),
  );
  if (first === undefined) return null;
  return { ...{ day, policy, previous: stepDays.previous, senders }, since: first.day, from, to: last };
}

type View = 'all' | 'atLarge';

const fatesOf = ({ senders }: FateDay): SenderFate[] => [...senders.values()];

function sumOf(fates: readonly SenderFate[], view: View): Fate {
  const sum = (of: keyof Fate) => fates.reduce((total, fate) => total + fate[view][of], 0);
  return { messages: sum('messages'), failed: sum('failed'), lost: sum('lost') };
}

function losing(
  id: string,
  before: readonly FateDay[],
  compared: readonly FateDay[],
  view: View,
): LosingSender | undefined {
  const of = (days: readonly FateDay[]) => days.flatMap(({ senders }) => senders.get(id) ?? []);
  const [earlier, fates] = [of(before), of(compared)];
  const known = sumOf(earlier, view).messages > 0 ? sumOf(earlier, view) : sumOf(earlier, 'all');
  const predicted = percentage(known.failed, known.messages) ?? 0;
  const points = ({ lost, messages }: Fate) => (percentage(lost, messages) ?? 0) - predicted;
  const { messages, lost } = sumOf(fates, view);
  const excess = lost - (predicted / 100) * messages;
  const [sender] = fates;
  if (sender === undefined || excess <= MIN_MESSAGES || points({ messages, failed: 0, lost }) <= LOSS_POINTS)
    return undefined;
  const latest = fates
    .map((fate) => fate[view])
    .filter((fate) => fate.messages > MIN_MESSAGES)
    .slice(-DAYS_WITHOUT_LOSS);
  const hasEnded = latest.length === DAYS_WITHOUT_LOSS && latest.every((fate) => points(fate) <= LOSS_POINTS);
  if (hasEnded) return undefined;
  const { name } = sender.group;
  return { id, name, messages, lost, lostShare: percentage(lost, messages) ?? 0, predictedShare: predicted };
}
