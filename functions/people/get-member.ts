import { missing } from '../../shared/api/common.ts';
import { versionOf } from '../../shared/operations/people/update-member.ts';
import { scopeOf } from '../../shared/protocol/scope.ts';
import { table } from '../../shared/runtime/dependencies/services.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { ServiceError } from '../../shared/runtime/http/errors.ts';
import { organizationStore } from '../../shared/store/organizations.ts';
import { membersOf } from '../../shared/views/members.ts';
import { routes } from './routes.ts';

export const handler = endpoint(
  routes.getMember,
  () => ({ organizations: organizationStore(table()) }),
  async ({ organization, path }, deps) => {
    const found = (await membersOf(organization, deps)).find(({ id }) => id === path.id);
    if (found === undefined) throw new ServiceError('not_found', missing.member);
    return { data: found, version: versionOf({ scope: scopeOf(found.role) }) };
  },
);
