import { showReporting } from '../../shared/api/domains.ts';
import { config } from '../../shared/runtime/config/config.ts';
import { clock, naming, table } from '../../shared/runtime/dependencies/services.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { ServiceError } from '../../shared/runtime/http/errors.ts';
import { reply } from '../../shared/runtime/http/reply.ts';
import { domainStore } from '../../shared/store/domains/domains.ts';
import { routes } from './routes.ts';
import { readMailDomain, settleTestMailbox } from './rules.ts';

export const handler = endpoint(
  routes.createDomain,
  () => {
    const { DOMAIN_LIMIT, REPORTS_DOMAIN, TESTER_DOMAIN } = config();
    return {
      domains: domainStore(table()),
      naming: naming(),
      ownDomains: [REPORTS_DOMAIN, TESTER_DOMAIN],
      defaultLimit: DOMAIN_LIMIT,
      clock,
    };
  },
  async ({ organization, body }, { domains, naming, ownDomains, defaultLimit, clock }) => {
    const outcome = await domains.register(
      organization,
      {
        domain: readMailDomain(body.domain, ownDomains),
        usageType: body.usageType,
        testEmailLocalPart: settleTestMailbox(body.usageType, body.testEmailLocalPart ?? null),
      },
      defaultLimit,
      clock.now(),
    );
    if (outcome.status === 'exists') throw new ServiceError('domain_exists');
    if (outcome.status === 'limit-reached') throw new ServiceError('domain_limit_reached');
    const { id, domain, verified, verificationToken, usageType, testEmailLocalPart, createdAt } =
      outcome.domain;
    const created = reply({
      id,
      domain,
      verified,
      verificationToken,
      usageType,
      testEmailLocalPart,
      createdAt,
      reporting: showReporting(outcome.domain, naming),
    });
    return { ...created, subjects: [{ id, name: domain }] };
  },
);
