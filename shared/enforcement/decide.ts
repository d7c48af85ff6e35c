/** Decisions of an owner about senders. */
import { dayAt } from '../protocol/time.ts';
import { daysBefore } from '../reports/day.ts';
import { untilUncontended } from '../store/contention.ts';
import type { DomainReference } from '../store/domains/domain.ts';
import type { EnforcementDependencies } from './dependencies.ts';
import { isOtherCustomers } from './sender-fields.ts';
import { type SenderFigures, sendersOf, withDecision } from './senders.ts';
import type { Sender, SenderStatus } from './shapes.ts';

/** How far back a sender must have been reported. */
const KNOWN_DAYS = 366;

interface DecisionChange {
  /** Undefined: unchanged; null takes the decision back. */
  readonly status?: SenderStatus | undefined;
  readonly note?: string | null | undefined;
  /** The id of the token; null for the operator. */
  readonly by: string | null;
  /** Whether the decision that was made at this time (null: none) can be changed. */
  readonly isAllowed: (changedAt: string | null) => boolean;
}

export interface Decided {
  readonly sender: Sender;
  readonly was: SenderStatus;
  readonly noteWas: string | null;
}

/**
 * `gone`: no report of the last year shows the sender, or the domain is gone; `not-approvable`: it is what every customer of a
 * provider sends.
 */
export type Decision = Decided | 'not-approvable' | 'not-allowed' | 'gone';

/** Changes the decision about a sender, and returns the sender with its messages of the last year. */
export async function decideSender(
  domain: DomainReference,
  senderId: string,
  change: DecisionChange,
  deps: EnforcementDependencies,
): Promise<Decision> {
  const decide = await decisionsAbout(domain, deps);
  return decide(senderId, change);
}

/** Reads the senders of the last year once. Returns what decides about one of them. */
export async function decisionsAbout(
  domain: DomainReference,
  { summaries, decisions, clock }: EnforcementDependencies,
): Promise<(senderId: string, change: DecisionChange) => Promise<Decision>> {
  const now = clock.now();
  const today = dayAt(now);
  const window = { from: daysBefore(today, KNOWN_DAYS - 1), to: today };
  const reported = await sendersOf(domain.domain, summaries.eachDay(domain.id, window, now), new Map());
  const byId = new Map(reported.map((figures): [string, SenderFigures] => [figures.id, figures]));

  return async (senderId, change) => {
    if (change.status === 'approved' && isOtherCustomers(senderId)) return 'not-approvable';
    const figures = byId.get(senderId);
    if (figures === undefined) return 'gone';
    // The write succeeds only if nobody else decided since the decision was read; otherwise read it and decide again.
    return untilUncontended(async () => {
      const known = await decisions.list(domain.id);
      const sender = withDecision(figures, known);
      const before = known.get(senderId);
      if (!change.isAllowed(before?.changedAt ?? null)) return 'not-allowed';
      const decision = {
        status: change.status === undefined ? sender.status : change.status,
        note: change.note === undefined ? sender.note : change.note,
        changedAt: now.toISOString(),
        changedBy: change.by,
      };
      const written = await decisions.decide(domain, { senderId, ...decision }, before);
      if (written === 'domain-gone') return 'gone';
      return written === 'changed'
        ? { sender: { ...sender, ...decision }, was: sender.status, noteWas: sender.note }
        : undefined;
    });
  };
}
