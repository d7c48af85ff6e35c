import { mailboxChangeOf } from '../../shared/api/console-mailboxes.ts';
import { updateMailboxBody } from '../../shared/api/mailboxes.ts';
import { onMailbox } from '../../shared/operations/mailboxes/on-mailbox.ts';
import { updateMailbox } from '../../shared/operations/mailboxes/update-mailbox.ts';
import { withInput } from '../../shared/operations/outcome.ts';
import { mailboxPagePath } from '../../shared/pages/console/mailboxes.ts';
import { connectedDependencies } from '../../shared/runtime/dependencies/mailboxes.ts';
import { redirect } from '../../shared/runtime/http/reply.ts';
import { consoleEndpoint } from '../console-endpoint.ts';
import { routes } from './routes.ts';

export const handler = consoleEndpoint(
  routes.changeMailboxInConsole,
  connectedDependencies,
  async ({ caller, path: { id }, form }, deps) => {
    const outcome = await onMailbox(caller, id, deps, ({ signIn }) =>
      withInput(updateMailboxBody, mailboxChangeOf(form, signIn), (input) =>
        updateMailbox(caller, { id, ...input }, deps),
      ),
    );
    return redirect(
      outcome,
      () => mailboxPagePath(id),
      ({ paused }) => ({ says: paused ? 'The mailbox is paused.' : 'Saved. It is read within a minute.' }),
    );
  },
);
