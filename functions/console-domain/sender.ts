import { enforcement } from '../../shared/enforcement/shapes.ts';
import { domainDocument } from '../../shared/pages/console/domain/document.ts';
import { senderPage, senderTitle } from '../../shared/pages/console/domain/sender.ts';
import { assessDependencies } from '../../shared/runtime/dependencies/enforcement.ts';
import { ipData } from '../../shared/runtime/dependencies/ip-data.ts';
import { retention, table } from '../../shared/runtime/dependencies/services.ts';
import { accepted, reply } from '../../shared/runtime/http/reply.ts';
import { requireDomain } from '../../shared/runtime/http/require-domain.ts';
import { assessmentStore } from '../../shared/store/enforcement/assessments.ts';
import { dmarcReportStore } from '../../shared/store/reports/dmarc-reports.ts';
import { senderView } from '../../shared/views/domain/sender.ts';
import { consoleEndpoint } from '../console-endpoint.ts';
import { routes } from './routes.ts';

export const handler = consoleEndpoint(
  routes.showSender,
  () => ({
    ...assessDependencies(),
    assessments: assessmentStore(table(), enforcement),
    ipData: ipData(),
    dmarcReports: dmarcReportStore(table(), retention()),
  }),
  async (request, { domains, ...deps }) => {
    const { organization, path, query } = request;
    const domain = await requireDomain(domains, organization, path.id);
    const view = accepted(await senderView(domain, path.senderId, query, deps), 'query');
    return reply(
      domainDocument(domain, request, senderTitle(view), (shown, room) =>
        senderPage(shown, path.senderId, view, room),
      ),
    );
  },
);
