import { showChecks } from '../../shared/api/checks.ts';
import { look } from '../../shared/monitoring/look.ts';
import { endpoint } from '../../shared/runtime/endpoint.ts';
import { rateLimited } from '../../shared/runtime/errors.ts';
import { inspector } from '../../shared/runtime/inspector.ts';
import { lookParts } from '../../shared/runtime/look-parts.ts';
import { reply } from '../../shared/runtime/reply.ts';
import { clock, table } from '../../shared/runtime/services.ts';
import { domainStore } from '../../shared/store/domains/domains.ts';
import { exactRateStore } from '../../shared/store/rates/exact-rates.ts';
import { requireDomain } from '../domains/rules.ts';
import { routes } from './routes.ts';

/** The interface specification, Limits: 5 per minute per domain. */
const CHECK_RATE = { limit: 5, windowMilliseconds: 60_000 };

export const handler = endpoint(
  routes.runChecks,
  () => ({
    domains: domainStore(table()),
    rates: exactRateStore(table()),
    parts: lookParts(table()),
    inspector: inspector(),
    clock,
  }),
  async ({ organization, path }, { domains, rates, parts, inspector, clock }) => {
    const domain = await requireDomain(domains, organization, path.id);
    const now = clock.now();
    // By its name, which it keeps when it is removed and registered again.
    const decision = await rates.pass('checks', `${organization}#${domain.domain}`, CHECK_RATE, now);
    if (!decision.allowed)
      throw rateLimited(decision.retryAfter, 'A domain can be checked 5 times a minute.');
    const { checkedAt, results } = await look(domain, parts, { inspector, now });
    return reply({ checkedAt, results: showChecks(results) });
  },
);
