import { showInvitation } from '../../shared/api/members.ts';
import { createInvitation } from '../../shared/operations/people/create-invitation.ts';
import { invitationDependencies } from '../../shared/runtime/dependencies/people.ts';
import { asCaller } from '../../shared/runtime/http/as-caller.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { answer } from '../../shared/runtime/http/reply.ts';
import { routes } from './routes.ts';

export const handler = endpoint(routes.createInvitation, invitationDependencies, async (request, deps) =>
  answer(await createInvitation(asCaller(request), request.body, deps), ({ invitation, link, isMailed }) => ({
    ...showInvitation(invitation),
    link,
    isMailed,
  })),
);
