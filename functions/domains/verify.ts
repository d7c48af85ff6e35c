import { missing } from '../../shared/api/common.ts';
import { verifyOwnership } from '../../shared/monitoring/verify-ownership.ts';
import { dns } from '../../shared/runtime/dependencies/dns.ts';
import { clock, naming, table } from '../../shared/runtime/dependencies/services.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { ServiceError } from '../../shared/runtime/http/errors.ts';
import { reply } from '../../shared/runtime/http/reply.ts';
import { notificationSettingsStore } from '../../shared/store/alerts/notification-settings.ts';
import { domainStore } from '../../shared/store/domains/domains.ts';
import { ownershipStore } from '../../shared/store/domains/ownership.ts';
import { verificationRecordOf } from '../../shared/store/domains/verification-record.ts';
import { routes } from './routes.ts';
import { requireDomain, subjectOf } from './rules.ts';

export const handler = endpoint(
  routes.verifyDomain,
  () => ({
    domains: domainStore(table()),
    ownership: ownershipStore(table()),
    notifications: notificationSettingsStore(table()),
    naming: naming(),
    dns: dns(),
    clock,
  }),
  async ({ organization, path }, { naming, ...deps }) => {
    const domain = await requireDomain(deps.domains, organization, path.id);
    const expected = verificationRecordOf(domain, naming);
    const verification = await verifyOwnership(domain, expected, deps);
    if (verification.outcome === 'gone') throw new ServiceError('not_found', missing.domain);
    const { outcome, message } = verification;
    const subjects = [subjectOf(domain)];
    return outcome === 'verified'
      ? { ...reply({ verified: true, message }), subjects }
      : { ...reply({ verified: false, message, expected }), subjects };
  },
);
