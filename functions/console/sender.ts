import { organizationSenderPage } from '../../shared/pages/console/organization-sender.ts';
import { organizationSumsStores } from '../../shared/runtime/dependencies/organization-sums.ts';
import { clock, table } from '../../shared/runtime/dependencies/services.ts';
import { reply } from '../../shared/runtime/http/reply.ts';
import { decisionStore } from '../../shared/store/enforcement/decisions.ts';
import { organizationSender } from '../../shared/views/organization-sender.ts';
import { consoleEndpoint } from '../console-endpoint.ts';
import { routes } from './routes.ts';

export const handler = consoleEndpoint(
  routes.showOrganizationSender,
  () => ({ ...organizationSumsStores(), decisions: decisionStore(table()), clock }),
  async ({ organization, canWrite, formToken, flash, path: { senderId } }, deps) => {
    const sender = await organizationSender(organization, senderId, deps);
    return reply(organizationSenderPage({ sender, canWrite, formToken, flash }));
  },
);
