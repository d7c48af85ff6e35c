import { missing } from '../../shared/api/common.ts';
import { showMailbox } from '../../shared/api/mailboxes.ts';
import { versionOf } from '../../shared/operations/mailboxes/on-mailbox.ts';
import { table } from '../../shared/runtime/dependencies/services.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { existing } from '../../shared/runtime/http/errors.ts';
import { fetchedMailboxStore } from '../../shared/store/fetched-mailboxes.ts';
import { routes } from './routes.ts';

export const handler = endpoint(
  routes.getMailbox,
  () => ({ mailboxes: fetchedMailboxStore(table()) }),
  async ({ organization, path: { id } }, { mailboxes }) => {
    const mailbox = existing(await mailboxes.get({ organization, id }), missing.mailbox);
    return { data: showMailbox(mailbox), version: versionOf(mailbox) };
  },
);
