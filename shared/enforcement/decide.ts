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

export interface DecisionChange {
  /** Undefined: unchanged; null takes the decision back. */
  readonly status?: SenderStatus | undefined;
  readonly note?: string | null | undefined;
  /** The id of the token; null for the operator. */
  readonly by: string | null;
  /** Throws if the decision that was made at this time (null: none) must not be changed; by default, each can be. */
  readonly allow?: (changedAt: string | null) => void;
}

/**
 * Changes the decision about a sender, and returns the sender with its messages of the last year. Undefined if no report
 * of that year shows the sender, or if the domain is gone; `not-approvable` if it is what every customer of a provider sends.
 * @throws what `allow` throws.
 */
export async function decideSender(
  domain: DomainReference,
  senderId: string,
  change: DecisionChange,
  { summaries, decisions, clock }: EnforcementDependencies,
): Promise<Sender | 'not-approvable' | undefined> {
  if (change.status === 'approved' && isOtherCustomers(senderId)) return 'not-approvable';
  const now = clock.now();
  const today = now.toISOString().slice(0, 10);
  const window = { from: daysBefore(today, KNOWN_DAYS - 1), to: today };
  // The write succeeds only if nobody else decided since the decision was read; otherwise read it and decide again.
  const decided = await untilUncontended(async () => {
    const known = await decisions.list(domain.id);
    const sender = (await sendersOf(domain.domain, summaries.eachDay(domain.id, window, now), known)).find(
      ({ id }) => id === senderId,
    );
    if (sender === undefined) return GONE;
    const before = known.get(senderId);
    change.allow?.(before?.changedAt ?? null);
    const decision = {
      status: change.status === undefined ? sender.status : change.status,
      note: change.note === undefined ? sender.note : change.note,
      changedAt: now.toISOString(),
      changedBy: change.by,
    };
    const written = await decisions.decide(domain, { senderId, ...decision, envelopeDomains: [] }, before);
    if (written === 'domain-gone') return GONE;
    return written === 'changed' ? { ...sender, ...decision } : undefined;
  });
  return decided === GONE ? undefined : decided;
}

/** The sender or the domain does not exist. */
const GONE = 'gone';
