/** What a digest reports: the open list, what changed, and how the mail of the last days compares with that before. */
import type { Alert } from '../alerts/alert.ts';
import type { OrganizationSums } from '../enforcement/organization-shapes.ts';
import { sumsOfOrganization } from '../enforcement/organization-sums.ts';
import { percentage } from '../enforcement/senders.ts';
import { dayAt } from '../protocol/time.ts';
import { daysBefore } from '../reports/day.ts';
import type { AlertStore } from '../store/alerts/alerts.ts';
import type { Delivery } from '../store/alerts/delivery.ts';
import type { AttentionStore } from '../store/attention.ts';
import type { AttentionItem } from '../store/attention-items.ts';
import type { DomainStore } from '../store/domains/domains.ts';

export interface DigestStores {
  readonly domains: Pick<DomainStore, 'list'>;
  readonly alerts: Pick<AlertStore, 'inPeriod'>;
  readonly attention: Pick<AttentionStore, 'list'>;
  readonly sums: Parameters<typeof sumsOfOrganization>[1];
}

/** The messages of a week in DMARC reports. */
export interface WeekOfMail {
  /** Days such as `2026-01-31`, UTC, both included. */
  readonly from: string;
  readonly to: string;
  readonly messages: number;
  /** Null without messages. */
  readonly passRate: number | null;
}

export interface DigestFacts {
  readonly period: NonNullable<Delivery['period']>;
  readonly attention: { readonly items: readonly AttentionItem[]; readonly hasMore: boolean };
  readonly alerts: { readonly alerts: readonly Alert[]; readonly hasMore: boolean };
  readonly week: WeekOfMail;
  readonly weekBefore: WeekOfMail;
  /** Names of reporters. */
  readonly newReporters: readonly string[];
  readonly silentReporters: readonly string[];
}

/** How many open items a digest shows. */
const MOST_ITEMS = 20;

const WEEK_DAYS = 7;

/** Reports arrive up to two days after the day that they are about. */
const REPORT_DELAY_DAYS = 2;

/** A reporter with reports on fewer days reports rarely, so its silence means nothing. */
const FEWEST_DAYS = 10;

/** The facts of a digest that is sent at `now`; undefined if the organization has no domain. */
export async function digestFacts(
  { organization, period }: Pick<Delivery, 'organization'> & Pick<DigestFacts, 'period'>,
  { domains, alerts, attention, sums }: DigestStores,
  now: Date,
): Promise<DigestFacts | undefined> {
  const [some, raised, open, summed] = await Promise.all([
    domains.list(organization, 1, 1),
    alerts.inPeriod(organization, period, now),
    attention.list(organization, { putOff: false }, { page: 1, limit: MOST_ITEMS }, now),
    sumsOfOrganization(organization, sums, now),
  ]);
  if (some.domains.length === 0) return undefined;
  const lastDay = daysBefore(dayAt(now), REPORT_DELAY_DAYS);
  const week = weekUntil(lastDay, summed);
  const weekBefore = weekUntil(daysBefore(lastDay, WEEK_DAYS), summed);
  const named = (seen: OrganizationSums['reporters']) => seen.map(({ name }) => name);
  return {
    ...{ period, alerts: raised, attention: open, week, weekBefore },
    newReporters: named(summed.reporters.filter(({ firstSeen }) => firstSeen >= week.from)),
    silentReporters: named(
      summed.reporters.filter(({ days, lastSeen }) => days >= FEWEST_DAYS && lastSeen < week.from),
    ),
  };
}

function weekUntil(to: string, { days }: Pick<OrganizationSums, 'days'>): WeekOfMail {
  const from = daysBefore(to, WEEK_DAYS - 1);
  let [messages, passed] = [0, 0];
  for (const one of days) {
    if (one.day < from || one.day > to) continue;
    messages += one.messages;
    passed += one.passed;
  }
  return { from, to, messages, passRate: percentage(passed, messages) };
}
