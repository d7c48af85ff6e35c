import { deleteInvitation } from '../../shared/operations/people/delete-invitation.ts';
import { deleteInvitationDependencies } from '../../shared/runtime/dependencies/people.ts';
import { asCaller } from '../../shared/runtime/http/as-caller.ts';
import { consoleEndpoint } from '../console-endpoint.ts';
import { changed } from './presentation.ts';
import { routes } from './routes.ts';

export const handler = consoleEndpoint(
  routes.withdrawInConsole,
  deleteInvitationDependencies,
  async (request, deps) =>
    changed(await deleteInvitation(asCaller(request), request.form, deps), ({ mail }) => ({
      says: `The invitation of ${mail} is withdrawn.`,
    })),
);
