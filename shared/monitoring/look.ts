/** A look at a domain: all checks, what is kept of them, and what is told about them. */
import { isDeepStrictEqual } from 'node:util';
import { type Facts, factsOf } from '../alerts/facts.ts';
import { differenceFrom } from '../alerts/history.ts';
import { watchStep } from '../alerts/watch.ts';
import { type Inspector, inspectDomain } from '../checks/inspect.ts';
import { keepLastKnown } from '../checks/last-known.ts';
import type { CheckResults } from '../checks/results.ts';
import { countLookups, type LookupCounts } from '../network/count-lookups.ts';
import { scoresByUsage } from '../score/score.ts';
import type { Domain } from '../store/domains/domains.ts';
import type { CheckStore, StoredChecks } from '../store/looks/checks.ts';
import type { HistoryStore } from '../store/looks/history.ts';
import type { SeenSelectorStore } from '../store/looks/seen-selectors.ts';
import type { StoredWatch, WatchStore } from '../store/looks/watches.ts';
import type { OrganizationStore } from '../store/organizations.ts';

export interface LookParts {
  readonly checks: Pick<CheckStore, 'latest' | 'keep'>;
  readonly history: Pick<HistoryStore, 'itemsOf'>;
  readonly selectors: Pick<SeenSelectorStore, 'list' | 'listTested'>;
  readonly watches: WatchStore;
  readonly organizations: Pick<OrganizationStore, 'get'>;
  readonly settings: LookSettings;
  /** Sees to it that the domain is looked at again; `seenAt` is the time of the look to be confirmed. */
  readonly lookAgain: (domain: Domain, seenAt: string, delaySeconds: number) => Promise<void>;
  /** Told what a look saw itself, for operators. */
  readonly looked: (domain: Domain, look: Look) => void;
}

/** What a look saw itself, and what that took. */
export interface Look extends LookupCounts {
  readonly results: CheckResults;
  readonly checkMilliseconds: number;
}

export interface LookSettings {
  /** The threshold of organizations that have none of their own. */
  readonly scoreThreshold: number;
  readonly confirmAfterSeconds: number;
  /** The domain of the report mailboxes. */
  readonly reportsDomain: string;
}

/** How often a step is taken anew when another look at the same domain came in between. */
const ATTEMPTS = 5;

/**
 * Runs all checks of a domain, keeps them, and raises the alerts that they lead to. Of a domain that is not verified
 * nothing is told: it is not monitored yet. May be called again, and beside itself: a change is told once.
 */
export async function look(
  domain: Domain,
  parts: LookParts,
  { inspector, now }: { inspector: Inspector; now: Date },
): Promise<StoredChecks> {
  const [before, tested, seen, stored] = await Promise.all([
    parts.checks.latest(domain.id),
    parts.selectors.listTested(domain.domain, now),
    parts.selectors.list(domain.id),
    parts.watches.get(domain.id),
  ]);
  const knownSelectors = [
    ...new Set([
      ...(before === undefined ? [] : selectorsOf(before.results)),
      ...toldSelectors(stored),
      ...tested,
      ...seen,
    ]),
  ];
  const started = performance.now();
  const { dns, counts } = countLookups(inspector.network.dns);
  const network = { ...inspector.network, dns };
  const reportMailbox = `${domain.mailbox}@${parts.settings.reportsDomain}`;
  const inspected = await inspectDomain(
    { ...domain, knownSelectors, reportMailbox },
    { ...inspector, network },
  );
  const checkMilliseconds = Math.round(performance.now() - started);
  parts.looked(domain, { results: inspected, checkMilliseconds, ...counts() });
  const kept = await keep(domain, inspected, before, { ...parts, now });
  if (kept.isLatest && domain.verified) await tell(domain, { facts: kept.facts, now }, stored, parts);
  return kept.checks;
}

/** Keeps what was seen in place of what was known, whatever other look came in between, unless that was a later one. */
async function keep(
  domain: Domain,
  inspected: CheckResults,
  read: StoredChecks | undefined,
  { checks: store, history, now }: Pick<LookParts, 'checks' | 'history'> & { now: Date },
): Promise<{ checks: StoredChecks; facts: Facts; isLatest: boolean }> {
  const checkedAt = now.toISOString();
  let before = read;
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const results = keepLastKnown(inspected, before, now);
    const facts = factsOf(results, domain.usageType);
    const checks = { checkedAt, results, score: facts.score, scores: scoresByUsage(results) };
    const writes = historyOf(domain, facts, before, history, checkedAt);
    if (await store.keep(domain, checks, { of: before, writes })) return { checks, facts, isLatest: true };
    const latest = await store.latest(domain.id);
    const isSuperseded = (latest?.checkedAt ?? '') >= checkedAt;
    // The same ones still being there means that it is the domain that is gone.
    if (isSuperseded || latest?.checkedAt === before?.checkedAt) return { checks, facts, isLatest: false };
    before = latest;
  }
  throw new Error(`the checks of ${domain.id} changed ${ATTEMPTS} times while one look was kept`);
}

async function tell(
  domain: Domain,
  { facts, now }: { facts: Facts; now: Date },
  read: StoredWatch,
  { watches, organizations, settings, lookAgain }: LookParts,
): Promise<void> {
  const organization = await organizations.get(domain.organization);
  let stored = read;
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const {
      watch,
      alerts,
      lookAgain: isWanted,
    } = watchStep(stored.watch, facts, {
      domain: domain.domain,
      now,
      threshold: organization?.scoreThreshold ?? settings.scoreThreshold,
      confirmAfterMilliseconds: settings.confirmAfterSeconds * 1000,
    });
    // Most looks find what is known already, and then there is nothing to write.
    if (isDeepStrictEqual(watch, stored.watch)) return;
    const outcome = await watches.keep(domain, { watch, revision: stored.revision }, alerts, now);
    if (outcome === 'gone') return;
    if (outcome === 'kept') {
      if (isWanted) await lookAgain(domain, now.toISOString(), settings.confirmAfterSeconds);
      return;
    }
    stored = await watches.get(domain.id);
  }
  throw new Error(`the watch on ${domain.id} changed ${ATTEMPTS} times while one look was told`);
}

function historyOf(
  { id, usageType }: Domain,
  facts: Facts,
  before: StoredChecks | undefined,
  history: LookParts['history'],
  at: string,
) {
  const factsBefore = before && factsOf(before.results, usageType);
  const { changes, isOtherScore } = differenceFrom(
    factsBefore && { facts: factsBefore, scoreBefore: before?.score ?? factsBefore.score },
    facts,
  );
  return history.itemsOf(id, {
    score: isOtherScore ? { at, score: facts.score, grade: facts.grade } : undefined,
    checks: changes.length > 0 ? { at, changes } : undefined,
  });
}

function selectorsOf({ dkim }: CheckResults): readonly string[] {
  return dkim.selectors.map(({ selector }) => selector);
}

/** A key that is gone is looked for until that is told. */
function toldSelectors({ watch }: StoredWatch): readonly string[] {
  return (watch?.told.checks.dkim.records ?? []).map((record) => record.slice(0, record.indexOf(':')));
}
