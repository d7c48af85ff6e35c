import { missing } from '../../shared/api/common.ts';
import { assessEnforcement } from '../../shared/enforcement/assess.ts';
import { config } from '../../shared/runtime/config/config.ts';
import { dns } from '../../shared/runtime/dependencies/dns.ts';
import { enforcementDependencies } from '../../shared/runtime/dependencies/enforcement.ts';
import { table } from '../../shared/runtime/dependencies/services.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { ServiceError } from '../../shared/runtime/http/errors.ts';
import { domainStore } from '../../shared/store/domains/domains.ts';
import { reportAddress } from '../../shared/store/domains/report-address.ts';
import { requireDomain, subjectOf } from '../domains/rules.ts';
import { routes } from './routes.ts';

export const handler = endpoint(
  routes.updateEnforcement,
  () => ({
    domains: domainStore(table()),
    deps: { ...enforcementDependencies(), dns: dns() },
    reportsDomain: config().REPORTS_DOMAIN,
  }),
  async ({ organization, path, body, token }, { domains, deps, reportsDomain }) => {
    const domain = await requireDomain(domains, organization, path.id);
    const attestation = { at: deps.clock.now().toISOString(), by: token.id };
    const changes = Object.fromEntries(
      Object.entries(body.attested).map(([name, value]) => [name, value ? attestation : null]),
    );
    if (!(await deps.decisions.attest(domain, changes))) throw new ServiceError('not_found', missing.domain);
    const mailbox = reportAddress(domain, reportsDomain);
    return { data: await assessEnforcement({ ...domain, mailbox }, deps), subjects: [subjectOf(domain)] };
  },
);
