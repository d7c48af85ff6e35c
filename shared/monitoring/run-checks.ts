/** A check run: runs all checks of a domain, stores the results and raises the alerts. */
import { isDeepStrictEqual } from 'node:util';
import { differenceFrom } from '../alerts/changes.ts';
import { type CheckRunFacts, factsOf } from '../alerts/facts.ts';
import { type MonitorState, nextMonitorState } from '../alerts/monitor-state.ts';
import { confirmAbsence } from '../checks/confirm-absence.ts';
import { type DkimHistory, withKeys } from '../checks/dkim/history.ts';
import { type CheckContext, inspectDomain } from '../checks/inspect.ts';
import { keepLastKnown } from '../checks/last-known.ts';
import { watchChains } from '../checks/mx/rollover.ts';
import { recordLookups } from '../checks/record-lookups.ts';
import type { RecordedLookups } from '../checks/recorded-lookups.ts';
import { createRecorder, type RecordedRun } from '../checks/recording/record.ts';
import { RELEASE } from '../checks/release.ts';
import type { CheckResults } from '../checks/results.ts';
import type { CheckName } from '../checks/state.ts';
import { countLookups, type LookupCounts } from '../network/count-lookups.ts';
import type { dkimHistoryRules } from '../protocol/findings/dkim-history.ts';
import type { ServedHosts } from '../protocol/served-chain.ts';
import { dayAt } from '../protocol/time.ts';
import { scoresByUsage } from '../score/score.ts';
import type { NotificationSettingsStore } from '../store/alerts/notification-settings.ts';
import { eventWrites } from '../store/alerts/pending.ts';
import type { AttentionChanges } from '../store/attention-changes.ts';
import type { DomainItem } from '../store/attention-items.ts';
import type { CheckStore, StoredChecks } from '../store/check-runs/checks.ts';
import type { EvidenceStore } from '../store/check-runs/evidence.ts';
import type { HistoryStore } from '../store/check-runs/history.ts';
import type { MonitorStateStore, StoredMonitorState } from '../store/check-runs/monitor-states.ts';
import type { SeenSelectorStore } from '../store/check-runs/seen-selectors.ts';
import { type SharedKeyStore, sharedKeyWrites } from '../store/check-runs/shared-keys.ts';
import type { ComplianceSettingsStore } from '../store/compliance-settings.ts';
import { untilUncontended } from '../store/contention.ts';
import type { Domain } from '../store/domains/domains.ts';
import { publishedReportAddress, reportAddress } from '../store/domains/report-address.ts';
import { isCheckedAt } from '../store/domains/writes.ts';
import type { OrganizationStore } from '../store/organizations.ts';
import type { SummaryStore } from '../store/reports/summaries.ts';
import { conditionsOf, unknownSinceOf } from './attention.ts';
import { standingsOf } from './followed-profiles.ts';
import { listedOf } from './listed.ts';
import { reportedUse } from './reported-use.ts';

export interface CheckRunDependencies {
  readonly checks: Pick<CheckStore, 'latest' | 'keep'>;
  readonly history: Pick<HistoryStore, 'writesOf'>;
  readonly evidence: Pick<EvidenceStore, 'writesOf'>;
  readonly selectors: Pick<SeenSelectorStore, 'uses' | 'listTested'>;
  readonly sharedKeys: SharedKeyStore;
  readonly summaries: Pick<SummaryStore, 'eachDay'>;
  readonly monitorStates: MonitorStateStore;
  readonly organizations: Pick<OrganizationStore, 'get'>;
  readonly notifications: Pick<NotificationSettingsStore, 'getSoon'>;
  readonly attention: Pick<AttentionChanges, 'open' | 'apply'>;
  readonly compliance: Pick<ComplianceSettingsStore, 'getSoon'>;
  /** Whether what a domain was assessed to be ready for still holds with these results. */
  readonly isReady: (domain: Domain, results: CheckResults, now: Date) => Promise<boolean>;
  readonly settings: CheckRunSettings;
  /** Schedules the run that confirms a pending change; `seenAt` is the time of the run that found the change. */
  readonly scheduleConfirmation: (domain: Domain, seenAt: string, delaySeconds: number) => Promise<void>;
  /** Called with what a run found, for the log and metrics. */
  readonly onCheckRun: (domain: Domain, checkRun: CheckRun) => void;
}

