import { showMailbox } from '../../shared/api/mailboxes.ts';
import { addMailbox } from '../../shared/operations/mailboxes/add-mailbox.ts';
import { connectedDependencies } from '../../shared/runtime/dependencies/mailboxes.ts';
import { operationEndpoint } from '../operation-endpoint.ts';
import { routes } from './routes.ts';

export const handler = operationEndpoint(routes.addMailbox, connectedDependencies, addMailbox, showMailbox);
