import { mailboxBodyOf } from '../../shared/api/console-mailboxes.ts';
import { mailboxBody } from '../../shared/api/mailboxes.ts';
import { addMailbox } from '../../shared/operations/mailboxes/add-mailbox.ts';
import { Refused, readInput } from '../../shared/operations/outcome.ts';
import { MAILBOXES_PATH } from '../../shared/pages/console/mailboxes.ts';
import { addMailboxDependencies } from '../../shared/runtime/dependencies/mailboxes.ts';
import { asCaller } from '../../shared/runtime/http/as-caller.ts';
import { redirect } from '../../shared/runtime/http/reply.ts';
import { consoleEndpoint } from '../console-endpoint.ts';
import { routes } from './routes.ts';

export const handler = consoleEndpoint(
  routes.addMailboxInConsole,
  addMailboxDependencies,
  async ({ form, ...request }, deps) => {
    const input = readInput(mailboxBody, mailboxBodyOf(form));
    const outcome = input instanceof Refused ? input : await addMailbox(asCaller(request), input, deps);
    return redirect(
      outcome,
      () => MAILBOXES_PATH,
      ({ name }) => ({ says: `${name} is added. The first reading starts within a minute.` }),
    );
  },
);
