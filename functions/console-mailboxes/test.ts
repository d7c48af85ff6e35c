import { explain } from '../../shared/mailboxes/problem.ts';
import { type Tested, testMailbox } from '../../shared/operations/mailboxes/test-mailbox.ts';
import { consolePages } from '../../shared/pages/console/layout.ts';
import { mailboxPagePath } from '../../shared/pages/console/mailboxes.ts';
import { pluralize } from '../../shared/protocol/quantity.ts';
import { testMailboxDependencies } from '../../shared/runtime/dependencies/mailboxes.ts';
import { asCaller } from '../../shared/runtime/http/as-caller.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { redirect } from '../../shared/runtime/http/reply.ts';
import { routes } from './routes.ts';

export const handler = endpoint(
  routes.testMailboxInConsole,
  testMailboxDependencies,
  async ({ path: { id }, form: { other }, ...request }, deps) =>
    redirect(
      await testMailbox(asCaller(request), { id, ...(other !== '' && { other }) }, deps),
      () => mailboxPagePath(id),
      (tested) => ({ kind: tested.error === null ? 'done' : 'refused', says: resultOf(tested) }),
    ),
  consolePages,
);

function resultOf({ messages, error, reach }: Tested): string {
  if (error !== null) {
    const { message, fix } = explain(error);
    return `${message.replace(/\.$/, '')}. ${fix}`;
  }
  const counted = `It works: the folder has ${pluralize(messages, 'mail')}.`;
  if (reach === null) return counted;
  return `${counted} ${reach.message}.${reach.fix === null ? '' : ` ${reach.fix}`}`;
}
