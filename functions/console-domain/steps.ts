import { stateOf } from '../../shared/pages/console/domain/steps.ts';
import { dns } from '../../shared/runtime/dependencies/dns.ts';
import { naming } from '../../shared/runtime/dependencies/services.ts';
import { reply } from '../../shared/runtime/http/reply.ts';
import { isProven } from '../../shared/store/domains/domain.ts';
import { stepsOf } from '../../shared/views/domain/first-steps.ts';
import { domainEndpoint } from '../domain-endpoint.ts';
import { routes } from './routes.ts';

export const handler = domainEndpoint(
  routes.getFirstSteps,
  () => ({ dns: dns(), naming: naming() }),
  async (domain, _request, deps) => {
    const steps = await stepsOf(domain, { changes: [] }, deps);
    return reply(stateOf({ steps, isVerified: isProven(domain) }));
  },
);
