import { showInvitation } from '../../shared/api/members.ts';
import { clock, table } from '../../shared/runtime/dependencies/services.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { pageOf } from '../../shared/runtime/http/reply.ts';
import { invitationStore } from '../../shared/store/invitations.ts';
import { routes } from './routes.ts';

export const handler = endpoint(
  routes.listInvitations,
  () => ({ invitations: invitationStore(table()), clock }),
  async ({ organization, query }, { invitations, clock }) =>
    pageOf((await invitations.list(organization, clock.now())).map(showInvitation), query),
);
