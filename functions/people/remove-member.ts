import { removeMember } from '../../shared/operations/people/remove-member.ts';
import { memberDependencies } from '../../shared/runtime/dependencies/people.ts';
import { asCaller } from '../../shared/runtime/http/as-caller.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { answer } from '../../shared/runtime/http/reply.ts';
import { routes } from './routes.ts';

export const handler = endpoint(
  routes.removeMember,
  memberDependencies,
  async ({ path, query, ...request }, deps) =>
    answer(await removeMember(asCaller(request), { ...path, ...query }, deps), () => ({
      deleted: true as const,
    })),
);
