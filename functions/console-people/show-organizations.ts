import { operatorPage } from '../../shared/pages/console/operator.ts';
import { operatedDependencies } from '../../shared/runtime/dependencies/operated.ts';
import { reply } from '../../shared/runtime/http/reply.ts';
import { requireOperator } from '../../shared/runtime/http/require-operator.ts';
import { operatedOrganizations } from '../../shared/views/operated.ts';
import { consoleEndpoint } from '../console-endpoint.ts';
import { routes } from './routes.ts';

/** Each of them reads the rows of all its domains. */
const ON_A_PAGE = 10;

export const handler = consoleEndpoint(
  routes.showOrganizations,
  operatedDependencies,
  async ({ token, query: { page }, formToken, flash }, { members, defaultLimit, ...deps }) => {
    await requireOperator(token, members);
    const found = await operatedOrganizations({ page, limit: ON_A_PAGE }, deps);
    return reply(operatorPage({ ...found, page, defaultLimit, formToken, flash }));
  },
);