/** What a check run found, before failed lookups are filled in from earlier results, and what it cost. */
export interface CheckRun extends LookupCounts {
  readonly results: CheckResults;
  readonly checkMilliseconds: number;
}

interface CheckRunSettings {
  /** The score threshold of organizations that did not set one. */
  readonly scoreThreshold: number;
  readonly confirmAfterSeconds: number;
  /** The domain that report mailboxes are in. */
  readonly reportsDomain: string;
  /** Domains before it that are still accepted. */
  readonly formerReportsDomains: readonly string[];
}

/** What is stored after a check run, and what the run read. */
interface CheckRunOutcome {
  readonly checks: StoredChecks;
  /** The attention items of the domain, before the run opened or closed any; undefined if it did not read them. */
  readonly items?: readonly DomainItem[];
}

/**
 * Runs all checks of a domain, stores the results and, for a verified domain, raises the alerts. Safe to repeat and to
 * run concurrently: a change is alerted once.
 */
export async function performCheckRun(
  domain: Domain,
  deps: CheckRunDependencies,
  { checkContext, now }: { checkContext: CheckContext; now: Date },
): Promise<CheckRunOutcome> {
  const { before, stored, knownSelectors, dkimHistory } = await loadBefore(domain, deps, now);
  const started = performance.now();
  const { dns: counted, counts } = countLookups(checkContext.network.dns);
  const { baseline } = stored.state ?? {};
  const confirmed =
    baseline === undefined || !domain.verified
      ? undefined
      : confirmAbsence({ ...checkContext.network, dns: counted }, domain.domain, baseline.checks);
  const { dns, lookups } = recordLookups(confirmed?.dns ?? counted);
  const { smtp, onTlsa, served } = watchChains(checkContext.network.smtp);
  const network = { ...checkContext.network, dns, smtp };
  const reportMailbox = publishedReportAddress(domain, deps.settings.reportsDomain);
  const recorder = createRecorder(network.clock, now);
  const inspected = await inspectDomain(
    { ...domain, knownSelectors, reportMailbox, servedChains: before?.chains, onTlsa, dkimHistory },
    { ...checkContext, network, recorder },
  );
  const checkMilliseconds = Math.round(performance.now() - started);
  deps.onCheckRun(domain, { results: inspected, checkMilliseconds, ...counts() });
  const kept = await keep(domain, inspected, before, {
    ...{ ...deps, now, lookups: lookups(), served, recorded: recorder.run },
    isUnconfirmed: (name) => confirmed?.isUnconfirmed(name) ?? false,
  });
  const { checks } = kept;
  if (!kept.isLatest || !domain.verified) return { checks };
  const state = await raiseAlerts(domain, { facts: kept.facts, now }, stored, deps);
  if (state === undefined) return { checks };
  return { checks, items: await applyConditions(domain, { checks, state }, deps, now) };
}

/**
 * Opens and closes what a check run decides about: the latest one, so that an earlier one that ends later changes nothing.
 * Returns what was open before.
 */
async function applyConditions(
  domain: Domain,
  { checks, state }: { readonly checks: StoredChecks; readonly state: MonitorState },
  { attention, isReady, settings }: CheckRunDependencies,
  now: Date,
): Promise<readonly DomainItem[]> {
  const open = await attention.open(domain.id);
  const isOutdated =
    open.some(({ kind }) => kind === 'ready-for-next-step') && !(await isReady(domain, checks.results, now));
  const formerMailboxes = settings.formerReportsDomains.map((former) => reportAddress(domain, former));
  const conditions = {
    ...conditionsOf(checks, state, formerMailboxes, now),
    ...(isOutdated && { 'ready-for-next-step': null }),
  };
  await attention.apply(domain, open, conditions, { guard: [isCheckedAt(domain, checks.checkedAt)], now });
  return open;
}

const USED_KEY_GONE = 'dkim-used-key-gone' satisfies keyof typeof dkimHistoryRules;

