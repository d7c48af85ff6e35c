import { explain } from '../../shared/mailboxes/problem.ts';
import { testMailbox } from '../../shared/operations/mailboxes/test-mailbox.ts';
import { testMailboxDependencies } from '../../shared/runtime/dependencies/mailboxes.ts';
import { asCaller } from '../../shared/runtime/http/as-caller.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { answer } from '../../shared/runtime/http/reply.ts';
import { routes } from './routes.ts';

export const handler = endpoint(routes.testMailbox, testMailboxDependencies, async (request, deps) =>
  answer(
    await testMailbox(asCaller(request), { ...request.path, ...request.query }, deps),
    ({ messages, error, reach }) => ({ messages, error: error && explain(error), reach }),
    'query',
  ),
);
