/** Decisions of an owner about senders. */
import type { DaySummary } from '../reports/dmarc/summary/shapes.ts';
import type { DomainReference } from '../store/domains/domain.ts';
import type { SenderDecision } from '../store/enforcement/decisions.ts';
import type { EnforcementDependencies } from './dependencies.ts';
import { daysBefore } from './measures.ts';
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
}

/**
 * Changes the decision about a sender, and returns the sender with its messages of the last year. Undefined if no report
 * of that year shows the sender, or if the domain is gone.
 */
export async function decideSender(
  domain: DomainReference,
  senderId: string,
  change: DecisionChange,
  { summaries, decisions, clock }: EnforcementDependencies,
): Promise<Sender | undefined> {
  const now = clock.now();
  const today = now.toISOString().slice(0, 10);
  const [days, known] = await Promise.all([
    summaries.readSummaries(domain.id, { from: daysBefore(today, KNOWN_DAYS - 1), to: today }, now),
    decisions.list(domain.id),
  ]);
  const find = (all: ReadonlyMap<string, SenderDecision>) =>
    sendersOf(domain.domain, days, all).find(({ id }) => id === senderId);
  if (find(known) === undefined) return undefined;
  const before = known.get(senderId);
  const status = change.status === undefined ? (before?.status ?? null) : change.status;
  const isNewlyApproved = change.status === 'approved' && before?.status !== 'approved';
  const decision: SenderDecision = {
    senderId,
    status,
    note: change.note === undefined ? (before?.note ?? null) : change.note,
    envelopeDomains: isNewlyApproved
      ? envelopeDomains(domain.domain, senderId, days)
      : (before?.envelopeDomains ?? []),
    changedAt: now.toISOString(),
    changedBy: change.by,
  };
  if (!(await decisions.decide(domain, decision))) return undefined;
  return find(new Map([...known, [senderId, decision]]));
}

/** The MAIL FROM domains with which a sender passed SPF. */
function envelopeDomains(domain: string, senderId: string, days: readonly DaySummary[]): string[] {
  const { groupOf } = senderGroups(domain);
  const messages = new Map<string, number>();
  for (const record of days.flatMap(({ summaries }) => summaries.flatMap(({ records }) => records))) {
    const { mailFrom, spfResult, count } = record;
    if (mailFrom === null || spfResult !== 'pass' || groupOf(record).id !== senderId) continue;
    messages.set(mailFrom, (messages.get(mailFrom) ?? 0) + count);
  }
  const largest = [...messages].toSorted(([, a], [, b]) => b - a);
  return largest.slice(0, MAX_ENVELOPE_DOMAINS).map(([name]) => name);
}
