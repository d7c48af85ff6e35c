import { domainCheckPath } from '../../shared/api/domain-checker.ts';
import { savedPage } from '../../shared/pages/saved.ts';
import { table } from '../../shared/runtime/dependencies/services.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { invalidRequest } from '../../shared/runtime/http/errors.ts';
import { reply } from '../../shared/runtime/http/reply.ts';
import { domainCheckShareStore } from '../../shared/store/domain-checks.ts';
import { pages } from './presentation.ts';
import { routes } from './routes.ts';
import { checkDependencies, checkNow, readDomain, requirePublicChecks, save } from './rules.ts';

export const handler = endpoint(
  routes.saveDomainCheck,
  () => ({ ...checkDependencies(), shares: domainCheckShareStore(table()) }),
  async ({ clientAddress, form: { domain, usageType } }, deps) => {
    requirePublicChecks();
    const parsed = readDomain(domain);
    if (!parsed.ok) throw invalidRequest({ path: 'form.domain', message: parsed.problem });
    const checked = await checkNow(parsed.name, null, deps);
    const path = domainCheckPath(await save(checked, usageType, null, clientAddress, deps));
    return reply(savedPage(path), { location: path });
  },
  pages,
);
