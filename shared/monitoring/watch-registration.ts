/**
 * Watches the registration of a domain after its scheduled check runs: asks the registry once a day, or less often while nothing is
 * wrong, and keeps the attention item. A lookup that fails changes nothing.
 */
import type { AlertSeverity } from '../alerts/alert.ts';
import { named } from '../attention/kinds.ts';
import type { RegistrationFacts, RegistrationProblem } from '../attention/registration-text.ts';
import { existsInDns } from '../checks/existence.ts';
import type { CheckResults } from '../checks/results.ts';
import type { Registration } from '../protocol/rdap/registration.ts';
import { DAY_MILLISECONDS } from '../protocol/time.ts';
import type { AttentionChanges, Held } from '../store/attention-changes.ts';
import type { DomainItem } from '../store/attention-items.ts';
import type { RegistrationStore, StoredRegistration } from '../store/check-runs/registrations.ts';
import type { DomainReference } from '../store/domains/domain.ts';
import { isRegistered } from '../store/domains/writes.ts';
import { type RegistrationAnswer, type Registrations, registeredDomain } from './registrations.ts';

export interface RegistrationDependencies {
  /** Undefined if this installation asks no registries. */
  readonly registrations: Registrations | undefined;
  readonly stored: RegistrationStore;
  readonly attention: Pick<AttentionChanges, 'open' | 'apply'>;
}

interface Run {
  readonly results: CheckResults;
  readonly items?: readonly DomainItem[] | undefined;
  readonly now: Date;
}

/** Registrars remind their customers a month and a week before the end (ICANN, Expired Registration Recovery Policy). */
const EXPIRING_DAYS = 30;
const URGENT_DAYS = 7;
/** How often the registry is asked: every day if something is wrong or near, otherwise twice a week. */
const SOON_MILLISECONDS = 22 * 3_600_000;
const LATER_MILLISECONDS = 3 * DAY_MILLISECONDS;
const NEAR_DAYS = 45;
/** Longer than resolvers keep DS records of a registry. */
const DIFFERS_MILLISECONDS = 2 * DAY_MILLISECONDS;
const LONGEST_WAIT_MILLISECONDS = 7 * DAY_MILLISECONDS;

const HOLDS = ['client hold', 'server hold'];
const REMOVALS = ['pending delete', 'redemption period'];
/** A new or transferred domain cannot be transferred for 60 days. */
const LOCKS = [
  ...['client transfer prohibited', 'server transfer prohibited', 'transfer prohibited', 'locked'],
  ...['add period', 'transfer period'],
];

/** Registries write the codes of EPP with and without spaces. */
const isOneOf = (status: string, list: readonly string[]): boolean =>
  list.some((one) => squeezed(one) === squeezed(status));
const squeezed = (status: string): string => status.toLowerCase().replace(/[\s_-]/g, '');

export async function watchRegistration(
  domain: DomainReference,
  { registrations, stored: store, attention }: RegistrationDependencies,
  { results, items, now }: Run,
): Promise<void> {
  const registered = registeredDomain(domain.domain);
  if (registrations === undefined || registered === undefined) {
    // It was open before registries were no longer asked.
    if (items?.some(({ kind }) => kind === 'registration'))
      await attention.apply(domain, items, { registration: null }, { guard: [isRegistered(domain)], now });
    return;
  }
  const before = await store.get(domain.id);
  if (before !== undefined && Date.parse(before.nextAt) > now.getTime()) return;
  const answer = await registrations.lookUp(registered, now);
  if (answer.status === 'unavailable') {
    await store.keep(domain, afterFailure(before, now));
    return;
  }
  const { differsSince: differed, ...facts } = factsOf(registered, answer, before, {
    ...{ results, now },
    isApex: domain.domain === registered,
  });
  const held = heldOf(facts, now);
  const seen = { at: now.toISOString(), ...answer };
  const nextAt = new Date(now.getTime() + waitAfter(answer, held, differed, now)).toISOString();
  await store.keep(domain, {
    seen,
    nextAt,
    failures: 0,
    ...(differed !== undefined && { differsSince: differed }),
  });
  const open = items ?? (await attention.open(domain.id));
  await attention.apply(domain, open, { registration: held }, { guard: [isRegistered(domain)], now });
}

/** Waits for six hours after a failure, and twice as long after each further one, up to a week. */
function afterFailure(before: StoredRegistration | undefined, now: Date): StoredRegistration {
  const failures = (before?.failures ?? 0) + 1;
  const wait = Math.min(LONGEST_WAIT_MILLISECONDS, 6 * 3_600_000 * 2 ** Math.min(failures - 1, 10));
  return { ...before, failures, nextAt: new Date(now.getTime() + wait).toISOString() };
}

