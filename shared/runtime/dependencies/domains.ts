/** What operations on domains need. */
import type { Naming } from '../../api/domains.ts';
import type { RegistrationDependencies } from '../../operations/domains/create-domain.ts';
import type { VerifyDependencies } from '../../operations/domains/verify-domain.ts';
import { notificationSettingsStore } from '../../store/alerts/notification-settings.ts';
import { domainStore } from '../../store/domains/domains.ts';
import { ownershipStore } from '../../store/domains/ownership.ts';
import { config, ownDomains } from '../config/config.ts';
import { dns } from './dns.ts';
import { clock, naming, table } from './services.ts';

/** What registering domains needs, alone or in a batch, and showing them. */
export function registrationDependencies(): RegistrationDependencies & { readonly naming: Naming } {
  const { DOMAIN_LIMIT } = config();
  return {
    domains: domainStore(table()),
    naming: naming(),
    ownDomains: ownDomains(config()),
    defaultLimit: DOMAIN_LIMIT,
    clock,
  };
}

export const verifyDependencies = (): VerifyDependencies => ({
  domains: domainStore(table()),
  ownership: ownershipStore(table()),
  notifications: notificationSettingsStore(table()),
  naming: naming(),
  dns: dns(),
  clock,
});
