import { organizationReportPage } from '../../shared/pages/console/organization-report.ts';
import { clock, table } from '../../shared/runtime/dependencies/services.ts';
import { reply } from '../../shared/runtime/http/reply.ts';
import { attentionStore } from '../../shared/store/attention.ts';
import { directoryStore } from '../../shared/store/domains/directory.ts';
import { organizationReport } from '../../shared/views/organization-report.ts';
import { consoleEndpoint } from '../console-endpoint.ts';
import { routes } from './routes.ts';

export const handler = consoleEndpoint(
  routes.showReport,
  () => ({ directory: directoryStore(table()), attention: attentionStore(table()), clock }),
  async ({ organization, formToken }, deps) =>
    reply(organizationReportPage({ ...(await organizationReport(organization, deps)), formToken })),
);
