import { deleteInvitation } from '../../shared/operations/people/delete-invitation.ts';
import { consolePages } from '../../shared/pages/console/layout.ts';
import { deleteInvitationDependencies } from '../../shared/runtime/dependencies/people.ts';
import { asCaller } from '../../shared/runtime/http/as-caller.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { changed } from './presentation.ts';
import { routes } from './routes.ts';

export const handler = endpoint(
  routes.withdrawInConsole,
  deleteInvitationDependencies,
  async (request, deps) =>
    changed(await deleteInvitation(asCaller(request), request.form, deps), ({ mail }) => ({
      says: `The invitation of ${mail} is withdrawn.`,
    })),
  consolePages,
);
