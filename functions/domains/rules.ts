/** What several domain endpoints hold a request against. */
import { receivesMail } from '../../shared/api/domains.ts';
import type { UsageType } from '../../shared/checks/results.ts';
import type { DomainNameProblem } from '../../shared/protocol/domain-name.ts';
import { invalidRequest, ServiceError } from '../../shared/runtime/errors.ts';
import type { Domain, DomainStore } from '../../shared/store/domains.ts';

export const domainNameProblem: Readonly<Record<DomainNameProblem, string>> = {
  empty: 'must not be empty',
  'ip-address': 'must be a domain name, not an IP address',
  'label-too-long': 'must not have a label of more than 63 characters',
  'name-too-long': 'must not be longer than 253 characters',
  'invalid-character': 'must consist of letters, digits and hyphens between single dots',
  'single-label': 'must have at least two labels, such as example.org',
  'public-suffix': 'must be a domain below a public suffix, not the suffix itself',
};

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
  if (domain === undefined) throw new ServiceError('not_found', 'There is no such domain.');
  return domain;
}
