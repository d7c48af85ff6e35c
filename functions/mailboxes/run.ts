import { showMailbox } from '../../shared/api/mailboxes.ts';
import { runMailbox } from '../../shared/operations/mailboxes/run-mailbox.ts';
import { runMailboxDependencies } from '../../shared/runtime/dependencies/mailboxes.ts';
import { operationEndpoint } from '../operation-endpoint.ts';
import { routes } from './routes.ts';

export const handler = operationEndpoint(routes.runMailbox, runMailboxDependencies, runMailbox, showMailbox);
