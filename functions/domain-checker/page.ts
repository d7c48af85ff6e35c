import { checkAnyDomain } from '../../shared/operations/domain-checker/check-any-domain.ts';
import { resultPage } from '../../shared/pages/domain-checker/result.ts';
import { publicCheckDependencies } from '../../shared/runtime/dependencies/checkers.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { answer, reply } from '../../shared/runtime/http/reply.ts';
import { assess } from '../../shared/views/assessed-check.ts';
import { pages } from './presentation.ts';
import { routes } from './routes.ts';

export const handler = endpoint(
  routes.showDomainCheck,
  publicCheckDependencies,
  async ({ query }, deps) => {
    const { data: checked } = answer(await checkAnyDomain(query, deps), undefined, 'query');
    return reply(resultPage(await assess(checked)));
  },
  pages,
);
