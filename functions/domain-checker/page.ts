import { resultPage } from '../../shared/pages/check/result.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { invalidRequest } from '../../shared/runtime/http/errors.ts';
import { reply } from '../../shared/runtime/http/reply.ts';
import { pages } from './presentation.ts';
import { routes } from './routes.ts';
import { assess, checkDependencies, checkNow, readDomain, requirePublicChecks } from './rules.ts';

export const handler = endpoint(
  routes.showDomainCheck,
  checkDependencies,
  async ({ query: { domain, usageType } }, deps) => {
    requirePublicChecks();
    const parsed = readDomain(domain);
    if (!parsed.ok) throw invalidRequest({ path: 'query.domain', message: parsed.problem });
    const checked = await checkNow(parsed.name, null, deps);
    return reply(resultPage(await assess({ ...checked, usageType }, null)));
  },
  pages,
);
