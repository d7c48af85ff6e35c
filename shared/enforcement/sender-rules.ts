/** Judges single senders: by the mail that would be lost, and only where enough messages show it. */
import { daysBetween } from '../reports/day.ts';
import type { ActivePeriod, Measures, MessageSums, SenderMeasures } from './measures.ts';
import type { PublishedNow } from './published-records.ts';
import { percentage } from './senders.ts';
import { MIN_MESSAGES, type Thresholds, UNDECIDED_SHARE } from './thresholds.ts';

/** Weekly mail of an approved provider is not gone before its next one. */
const GONE_DAYS = 7;

/** All reports, and those of large receivers, which nobody else can send. */
const views = ['all', 'atLarge'] as const;

type View = (typeof views)[number];

/** A share of the approved messages of a sender. */
export interface SenderShare {
  readonly sender: SenderMeasures;
  readonly sums: MessageSums;
  readonly share: number;
}

/** The shares of approved senders that have enough messages, in either view. */
export function judgedShares(
  senders: readonly SenderMeasures[],
  of: 'approvedPassed' | 'approvedDkim',
): SenderShare[] {
  return senders.flatMap((sender) =>
    views.flatMap((view) => {
      const { [view]: sums } = sender;
      const share = sums.approved > MIN_MESSAGES ? percentage(sums[of], sums.approved) : null;
      return share === null ? [] : [{ sender, sums, share }];
    }),
  );
}

export const lowestOf = (shares: readonly SenderShare[]): SenderShare | undefined =>
  shares.toSorted((a, b) => a.share - b.share)[0];

/**
 * The messages of the domain itself: those of approved senders, and those that pass, which need no decision. Forged mail is
 * not among them, so that much of it cannot hide a sender that fails.
 */
export function ownMessages({ senders }: Measures, view: View): { messages: number; passed: number } {
  return senders.reduce(
    ({ messages, passed }, { [view]: { approved, approvedPassed, undecidedPassed } }) => ({
      messages: messages + approved + undecidedPassed,
      passed: passed + approvedPassed + undecidedPassed,
    }),
    { messages: 0, passed: 0 },
  );
}

/** Senders without a decision that have a sign of legitimacy, and would lose more messages than a step allows. */
export function undecidedSenders(measures: Measures, published: PublishedNow): SenderMeasures[] {
  const allowed = { all: allowance(measures, 'all'), atLarge: allowance(measures, 'atLarge') };
  return measures.senders.filter(
    (sender) =>
      views.some((view) => sender[view].undecidedFailed > allowed[view]) &&
      signOf(sender, published) !== null,
  );
}

/** The messages that a sender without a decision may lose; `share` is a percentage of the messages of the domain. */
function allowance(measures: Measures, view: View, share = UNDECIDED_SHARE): number {
  return Math.max(MIN_MESSAGES, (share / 100) * ownMessages(measures, view).messages);
}

/** Why a sender looks legitimate; null if nothing but its mail says so, which anyone can send. */
export function signOf(
  { everPassed, addresses, lastOfProvider: approved, lastUndecided: undecided }: SenderMeasures,
  { isAuthorized, isInMxNetwork }: PublishedNow,
): string | null {
  if (everPassed) return 'some of its mail passed DMARC';
  // A provider that no longer signs in the name of the domain: what was approved mail is that of its other customers now.
  if (
    approved !== null &&
    undecided !== null &&
    daysBetween(approved.lastDay, undecided.lastDay) >= GONE_DAYS
  )
    return `the provider sent no mail with a sign of yours after ${approved.lastDay}`;
  if ([...addresses].some(isAuthorized)) return 'your SPF record contains one of its addresses';
  return [...addresses].some(isInMxNetwork) ? 'it is in the network of your MX hosts' : null;
}

interface SeasonalSender {
  readonly sender: SenderMeasures;
  readonly period: ActivePeriod;
}

/**
 * Senders that did not send in the window, and failed in their last active period. One without a decision counts with a
 * sign of legitimacy; and without one, if it or its provider authenticated its mail, as services do, and so much that its
 * failures would break the rule for approved mail. Unlike an active sender, it is not in the lists that owners look at.
 */
export function failingSeasonal(
  measures: Measures,
  published: PublishedNow,
  limit: Thresholds,
): SeasonalSender[] {
  const isOver = (period: ActivePeriod | null): period is ActivePeriod =>
    period !== null && period.lastDay < measures.windowFrom;
  const legitimate = allowance(measures, 'all');
  const named = allowance(measures, 'all', 100 - limit.approvedShare);
  return measures.senders.flatMap((sender) => {
    const { lastApproved, lastUndecided, group } = sender;
    const found: SeasonalSender[] = [];
    if (isOver(lastApproved) && lastApproved.messages > MIN_MESSAGES) {
      const passed = lastApproved.messages - lastApproved.failed;
      if ((percentage(passed, lastApproved.messages) ?? 100) < limit.senderShare)
        found.push({ sender, period: lastApproved });
    }
    if (isOver(lastUndecided) && lastUndecided.failed > legitimate) {
      const isNamedAndLarge = group.kind !== 'network' && lastUndecided.failed > named;
      if (isNamedAndLarge || signOf(sender, published) !== null)
        found.push({ sender, period: lastUndecided });
    }
    return found;
  });
}
