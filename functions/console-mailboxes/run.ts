import { runMailbox } from '../../shared/operations/mailboxes/run-mailbox.ts';
import { MAILBOXES_PATH } from '../../shared/pages/console/mailboxes.ts';
import { runMailboxDependencies } from '../../shared/runtime/dependencies/mailboxes.ts';
import { redirect } from '../../shared/runtime/http/reply.ts';
import { consoleEndpoint } from '../console-endpoint.ts';
import { routes } from './routes.ts';

export const handler = consoleEndpoint(
  routes.runMailboxInConsole,
  runMailboxDependencies,
  async ({ caller, form: { id, again } }, deps) =>
    redirect(
      await runMailbox(caller, { id, again: again === 'on' }, deps),
      () => MAILBOXES_PATH,
      ({ name }) => ({ says: `${name} is read within a minute.` }),
    ),
);
