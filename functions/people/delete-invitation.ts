import { deleteInvitation } from '../../shared/operations/people/delete-invitation.ts';
import { deleteInvitationDependencies } from '../../shared/runtime/dependencies/people.ts';
import { asCaller } from '../../shared/runtime/http/as-caller.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { answer } from '../../shared/runtime/http/reply.ts';
import { routes } from './routes.ts';

export const handler = endpoint(
  routes.deleteInvitation,
  deleteInvitationDependencies,
  async ({ path, ...request }, deps) =>
    answer(await deleteInvitation(asCaller(request), path, deps), () => ({ deleted: true as const })),
);
