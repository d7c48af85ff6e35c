import { missing } from '../../shared/api/common.ts';
import { showMailbox } from '../../shared/api/mailboxes.ts';
import { mailboxPage } from '../../shared/pages/console/mailbox.ts';
import { table } from '../../shared/runtime/dependencies/services.ts';
import { ServiceError } from '../../shared/runtime/http/errors.ts';
import { reply } from '../../shared/runtime/http/reply.ts';
import { fetchedMailboxStore } from '../../shared/store/fetched-mailboxes.ts';
import { consoleEndpoint } from '../console-endpoint.ts';
import { routes } from './routes.ts';

export const handler = consoleEndpoint(
  routes.showMailbox,
  () => ({ mailboxes: fetchedMailboxStore(table()) }),
  async ({ organization, canWrite, formToken, flash, path: { id } }, { mailboxes }) => {
    const found = await mailboxes.get({ organization, id });
    if (found === undefined) throw new ServiceError('not_found', missing.mailbox);
    return reply(mailboxPage({ mailbox: showMailbox(found), canWrite, formToken, flash }));
  },
);
