/** What the endpoints of the domain checker share. */
import { missing } from '../../shared/api/common.ts';
import { type DomainCheckResult, domainCheckPath } from '../../shared/api/domain-checker.ts';
import { readTypedName, type TypedName } from '../../shared/api/domain-names.ts';
import { showChecks } from '../../shared/api/show-checks.ts';
import { type Inspector, inspectDomain } from '../../shared/checks/inspect.ts';
import { recordLookups } from '../../shared/checks/record-lookups.ts';
import type { UsageType } from '../../shared/checks/state.ts';
import { noReportedMail, type ReportedMail } from '../../shared/fixes/facts.ts';
import { planFixes } from '../../shared/fixes/plan.ts';
import { limitInspector } from '../../shared/operations/limits/contacts.ts';
import { countDomainRun } from '../../shared/operations/limits/domain-runs.ts';
import type { LimitDependencies } from '../../shared/operations/limits/limit-dependencies.ts';
import { countSavedBytes } from '../../shared/operations/limits/save-limit.ts';
import type { AssessedCheck } from '../../shared/pages/check/result.ts';
import { parseDomainName } from '../../shared/protocol/domain-name.ts';
import { config } from '../../shared/runtime/config/config.ts';
import { inspector } from '../../shared/runtime/dependencies/inspector.ts';
import { clock, table } from '../../shared/runtime/dependencies/services.ts';
import { rateLimited, ServiceError } from '../../shared/runtime/http/errors.ts';
import { computeScore } from '../../shared/score/score.ts';
import {
  type CheckedDomain,
  type DomainCheckShareStore,
  type DomainCheckStore,
  domainCheckStore,
  type SharedCheck,
} from '../../shared/store/domain-checks.ts';
import type { Domain } from '../../shared/store/domains/domain.ts';
import { reportAddress } from '../../shared/store/domains/report-address.ts';
import { exactRateStore } from '../../shared/store/rates/exact-rates.ts';
import { rateStore } from '../../shared/store/rates/rates.ts';
import { type ReportStores, reportedMail } from '../fixes/report-rules.ts';

/** Check runs of a domain, whoever asks for them. Requests that get results of the last minute do not count. */
const DOMAIN_RATE = { limit: 3, windowMilliseconds: 60_000 };

export interface CheckDependencies extends LimitDependencies {
  readonly checks: DomainCheckStore;
  readonly rates: Pick<ReturnType<typeof exactRateStore>, 'consumeExact'>;
  readonly inspector: Inspector;
}

/** The owner of a registered domain, with what only the owner may see. */
export interface Owner {
  readonly organization: string;
  readonly mailbox: string;
  readonly mail: ReportedMail;
}

export const checkDependencies = (): CheckDependencies => ({
  checks: domainCheckStore(table()),
  rates: exactRateStore(table()),
  limits: rateStore(table()),
  inspector: inspector(),
  clock,
});

/** @throws ServiceError `not_found` if the operator turned the domain checker off. */
export function requirePublicChecks(): void {
  if (config().PUBLIC_CHECKS === 'off') {
    throw new ServiceError('not_found', missing.domainChecker);
  }
}

/** The domain to check, or why it is invalid. */
export const readDomain = (typed: string): TypedName => readTypedName(typed, parseDomainName);

/**
 * What the owner of `domain` may see, for a check of it with a token and for this usage type. Anybody can register a name:
 * only verification proves an owner, so there is none before.
 */
export async function ownerOf(
  domain: Domain,
  usageType: UsageType,
  { reportsDomain, ...stores }: ReportStores & { readonly reportsDomain: string },
  now: Date,
): Promise<Owner | null> {
  if (!domain.verified) return null;
  return {
    organization: domain.organization,
    mailbox: reportAddress(domain, reportsDomain),
    mail: await reportedMail({ ...domain, usageType }, stores, now),
  };
}

/**
 * Runs all checks of any domain, or returns the results of the last minute. Without an owner, nothing in them depends on
 * whether the domain is registered here.
 * @throws ServiceError `rate_limited` beyond the limits of the domain.
 */
export async function checkNow(
  domain: string,
  owner: Owner | null,
  { checks, rates, inspector: unlimited, ...deps }: CheckDependencies,
): Promise<CheckedDomain> {
  const { clock } = deps;
  const now = clock.now();
  const organization = owner?.organization ?? null;
  const recent = await checks.recent(domain, organization, now);
  if (recent !== undefined) return recent;
  const decision = await rates.consumeExact('domain-check', domain, DOMAIN_RATE, now);
  if (!decision.allowed) {
    throw rateLimited(
      decision.retryAfterMilliseconds,
      `A domain can be checked at most ${DOMAIN_RATE.limit} times per minute.`,
    );
  }
  if (owner === null) await countDomainRun(domain, 'anonymous', deps);
  const inspector = owner === null ? limitInspector(unlimited, deps) : unlimited;
  const { dns, lookups } = recordLookups(inspector.network.dns);
  const results = await inspectDomain(
    {
      domain,
      testEmailLocalPart: null,
      knownSelectors: [],
      ...(owner === null ? {} : { reportMailbox: owner.mailbox }),
    },
    { ...inspector, network: { ...inspector.network, dns } },
  );
  const checked = { domain, checkedAt: now.toISOString(), results, lookups: lookups() };
  await checks.keep(checked, organization);
  return checked;
}

/**
 * Stores under a link what everybody sees of a domain: for an owner, too, a result without the report mailbox.
 * @throws ServiceError `payload_too_large`, and those of `checkNow` and `countSavedBytes`.
 */
export async function save(
  checked: CheckedDomain,
  usageType: UsageType,
  owner: Owner | null,
  clientAddress: string,
  { shares, ...deps }: CheckDependencies & { readonly shares: DomainCheckShareStore },
): Promise<string> {
  const published = owner === null ? checked : await checkNow(checked.domain, null, deps);
  const shareId = await shares.save({ ...published, usageType }, deps.clock.now(), (bytes) =>
    countSavedBytes(clientAddress, bytes, deps),
  );
  if (shareId === undefined) throw new ServiceError('payload_too_large', 'The result is too large to save.');
  return shareId;
}

/** The check with its score and recommended changes. */
export async function assess(check: SharedCheck, owner: Owner | null): Promise<AssessedCheck> {
  const { domain, usageType, results, lookups } = check;
  const { mailbox, mail = noReportedMail } = owner ?? {};
  const plan = await planFixes({ domain, usageType, mailbox, mail, results, lookups });
  return { check, score: computeScore(results, usageType), plan };
}

/** The same in the format of the API, but for its share. */
export function showCheck(
  { check: { domain, usageType, checkedAt, results }, score, plan }: AssessedCheck,
  owner: Owner | null,
): Omit<DomainCheckResult, 'shareId' | 'shareUrl'> {
  return {
    ...{ domain, usageType, checkedAt },
    results: showChecks(results, { domain, mailbox: owner?.mailbox }),
    score: { ...score, lastCheckedAt: checkedAt },
    fixes: plan,
  };
}

/** The fields of a saved result; `null` for one that is not saved. */
export const showShare = (
  shareId: string | null,
  hostUrl: string,
): Pick<DomainCheckResult, 'shareId' | 'shareUrl'> => ({
  shareId,
  shareUrl: shareId === null ? null : `${hostUrl}${domainCheckPath(shareId)}`,
});
