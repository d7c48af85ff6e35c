import { missing } from '../../shared/api/common.ts';
import { assessEnforcement } from '../../shared/enforcement/assess.ts';
import { subjectOf } from '../../shared/operations/domains/on-domain.ts';
import { config } from '../../shared/runtime/config/config.ts';
import { dns } from '../../shared/runtime/dependencies/dns.ts';
import { readinessDependencies } from '../../shared/runtime/dependencies/enforcement.ts';
import { table } from '../../shared/runtime/dependencies/services.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { isCurrent } from '../../shared/runtime/http/entity-tag.ts';
import { ServiceError } from '../../shared/runtime/http/errors.ts';
import { requireDomain } from '../../shared/runtime/http/require-domain.ts';
import { queue } from '../../shared/runtime/workers/queue.ts';
import { untilUncontended } from '../../shared/store/contention.ts';
import { domainStore } from '../../shared/store/domains/domains.ts';
import { reportAddress } from '../../shared/store/domains/report-address.ts';
import { routes } from './routes.ts';
import { assessAgain, versionOf } from './rules.ts';

export const handler = endpoint(
  routes.updateEnforcement,
  () => ({
    domains: domainStore(table()),
    deps: { ...readinessDependencies(), dns: dns(), rollUps: queue('summaries') },
    reportsDomain: config().REPORTS_DOMAIN,
  }),
  async ({ organization, path, body, token, ifMatch }, { domains, deps, reportsDomain }) => {
    const domain = await requireDomain(domains, organization, path.id);
    const attestation = { at: deps.clock.now().toISOString(), by: token.id };
    const changes = Object.fromEntries(
      Object.entries(body.attested).map(([name, value]) => [name, value ? attestation : null]),
    );
    // The write succeeds only if nobody else attested since the attestations were read; otherwise read them again.
    await untilUncontended(async () => {
      const before = await deps.decisions.attestations(domain.id);
      if (!isCurrent(versionOf(before), ifMatch)) throw new ServiceError('precondition_failed');
      const written = await deps.decisions.attest(domain, changes, before);
      if (written === 'domain-gone') throw new ServiceError('not_found', missing.domain);
      return written === 'changed' ? written : undefined;
    });
    await assessAgain(domain, deps);
    const data = await assessEnforcement({ ...domain, mailbox: reportAddress(domain, reportsDomain) }, deps);
    return { data, version: versionOf(data.attested), subjects: [subjectOf(domain)] };
  },
);
