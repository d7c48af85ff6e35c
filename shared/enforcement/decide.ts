/** Decisions of an owner about senders. */
import { daysBefore } from '../reports/day.ts';
import { untilUncontended } from '../store/contention.ts';
import type { DomainReference } from '../store/domains/domain.ts';
import type { EnforcementDependencies, ReportDays } from './dependencies.ts';
import { senderGroups, sendersOf } from './senders.ts';
import type { Sender, SenderStatus } from './shapes.ts';

/** How far back a sender must have been reported. */
const KNOWN_DAYS = 366;
/** The MAIL FROM domains that approve mail of a shared provider, those with most messages first. */
const MAX_ENVELOPE_DOMAINS = 20;

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
 * of that year shows the sender, or if the domain is gone.
 * @throws what `allow` throws.
 */
export async function decideSender(
  domain: DomainReference,
  senderId: string,
  change: DecisionChange,
  { summaries, decisions, clock }: EnforcementDependencies,
): Promise<Sender | undefined> {
  const now = clock.now();
  const today = now.toISOString().slice(0, 10);
  const window = { from: daysBefore(today, KNOWN_DAYS - 1), to: today };
  const reports = () => summaries.eachDay(domain.id, window, now);
  // The write succeeds only if nobody else decided since the decision was read; otherwise read it and decide again.
  const decided = await untilUncontended(async () => {
    const known = await decisions.list(domain.id);
    const sender = (await sendersOf(domain.domain, reports(), known)).find(({ id }) => id === senderId);
    if (sender === undefined) return GONE;
    const before = known.get(senderId);
    change.allow?.(before?.changedAt ?? null);
    const decision = {
      status: change.status === undefined ? sender.status : change.status,
      note: change.note === undefined ? sender.note : change.note,
      changedAt: now.toISOString(),
      changedBy: change.by,
    };
    const isNewlyApproved = change.status === 'approved' && before?.status !== 'approved';
    const envelopeDomains = isNewlyApproved
      ? await envelopeDomainsOf(domain.domain, senderId, reports())
      : (before?.envelopeDomains ?? []);
    const written = await decisions.decide(domain, { senderId, ...decision, envelopeDomains }, before);
    if (written === 'domain-gone') return GONE;
    return written === 'changed' ? { ...sender, ...decision } : undefined;
  });
  return decided === GONE ? undefined : decided;
}

/** The sender or the domain does not exist. */
const GONE = 'gone';

/** The MAIL FROM domains with which a sender passed SPF. */
async function envelopeDomainsOf(domain: string, senderId: string, days: ReportDays): Promise<string[]> {
  const { groupOf } = senderGroups(domain);
  const messages = new Map<string, number>();
  for await (const { summaries } of days) {
    for (const record of summaries.flatMap(({ records }) => records)) {
      const { mailFrom, spfResult, count } = record;
      if (mailFrom === null || spfResult !== 'pass' || groupOf(record).id !== senderId) continue;
      messages.set(mailFrom, (messages.get(mailFrom) ?? 0) + count);
    }
  }
  const largest = [...messages].toSorted(([, a], [, b]) => b - a);
  return largest.slice(0, MAX_ENVELOPE_DOMAINS).map(([name]) => name);
}
