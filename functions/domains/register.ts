/** Registering a domain, alone or in a batch. */
import type * as z from 'zod/mini';
import type { createDomainBody } from '../../shared/api/domains.ts';
import { config } from '../../shared/runtime/config/config.ts';
import { clock, naming, table } from '../../shared/runtime/dependencies/services.ts';
import { ServiceError } from '../../shared/runtime/http/errors.ts';
import { type Domain, domainStore } from '../../shared/store/domains/domains.ts';
import { readMailDomain, settleTestMailbox } from './rules.ts';

export type RegistrationDependencies = ReturnType<typeof registrationDependencies>;

export function registrationDependencies() {
  const { DOMAIN_LIMIT, REPORTS_DOMAIN, TESTER_DOMAIN } = config();
  return {
    domains: domainStore(table()),
    naming: naming(),
    ownDomains: [REPORTS_DOMAIN, TESTER_DOMAIN],
    defaultLimit: DOMAIN_LIMIT,
    clock,
  };
}

/** @throws ServiceError `invalid_request`, `domain_exists` or `domain_limit_reached`. */
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
