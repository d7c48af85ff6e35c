import { mailboxBodyOf } from '../../shared/api/console-mailboxes.ts';
import { mailboxBody } from '../../shared/api/mailboxes.ts';
import { addMailbox } from '../../shared/operations/mailboxes/add-mailbox.ts';
import { withInput } from '../../shared/operations/outcome.ts';
import { MAILBOXES_PATH } from '../../shared/pages/console/mailboxes.ts';
import { connectedDependencies } from '../../shared/runtime/dependencies/mailboxes.ts';
import { redirect } from '../../shared/runtime/http/reply.ts';
import { consoleEndpoint } from '../console-endpoint.ts';
import { routes } from './routes.ts';

export const handler = consoleEndpoint(
  routes.addMailboxInConsole,
  connectedDependencies,
  async ({ caller, form }, deps) =>
    redirect(
      await withInput(mailboxBody, mailboxBodyOf(form), (input) => addMailbox(caller, input, deps)),
      () => MAILBOXES_PATH,
      ({ name }) => ({ says: `${name} is added. The first reading starts within a minute.` }),
    ),
);
