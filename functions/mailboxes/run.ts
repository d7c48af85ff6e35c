import { showMailbox } from '../../shared/api/mailboxes.ts';
import { runMailbox } from '../../shared/operations/mailboxes/run-mailbox.ts';
import { runMailboxDependencies } from '../../shared/runtime/dependencies/mailboxes.ts';
import { asCaller } from '../../shared/runtime/http/as-caller.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { answer } from '../../shared/runtime/http/reply.ts';
import { routes } from './routes.ts';

export const handler = endpoint(
  routes.runMailbox,
  runMailboxDependencies,
  async ({ path, body, ...request }, deps) =>
    answer(await runMailbox(asCaller(request), { ...path, ...body }, deps), showMailbox),
);
