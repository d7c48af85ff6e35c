import { deleteInvitation } from '../../shared/operations/people/delete-invitation.ts';
import { MEMBERS_PATH } from '../../shared/pages/console/paths.ts';
import { deleteInvitationDependencies } from '../../shared/runtime/dependencies/people.ts';
import { redirect } from '../../shared/runtime/http/reply.ts';
import { consoleEndpoint } from '../console-endpoint.ts';
import { routes } from './routes.ts';

export const handler = consoleEndpoint(
  routes.withdrawInConsole,
  deleteInvitationDependencies,
  async ({ caller, form }, deps) =>
    redirect(
      await deleteInvitation(caller, form, deps),
      () => MEMBERS_PATH,
      ({ mail }) => ({ says: `The invitation of ${mail} is withdrawn.` }),
    ),
);
