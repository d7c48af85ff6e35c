import { showMailbox } from '../../shared/api/mailboxes.ts';
import { updateMailbox } from '../../shared/operations/mailboxes/update-mailbox.ts';
import { connectedDependencies } from '../../shared/runtime/dependencies/mailboxes.ts';
import { operationEndpoint } from '../operation-endpoint.ts';
import { routes } from './routes.ts';

export const handler = operationEndpoint(
  routes.updateMailbox,
  connectedDependencies,
  updateMailbox,
  showMailbox,
);
