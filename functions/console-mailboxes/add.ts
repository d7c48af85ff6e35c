import { mailboxBody, showMailbox } from '../../shared/api/mailboxes.ts';
import { addMailbox } from '../../shared/operations/mailboxes/add-mailbox.ts';
import { Refused, readInput } from '../../shared/operations/outcome.ts';
import { problemOf } from '../../shared/pages/console/form-fields.ts';
import { consolePages } from '../../shared/pages/console/layout.ts';
import { MAILBOXES_PATH, mailboxesPage, mailboxFieldNames } from '../../shared/pages/console/mailboxes.ts';
import { addMailboxDependencies } from '../../shared/runtime/dependencies/mailboxes.ts';
import { asCaller } from '../../shared/runtime/http/as-caller.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { redirect } from '../../shared/runtime/http/reply.ts';
import { routes } from './routes.ts';

export const handler = endpoint(
  routes.addMailboxInConsole,
  addMailboxDependencies,
  async ({ form: { formToken, secret, ...typed }, ...request }, deps) => {
    const { port, moveTo, everyMinutes, tokenUrl, clientId, scope, ...given } = typed;
    const withToken = { kind: 'oauth2-client-credentials', tokenUrl, clientId, scope, clientSecret: secret };
    const input = readInput(mailboxBody, {
      ...given,
      signIn: tokenUrl === '' ? { kind: 'password', password: secret } : withToken,
      everySeconds: Number(everyMinutes) * 60,
      ...(port !== '' && { port: Number(port) }),
      ...(moveTo !== '' && { moveTo }),
    });
    const outcome = input instanceof Refused ? input : await addMailbox(asCaller(request), input, deps);
    if (!(outcome instanceof Refused)) return redirect(outcome, ({ id }) => `${MAILBOXES_PATH}#${id}`);
    const mailboxes = (await deps.mailboxes.list(request.organization)).map(showMailbox);
    const refused = { typed, problem: problemOf(outcome, mailboxFieldNames) };
    const data = mailboxesPage({ mailboxes, canWrite: true, formToken, refused });
    return { data, status: 400, subjects: [] };
  },
  consolePages,
);
