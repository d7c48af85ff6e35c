/** The policies that reports show by day, the latest step among them, and for how long the present one is published. */
import { type Policy, parseDmarcRecord, policies } from '../protocol/dmarc/record.ts';
import { isWithin } from '../protocol/domain-name.ts';
import { daysBefore, daysBetween } from '../reports/day.ts';
import type { PublishedPolicy, RecordSummary } from '../reports/dmarc/summary/shapes.ts';
import type { ChecksEntry } from '../store/check-runs/history.ts';
import { appliedPolicy, effectOf, type PolicyTag, termsOfRecord, termsOfReport } from './policy-terms.ts';
import { passed, type SenderGroup } from './senders.ts';

/** The days that readiness is measured on, and that a step is compared with. */
export const WINDOW_DAYS = 30;

export interface ShownPolicies {
  /** The first day with a report; null without reports. */
  readonly since: string | null;
  /** What the policy that the reports of a day show does, oldest day first. */
  readonly shownEffects: readonly ShownEffect[];
  readonly lastStep: LastStep | null;
  /** The days around that step, by sender. */
  readonly stepDays: StepDays | null;
}

interface ShownEffect {
  readonly day: string;
  /** See `effectOf`. */
  readonly effect: string;
  /** Whether a large receiver found it. */
  readonly isAtLarge: boolean;
}

/** A step to a stricter policy that reports show. */
interface LastStep {
  readonly day: string;
  readonly policy: Policy;
  /** Approved messages of the 30 days before, and those of them that failed. */
  readonly before: { readonly messages: number; readonly lost: number };
  /** Approved messages since, and those of them that were quarantined or rejected. */
  readonly since: { readonly messages: number; readonly lost: number };
}

/** The fate of messages of an approved sender, without those that an intermediary passed on. */
export interface Fate {
  messages: number;
  /** Those that failed DMARC. */
  failed: number;
  /** Those that were quarantined or rejected. */
  lost: number;
}

/** The same in all reports, and in those of large receivers, which nobody else can send. */
export interface SenderFate {
  readonly group: SenderGroup;
  readonly all: Fate;
  readonly atLarge: Fate;
}

export interface FateDay {
  readonly day: string;
  /** By the ID of the sender. */
  readonly senders: ReadonlyMap<string, SenderFate>;
}

/** The 30 days before a step, and all days since then, oldest first. */
interface StepDays {
  readonly previous: Policy;
  readonly before: readonly FateDay[];
  readonly since: readonly FateDay[];
}

/** A policy that reports of a day show, and the messages that were evaluated with it. */
interface ShownPolicy {
  readonly effect: string;
  readonly policy: Policy;
  atLarge: number;
  messages: number;
}

interface DayFigures {
  readonly day: string;
  readonly shown: Map<string, ShownPolicy>;
  readonly senders: Map<string, SenderFate>;
  approved: number;
  failed: number;
  lost: number;
}

/** Collects the policies of `domain` and the fate of its approved messages, oldest day first. */
export function policyHistory(domain: string) {
  const daily: DayFigures[] = [];
  return {
    begin(day: string) {
      const figures: DayFigures = {
        day,
        shown: new Map(),
        senders: new Map(),
        approved: 0,
        failed: 0,
        lost: 0,
      };
      daily.push(figures);
      return {
        addPolicy(policy: PublishedPolicy | null, of: { messages: number; isLarge: boolean }): void {
          // Reports about subdomains with a record of their own say nothing about the domain's record.
          if (policy === null || (policy.domain !== domain && isWithin(policy.domain, domain))) return;
          const [terms, tag] = [termsOfReport(policy), policy.domain === domain ? 'p' : 'sp'] as const;
          const effect = effectOf(terms, tag);
          const none = { effect, policy: appliedPolicy(terms, tag), atLarge: 0, messages: 0 };
          const shown = figures.shown.get(effect) ?? none;
          figures.shown.set(effect, shown);
          shown.messages += of.messages;
          if (of.isLarge) shown.atLarge += of.messages;
        },

        addApproved(
          record: RecordSummary,
          of: { group: SenderGroup; isLarge: boolean; isForwarded: boolean },
        ): void {
          figures.approved += record.count;
          if (!passed(record)) figures.failed += record.count;
          if (record.disposition !== 'none') figures.lost += record.count;
          if (of.isForwarded) return;
          const { id } = of.group;
          const sender = figures.senders.get(id) ?? { group: of.group, all: noFate(), atLarge: noFate() };
          figures.senders.set(id, sender);
          addFate(sender.all, record);
          if (of.isLarge) addFate(sender.atLarge, record);
        },
      };
    },

    shown: (): ShownPolicies => shownPolicies(daily),
  };
}

const noFate = (): Fate => ({ messages: 0, failed: 0, lost: 0 });

function addFate(fate: Fate, record: RecordSummary): void {
  fate.messages += record.count;
  if (!passed(record)) fate.failed += record.count;
  if (record.disposition !== 'none') fate.lost += record.count;
}

