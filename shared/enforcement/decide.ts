/** Decisions of an owner about senders. */
import { daysBefore } from '../reports/day.ts';
import { untilUncontended } from '../store/contention.ts';
import type { DomainReference } from '../store/domains/domain.ts';
import type { EnforcementDependencies } from './dependencies.ts';
import { isOtherCustomers } from './sender-fields.ts';
import { sendersOf } from './senders.ts';
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
 * Changes the decision about a sender, and returns the sender with its messages of the last year. `gone` if no report
 * of that year shows the sender, or if the domain is gone; `not-approvable` if it is what every customer of a provider sends.
 */
export async function decideSender(
  domain: DomainReference,
  senderId: string,
  change: DecisionChange,
  { summaries, decisions, clock }: EnforcementDependencies,
): Promise<Decided | 'not-approvable' | 'not-allowed' | 'gone'> {
  if (change.status === 'approved' && isOtherCustomers(senderId)) return 'not-approvable';
  const now = clock.now();
  const today = now.toISOString().slice(0, 10);
  const window = { from: daysBefore(today, KNOWN_DAYS - 1), to: today };
  // The write succeeds only if nobody else decided since the decision was read; otherwise read it and decide again.
  return untilUncontended(async () => {
    const known = await decisions.list(domain.id);
    const sender = (await sendersOf(domain.domain, summaries.eachDay(domain.id, window, now), known)).find(
      ({ id }) => id === senderId,
    );
    if (sender === undefined) return 'gone';
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
}
