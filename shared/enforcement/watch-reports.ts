/**
 * Watches the reports of a domain after each scheduled check run, which is the clock for what does not happen: keeps its
 * attention items, and raises alerts. All of it is safe to repeat, so the next run completes what a crash interrupted.
 */
import { type AskedMailbox, alertsOfSilences, type Silence } from '../alerts/report-silence.ts';
import { aboutFacts } from '../attention/kinds.ts';
import { stoppedFacts } from '../attention/report-texts.ts';
import { mailboxUse } from '../checks/report-mailbox.ts';
import type { CheckResults } from '../checks/results.ts';
import { sendsMail, type UsageType } from '../checks/state.ts';
import { parseDmarcRecord } from '../protocol/dmarc/record.ts';
import type { Dns } from '../protocol/dns.ts';
import { isWithin, organizationalDomain } from '../protocol/domain-name.ts';
import { domainOf } from '../protocol/mail-address.ts';
import { dayAt } from '../protocol/time.ts';
import { daysBefore } from '../reports/day.ts';
import type { DaySummary } from '../reports/dmarc/summary/shapes.ts';
import type { AlertStore } from '../store/alerts/alerts.ts';
import type { AlertQuota } from '../store/alerts/dedupe-keys.ts';
import type { AttentionChanges, Held } from '../store/attention-changes.ts';
import type { DomainItem } from '../store/attention-items.ts';
import type { ChecksEntry, HistoryStore } from '../store/check-runs/history.ts';
import type { DomainReference } from '../store/domains/domain.ts';
import { isRegistered } from '../store/domains/writes.ts';
import type { DecisionStore } from '../store/enforcement/decisions.ts';
import type { SummaryStore } from '../store/reports/summaries.ts';
import { HISTORY_DAYS, MAX_CHANGES } from './assess.ts';
import { isShortened } from './policy-history.ts';
import { isDmarcKnown } from './published-records.ts';
import { isReportedAfter, SILENCE_WINDOW_DAYS, silencesOf } from './report-silence.ts';
import { comparedFrom, STEP_WINDOW_DAYS } from './step-loss.ts';
import { stepCondition, watchedStep } from './watch-step.ts';

/** How long the record must have asked for reports: small domains do not send mail every day. */
const ASKED_DAYS = 7;
/** The alerts of a domain about silences that began on one day. The item describes all of them. */
const QUOTA: AlertQuota = { authClass: 'authenticated', limit: 5 };

export interface WatchDependencies {
  readonly summaries: Pick<SummaryStore, 'readSummaries' | 'eachDay'>;
  readonly history: Pick<HistoryStore, 'checks' | 'keptFrom'>;
  readonly decisions: Pick<DecisionStore, 'list'>;
  readonly alerts: Pick<AlertStore, 'raise'>;
  readonly attention: Pick<AttentionChanges, 'open' | 'apply'>;
}

interface WatchedDomain extends DomainReference {
  readonly usageType: UsageType;
  /** The address of its report mailbox. */
  readonly mailbox: string;
}

/** A check run. */
interface WatchingRun {
  /** What it found. */
  readonly results: CheckResults;
  /** The attention items of the domain, if it read them: it decides about other kinds. */
  readonly items?: readonly DomainItem[] | undefined;
  readonly dns: Dns;
  readonly now: Date;
  /** False after a pause of the service: reports are late then, so nothing begins. */
  readonly isRunning: boolean;
}

