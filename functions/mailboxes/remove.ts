import { removeMailbox } from '../../shared/operations/mailboxes/remove-mailbox.ts';
import { removeMailboxDependencies } from '../../shared/runtime/dependencies/mailboxes.ts';
import { operationEndpoint } from '../operation-endpoint.ts';
import { routes } from './routes.ts';

export const handler = operationEndpoint(
  routes.removeMailbox,
  removeMailboxDependencies,
  removeMailbox,
  () => ({ deleted: true as const }),
);
