import { showMailbox } from '../../shared/api/mailboxes.ts';
import { mailboxesPage } from '../../shared/pages/console/mailboxes.ts';
import { table } from '../../shared/runtime/dependencies/services.ts';
import { reply } from '../../shared/runtime/http/reply.ts';
import { fetchedMailboxStore } from '../../shared/store/fetched-mailboxes.ts';
import { consoleEndpoint } from '../console-endpoint.ts';
import { routes } from './routes.ts';

export const handler = consoleEndpoint(
  routes.showMailboxes,
  () => ({ mailboxes: fetchedMailboxStore(table()) }),
  async ({ organization, canWrite, formToken, flash, query: { provider } }, { mailboxes }) => {
    const listed = await mailboxes.list(organization);
    return reply(mailboxesPage({ mailboxes: listed.map(showMailbox), provider, canWrite, formToken, flash }));
  },
);
