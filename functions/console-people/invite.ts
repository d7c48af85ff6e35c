import { createInvitationBody } from '../../shared/api/members.ts';
import { withInput } from '../../shared/operations/outcome.ts';
import { createInvitation } from '../../shared/operations/people/create-invitation.ts';
import { MEMBERS_PATH } from '../../shared/pages/console/paths.ts';
import { invitationDependencies } from '../../shared/runtime/dependencies/people.ts';
import { changed, confirmedEndpoint } from '../console-settings/presentation.ts';
import { routes } from './routes.ts';

export const handler = confirmedEndpoint(
  routes.inviteInConsole,
  invitationDependencies,
  async ({ caller, form: { mail, role } }, deps) => {
    const given = { mail, ...(role !== '' && { role }) };
    return changed(
      await withInput(createInvitationBody, given, (input) => createInvitation(caller, input, deps)),
      ({ invitation, link, isMailed }) => ({
        says: isMailed
          ? `The invitation is on its way to ${invitation.mail}. This is its link.`
          : `The service sent no mail. Give this link to ${invitation.mail} yourself.`,
        secret: link,
      }),
      MEMBERS_PATH,
    );
  },
);
