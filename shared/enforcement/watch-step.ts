/** The condition of the attention item about a step that loses approved mail, with the record that ends the loss. */
import { aboutFacts } from '../attention/kinds.ts';
import { type StepFacts, stepFacts } from '../attention/step-text.ts';
import type { CheckResults } from '../checks/results.ts';
import { effectivePolicy, type PublishedDmarc } from '../protocol/dmarc/next-record.ts';
import { type DmarcRecord, type Policy, parseDmarcRecord, policies } from '../protocol/dmarc/record.ts';
import type { Dns } from '../protocol/dns.ts';
import { dayAt } from '../protocol/time.ts';
import { type DaySummary, withAuthenticated } from '../reports/dmarc/summary/shapes.ts';
import type { Held } from '../store/attention-changes.ts';
import type { DomainItem } from '../store/attention-items.ts';
import type { ChecksEntry, HistoryStore } from '../store/check-runs/history.ts';
import type { DomainReference } from '../store/domains/domain.ts';
import type { DecisionStore } from '../store/enforcement/decisions.ts';
import { MAX_CHANGES } from './assess.ts';
import { measure } from './measures.ts';
import { isShortened } from './policy-history.ts';
import { isDmarcKnown, publishedRecords } from './published-records.ts';
import { simulateSummaries } from './simulate-records.ts';
import { type StepLoss, stepLossOf } from './step-loss.ts';
import { MIN_MESSAGES } from './thresholds.ts';

/** The senders that the text names; it counts the others. */
const MOST_NAMED = 3;

interface StepWatch {
  readonly results: CheckResults;
  /** The report days that `stepLossOf` needs. */
  readonly days: readonly DaySummary[];
  readonly before: DomainItem | undefined;
  readonly dns: Dns;
  readonly now: Date;
}

/** The day of the step that an open item is about. */
export const watchedStep = (item: DomainItem | undefined): string | null =>
  stepFacts.safeParse(item?.about.facts).data?.day ?? null;

/**
 * The condition holds while approved mail is lost beyond the prediction, the stricter policy is published, and a simulation
 * shows that the record before the step ends the loss. Undefined if the published record is unknown.
 */
export async function stepCondition(
  reference: DomainReference,
  { results, days, before, dns, now }: StepWatch,
  deps: {
    readonly decisions: Pick<DecisionStore, 'list'>;
    readonly history: Pick<HistoryStore, 'checks'>;
  },
): Promise<Held | null | undefined> {
  const { id, domain } = reference;
  if (!isDmarcKnown(results)) return undefined;
  const published = publishedRecords(domain, results, []);
  const policy = effectivePolicy(published.dmarc, domain) ?? 'none';
  if (policy === 'none') return null;
  const decisions = await deps.decisions.list(id);
  const today = dayAt(now);
  const measures = await measure(days, { domain, decisions, keepsSubdomainPolicy: false, today });
  const loss = stepLossOf(measures, { today, watchedStep: watchedStep(before) });
  if (loss === null || policies.indexOf(policy) < policies.indexOf(loss.policy)) return null;
  const { entries } = await deps.history.checks(id, { page: 1, limit: MAX_CHANGES }, now);
  const record = formerRecord(published.dmarc, { domain, previous: loss.previous }, entries);
  if (record === null) return null;
  const compared = days.filter(({ day }) => day >= loss.from && day <= loss.to).map(withAuthenticated);
  const replay = { proposed: { dmarc: record }, days: loss, reports: () => compared, decisions, published };
  const result = await simulateSummaries(domain, replay, { dns, clock: { now: () => now } });
  if (!('simulation' in result)) return null;
  const simulated = result.simulation.senders.filter((sender) =>
    loss.senders.some((one) => one.id === sender.id),
  );
  const sum = (of: 'current' | 'proposed', fate: 'quarantine' | 'reject') =>
    simulated.reduce((total, sender) => total + sender[of][fate], 0);
  const current = { quarantine: sum('current', 'quarantine'), reject: sum('current', 'reject') };
  const proposed = { quarantine: sum('proposed', 'quarantine'), reject: sum('proposed', 'reject') };
  const delivered = current.quarantine + current.reject - proposed.quarantine - proposed.reject;
  // Back at p=quarantine, mail that fails is not rejected.
  if (Math.max(delivered, current.reject - proposed.reject) <= MIN_MESSAGES) return null;
  return {
    since: `${loss.since}T00:00:00.000Z`,
    about: aboutFacts(factsOf(loss, { record, current, proposed })),
  };
}

function factsOf(
  { senders, since: _, ...loss }: StepLoss,
  { record, current, proposed }: Pick<StepFacts, 'record' | 'current' | 'proposed'>,
): StepFacts {
  return {
    ...loss,
    senders: senders.slice(0, MOST_NAMED).map(({ id: _, ...sender }) => sender),
    others: Math.max(0, senders.length - MOST_NAMED),
    ...{ record, current, proposed },
  };
}

/**
 * The record to publish at the domain itself to have the policy `previous` again. That is the one that check runs found
 * before the step, if it sends reports to the same addresses; otherwise the published one with another policy.
 * @param entries The changes that check runs found, newest first.
 */
export function formerRecord(
  published: PublishedDmarc,
  { domain, previous }: { readonly domain: string; readonly previous: Policy },
  entries: readonly ChecksEntry[],
): string | null {
  const present = parsed(published.text);
  if (present === undefined) return null;
  const isOwn = published.policyDomain === null || published.policyDomain === domain;
  if (isOwn) {
    // Records of other checks have no policy.
    const found = entries
      .flatMap(({ changes }) => changes)
      .flatMap(({ recordsRemoved }) => (recordsRemoved.length === 1 ? recordsRemoved : []))
      .find((text) => effectivePolicy({ text, policyDomain: domain }, domain) === previous);
    if (found !== undefined && !isShortened(found) && sameAddresses(parsed(found), present)) return found;
  }
  return withPolicy(present, previous, isOwn ? ['v', 'p', 't'] : ['v', 'p', 't', 'psd']);
}

function parsed(text: string | null): DmarcRecord | undefined {
  const result = text === null ? undefined : parseDmarcRecord(text);
  return result?.ok ? result.record : undefined;
}

function sameAddresses(former: DmarcRecord | undefined, present: DmarcRecord): boolean {
  const uris = (record: DmarcRecord) => JSON.stringify([record.rua, record.ruf]);
  return former !== undefined && uris(former) === uris(present);
}

/** No policy of subdomains stays stricter than `previous`. Test mode would weaken it once more. */
function withPolicy({ tags, sp, np }: DmarcRecord, previous: Policy, replaced: readonly string[]): string {
  const isStricter = (policy: Policy | null) =>
    policy !== null && policies.indexOf(policy) > policies.indexOf(previous);
  const lowered = [...(isStricter(sp) ? ['sp'] : []), ...(isStricter(np) ? ['np'] : [])];
  const kept = tags
    .map(({ name, value }) => ({ name: name.toLowerCase(), value }))
    .filter(({ name }) => !replaced.includes(name))
    .map(({ name, value }) => ({ name, value: lowered.includes(name) ? previous : value }));
  return [{ name: 'v', value: 'DMARC1' }, { name: 'p', value: previous }, ...kept]
    .map(({ name, value }) => `${name}=${value}`)
    .join('; ');
}
