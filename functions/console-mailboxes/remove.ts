import { removeMailbox } from '../../shared/operations/mailboxes/remove-mailbox.ts';
import { MAILBOXES_PATH } from '../../shared/pages/console/mailboxes.ts';
import { removeMailboxDependencies } from '../../shared/runtime/dependencies/mailboxes.ts';
import { redirect } from '../../shared/runtime/http/reply.ts';
import { consoleEndpoint } from '../console-endpoint.ts';
import { routes } from './routes.ts';

export const handler = consoleEndpoint(
  routes.removeMailboxInConsole,
  removeMailboxDependencies,
  async ({ caller, form: { id } }, deps) =>
    redirect(
      await removeMailbox(caller, { id }, deps),
      () => MAILBOXES_PATH,
      ({ name }) => ({ says: `${name} is removed. Reports that were fetched stay.` }),
    ),
);
