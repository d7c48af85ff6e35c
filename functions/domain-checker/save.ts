import { domainCheckPath } from '../../shared/api/domain-checker.ts';
import { checkAnyDomain } from '../../shared/operations/domain-checker/check-any-domain.ts';
import { saveDomainCheck } from '../../shared/operations/domain-checker/save-domain-check.ts';
import { savedPage } from '../../shared/pages/saved.ts';
import { savedCheckDependencies } from '../../shared/runtime/dependencies/checkers.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { answer, reply } from '../../shared/runtime/http/reply.ts';
import { pages } from './presentation.ts';
import { routes } from './routes.ts';

export const handler = endpoint(
  routes.saveDomainCheck,
  savedCheckDependencies,
  async ({ clientAddress, form }, deps) => {
    const { data: checked } = answer(await checkAnyDomain(form, deps), undefined, 'form');
    const { data: path } = answer(await saveDomainCheck(checked, clientAddress, deps), domainCheckPath);
    return reply(savedPage(path), { location: path });
  },
  pages,
);
