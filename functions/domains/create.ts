import { showReporting } from '../../shared/api/domains.ts';
import { parseDomainName } from '../../shared/protocol/domain-name.ts';
import { config } from '../../shared/runtime/config.ts';
import { endpoint } from '../../shared/runtime/endpoint.ts';
import { invalidRequest, ServiceError } from '../../shared/runtime/errors.ts';
import { reply } from '../../shared/runtime/reply.ts';
import { clock, naming, table } from '../../shared/runtime/services.ts';
import { domainStore } from '../../shared/store/domains.ts';
import { routes } from './routes.ts';
import { domainNameProblem, settleTestMailbox } from './rules.ts';

export const handler = endpoint(
  routes.createDomain,
  () => ({ domains: domainStore(table()), naming: naming(), defaultLimit: config().DOMAIN_LIMIT, clock }),
  async ({ organization, body }, { domains, naming, defaultLimit, clock }) => {
    const parsed = parseDomainName(body.domain);
    if (!parsed.ok) throw invalidRequest({ path: 'body.domain', message: domainNameProblem[parsed.problem] });
    const outcome = await domains.register(
      organization,
      {
        domain: parsed.name,
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
    return reply({
      id,
      domain,
      verified,
      verificationToken,
      usageType,
      testEmailLocalPart,
      createdAt,
      reporting: showReporting(outcome.domain, naming),
    });
  },
);
