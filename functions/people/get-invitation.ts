import { missing } from '../../shared/api/common.ts';
import { showInvitation } from '../../shared/api/members.ts';
import { clock, table } from '../../shared/runtime/dependencies/services.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { ServiceError } from '../../shared/runtime/http/errors.ts';
import { reply } from '../../shared/runtime/http/reply.ts';
import { invitationStore } from '../../shared/store/invitations.ts';
import { routes } from './routes.ts';

export const handler = endpoint(
  routes.getInvitation,
  () => ({ invitations: invitationStore(table()), clock }),
  async ({ organization, path }, { invitations, clock }) => {
    const found = (await invitations.list(organization, clock.now())).find(({ id }) => id === path.id);
    if (found === undefined) throw new ServiceError('not_found', missing.invitation);
    return reply(showInvitation(found));
  },
);