export async function watchReports(
  domain: WatchedDomain,
  deps: WatchDependencies,
  { results, items: read, dns, now, isRunning }: WatchingRun,
): Promise<void> {
  const today = dayAt(now);
  const from = daysBefore(today, SILENCE_WINDOW_DAYS - 1);
  const items = read ?? (await deps.attention.open(domain.id));
  const open = new Map(items.map((item) => [item.kind, item]));
  const { mailbox } = domain;
  const asked = askedMailbox(domain.domain, mailbox, results);
  // Others are reported about only while somebody forges their mail, so that their silence means nothing.
  const isSender = sendsMail(domain.usageType);
  const before = open.get('step-loses-mail');
  const window = { from: firstDay(watchedStep(before), from, today), to: today };
  const days = isSender ? await deps.summaries.readSummaries(domain.id, window, now) : [];
  const silences = silencesOf(days, today);
  if (isRunning)
    for (const { draft, since } of alertsOfSilences(domain.domain, silences, asked))
      await deps.alerts.raise(domain, [draft], { day: since, list: 'reporters', quota: QUOTA }, now);
  await follow(
    'reports-stopped',
    isSender ? stopped(silences, days, asked, open.get('reports-stopped')) : null,
  );
  await follow('reports-never-came', isSender ? await neverCame() : null);
  const watch = { results, days, before, dns, now };
  await follow('step-loses-mail', isSender ? await stepCondition(domain, watch, deps) : null);

  async function follow(kind: DomainItem['kind'], condition: Held | null | undefined): Promise<void> {
    if (condition === null || (condition !== undefined && isRunning))
      await deps.attention.apply(
        domain,
        items,
        { [kind]: condition },
        { guard: [isRegistered(domain)], now },
      );
  }

  async function neverCame(): Promise<Held | null> {
    const before = open.get('reports-never-came');
    if (asked.isNamed === false || isReportedAfter(days, '')) return null;
    if (before !== undefined) return { since: before.since, about: aboutFacts({ ...asked }) };
    if (asked.isNamed === null) return null;
    const page = { page: 1, limit: MAX_CHANGES };
    const { entries, hasMore } = await deps.history.checks(domain.id, page, now);
    const keptFrom = hasMore ? null : deps.history.keptFrom(now);
    const since = askedSince(entries, { mailbox, keptFrom });
    if (since === null || since.slice(0, 10) > daysBefore(today, ASKED_DAYS)) return null;
    const earlier = { from: daysBefore(today, HISTORY_DAYS - 1), to: daysBefore(from, 1) };
    for await (const day of deps.summaries.eachDay(domain.id, earlier, now))
      if (isReportedAfter([day], '')) return null;
    return { since, about: aboutFacts({ ...asked }) };
  }
}

/**
 * A single reporter that is gone is left out after a while. If no report comes at all, the condition holds until one does,
 * or until the record no longer asks for reports.
 */
function stopped(
  found: readonly Silence[],
  days: readonly DaySummary[],
  asked: AskedMailbox,
  before: DomainItem | undefined,
): Held | null {
  const described = stoppedFacts.safeParse(before?.about.facts).data?.silences ?? [];
  const lasting = described.filter(
    ({ reporter, lastDay }) =>
      reporter === null && asked.isNamed !== false && !isReportedAfter(days, lastDay),
  );
  const silences = found.length > 0 ? found : lasting;
  const [longest] = silences;
  if (longest === undefined) return null;
  return {
    since: `${daysBefore(longest.lastDay, -1)}T00:00:00.000Z`,
    about: aboutFacts({ ...asked, silences }),
  };
}

/** A step that loses mail is compared with the days before it, however long ago it was. */
function firstDay(step: string | null, from: string, today: string): string {
  const needed = step === null ? daysBefore(today, STEP_WINDOW_DAYS - 1) : comparedFrom(step);
  return needed < from ? needed : from;
}

/** Where a domain asks for reports, as the latest check found it. */
export function askedMailbox(domain: string, mailbox: string, results: CheckResults): AskedMailbox {
  const host = domainOf(mailbox);
  const isInside = isWithin(host, organizationalDomain(domain));
  return {
    mailbox,
    isNamed: isDmarcKnown(results) ? mailboxUse(results.dmarc.rua, mailbox).isNamed : null,
    authorizedAt: isInside ? null : `${domain}._report._dmarc.${host}`,
  };
}

/**
 * The time since which check runs have found the mailbox in the record, which the latest one found; null if that is
 * unknown.
 * @param entries The changes that check runs found, newest first; the first of all of them says what was found first.
 * @param keptFrom The first day whose changes are all known; null if changes do not expire.
 */
export function askedSince(
  entries: readonly ChecksEntry[],
  { mailbox, keptFrom }: { readonly mailbox: string; readonly keptFrom: string | null },
): string | null {
  for (const { at, changes } of entries) {
    const change = changes.find(({ check }) => check === 'dmarc');
    if (change === undefined || change.recordsAdded.length + change.recordsRemoved.length === 0) continue;
    const [before, ...others] = change.recordsRemoved;
    if (before === undefined || others.length > 0 || isShortened(before) || !names(before)) return at;
  }
  return keptFrom ?? entries.at(-1)?.at ?? null;

  function names(text: string): boolean {
    const parsed = parseDmarcRecord(text);
    return (
      parsed.ok &&
      mailboxUse(
        parsed.record.rua.map(({ uri }) => uri),
        mailbox,
      ).isNamed
    );
  }
}
