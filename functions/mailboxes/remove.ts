import { removeMailbox } from '../../shared/operations/mailboxes/remove-mailbox.ts';
import { removeMailboxDependencies } from '../../shared/runtime/dependencies/mailboxes.ts';
import { asCaller } from '../../shared/runtime/http/as-caller.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { answer } from '../../shared/runtime/http/reply.ts';
import { routes } from './routes.ts';

export const handler = endpoint(routes.removeMailbox, removeMailboxDependencies, async (request, deps) =>
  answer(await removeMailbox(asCaller(request), request.path, deps), () => ({ deleted: true as const })),
);
