/** Validation that several domain endpoints share. */

import type * as z from 'zod/mini';
import { missing } from '../../shared/api/common.ts';
import { domainNameProblem } from '../../shared/api/domain-names.ts';
import type { createDomainBody } from '../../shared/api/domains.ts';
import { receivesMail, type UsageType } from '../../shared/checks/state.ts';
import type { Subject } from '../../shared/operations/outcome.ts';
import {
  type DomainNameProblem,
  isLookupName,
  isWithin,
  nameInside,
  parseDomainName,
} from '../../shared/protocol/domain-name.ts';
import type { RegistrationDependencies } from '../../shared/runtime/dependencies/registration-dependencies.ts';
import { versionAt } from '../../shared/runtime/http/entity-tag.ts';
import { invalidRequest, ServiceError } from '../../shared/runtime/http/errors.ts';
import type { Domain, DomainStore } from '../../shared/store/domains/domains.ts';

/**
 * The name under which a domain is registered.
 * @param own The domains at which the service itself receives mail; they cannot be registered.
 * @throws ServiceError `invalid_request` if it is not a mail domain.
 */
export function readMailDomain(typed: string, own: readonly string[]): string {
  const parsed = parseDomainName(typed);
  if (!parsed.ok) throw refusedDomain(problemWith(typed, parsed.problem));
  if (own.some((name) => isWithin(parsed.name, name))) {
    throw refusedDomain('must not be a domain whose mail this service itself receives');
  }
  return parsed.name;
}

const refusedDomain = (message: string) => invalidRequest({ path: 'body.domain', message });

/** Describes what is wrong with a name. If a name is embedded in other text, asks for the bare name. */
function problemWith(typed: string, problem: DomainNameProblem): string {
  const inside = parseDomainName(nameInside(typed));
  return inside.ok ? `must be only a domain name, such as ${inside.name}` : domainNameProblem[problem];
}

/**
 * The test mailbox for a usage type: required if the domain receives mail, otherwise null.
 * @throws ServiceError `invalid_request` if it is missing.
 */
export function settleTestMailbox(usage: UsageType, localPart: string | null): string | null {
  if (!receivesMail(usage)) return null;
  if (localPart === null) {
    throw invalidRequest({
      path: 'body.testEmailLocalPart',
      message: 'is required for a domain that receives mail',
    });
  }
  return localPart;
}

/**
 * The test mailbox after a change. If the request also sets a usage type that receives no mail, the mailbox is dropped,
 * as at registration. Setting a mailbox alone on such a domain is an error.
 * @throws ServiceError `invalid_request` if it is missing or not allowed.
 */
export function changeTestMailbox(
  before: Pick<Domain, 'usageType' | 'testEmailLocalPart'>,
  { usageType, testEmailLocalPart: wanted = before.testEmailLocalPart }: MailboxChange,
): string | null {
  if (wanted !== null && usageType === undefined && !receivesMail(before.usageType)) {
    throw invalidRequest({
      path: 'body.testEmailLocalPart',
      message: `must be null, because a domain with usageType ${before.usageType} receives no mail`,
    });
  }
  return settleTestMailbox(usageType ?? before.usageType, wanted);
}

interface MailboxChange {
  readonly usageType?: UsageType | undefined;
  readonly testEmailLocalPart?: string | null | undefined;
}

/**
 * The DKIM selectors of the domain after the change, each once.
 * @throws ServiceError `invalid_request` if one is too long for the name of a key record of this domain.
 */
export function settleSelectors(
  { domain, dkimSelectors }: Domain,
  wanted: readonly string[] = dkimSelectors,
): string[] {
  const long = wanted.findIndex((selector) => !isLookupName(`${selector}._domainkey.${domain}`));
  if (long >= 0) {
    throw invalidRequest({ path: `body.dkimSelectors.${long}`, message: 'is too long for this domain' });
  }
  return [...new Set(wanted)];
}

/**
 * Whether the domain has a badge after the change. Only a verified owner can make the score public.
 * @throws ServiceError `invalid_request` if ownership is not verified.
 */
export function settleBadge({ badgeToken, verified }: Domain, wanted = badgeToken !== undefined): boolean {
  if (wanted && !verified) {
    throw invalidRequest({ path: 'body.badge', message: 'can be true only for a verified domain' });
  }
  return wanted;
}

/** The domain of the organization with this id. @throws ServiceError `not_found`. */
export async function requireDomain(domains: DomainStore, organization: string, id: string): Promise<Domain> {
  const domain = await domains.get(organization, id);
  if (domain === undefined) throw new ServiceError('not_found', missing.domain);
  return domain;
}

/** A domain in the audit log. */
export const subjectOf = ({ id, domain }: Domain): Subject => ({ id, name: domain });

/** The version of a domain, which every change of it by its owner replaces. */
export const versionOf = ({ updatedAt }: Domain): string => versionAt(updatedAt);

/** Registers a domain. @throws ServiceError `invalid_request`, `domain_exists` or `domain_limit_reached`. */
export async function registerDomain(
  organization: string,
  { domain, usageType, testEmailLocalPart = null, tags = [] }: z.output<typeof createDomainBody>,
  { domains, ownDomains, defaultLimit, clock }: RegistrationDependencies,
): Promise<Domain> {
  const outcome = await domains.register(
    organization,
    {
      domain: readMailDomain(domain, ownDomains),
      usageType,
      testEmailLocalPart: settleTestMailbox(usageType, testEmailLocalPart),
      tags,
    },
    defaultLimit,
    clock.now(),
  );
  if (outcome.status === 'exists') throw new ServiceError('domain_exists');
  if (outcome.status === 'limit-reached') throw new ServiceError('domain_limit_reached');
  return outcome.domain;
}
