import { showInvitation } from '../../shared/api/members.ts';
import { membersPage } from '../../shared/pages/console/members.ts';
import { clock, providerHost, table } from '../../shared/runtime/dependencies/services.ts';
import { reply } from '../../shared/runtime/http/reply.ts';
import { invitationStore } from '../../shared/store/invitations.ts';
import { organizationStore } from '../../shared/store/organizations.ts';
import { membersOf } from '../../shared/views/members.ts';
import { consoleEndpoint } from '../console-endpoint.ts';
import { routes } from './routes.ts';

export const handler = consoleEndpoint(
  routes.showMembers,
  () => ({
    organizations: organizationStore(table()),
    invitations: invitationStore(table()),
    provider: providerHost(),
    clock,
  }),
  async ({ organization, token, formToken, flash }, { invitations, provider, clock, ...deps }) => {
    const [members, open] = await Promise.all([
      membersOf(organization, deps),
      invitations.list(organization, clock.now()),
    ]);
    const shown = { members, invitations: open.map(showInvitation), own: token.id };
    return reply(membersPage({ ...shown, hasProvider: provider !== undefined, formToken, flash }));
  },
);
