import { missing } from '../../shared/api/common.ts';
import { showMailbox } from '../../shared/api/mailboxes.ts';
import { versionOf } from '../../shared/operations/mailboxes/on-mailbox.ts';
import { table } from '../../shared/runtime/dependencies/services.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { ServiceError } from '../../shared/runtime/http/errors.ts';
import { fetchedMailboxStore } from '../../shared/store/fetched-mailboxes.ts';
import { routes } from './routes.ts';

export const handler = endpoint(
  routes.getMailbox,
  () => ({ mailboxes: fetchedMailboxStore(table()) }),
  async ({ organization, path: { id } }, { mailboxes }) => {
    const mailbox = await mailboxes.get({ organization, id });
    if (mailbox === undefined) throw new ServiceError('not_found', missing.mailbox);
    return { data: showMailbox(mailbox), version: versionOf(mailbox) };
  },
);
