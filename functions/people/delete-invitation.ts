import { deleteInvitation } from '../../shared/operations/people/delete-invitation.ts';
import { deleteInvitationDependencies } from '../../shared/runtime/dependencies/people.ts';
import { operationEndpoint } from '../operation-endpoint.ts';
import { routes } from './routes.ts';

export const handler = operationEndpoint(
  routes.deleteInvitation,
  deleteInvitationDependencies,
  deleteInvitation,
  () => ({ deleted: true as const }),
);
