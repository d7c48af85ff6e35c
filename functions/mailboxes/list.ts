import { showMailbox } from '../../shared/api/mailboxes.ts';
import { table } from '../../shared/runtime/dependencies/services.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { pageOf } from '../../shared/runtime/http/reply.ts';
import { fetchedMailboxStore } from '../../shared/store/fetched-mailboxes.ts';
import { routes } from './routes.ts';

export const handler = endpoint(
  routes.listMailboxes,
  () => ({ mailboxes: fetchedMailboxStore(table()) }),
  async ({ organization, query }, { mailboxes }) =>
    pageOf((await mailboxes.list(organization)).map(showMailbox), query),
);
