import { missing } from '../../shared/api/common.ts';
import { showMailbox } from '../../shared/api/mailboxes.ts';
import { mailboxPage } from '../../shared/pages/console/mailbox.ts';
import { table } from '../../shared/runtime/dependencies/services.ts';
import { existing } from '../../shared/runtime/http/errors.ts';
import { reply } from '../../shared/runtime/http/reply.ts';
import { fetchedMailboxStore } from '../../shared/store/fetched-mailboxes.ts';
import { consoleEndpoint } from '../console-endpoint.ts';
import { routes } from './routes.ts';

export const handler = consoleEndpoint(
  routes.showMailbox,
  () => ({ mailboxes: fetchedMailboxStore(table()) }),
  async ({ organization, canWrite, formToken, flash, path: { id } }, { mailboxes }) => {
    const found = existing(await mailboxes.get({ organization, id }), missing.mailbox);
    return reply(mailboxPage({ mailbox: showMailbox(found), canWrite, formToken, flash }));
  },
);
