import { showInvitation } from '../../shared/api/members.ts';
import { createInvitation } from '../../shared/operations/people/create-invitation.ts';
import { invitationDependencies } from '../../shared/runtime/dependencies/people.ts';
import { operationEndpoint } from '../operation-endpoint.ts';
import { routes } from './routes.ts';

export const handler = operationEndpoint(
  routes.createInvitation,
  invitationDependencies,
  createInvitation,
  ({ invitation, link, isMailed }) => ({ ...showInvitation(invitation), link, isMailed }),
);
