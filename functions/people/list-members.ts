import { table } from '../../shared/runtime/dependencies/services.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { pageOf } from '../../shared/runtime/http/reply.ts';
import { organizationStore } from '../../shared/store/organizations.ts';
import { membersOf } from '../../shared/views/members.ts';
import { routes } from './routes.ts';

export const handler = endpoint(
  routes.listMembers,
  () => ({ organizations: organizationStore(table()) }),
  async ({ organization, query }, deps) => pageOf(await membersOf(organization, deps), query),
);
