import { type FixFormat, writeFixes } from '../../shared/fixes/formats.ts';
import { clock, table } from '../../shared/runtime/dependencies/services.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { contentReply, reply } from '../../shared/runtime/http/reply.ts';
import { requireDomain } from '../../shared/runtime/http/require-domain.ts';
import { domainStore } from '../../shared/store/domains/domains.ts';
import { routes } from './routes.ts';
import { planDependencies, planOf } from './rules.ts';

export const handler = endpoint(
  routes.getFixes,
  () => ({ ...planDependencies(), domains: domainStore(table()), clock }),
  async ({ organization, path, query }, { domains, clock, ...deps }) => {
    const domain = await requireDomain(domains, organization, path.id);
    const plan = await planOf(domain, deps, clock.now());
    return query.format === undefined
      ? reply(plan)
      : contentReply(contentTypes[query.format], writeFixes(plan, query.format));
  },
);

const contentTypes: Readonly<Record<FixFormat, string>> = {
  zone: 'text/dns; charset=utf-8',
  route53: 'application/json; charset=utf-8',
  terraform: 'text/plain; charset=utf-8',
};
