import { createInvitationBody } from '../../shared/api/members.ts';
import { Refused, readInput } from '../../shared/operations/outcome.ts';
import { createInvitation } from '../../shared/operations/people/create-invitation.ts';
import { invitationDependencies } from '../../shared/runtime/dependencies/people.ts';
import { confirmDependencies } from '../../shared/runtime/dependencies/settings.ts';
import { asCaller } from '../../shared/runtime/http/as-caller.ts';
import { consoleEndpoint } from '../console-endpoint.ts';
import { confirmed } from '../console-settings/presentation.ts';
import { changed } from './presentation.ts';
import { routes } from './routes.ts';

export const handler = consoleEndpoint(
  routes.inviteInConsole,
  () => ({ ...confirmDependencies(), inviting: invitationDependencies() }),
  (request, { inviting, ...deps }) =>
    confirmed(routes.inviteInConsole, request, deps, async () => {
      const { mail, role } = request.form;
      const input = readInput(createInvitationBody, { mail, ...(role !== '' && { role }) });
      const outcome =
        input instanceof Refused ? input : await createInvitation(asCaller(request), input, inviting);
      return changed(outcome, ({ invitation, link, isMailed }) => ({
        says: isMailed
          ? `The invitation is on its way to ${invitation.mail}. This is its link.`
          : `The service sent no mail. Give this link to ${invitation.mail} yourself.`,
        secret: link,
      }));
    }),
);