/** A key that was removed more than a week after its last use was retired. */
const USED_DAYS = 7;

/** The stores of what earlier check runs left. */
interface StoresBefore extends Pick<CheckRunDependencies, 'selectors' | 'sharedKeys' | 'summaries'> {
  readonly checks: Pick<CheckStore, 'latest'>;
  readonly monitorStates: Pick<MonitorStateStore, 'get'>;
}

/** What earlier check runs left for the next one, and the DKIM selectors that it checks besides the common ones. */
export async function loadBefore(
  domain: Domain,
  { checks, selectors, sharedKeys, summaries, monitorStates }: StoresBefore,
  now: Date,
) {
  const [before, tested, { seen, isFull }, stored] = await Promise.all([
    checks.latest(domain.id),
    selectors.listTested(domain.domain, now),
    selectors.uses(domain.id),
    monitorStates.get(domain.id),
  ]);
  const knownSelectors = [
    ...new Set([
      ...(before === undefined ? [] : [...missedSelectors(before.results), ...selectorsOf(before.results)]),
      ...baselineSelectors(stored),
      ...tested,
      ...seen.map(({ selector }) => selector),
    ]),
  ];
  const inTests = tested.map((selector) => ({ selector, lastSeen: dayAt(now) }));
  const dkimHistory: DkimHistory = {
    keys: before?.keys ?? [],
    uses: [...inTests.filter(({ selector }) => !seen.some((one) => one.selector === selector)), ...seen],
    isPartial: isFull,
    usedDays: USED_DAYS,
    reportedUse: (lost) => reportedUse(domain, lost, summaries, now),
    elsewhere: (keys) => sharedKeys.elsewhere(domain, keys),
  };
  return { before, stored, knownSelectors, dkimHistory };
}

/** A transaction has at most 100 (AWS, TransactWriteItems); those of the results and the history are at most ten. */
const MOST_WRITES = 90;

interface KeepDependencies
  extends Pick<CheckRunDependencies, 'checks' | 'history' | 'evidence' | 'notifications' | 'compliance'> {
  readonly now: Date;
  readonly recorded: () => RecordedRun | undefined;
  readonly lookups: RecordedLookups;
  readonly served: (before: ServedHosts, now: Date) => ServedHosts;
  readonly isUnconfirmed: (name: CheckName) => boolean;
}

/** Stores the results and the event that they are complete, unless a concurrent run stored later ones. */
async function keep(
  domain: Domain,
  inspected: CheckResults,
  initial: StoredChecks | undefined,
  {
    checks: store,
    notifications,
    compliance,
    now,
    lookups,
    served,
    isUnconfirmed,
    ...deps
  }: KeepDependencies,
): Promise<{ checks: StoredChecks; facts: CheckRunFacts; isLatest: boolean }> {
  const checkedAt = now.toISOString();
  const [settings, followed] = await Promise.all([
    notifications.getSoon(domain.organization),
    compliance.getSoon(domain.organization),
  ]);
  let before = initial;
  return untilUncontended(async () => {
    const results = keepLastKnown(inspected, before, now);
    const facts = factsOf(results, domain.usageType, isUnconfirmed);
    const unknownSince = unknownSinceOf(inspected, before, now);
    const scores = scoresByUsage(results);
    const chains = served(before?.chains ?? [], now);
    const keys = withKeys(before?.keys ?? [], inspected.dkim.selectors, now);
    const standings = standingsOf(results, domain.usageType, followed, before?.standings);
    const watched = { unknownSince, chains, keys, ...(standings !== undefined && { standings }) };
    const listed = listedOf(results, domain.usageType, followed.own);
    const completed = { type: 'checks.completed', score: facts.score, grade: facts.grade } as const;
    const others = [
      ...eventWrites(domain, completed, settings, now),
      ...sharedKeyWrites(domain, before?.keys ?? [], keys),
    ];
    const room = MOST_WRITES - others.length;
    const { history, evidence } = changesOf(
      domain,
      { facts, results },
      { before, at: checkedAt, room },
      deps,
    );
    const kept = { evidence: evidence?.reference ?? before?.evidence };
    const checks = { checkedAt, results, score: facts.score, ...watched, ...kept, scores, lookups, listed };
    const writes = [...history, ...(evidence?.writes ?? []), ...others];
    if (await store.keep(domain, checks, { of: before, writes })) return { checks, facts, isLatest: true };
    const latest = await store.latest(domain.id);
    const isSuperseded = (latest?.checkedAt ?? '') >= checkedAt;
    // If the stored results did not change, the write failed because the domain was removed.
    if (isSuperseded || latest?.checkedAt === before?.checkedAt) return { checks, facts, isLatest: false };
    before = latest;
    return undefined;
  });
}

