import { showMailbox } from '../../shared/api/mailboxes.ts';
import { addMailbox } from '../../shared/operations/mailboxes/add-mailbox.ts';
import { addMailboxDependencies } from '../../shared/runtime/dependencies/mailboxes.ts';
import { asCaller } from '../../shared/runtime/http/as-caller.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { answer } from '../../shared/runtime/http/reply.ts';
import { routes } from './routes.ts';

export const handler = endpoint(routes.addMailbox, addMailboxDependencies, async (request, deps) =>
  answer(await addMailbox(asCaller(request), request.body, deps), showMailbox, 'body'),
);
