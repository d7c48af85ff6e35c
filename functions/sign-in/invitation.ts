import { invitationPage } from '../../shared/pages/console/invitation.ts';
import { clock, providerHost, table } from '../../shared/runtime/dependencies/services.ts';
import { Redirect } from '../../shared/runtime/http/errors.ts';
import { reply } from '../../shared/runtime/http/reply.ts';
import { signInPath } from '../../shared/runtime/http/session-cookie.ts';
import { invitationStore } from '../../shared/store/invitations.ts';
import { organizationStore } from '../../shared/store/organizations.ts';
import { consoleEndpoint } from '../console-endpoint.ts';
import { routes } from './routes.ts';

export const handler = consoleEndpoint(
  routes.showInvitation,
  () => ({
    organizations: organizationStore(table()),
    invitations: invitationStore(table()),
    provider: providerHost(),
    clock,
  }),
  async ({ query: { link = '' } }, { organizations, invitations, provider, clock }) => {
    if (provider === undefined) throw new Redirect(signInPath());
    const invitation = await invitations.find(link, clock.now());
    if (invitation === undefined) throw new Redirect(signInPath(undefined, 'invitation'));
    const { name = '' } = (await organizations.get(invitation.organization)) ?? {};
    return reply(invitationPage({ ...invitation, name, link, provider }));
  },
);
