import { sumsOfOrganization } from '../../shared/enforcement/organization-sums.ts';
import { organizationSumsStores } from '../../shared/runtime/dependencies/organization-sums.ts';
import { clock } from '../../shared/runtime/dependencies/services.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { pageOf } from '../../shared/runtime/http/reply.ts';
import { routes } from './routes.ts';

export const handler = endpoint(
  routes.listOrganizationSources,
  () => ({ sums: organizationSumsStores(), clock }),
  async ({ organization, query }, { sums, clock }) => {
    const { sources } = await sumsOfOrganization(organization, sums, clock.now());
    const wanted = sources.filter(({ failedMessages }) => !query.failing || failedMessages > 0);
    return pageOf(wanted, query);
  },
);
