/** What several domain endpoints hold a request against. */
import { missing } from '../../shared/api/common.ts';
import { domainNameProblem } from '../../shared/api/domain-names.ts';
import { receivesMail } from '../../shared/api/domains.ts';
import type { UsageType } from '../../shared/checks/results.ts';
import {
  type DomainNameProblem,
  isWithin,
  nameInside,
  parseDomainName,
} from '../../shared/protocol/domain-name.ts';
import { invalidRequest, ServiceError } from '../../shared/runtime/errors.ts';
import type { Domain, DomainStore } from '../../shared/store/domains/domains.ts';

/**
 * The name under which a domain is registered.
 * @param own The domains at which the service itself takes mail: nobody else's, and none to be monitored.
 * @throws ServiceError `invalid_request` for what is no mail domain.
 */
export function readMailDomain(typed: string, own: readonly string[]): string {
  const parsed = parseDomainName(typed);
  if (!parsed.ok) throw refusedDomain(problemWith(typed, parsed.problem));
  if (own.some((name) => isWithin(parsed.name, name))) {
    throw refusedDomain('must not be a domain at which this service itself takes mail');
  }
  return parsed.name;
}

const refusedDomain = (message: string) => invalidRequest({ path: 'body.domain', message });

/** What is wrong with a name; of one inside something else, that it has to stand alone. */
function problemWith(typed: string, problem: DomainNameProblem): string {
  const inside = parseDomainName(nameInside(typed));
  return inside.ok ? `must be a domain name alone, such as ${inside.name}` : domainNameProblem[problem];
}

/**
 * The test mailbox that goes with a usage type: required where mail is received, null where it is not.
 * @throws ServiceError `invalid_request` when it is missing.
 */
export function settleTestMailbox(usage: UsageType, localPart: string | null): string | null {
  if (!receivesMail(usage)) return null;
  if (localPart === null) {
    throw invalidRequest({
      path: 'body.testEmailLocalPart',
      message: 'is required for a domain that receives email',
    });
  }
  return localPart;
}

/**
 * The test mailbox after a change. One that comes along with a usage that receives no mail is left out, as at
 * registration; one that is asked for by itself where it cannot be is a mistake.
 * @throws ServiceError `invalid_request` when it is missing, or has no place.
 */
export function changeTestMailbox(
  before: Pick<Domain, 'usageType' | 'testEmailLocalPart'>,
  { usageType, testEmailLocalPart: wanted = before.testEmailLocalPart }: MailboxChange,
): string | null {
  if (wanted !== null && usageType === undefined && !receivesMail(before.usageType)) {
    throw invalidRequest({
      path: 'body.testEmailLocalPart',
      message: `must be null: a domain whose usageType is ${before.usageType} receives no email`,
    });
  }
  return settleTestMailbox(usageType ?? before.usageType, wanted);
}

interface MailboxChange {
  readonly usageType?: UsageType | undefined;
  readonly testEmailLocalPart?: string | null | undefined;
}

/**
 * Whether a domain has a badge after a change that asks for `wanted`: only its owner makes its score public.
 * @throws ServiceError `invalid_request` when ownership is not proven.
 */
export function settleBadge({ badgeToken, verified }: Domain, wanted = badgeToken !== undefined): boolean {
  if (wanted && !verified) {
    throw invalidRequest({ path: 'body.badge', message: 'is only for a domain whose ownership is proven' });
  }
  return wanted;
}

/** The organization's domain with this id. @throws ServiceError `not_found`. */
export async function requireDomain(domains: DomainStore, organization: string, id: string): Promise<Domain> {
  const domain = await domains.get(organization, id);
  if (domain === undefined) throw new ServiceError('not_found', missing.domain);
  return domain;
}
