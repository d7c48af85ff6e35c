import { domainStore } from '../../store/domains/domains.ts';
import { config } from '../config/config.ts';
import { clock, naming, table } from './services.ts';

/** What registering domains needs, alone or in a batch. */
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

export type RegistrationDependencies = ReturnType<typeof registrationDependencies>;