type Answer = Exclude<RegistrationAnswer, { status: 'unavailable' }>;

/** What the registry says that needs a person, and since when its DS records have differed from those in DNS. */
function factsOf(
  registered: string,
  answer: Answer,
  before: StoredRegistration | undefined,
  { results, now, isApex }: { readonly results: CheckResults; readonly now: Date; readonly isApex: boolean },
): RegistrationFacts & { readonly differsSince: string | undefined } {
  const at = now.toISOString();
  const nothing = { registered, statuses: [], expires: null, asOf: at, registry: [], dns: [] };
  if (answer.status !== 'found') {
    // Of a subdomain, nothing is known about the domain above it.
    const isGone = isApex && answer.status === 'absent' && !existsInDns(results);
    return { ...nothing, problems: isGone ? ['not-registered'] : [], differsSince: undefined };
  }
  const { registration } = answer;
  const { expiresAt, statuses } = registration;
  const [holds, removals] = [HOLDS, REMOVALS].map((list) => statuses.filter((one) => isOneOf(one, list)));
  const dns = [...new Set(results.dnssec.dsRecords.map(({ keyTag }) => keyTag))];
  // A subdomain can be a zone with DS records of its own.
  const differs = isApex && differsFromDns(registration, dns, results);
  const differsSince = differs ? (before?.differsSince ?? at) : undefined;
  const isLasting =
    differsSince !== undefined && now.getTime() - Date.parse(differsSince) >= DIFFERS_MILLISECONDS;
  const problems: RegistrationProblem[] = [
    ...(removals?.length ? (['removed'] as const) : []),
    ...(holds?.length ? (['held'] as const) : []),
    ...(daysLeft(expiresAt, now) <= EXPIRING_DAYS ? (['expiring'] as const) : []),
    ...(isLasting ? (['ds-differs'] as const) : []),
    ...(isUnlocked(registered, statuses) ? (['unlocked'] as const) : []),
  ];
  return {
    ...{ registered, problems, differsSince, dns, asOf: at },
    statuses: [...(removals ?? []), ...(holds ?? [])],
    expires: expiresAt?.slice(0, 10) ?? null,
    registry: registration.keyTags ?? [],
  };
}

/** A registry that leaves its DS records out, and a check that could not look them up, say nothing. */
function differsFromDns(
  { keyTags }: Registration,
  dns: readonly number[],
  { dnssec }: CheckResults,
): boolean {
  if (keyTags === null || dnssec.state === 'unknown') return false;
  return keyTags.length !== dns.length || keyTags.some((keyTag) => !dns.includes(keyTag));
}

/** The codes of EPP (RFC 8056), which registries of generic top-level domains all use; those of countries have other rules. */
function isUnlocked(registered: string, statuses: readonly string[]): boolean {
  const top = registered.slice(registered.lastIndexOf('.') + 1);
  const isGeneric = top.length > 2 && !top.startsWith('xn--') && !['edu', 'gov', 'mil'].includes(top);
  return isGeneric && statuses.length > 0 && !statuses.some((status) => isOneOf(status, LOCKS));
}

const daysLeft = (expiresAt: string | null, now: Date): number =>
  expiresAt === null ? Number.POSITIVE_INFINITY : (Date.parse(expiresAt) - now.getTime()) / DAY_MILLISECONDS;

function heldOf(facts: RegistrationFacts, now: Date): Held | null {
  const { problems, expires, asOf } = facts;
  if (problems.length === 0) return null;
  const isUrgent =
    problems.some((one) => one === 'not-registered' || one === 'removed' || one === 'held') ||
    daysLeft(expires, now) <= URGENT_DAYS;
  const isMinor = problems.every((one) => one === 'unlocked');
  const severity: AlertSeverity = isUrgent ? 'critical' : isMinor ? 'info' : 'warning';
  return { since: asOf, severity, about: { ...named(problems), on: expires, facts } };
}

function waitAfter(answer: Answer, held: Held | null, differsSince: string | undefined, now: Date): number {
  const expiresAt = answer.status === 'found' ? answer.registration.expiresAt : null;
  const isQuiet = held === null || held.severity === 'info';
  const isFar = isQuiet && differsSince === undefined && daysLeft(expiresAt, now) > NEAR_DAYS;
  return isFar ? LATER_MILLISECONDS : SOON_MILLISECONDS;
}
