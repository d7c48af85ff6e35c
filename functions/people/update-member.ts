import { showMember } from '../../shared/api/members.ts';
import { updateMember } from '../../shared/operations/people/update-member.ts';
import { memberDependencies } from '../../shared/runtime/dependencies/people.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { answer } from '../../shared/runtime/http/reply.ts';
import { routes } from './routes.ts';

export const handler = endpoint(
  routes.updateMember,
  memberDependencies,
  async ({ path, body, ...request }, deps) => {
    const uses = await deps.organizations.tokenUses(request.organization);
    return answer(await updateMember(request.caller, { ...path, ...body }, deps), (member) =>
      showMember(member, uses.get(member.id) ?? null),
    );
  },
);