/** The policy of a day: what large receivers found, and without them, what most messages were evaluated with. */
function policyOf({ shown }: DayFigures): ShownPolicy | undefined {
  return [...shown.values()].toSorted((a, b) => b.atLarge - a.atLarge || b.messages - a.messages)[0];
}

function shownPolicies(daily: readonly DayFigures[]): ShownPolicies {
  const known = daily.flatMap((figures) => {
    const shown = policyOf(figures);
    return shown === undefined ? [] : [{ ...figures, ...shown }];
  });
  const shownEffects = known.map(({ day, effect, atLarge }) => ({ day, effect, isAtLarge: atLarge > 0 }));
  const without = { since: daily[0]?.day ?? null, shownEffects, lastStep: null, stepDays: null };
  const present = known.at(-1)?.policy;
  const earlier = known.findLastIndex(({ policy }) => policy !== present);
  const [previous, first] = [known[earlier], known[earlier + 1]];
  if (previous === undefined || first === undefined || present === undefined) return without;
  if (policies.indexOf(previous.policy) > policies.indexOf(present)) return without;
  const from = daysBefore(first.day, WINDOW_DAYS);
  const before = known.slice(0, earlier + 1).filter(({ day }) => day >= from);
  const since = known.slice(earlier + 1);
  const sum = (days: readonly DayFigures[], of: 'approved' | 'failed' | 'lost') =>
    days.reduce((total, figures) => total + figures[of], 0);
  const lastStep = {
    day: first.day,
    policy: present,
    before: { messages: sum(before, 'approved'), lost: sum(before, 'failed') },
    since: { messages: sum(since, 'approved'), lost: sum(since, 'lost') },
  };
  return { ...without, lastStep, stepDays: { previous: previous.policy, before, since } };
}

/** The days on which check runs found what is published today. */
interface CheckedDays {
  readonly from: string;
  readonly to: string;
  /** Whether something else was published before; otherwise that is unknown. */
  readonly hasChanged: boolean;
}

interface CheckedPolicy {
  readonly effect: string;
  /** The tag of earlier records that applies to the domain. */
  readonly tag: PolicyTag;
  /** The day of the latest check run, which found the policy. */
  readonly to: string;
  /** The first day whose changes are all known; null if changes do not expire, or earlier ones were not read. */
  readonly keptFrom: string | null;
}

/**
 * The days on which check runs found a policy with this effect; null if that is unknown.
 * @param entries The changes that check runs found, newest first; the first of all of them says what was found first.
 */
export function checkedDays(
  entries: readonly ChecksEntry[],
  { effect, tag, to, keptFrom }: CheckedPolicy,
): CheckedDays | null {
  let from: string | undefined;
  for (const { at, changes } of entries) {
    from = at.slice(0, 10);
    const change = changes.find(({ check }) => check === 'dmarc');
    if (change === undefined || change.recordsAdded.length + change.recordsRemoved.length === 0) continue;
    const before = change.recordsRemoved;
    if (change.previousState === 'unknown' || before.some(isShortened))
      return { from, to, hasChanged: false };
    if (effectOfTexts(before, tag) !== effect) return { from, to, hasChanged: true };
  }
  // The entry of the first check run has expired, so nothing changed since then.
  const earliest = keptFrom ?? from;
  return earliest === undefined ? null : { from: earliest, to, hasChanged: false };
}

/** The history shortens long records; what is left may lack `pct` and `t`. */
export const isShortened = (text: string): boolean => text.endsWith('...');

/** Receivers apply no policy where there is no record, or more than one (RFC 9989 section 4.10.1). */
function effectOfTexts(texts: readonly string[], tag: PolicyTag): string | null {
  const records = texts.map(parseDmarcRecord).filter((parsed) => parsed.ok);
  const [only] = records;
  return only === undefined || records.length > 1 ? null : effectOf(termsOfRecord(only.record), tag);
}

/**
 * The number of complete days on which the policy with this effect was published: those whose reports show it, and those
 * without reports on which check runs found it. After another policy, it begins anew. What only small reporters found, and
 * check runs did not, is no other policy: anyone can be a small reporter.
 */
export function daysPublished(
  effect: string,
  { shownEffects }: Pick<ShownPolicies, 'shownEffects'>,
  checked: CheckedDays | null,
  today: string,
): number {
  const isChecked = (day: string) => checked !== null && day >= checked.from && day <= checked.to;
  const last = shownEffects.findLast(
    ({ day, isAtLarge, ...shown }) => shown.effect !== effect && (isAtLarge || !isChecked(day)),
  )?.day;
  const change = checked?.hasChanged === true ? checked.from : '';
  const isCounted = (day: string) => (last === undefined || day > last) && day >= change && day < today;
  const shown = shownEffects.filter((one) => one.effect === effect).map(({ day }) => day);
  const length = checked === null ? 0 : Math.max(0, daysBetween(checked.from, checked.to) + 1);
  const found = Array.from({ length }, (_, at) => daysBefore(checked?.from ?? today, -at));
  return new Set([...shown, ...found].filter(isCounted)).size;
}