/** Returns the monitor state that is stored then; undefined if the domain is gone. */
async function raiseAlerts(
  domain: Domain,
  { facts, now }: { facts: CheckRunFacts; now: Date },
  initial: StoredMonitorState,
  { monitorStates, organizations, settings, scheduleConfirmation }: CheckRunDependencies,
): Promise<MonitorState | undefined> {
  const organization = await organizations.get(domain.organization);
  let stored = initial;
  const kept = await untilUncontended(async () => {
    const { state, alerts, needsConfirmation } = nextMonitorState(stored.state, facts, {
      domain: domain.domain,
      now,
      threshold: organization?.scoreThreshold ?? settings.scoreThreshold,
      confirmAfterMilliseconds: settings.confirmAfterSeconds * 1000,
    });
    // Most runs find no change, so there is nothing to write.
    if (isDeepStrictEqual(state, stored.state)) return { state };
    const outcome = await monitorStates.keep(domain, { state, revision: stored.revision }, alerts, now);
    if (outcome === 'gone') return { state: undefined };
    if (outcome === 'kept') {
      if (needsConfirmation)
        await scheduleConfirmation(domain, now.toISOString(), settings.confirmAfterSeconds);
      return { state };
    }
    stored = await monitorStates.get(domain.id);
    return undefined;
  });
  return kept.state;
}

/** The entry of the history and the evidence, if the run differs from the one before it, or that one has no evidence. */
function changesOf(
  { id, organization, domain, usageType }: Domain,
  { facts, results }: { readonly facts: CheckRunFacts; readonly results: CheckResults },
  {
    before,
    at,
    room,
  }: { readonly before: StoredChecks | undefined; readonly at: string; readonly room: number },
  { history, evidence, recorded }: Pick<KeepDependencies, 'history' | 'evidence' | 'recorded'>,
) {
  const factsBefore = before && factsOf(before.results, usageType);
  const scoreBefore = before?.score ?? factsBefore?.score ?? null;
  const { changes, scoreChanged } = differenceFrom(factsBefore && { facts: factsBefore, scoreBefore }, facts);
  const isChanged = changes.length > 0 || scoreChanged || before?.evidence === undefined;
  const run = isChanged ? recorded() : undefined;
  const entries = history.writesOf(id, {
    score: scoreChanged ? { at, score: facts.score, grade: facts.grade } : undefined,
    checks: changes.length > 0 ? { at, changes } : undefined,
    // What the first run finds is no change.
    listed: before && { organization, id, domain, scoreBefore, scoreAfter: facts.score },
  });
  return {
    history: entries,
    evidence:
      run && evidence.writesOf(id, { at, release: RELEASE, usageType, results, run }, before?.evidence, room),
  };
}

function selectorsOf({ dkim }: CheckResults): readonly string[] {
  return dkim.selectors.map(({ selector }) => selector);
}

/** They are checked until nobody uses them, or the key is back, even if reports named so many others that their use is forgotten. */
const missedSelectors = ({ dkim }: CheckResults): readonly string[] =>
  dkim.findings.flatMap(({ id, subject }) =>
    id === USED_KEY_GONE && subject !== undefined ? [subject] : [],
  );

/** Selectors of the baseline are checked until the owner was alerted that their keys are gone. */
function baselineSelectors({ state }: StoredMonitorState): readonly string[] {
  return (state?.baseline.checks.dkim.records ?? []).map((record) => record.slice(0, record.indexOf(':')));
}
