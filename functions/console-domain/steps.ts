import { stateOf } from '../../shared/pages/console/domain/steps.ts';
import { dns } from '../../shared/runtime/dependencies/dns.ts';
import { naming, table } from '../../shared/runtime/dependencies/services.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { reply } from '../../shared/runtime/http/reply.ts';
import { requireDomain } from '../../shared/runtime/http/require-domain.ts';
import { isProven } from '../../shared/store/domains/domain.ts';
import { domainStore } from '../../shared/store/domains/domains.ts';
import { stepsOf } from '../../shared/views/domain/first-steps.ts';
import { routes } from './routes.ts';

export const handler = endpoint(
  routes.getFirstSteps,
  () => ({ domains: domainStore(table()), dns: dns(), naming: naming() }),
  async ({ organization, path }, { domains, ...deps }) => {
    const domain = await requireDomain(domains, organization, path.id);
    const steps = await stepsOf(domain, { changes: [] }, deps);
    return reply(stateOf({ steps, isVerified: isProven(domain) }));
  },
);
