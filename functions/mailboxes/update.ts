import { showMailbox } from '../../shared/api/mailboxes.ts';
import { updateMailbox } from '../../shared/operations/mailboxes/update-mailbox.ts';
import { updateMailboxDependencies } from '../../shared/runtime/dependencies/mailboxes.ts';
import { asCaller } from '../../shared/runtime/http/as-caller.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { answer } from '../../shared/runtime/http/reply.ts';
import { routes } from './routes.ts';

export const handler = endpoint(
  routes.updateMailbox,
  updateMailboxDependencies,
  async ({ path, body, ...request }, deps) =>
    answer(await updateMailbox(asCaller(request), { ...path, ...body }, deps), showMailbox, 'body'),
);
