/** What a check run says about the attention items of a verified domain. */
import type { CheckFacts } from '../alerts/facts.ts';
import type { MonitorState } from '../alerts/monitor-state.ts';
import { type About, named } from '../attention/kinds.ts';
import { checkTitles } from '../checks/checks.ts';
import { isInEffect } from '../checks/outcome.ts';
import { mailboxUse } from '../checks/report-mailbox.ts';
import type { CheckResults } from '../checks/results.ts';
import { type CheckName, checkNames, harmlessChecks } from '../checks/state.ts';
import { lapsedIn, type Standings } from '../compliance/lapses.ts';
import { isTakeover } from '../protocol/findings/catalogue.ts';
import type { Finding } from '../protocol/findings/finding.ts';
import type { Conditions, Held } from '../store/attention-changes.ts';
import type { StoredChecks, UnknownSince } from '../store/check-runs/checks.ts';

/** How long check runs must have had no result. A last known result stands in for as long. */
const UNKNOWN_MILLISECONDS = 72 * 3_600_000;

/** Findings about certificates that should have been renewed, with the argument that names the host. */
const EXPIRING: ReadonlySet<string> = new Set([
  'mx-certificate-expiring',
  'mx-certificate-expired',
  'mta-sts-policy-certificate-expiring',
  'bimi-evidence-expiring',
  'bimi-host-certificate-expiring',
]);

/**
 * Findings about what this service can do: it connects to no mail servers (`PROBE_SMTP=off`), or its resolver does not support
 * DNSSEC. That is the operator's concern, and the same for every domain.
 */
const OF_SERVICE: ReadonlySet<string> = new Set(['mx-port-25-not-asked', 'dnssec-chain-unavailable']);

/**
 * Since when check runs have had no result of a check, as far as the run before says. A time that is ahead is from a wrong
 * clock.
 */
export function unknownSinceOf(
  inspected: CheckResults,
  before: Pick<StoredChecks, 'unknownSince'> | undefined,
  now: Date,
): UnknownSince {
  const at = now.toISOString();
  const unknown = checkNames.filter((name) => {
    const { state, findings } = inspected[name];
    return state === 'unknown' && !findings.some(({ id }) => OF_SERVICE.has(id));
  });
  return Object.fromEntries(
    unknown.map((name) => {
      const since = before?.unknownSince?.[name];
      return [name, since === undefined || since > at ? at : since];
    }),
  );
}

/**
 * The conditions of the kinds that check runs decide about. The baseline has what two check runs agreed on.
 * @param formerMailboxes Addresses of the report mailbox at which reports are still accepted, beside the present one.
 */
export function conditionsOf(
  { results, unknownSince = {}, standings = {}, checkedAt }: StoredChecks,
  { baseline }: MonitorState,
  formerMailboxes: readonly string[],
  now: Date,
): Conditions {
  return {
    'former-report-address': formerAddress(results, formerMailboxes, checkedAt),
    takeover: takeover(baseline.checks, checkedAt),
    'check-failing': failing(baseline.checks, checkedAt),
    'lookups-failing': lookupsFailing(unknownSince, now),
    expiring: expiring(results, checkedAt),
    'tlsa-rollover': rollover(results, checkedAt),
    'requirement-lapsed': lapsed(standings, checkedAt),
  };
}

function failing(checks: Readonly<Record<CheckName, CheckFacts>>, since: string): Held | null {
  const names = checkNames.filter((name) => checks[name].faults.some(({ severity }) => severity === 'error'));
  if (names.length === 0) return null;
  const isHarmful = names.some((name) => !harmlessChecks.has(name) && !isInEffect(checks[name]));
  return { since, about: titles(names), severity: isHarmful ? 'critical' : 'warning' };
}

/** What leads to a domain that nobody owns, as two check runs agree. */
function takeover(checks: Readonly<Record<CheckName, CheckFacts>>, since: string): Held | null {
  const found = checkNames.flatMap((name) => checks[name].faults.filter(isTakeover));
  return found.length === 0
    ? null
    : { since, about: named(found.map(({ arguments: { owner } }) => String(owner))) };
}

function lookupsFailing(unknownSince: UnknownSince, now: Date): Held | null {
  const long = checkNames.flatMap((name) => {
    const since = unknownSince[name];
    return since !== undefined && now.getTime() - Date.parse(since) >= UNKNOWN_MILLISECONDS
      ? [{ name, since }]
      : [];
  });
  const [first] = long.map(({ since }) => since).toSorted();
  return first === undefined ? null : { since: first, about: titles(long.map(({ name }) => name)) };
}

function expiring({ mx, mtaSts, bimi }: CheckResults, since: string): Held | null {
  const found = [mx, mtaSts, bimi].flatMap(({ findings }) => findings).filter(({ id }) => EXPIRING.has(id));
  const [first] = found.map(({ arguments: { date } }) => String(date)).toSorted();
  return first === undefined ? null : { since, about: { ...named(found.map(certificateOf)), on: first } };
}

/** The hosts whose TLSA records the next renewal breaks, and the first day. */
function rollover({ mx }: CheckResults, since: string): Held | null {
  const found = mx.findings.filter(({ id }) => id === 'mx-tlsa-renewal-breaks');
  const [first] = found.map(({ arguments: { due } }) => String(due)).toSorted();
  return first === undefined
    ? null
    : { since, about: { ...named(found.map(({ arguments: { host } }) => String(host))), on: first } };
}

/** What was fulfilled of a followed profile, and is violated. */
function lapsed(standings: Standings, since: string): Held | null {
  const found = lapsedIn(standings);
  return found.length === 0 ? null : { since, about: named(found) };
}

/** A record names a mailbox of the domain at a domain of the service that is not the present one. */
function formerAddress(
  { dmarc, tlsRpt }: CheckResults,
  formerMailboxes: readonly string[],
  since: string,
): Held | null {
  const uris = [...dmarc.rua, ...tlsRpt.rua];
  const found = formerMailboxes.filter((mailbox) => mailboxUse(uris, mailbox).isNamed);
  return found.length === 0 ? null : { since, about: named(found) };
}

const certificateOf = ({ arguments: { host } }: Finding): string =>
  typeof host === 'string' ? host : 'the mark certificate';

const titles = (names: readonly CheckName[]): About => named(names.map((name) => checkTitles[name]));
