import { missing } from '../../shared/api/common.ts';
import { mailboxChangeOf } from '../../shared/api/console-mailboxes.ts';
import { updateMailboxBody } from '../../shared/api/mailboxes.ts';
import { updateMailbox } from '../../shared/operations/mailboxes/update-mailbox.ts';
import { Refused, readInput } from '../../shared/operations/outcome.ts';
import { mailboxPagePath } from '../../shared/pages/console/mailboxes.ts';
import { updateMailboxDependencies } from '../../shared/runtime/dependencies/mailboxes.ts';
import { asCaller } from '../../shared/runtime/http/as-caller.ts';
import { ServiceError } from '../../shared/runtime/http/errors.ts';
import { redirect } from '../../shared/runtime/http/reply.ts';
import { consoleEndpoint } from '../console-endpoint.ts';
import { routes } from './routes.ts';

export const handler = consoleEndpoint(
  routes.changeMailboxInConsole,
  updateMailboxDependencies,
  async ({ path: { id }, form, ...request }, deps) => {
    const before = await deps.mailboxes.get({ organization: request.organization, id });
    if (before === undefined) throw new ServiceError('not_found', missing.mailbox);
    const input = readInput(updateMailboxBody, mailboxChangeOf(form, before.signIn));
    const outcome =
      input instanceof Refused ? input : await updateMailbox(asCaller(request), { id, ...input }, deps);
    return redirect(
      outcome,
      () => mailboxPagePath(id),
      ({ paused }) => ({ says: paused ? 'The mailbox is paused.' : 'Saved. It is read within a minute.' }),
    );
  },
);
